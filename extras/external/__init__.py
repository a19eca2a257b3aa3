"""External programs as players, over the engine protocol (the player ``external:COMMAND``)."""

from extras import Extra

EXTRA = Extra(
    players=("extras.external.kind",),
    entries=(("chooser", "extras.external.entry:ProgramsEntry"),),
    examples=(
        ("match", "crownhead,depth=6 'external:./other-program,time=1'", "against another program (docs/engine.md)"),
    ),
)
