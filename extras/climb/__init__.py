"""The climb: a ladder of levels and generations of a run, on which rated games lead upwards."""

from extras import Extra

EXTRA = Extra(
    options=(("pdn", "extras.climb.command"),),
    entries=(("home", "extras.climb.home"),),
    keys=(
        ("l", "Climb the ladder", "climb"),
        ("+", "Harder", "harder"),
        ("-", "Easier", "easier"),
        ("]", "Another game", "another-game"),
        ("shift+g", "Next run", "next-run"),
        ("shift+j", "Measure an opponent", "measure"),
    ),
)
