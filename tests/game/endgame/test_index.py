"""The index of positions against a twin in plain Python that lists positions in order."""

from __future__ import annotations

import random

import pytest

from game.bitboard import BOTTOM_ROW, TOP_ROW
from game.board import Position
from game.endgame.build import position_at
from game.endgame.slices import Slice, slices_of
from tests.game.endgame.index_twin import index, positions_of


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
