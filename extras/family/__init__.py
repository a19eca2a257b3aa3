"""The family of a player: its ancestors in the run, how much each contributed, and what changed in its play."""

from extras import Extra

EXTRA = Extra(entries=(("player", "extras.family.command:family_command"),), needs=("weights",))
