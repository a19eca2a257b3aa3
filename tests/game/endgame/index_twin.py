"""The index of positions in plain Python: lists of positions in order."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from game.bitboard import BOTTOM_ROW, TOP_ROW
from game.board import Position
from game.endgame.index_kernels import index_of
from game.endgame.slices import Slice

SQUARES = [1 << (square + square // 8) for square in range(32)]
HOME = [bit for bit in SQUARES if bit & TOP_ROW]
OPPONENT_HOME = [bit for bit in SQUARES if bit & BOTTOM_ROW]
MIDDLE = [bit for bit in SQUARES if not bit & (TOP_ROW | BOTTOM_ROW)]


def sets(squares: list[int], count: int) -> list[int]:
    return sorted(sum(chosen) for chosen in itertools.combinations(squares, count))


def positions_of(which: Slice) -> Iterator[tuple[int, int, int]]:
    for home in range(which.men + 1):
        for opponent_home in range(which.opponent_men + 1):
            for own_first, first in itertools.product(sets(HOME, home), sets(OPPONENT_HOME, opponent_home)):
                for ahead in sets(MIDDLE, which.men - home):
                    rest = [bit for bit in MIDDLE if not bit & ahead]
                    for opponent_ahead in sets(rest, which.opponent_men - opponent_home):
                        men, opponent_men = own_first | ahead, first | opponent_ahead
                        free = [bit for bit in SQUARES if not bit & (men | opponent_men)]
                        for royal in sets(free, which.kings):
                            left = [bit for bit in free if not bit & royal]
                            for theirs in sets(left, which.opponent_kings):
                                yield men | royal, opponent_men | theirs, royal | theirs


def index(position: Position) -> int:
    own, opponent, kings = (np.uint64(word) for word in (position.own, position.opponent, position.kings))
    return int(index_of(own, opponent, kings, np.int64(position.side)))
