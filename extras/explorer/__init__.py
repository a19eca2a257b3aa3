"""The explorer: the moves that were played from a position in other games, and a board for trying lines."""

from extras import Extra

EXTRA = Extra(
    entries=(("game", "extras.explorer.panel:ExplorerPanel"), ("games", "extras.explorer.lists:ExplorerFileEntry"))
)
