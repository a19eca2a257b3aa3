"""The index of positions and the tables against twins in plain Python."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest

from game.bitboard import BOTTOM_ROW, TOP_ROW
from game.board import Position
from game.endgame.build import position_at
from game.endgame.slices import Slice, slices_of
from game.endgame.tables import open_tables
from game.endgame.verdict import Verdict
from game.plain import successors
from tests.game.endgame.index_twin import index, positions_of

SQUARES = [1 << (square + square // 8) for square in range(32)]


def all_positions(pieces: int) -> Iterator[Position]:
    for places in itertools.combinations(SQUARES, pieces):
        for kinds in itertools.product(range(4), repeat=pieces):
            own = sum(bit for bit, kind in zip(places, kinds, strict=True) if kind < 2)
            kings = sum(bit for bit, kind in zip(places, kinds, strict=True) if kind % 2)
            opponent = sum(places) - own
            if own and opponent and not (own & ~kings & BOTTOM_ROW) and not (opponent & ~kings & TOP_ROW):
                yield Position(own, opponent, kings, 0)


def solved(pieces: int) -> dict[Position, int | None]:
    """Plies until the loser has no legal move, odd where the side to move wins; None where nobody does."""
    positions = [position for count in range(2, pieces + 1) for position in all_positions(count)]
    numbers = {position: number for number, position in enumerate(positions)}
    after = [[_number(child, numbers) for _, child in successors(position)] for position in positions]
    plies: list[int | None] = [*[None] * len(positions), 0]  # the last: nothing left to move
    open_ones, now, quiet = list(range(len(positions))), 0, 0
    while quiet < 40:  # a capture may lead to a longer ending than any that was found so far
        results = []
        for number in open_ones:
            ahead = [plies[child] for child in after[number]]
            if now % 2:
                decided = now - 1 in ahead
            else:
                decided = all(one is not None and one % 2 and one < now for one in ahead)
            if decided:
                results.append(number)
        for number in results:
            plies[number] = now
        open_ones = [number for number in open_ones if plies[number] is None]
        now, quiet = now + 1, 0 if results else quiet + 1
    return dict(zip(positions, plies, strict=False))


def _number(child: Position, numbers: dict[Position, int]) -> int:
    if not child.own:
        return -1
    return numbers[child if child.side == 0 else child.mirror()]


@pytest.mark.parametrize("pieces", [2, pytest.param(3, marks=pytest.mark.check)])
def test_all_positions_agree_with_a_plain_solver(pieces: int) -> None:
    tables = open_tables(pieces)
    for position, plies in solved(pieces).items():
        expected = Verdict(0, None) if plies is None else Verdict(1 if plies % 2 else -1, plies)
        assert tables.probe(position) == tables.probe(position.mirror()) == expected, position.fen()


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
