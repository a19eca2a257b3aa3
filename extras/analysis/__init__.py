"""Analysis on the command line: every move of a position with its score, and reviews of recorded games (`analyse`)."""

from extras import Extra, Verb

EXTRA = Extra(
    verbs=(
        Verb("analyse", "extras.analysis.command", "show how a player evaluates each move, or review games", "Play"),
    ),
    needs=("recorded",),
)
