"""A cast: a map of players of different characters, evolved by quality-diversity (the preset ``cast``)."""

from extras import Extra

_BEST = "cast:back-row=4,centre=1"

EXTRA = Extra(
    kinds=("extras.cast.kinds",),
    examples=(
        ("play", _BEST, "a game against a character, the best one in these cells (docs/players.md)"),
        ("evolve", "--preset cast --name styles", "a map of players of different characters"),
        ("inspect", _BEST, "a member of a cast by its cells, with its character in a sentence"),
    ),
    options=(("inspect", "extras.cast.rating"),),
    entries=(
        ("persona", "extras.cast.characters_file:persona"),
        ("exhibits", "extras.cast.chooser:CharactersEntry"),
        ("new-session", "extras.cast.night:NightEntry"),
    ),
)
