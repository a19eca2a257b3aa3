"""Building tablebases."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from game.endgame import build_kernels
from game.endgame.slices import Slice, slices_of
from game.kernels import CAPACITY, MOVE_WORDS


class Values:
    """Values of all positions of some slices in memory."""

    def __init__(self, pieces: int) -> None:
        self.slices = np.full(4096, -(1 << 50), np.int64)
        total = 0
        self.all = [each for n in range(2, pieces + 1) for each in slices_of(n)]
        for each in self.all:
            self.slices[each.number] = total
            total += each.positions
        self.values = np.zeros(total, np.uint8)

    def of(self, which: Slice) -> Any:
        """The values of one slice, uint8."""
        first = self.slices[which.number]
        return self.values[first : first + which.positions]


def build(pieces: int) -> Values:
    """Build all slices up to a number of pieces, with distances."""
    known = Values(pieces)
    for number in range(2, pieces + 1):
        for each in slices_of(number):
            if each <= each.other:
                solve(each, known)
    return known


def solve(which: Slice, known: Values) -> None:
    """Solve a slice and its other."""
    levels = np.empty(which.arrangements, np.int16)
    build_kernels.order_arrangements(which.men, which.opponent_men, int(which == which.other), levels)
    order = np.argsort(-levels, kind="stable")
    bounds = np.flatnonzero(np.diff(levels[order])) + 1
    free = 32 - which.men - which.opponent_men
    size, width = comb(free, which.kings), comb(free, which.opponent_kings)
    memory = (
        np.empty(size, np.uint64),
        np.empty(width, np.uint64),
        np.empty(size * 4 * which.kings + 1, np.int32),
        np.empty(width * 4 * which.opponent_kings + 1, np.int32),
        *(np.empty(2 * size * width, np.uint8) for _ in range(3)),
        *(np.empty(2 * size * width, np.int32) for _ in range(2)),
        np.full(256, -1, np.int32),
        np.empty((CAPACITY + 1) * MOVE_WORDS, np.uint64),
    )
    for part in np.split(order, bounds):
        if levels[part[0]] >= 0:
            build_kernels.solve(
                part,
                which.men,
                which.kings,
                which.opponent_men,
                which.opponent_kings,
                1,
                known.slices,
                known.values,
                known.of(which),
                known.of(which.other),
                *memory,
            )
