"""Figures of this machine, and a number for the behaviour of the program (the verb ``bench``)."""

from extras import Extra, Verb

_TEXT = "measure how fast this machine plays and evolves"

EXTRA = Extra(verbs=(Verb("bench", "extras.bench.command", _TEXT, "Measure"),))
