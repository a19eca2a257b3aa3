"""Keeping runs: their notes and tags, runs that lists leave out, and deletion (options of ``inspect``, and a menu)."""

from extras import Extra

EXTRA = Extra(
    options=(("inspect", "extras.keeping.options"),),
    entries=(("chooser", "extras.keeping.actions:RunActions"),),
)
