"""Keeping runs: their notes and tags, runs that lists leave out, and deletion (actions of the window)."""

from extras import Extra

EXTRA = Extra(entries=(("chooser", "extras.keeping.actions:RunActions"),))
