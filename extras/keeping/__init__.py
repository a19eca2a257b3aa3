"""Keeping runs: their notes and tags, runs that lists leave out, and deletion (options of ``inspect``)."""

from extras import Extra

EXTRA = Extra(options=(("inspect", "extras.keeping.options"),))
