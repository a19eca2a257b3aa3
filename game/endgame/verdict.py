"""What tables say of a position, as a value that needs no tables: other processes read it."""

from __future__ import annotations

from dataclasses import dataclass

from game.number_text import plies_text

UNKNOWN_PLIES = 1 << 20
"""Plies that count where tables know no distance: a win of unknown length is the last that a player wants."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What perfect play makes of a position, seen by the side to move.

    Attributes:
        value: 1 won, 0 drawn, -1 lost.
        plies: until the loser has no legal move; None for a draw, and where tables have no distances.
    """

    value: int
    plies: int | None

    @property
    def text(self) -> str:
        """For people: ``win in 23 plies``, ``loss``, ``draw``."""
        word = ("draw", "win", "loss")[self.value]
        return word if self.plies is None or not self.value else f"{word} in {plies_text(self.plies)}"

    @property
    def merit(self) -> tuple[int, int]:
        """Greater for what a player wants more: a win, the sooner the better; a draw; a loss, the later the better."""
        return self.value, -self.value * (UNKNOWN_PLIES if self.plies is None else self.plies)
