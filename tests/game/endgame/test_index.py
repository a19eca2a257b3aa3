"""The index of positions against a twin in plain Python that lists positions in order."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import numpy as np
import pytest

from game.bitboard import BOTTOM_ROW, TOP_ROW
from game.board import Position
from game.endgame.build import position_at
from game.endgame.index_kernels import index_of
from game.endgame.slices import Slice, slices_of

SQUARES = [1 << (square + square // 8) for square in range(32)]
HOME = [bit for bit in SQUARES if bit & TOP_ROW]
OPPONENT_HOME = [bit for bit in SQUARES if bit & BOTTOM_ROW]
MIDDLE = [bit for bit in SQUARES if not bit & (TOP_ROW | BOTTOM_ROW)]


def sets(squares: list[int], count: int) -> list[int]:
    """All sets of so many squares in colexicographic order, which is that of their words."""
    return sorted(sum(chosen) for chosen in itertools.combinations(squares, count))


def positions_of(which: Slice) -> Iterator[tuple[int, int, int]]:
    """Own pieces, those of the opponent, and kings of all positions of a slice, in the order of their indices."""
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


@pytest.mark.parametrize(
    "which",
    [*slices_of(2), Slice(2, 0, 1, 0), Slice(1, 1, 1, 0), Slice(0, 1, 2, 0), Slice(1, 0, 0, 2)],
    ids=lambda which: which.name,
)
def test_indices_are_those_of_the_twin_and_lead_back(which: Slice) -> None:
    count = -1
    for count, (own, opponent, kings) in enumerate(positions_of(which)):
        position = Position(own, opponent, kings, 0)
        assert index(position) == index(position.mirror()) == count
        if count % 7 == 0:
            assert position_at(which, count) == position
    assert count + 1 == which.positions


@pytest.mark.parametrize("pieces", range(2, 8))
def test_random_positions_have_an_index_that_leads_back(pieces: int) -> None:
    chosen = random.Random(pieces)
    for _ in range(300):
        which = chosen.choice(slices_of(pieces))
        number = chosen.randrange(which.positions)
        position = position_at(which, number)
        assert index(position) == index(position.mirror()) == number
        royal, opponent_royal = position.own & position.kings, position.opponent & position.kings
        men, opponent_men = position.own ^ royal, position.opponent ^ opponent_royal
        counts = (men.bit_count(), royal.bit_count(), opponent_men.bit_count(), opponent_royal.bit_count())
        assert Slice(*counts) == which
        assert not men & BOTTOM_ROW
        assert not opponent_men & TOP_ROW
