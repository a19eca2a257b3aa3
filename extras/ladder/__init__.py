"""The ladder: ratings of several players on one scale, with fixed opponents (the verb ``ladder``)."""

from extras import Extra, Verb

EXTRA = Extra(
    verbs=(
        Verb("ladder", "extras.ladder.command", "rate several players on one scale, with fixed opponents", "Measure"),
    )
)
