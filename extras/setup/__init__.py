"""Positions that are set up piece by piece, and played from there."""

from extras import Extra

EXTRA = Extra(
    entries=(("home", "extras.setup.entries:HomeEntry"), ("play", "extras.setup.entries:SetUpGameEntry")),
    keys=(
        ("0 1 2 3 4 5 6 7 8", "", "cycle black-man black-king white-man white-king empty"),
        ("t", "", "fen"),
        ("", "", "set-up side"),
    ),
)
