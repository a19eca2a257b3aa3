"""Results of perfect play, without the tables that know them.

Apart from the layout of tables, because compiled code reads that and is compiled again when it changes.
"""

from __future__ import annotations

from dataclasses import dataclass

from game.number_text import plies_text

_UNKNOWN = 1 << 20  # plies of a win or loss without a known distance: longer than any other


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of perfect play from a position, seen by the side to move.

    Attributes:
        value: 1 won, 0 drawn, -1 lost.
        plies: number of plies until the loser has no legal move; None for a draw, or if tables have no distances.
    """

    value: int
    plies: int | None

    @property
    def text(self) -> str:
        """The verdict in words: ``win in 23 plies``, ``loss``, ``draw``."""
        word = ("draw", "win", "loss")[self.value]
        return word if self.plies is None or not self.value else f"{word} in {plies_text(self.plies)}"

    @property
    def merit(self) -> tuple[int, int]:
        """A key that is greater for better verdicts: a win, sooner first; a draw; a loss, later first."""
        return self.value, -self.value * (_UNKNOWN if self.plies is None else self.plies)
