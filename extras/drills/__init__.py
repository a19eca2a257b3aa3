"""Drills: your mistakes in reviewed games return until you know the better moves."""

from extras import Extra

EXTRA = Extra(entries=(("home", "extras.drills.home:DrillsEntry"),))
