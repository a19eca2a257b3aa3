"""Patterns of a network, arrangements of men on a window, and the strongest of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from game.networks.spec import Spec
from game.networks.windows import CELLS, WINDOWS, window_squares


class Pattern(NamedTuple):
    """An arrangement of men on a window, and its value.

    Attributes:
        value: value to the side to move, in men.
        own: squares of own men, numbered from 1 to 32 as Black sees them.
    """

    value: float
    pieces: float
    own: tuple[int, ...]
    theirs: tuple[int, ...]
    empty: tuple[int, ...]


def squares_text(squares: tuple[int, ...]) -> str:
    return ", ".join(map(str, squares))


def count_used(spec: Spec, weights: ArrayLike) -> tuple[int, int]:
    """Return the number of patterns whose value is not 0, and the number of all patterns."""
    values = spec.pattern_part.of(np.asarray(weights))
    return int(np.count_nonzero(values)), values.size


def find_strongest(spec: Spec, weights: ArrayLike, count: int) -> list[Pattern]:
    """Return the patterns with the largest absolute values, largest first; omit values of 0 and empty windows."""
    values = np.array(spec.pattern_part.of(np.asarray(weights)), np.float64).reshape(-1)
    values[::CELLS] = 0.0  # empty windows
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
