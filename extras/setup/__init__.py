"""Positions that are set up piece by piece, and played from there."""

from extras import Extra

EXTRA = Extra(entries=(("home", "extras.setup.entries:HomeEntry"), ("play", "extras.setup.entries:SetUpGameEntry")))
