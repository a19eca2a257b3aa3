"""What a table needs of others: somebody who thinks about positions, and errands, which it runs beside its game."""

from __future__ import annotations

from typing import Protocol

from game.board import Position
from game.finding import SearchInfo
from gui.model.seats import Seat
from gui.thinking.messages import Compiling, Phase, Reply, SearchRequest


class Thinks(Protocol):
    """What a table needs of a `gui.thinking.thinker.Thinker`."""

    @property
    def phase(self) -> Phase:
        """What its process is doing as a whole."""
        ...

    @property
    def compiling(self) -> Compiling | None:
        """How far it is with what is compiled at a first start."""
        ...

    @property
    def tables_opened(self) -> int:
        """How often tablebases were opened to analyses, or more of them."""
        ...

    @property
    def last_ticket(self) -> int:
        """Of the newest request; replies to any other do not come."""
        ...

    def ask(self, request: SearchRequest) -> int:
        """Think about this; returns its ticket."""
        ...

    def move_now(self) -> None:
        """Answer with the best so far."""
        ...

    def drop(self) -> None:
        """Forget what was asked."""
        ...

    def poll(self, now: float) -> list[Reply]:
        """What came since the last time."""
        ...


class Errands(Protocol):
    """Positions that are analysed for somebody else, after what is shown, such as all of a game for a review."""

    def next_place(self) -> tuple[int, Position, Seat, int] | None:
        """The next one: after how many moves of the game, which, by whom, how deep; None if there is none now."""
        ...

    def learn(self, cursor: int, position: Position, finding: SearchInfo) -> None:
        """What was found there."""
        ...

    def on_tables(self) -> None:
        """Tablebases were opened, which know more than before."""
        ...
