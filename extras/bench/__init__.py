"""Figures of this machine, a number for all behaviour, and counts of moves (the verbs ``bench`` and ``perft``)."""

from extras import Extra, Verb

_TEXT = "measure how fast this machine plays and evolves"

EXTRA = Extra(
    verbs=(
        Verb("bench", "extras.bench.command", _TEXT, "Measure"),
        Verb("perft", "extras.bench.perft", "count move sequences, to test the move generator", "Measure"),
    )
)
