"""Reports on the traits of players, from games (``inspect --traits``) or from a file (``analyse --traits``)."""

from extras import Extra

EXTRA = Extra(
    options=(("inspect", "extras.traits.of_players"), ("analyse", "extras.traits.of_file")),
    uses=("analysis", "recorded"),  # for files
)
