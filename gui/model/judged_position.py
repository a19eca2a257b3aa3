"""What tablebases know of a single position, such as one that is being set up."""

from __future__ import annotations

from game.board import Position
from game.endgame.slices import MOST_BUILT
from gui.model.analyses import Analysis
from gui.model.game import GameModel
from gui.model.seats import Seat
from gui.model.table import GameTable, Said
from gui.model.thinks import Thinks

ASKS = Seat("material", 1, 1.0)
"""Who analyses, as quickly as anybody does: what it thinks is not shown."""


class JudgedPosition:
    """The position that is shown, on a table of its own.

    Nothing is asked of the thinking process while there are more pieces than tables know, and what another table has
    asked goes on then.
    """

    def __init__(self, thinker: Thinks) -> None:
        self._thinker = thinker
        self._table = GameTable(thinker)
        self._table.analyst = ASKS

    @property
    def waits(self) -> bool:
        """Whether an answer is to come."""
        return self._table.analysing

    def update(self, position: Position | None, now: float) -> list[str]:
        """Hear what was found, ask about the position if it is another one; sentences that a person should read.

        Args:
            position: the position; it has a legal move. None if there is none.
            now: seconds of a clock that does not go back.
        """
        table = self._table
        asks = False
        if position is not None and (position.black | position.white).bit_count() <= MOST_BUILT:
            asks = True
            if position != table.model.start:
                table.begin(GameModel(start=position))
        table.analyse(asks)
        # Whoever polls hears answers to others, too; those ask again once they see that somebody has asked after them.
        events = table.update(now) if asks or table.analysing else []
        return [event.text for event in events if isinstance(event, Said)]

    def find(self, position: Position | None) -> Analysis | None:
        """What is known of the position; None if nothing is, or it is another one than `update` was told."""
        return self._table.analysis if position is not None and position == self._table.model.start else None

    def close(self) -> None:
        """No answer is wanted any more."""
        if self.waits:
            self._thinker.drop()
