"""The commands that open the explorer from lists of games."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from extras.explorer.board import show_explorer
from extras.explorer.panel import SOURCE
from extras.explorer.sources import explored_games
from gui.model.game import GameModel
from gui.screens import entries
from gui.screens.play.game_lists import CHOOSE, KeptGamesScreen
from gui.screens.play.games_of_file import GamesScreen
from gui.screens.play.rated import LOOKED_UP, RatedGame
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
                    about="Explore the moves of these games from the start", enabled=bool(self._list.index.rows),
                    why="There is no game in the list."),
        ]  # fmt: skip

    def _explore(self) -> None:
        self.app.services.shared(explored_games).choose(self._list.file)
        self.app.services.store.set(SOURCE, self._list.file)
        show_explorer(self.app, GameModel())


class KeptGamesEntry(entries.Entry):
    """The command that explores the visible position of a kept game."""

    def __init__(self, screen: Screen) -> None:
        super().__init__(screen)
        assert isinstance(screen, KeptGamesScreen)
        self._list = screen

    def commands(self) -> Sequence[Command]:
        model = self._list.model
        return [
            Command(id="explore", name="Explore", keys=("k",), run=self._explore, icon="tree", group="Other games",
                    about="Explore the moves played from this position in other games", enabled=model is not None,
                    why=CHOOSE),
        ]  # fmt: skip

    def _explore(self) -> None:
        model = self._list.model
        if model is not None:
            show = partial(show_explorer, self.app, model.branch())
            RatedGame(self.app.services.career, model).guard(self.app, LOOKED_UP, show)
