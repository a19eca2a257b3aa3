"""The commands that set up a position: on the first screen, under “Study”, and in the menu of a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from game.board import Position
from gui.model.seats import HUMAN, Seat
from gui.screens import entries
from gui.screens.home import STUDY_GROUP
from gui.widgets.base import Command

if TYPE_CHECKING:
    from gui.screens.play.play import Play


class HomeEntry(entries.Entry):
    """The command on the first screen."""

    group = STUDY_GROUP

    @property
    def begin(self) -> tuple[Position, tuple[Seat, Seat]]:
        """The position and the players from which it begins."""
        opponent, white = self.app.services.opponents.recommend(), self.app.services.settings.colour == "white"
        return Position.start(), (opponent, HUMAN) if white else (HUMAN, opponent)

    def commands(self) -> Sequence[Command]:
        return [
            Command(id="set-up", name="Set up a position", keys=(), run=self._open, icon="board", group=self.group,
                    about="Place the pieces as you like"),
        ]  # fmt: skip

    def _open(self) -> None:
        from extras.setup.screen import SetUp

        self.app.open(SetUp(self.app, *self.begin))


class SetUpGameEntry(HomeEntry):
    """The command of a game, which begins from its visible position."""

    group = "The game"

    def __init__(self, screen: Play) -> None:
        super().__init__(screen)
        self._game = screen

    @property
    def begin(self) -> tuple[Position, tuple[Seat, Seat]]:
        return self._game.model.shown, self._game.model.seats
