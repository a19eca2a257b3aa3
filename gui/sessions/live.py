"""The champion that is shown, playing now: a game against the champion before it, in the thinking process. No pygame.

Nobody looks ahead, so a move costs less than a thousandth of a second, twice a second at most; nothing is asked while
the screen is not shown. Games differ by their first moves, which are drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gui.model.game import Cause, GameModel
from gui.model.seats import Seat, names_of
from gui.model.table import GameTable, Said
from gui.sessions.small_board import SmallBoard

if TYPE_CHECKING:
    from gui.thinking.thinker import Thinker

MOVE_SECONDS, END_SECONDS = 0.5, 2.5
SETTLE_SECONDS = 0.4
"""A champion that is shown for less, as while the slider is dragged, is not asked for moves."""

STAY_SECONDS = 6.0
"""Seconds that a game lasts at least before a newer champion replaces it, unless the person chose one."""

OPENING_PLIES = 3
FIRST = Seat("material", 1, title="Piece counter")
"""Whom the champion of generation 0 plays."""


class Live(SmallBoard):
    """One board on which champions play.

    Args:
        thinker: the thinking process.
        seat: the player of a generation's champion.

    Attributes:
        playing: whether moves follow each other.
        generation: whose champion plays; -1 for nobody.
        number: which of its games is shown, from 1.
        trouble: why this champion cannot play, in one sentence; empty if it can.
        said: sentences for the person; the screen takes them away.
    """

    def __init__(self, thinker: Thinker, seat: Callable[[int], Seat]) -> None:
        super().__init__()
        self.playing = True
        self.generation = -1
        self.number = 0
        self.trouble = ""
        self.said: list[str] = []
        self._thinker, self._seat = thinker, seat
        self._table: GameTable | None = None
        self._asked = False
        self._begin_at = self._over_at = 0.0

    def show(self, generation: int, now: float, *, chosen: bool) -> bool:
        """Let the champion of a generation play; returns whether the board changed.

        Args:
            generation: its number; -1 for none.
            now: seconds of a clock that does not go back.
            chosen: whether a person has chosen it: then it begins at once.
        """
        if generation == self.generation:
            return False
        if self.model is not None and not chosen and not self.trouble and now < self._begin_at + STAY_SECONDS:
            return False
        self.generation, self.number, self.trouble = generation, 0, ""
        self._begin(now + SETTLE_SECONDS)
        return True

    def next_game(self, now: float) -> None:
        """Begin another game of the same champion."""
        if self.generation >= 0 and not self.trouble:
            self._begin(now)

    def rest(self) -> None:
        """Pause the game while the board is not visible."""
        if self._asked:
            self._thinker.drop()
        self._put(self.model)

    def tick(self, now: float) -> bool:
        """Time has passed; returns whether the board changed."""
        table, model = self._table, self.model
        if table is None or model is None or now < self._begin_at:
            return False
        if model.over:
            if not self.playing or self.trouble:
                return False
            self._over_at = self._over_at or now
            if now < self._over_at + END_SECONDS:
                return False
            self._begin(now)
            return True
        table.paused = not self.playing
        self._asked = True
        plies, status = len(model.plies), table.status
        self.said += [event.text for event in table.update(now) if isinstance(event, Said)]
        ending = model.ending
        if ending is not None and ending.cause is Cause.FAILED:
            self.trouble = f"It cannot play here: {ending.detail}"
        return len(model.plies) > plies or ending is not None or table.status != status

    def _begin(self, at: float) -> None:
        """Another game; the champion has Black in every other one."""
        self._begin_at, self._over_at = at, 0.0
        if self.generation < 0:
            self._put(None)
            return
        self.number += 1
        mine = self._seat(self.generation)
        other = self._seat(self.generation - 1) if self.generation else FIRST
        model = GameModel((mine, other) if self.number % 2 else (other, mine))
        _open(model, self.generation * 1_000_003 + self.number)
        self._put(model)

    def _put(self, model: GameModel | None) -> None:
        """Put a game on a new table, which asks anew for what the thinking process has dropped."""
        self.model, self._asked = model, False
        self._table = None if model is None else GameTable(self._thinker, model)
        if self._table is not None:
            self._table.least = MOVE_SECONDS

    # What is seen -------------------------------------------------------------------------------------------------

    @property
    def caption(self) -> str:
        """The players, or what the board waits for."""
        if self.model is None:
            return ""
        if self.trouble:
            return self.trouble
        ending, status = self.model.ending, "" if self._table is None else self._table.status
        black, white = names_of(self.model.seats)
        told = "" if ending is None else f": {ending.headline}"
        return status or f"{black} – {white}{told}"


def _open(model: GameModel, seed: int) -> None:
    """Play the first moves, drawn by a seed."""
    from game import plain
    from game.generator import SplitMix64

    generator = SplitMix64(seed)
    for _ in range(OPENING_PLIES):
        legal = plain.legal_moves(model.last)
        model.play(legal[generator.below(len(legal))])
