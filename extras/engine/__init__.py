"""An engine: another program asks a player for moves, line by line (the verb ``engine``)."""

from extras import Extra, Verb

EXTRA = Extra(
    verbs=(Verb("engine", "extras.engine.command", "let another program ask a player for moves", "Connect"),),
    needs=("external",),  # its protocol
)
