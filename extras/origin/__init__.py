"""The origin of a run: what differs from its preset or the run that it branched from, and how to repeat it."""

from extras import Extra

EXTRA = Extra(parts=("extras.origin.repeated", "extras.origin.changed"))
