"""Recorded games on the command line: the replay of whole files, and pictures of games and positions (`pdn`)."""

from extras import Extra, Verb

_TEXT = "check recorded games, or draw one as an animated picture"

EXTRA = Extra(verbs=(Verb("pdn", "extras.recorded.command", _TEXT, "Play"),))
