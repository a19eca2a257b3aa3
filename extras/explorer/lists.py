"""The command that opens the explorer from the list of a file's games."""

from __future__ import annotations

from collections.abc import Sequence

from extras.explorer.board import show_explorer
from extras.explorer.panel import SOURCE
from extras.explorer.sources import explored_games
from gui.model.game import GameModel
from gui.screens import entries
from gui.screens.play.games import GamesScreen
from gui.screens.screen import Screen
from gui.widgets.base import Command


class ExplorerFileEntry(entries.Entry):
    """The command that explores the games of a PDN file from their list."""

    def __init__(self, screen: Screen) -> None:
        super().__init__(screen)
        assert isinstance(screen, GamesScreen)
        self._list = screen

    def commands(self) -> Sequence[Command]:
        return [
            Command(id="explore", name="Explore", keys=("k",), run=self._explore, icon="tree",
                    about="Explore the moves of these games from the start", enabled=bool(self._list.games.count),
                    why="There is no game in the list."),
        ]  # fmt: skip

    def _explore(self) -> None:
        self.app.services.shared(explored_games).choose(self._list.games.file)
        self.app.services.store.set(SOURCE, self._list.games.file)
        show_explorer(self.app, GameModel())
