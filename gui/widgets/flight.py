"""A piece on its way: where it is at what time, and what it has jumped. Plain arithmetic, time is an argument."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from gui.model.game import Piece
from gui.model.places import between, column_of, row_of

FADE = 0.6
"""A captured piece takes this share of a hop to vanish."""


@dataclass(frozen=True)
class Flight:
    """A move being shown.

    Attributes:
        piece: what moves, as it looks on the way: a man becomes a king when it has arrived.
        hops: squares, the first one being where it starts.
        captured: by hop, the square and the piece that is jumped; None for a step.
        seconds: for one hop.
        elapsed: since it started.
    """

    piece: Piece
    hops: tuple[int, ...]
    captured: tuple[tuple[int, Piece] | None, ...]
    seconds: float
    elapsed: float = 0.0

    @classmethod
    def of(cls, pieces: Mapping[int, Piece], hops: tuple[int, ...], seconds: float) -> Flight | None:
        """The way of a piece over these squares; `pieces` stand as before. None if there is nothing to show."""
        if seconds <= 0 or len(hops) < 2 or hops[0] not in pieces:
            return None
        captured: list[tuple[int, Piece] | None] = []
        for start, end in pairwise(hops):
            jumped = between(start, end)
            captured.append((jumped, pieces[jumped]) if jumped in pieces else None)
        return cls(pieces[hops[0]], hops, tuple(captured), seconds)

    def after(self, dt: float) -> Flight:
        """The same some seconds later."""
        return Flight(self.piece, self.hops, self.captured, self.seconds, self.elapsed + dt)

    @property
    def done(self) -> bool:
        """Whether it has arrived."""
        return self.elapsed >= self.seconds * (len(self.hops) - 1)

    @property
    def hop(self) -> int:
        """Number of the present hop, from 0."""
        return min(int(self.elapsed / self.seconds), len(self.hops) - 2)

    def position(self) -> tuple[float, float]:
        """Row and column now; slow at both ends of each hop."""
        hop = self.hop
        share = min(max(self.elapsed / self.seconds - hop, 0.0), 1.0)
        eased = share * share * (3 - 2 * share)
        start, end = self.hops[hop], self.hops[hop + 1]
        row = row_of(start) + (row_of(end) - row_of(start)) * eased
        return row, column_of(start) + (column_of(end) - column_of(start)) * eased

    def standing(self) -> dict[int, tuple[Piece, float]]:
        """Captured pieces that are still to be seen, with their opacity from 0 to 1."""
        now = self.elapsed / self.seconds
        found = {}
        for hop, jumped in enumerate(self.captured):
            if jumped is not None:
                gone = (now - hop - 0.5) / FADE
                if gone < 1:
                    found[jumped[0]] = (jumped[1], 1.0 - max(gone, 0.0))
        return found
