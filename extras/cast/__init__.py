"""A cast: a map of players of different characters, evolved by quality-diversity (the preset ``cast``)."""

from extras import Extra

EXTRA = Extra(
    kinds=("extras.cast.kinds",),
    entries=(("chooser", "extras.cast.chooser"),),
    keys=(
        ("ctrl+u", "Characters", "characters"),
        ("=", "As strong as the chosen one", "alike"),
        ("shift+g", "Next run", "next-run"),
    ),
    uses=("reports",),
)
