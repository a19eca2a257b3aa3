"""A cast: a map of players of different characters, evolved by quality-diversity (the preset ``cast``)."""

from extras import Extra

EXTRA = Extra(kinds=("extras.cast.kinds",), uses=("reports",))
