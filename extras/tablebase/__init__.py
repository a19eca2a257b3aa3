"""Tablebases on the command line: look-ups, the list of tables, and larger ones than the core builds (`tablebase`)."""

from extras import Extra, Verb

TEXT = "look up and build tables of perfect play with few pieces"

EXTRA = Extra(verbs=(Verb("tablebase", "extras.tablebase.command", TEXT, "Play"),))
