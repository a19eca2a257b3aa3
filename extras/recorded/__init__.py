"""Recorded games on the command line: the replay of whole files, pages of games, and pictures of positions (`pdn`)."""

from extras import Extra, Verb

_TEXT = "check recorded games, or write them as pages and pictures"

EXTRA = Extra(verbs=(Verb("pdn", "extras.recorded.command", _TEXT, "Play"),))
