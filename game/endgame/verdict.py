"""Results of perfect play.

They are not in `game.endgame.slices`, because kernels import that module and are compiled again whenever it changes.
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
        """A sort key, greater for better verdicts: a fast win, a slow win, a draw, a slow loss, a fast loss."""
        return self.value, -self.value * (_UNKNOWN if self.plies is None else self.plies)
