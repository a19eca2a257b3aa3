"""What the patterns of a genome are: how many it makes use of, and which are worth most, for people. Loads numpy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from game.networks.spec import Spec
from game.networks.windows import CELLS, WINDOWS, window_squares
from game.number_text import signed_text


class Pattern(NamedTuple):
    """One way in which men stand on a window.

    Attributes:
        value: of it to the side to move, in men.
        pieces: on the board, in the phase that it belongs to.
        own: squares (1-32, as Black to move sees them) of own men.
        theirs: of the opponent's.
        empty: squares of the window where no man stands.
    """

    value: float
    pieces: float
    own: tuple[int, ...]
    theirs: tuple[int, ...]
    empty: tuple[int, ...]

    @property
    def text(self) -> str:
        """As a part of a sentence."""
        found = ("own men", self.own), ("their men", self.theirs)
        men = " and ".join(f"{who} on {squares_text(squares)}" for who, squares in found if squares)
        return f"{men} ({signed_text(self.value, 2)} at {self.pieces:.3g} pieces)"


def squares_text(squares: tuple[int, ...]) -> str:
    """Squares with commas between them."""
    return ", ".join(map(str, squares))


def count_used(spec: Spec, weights: ArrayLike) -> tuple[int, int]:
    """Patterns that are worth anything, and how many there are; of a network that has some."""
    values = spec.pattern_part.of(np.asarray(weights))
    return int(np.count_nonzero(values)), values.size


def find_strongest(spec: Spec, weights: ArrayLike, count: int) -> list[Pattern]:
    """Those with men that are worth most or least, the largest first; fewer where the others are worth nothing."""
    values = np.array(spec.pattern_part.of(np.asarray(weights)), np.float64).reshape(-1)
    values[::CELLS] = 0.0  # windows without men: they say little to people
    order = np.argsort(-np.abs(values), kind="stable")[:count]
    return [_pattern(spec, at, float(values[at])) for at in order.tolist() if values[at]]


def _pattern(spec: Spec, at: int, value: float) -> Pattern:
    rest, cell = divmod(at, CELLS)
    phase, window = divmod(rest, WINDOWS)
    squares: tuple[list[int], list[int], list[int]] = [], [], []
    for number, square in enumerate(window_squares()[window]):
        squares[cell // 3**number % 3].append(square + 1)
    empty, own, theirs = map(tuple, squares)
    pieces = 24 * (1 - phase / (spec.phases - 1)) if spec.phases > 1 else 24
    return Pattern(value, pieces, own, theirs, empty)


def summary(spec: Spec, weights: ArrayLike) -> str:
    """How many patterns are in use, and the strongest, as a sentence."""
    used, there = count_used(spec, weights)
    strongest = "".join(f"; the strongest: {each.text}" for each in find_strongest(spec, weights, 1))
    return f"{used:,} of {there:,} patterns in use{strongest}"
