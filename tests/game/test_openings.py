"""Ballots found anew by the rule that defines them, and what is made of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from game import moves, openings, rules
from game.board import Position
from game.errors import InputError
from game.openings import Opening
from game.search.interface import Limits, SearchOptions
from game.search.search import AlphaBeta
from tests.cases import for_each


def lines(opening: Opening, plies: int) -> Iterator[Opening]:
    if plies == 0:
        yield opening
        return
    for move, after in moves.successors(opening.position):
        yield from lines(Opening((*opening.moves, move), after), plies - 1)


@for_each("depth", [5, 7, 9])
def test_ballots_are_the_positions_in_which_material_stays_even(depth: int) -> None:
    search = AlphaBeta(None, SearchOptions(quiescence=True, equal_depth=True))
    for kind, plies in (("two-move", 2), ("three-move", 3)):
        first_orders: dict[Position, Opening] = {}
        for opening in lines(openings.START, plies):
            first_orders.setdefault(opening.position, opening)
        even = [each for each in first_orders.values() if search.value(each.position, Limits(depth)) == 0]
        assert tuple(even) == openings.openings(kind)


def test_two_move_ballots() -> None:
    names = [opening.name for opening in openings.openings("two-move")]
    every = [f"{b} {w}" for b, after in moves.successors(Position.start()) for w in moves.legal_moves(after)]
    assert len(names) == 47
    assert [name for name in every if name not in names] == ["9-14 21-17", "10-14 21-17"]
    assert names == [name for name in every if name in names]  # in the order of moves


@for_each("kind", openings.KINDS)
def test_openings_equal_their_moves(kind: str) -> None:
    result = openings.openings(kind)
    assert result == openings.openings(kind)
    for opening in result:
        position = Position.start()
        for text in opening.name.split() if opening.moves else []:
            position = moves.apply(position, moves.parse_move(position, text))
        assert position == opening.position
        assert moves.legal_moves(opening.position)
    assert len({opening.name for opening in result}) == len(result)


def test_the_start_is_an_opening_without_moves() -> None:
    assert Opening((), Position.start()) == openings.START
    assert openings.START.name == "start"
    assert openings.openings("start") == (openings.START,)


@pytest.mark.parametrize("kind", ["", "Start", "three-mover", "four-move"])
def test_another_kind_of_openings_is_refused(kind: str) -> None:
    with pytest.raises(InputError, match="start, two-move, three-move"):
        openings.openings(kind)


def test_openings_are_lengthened_by_legal_moves() -> None:
    generator = np.random.default_rng(9)
    reached = set()
    for opening in openings.openings("two-move"):
        longer = openings.lengthen(opening, 6, generator)
        assert longer.moves[:2] == opening.moves
        assert len(longer.moves) == 8
        position = opening.position
        for move in longer.moves[2:]:
            position = moves.apply(position, move)
        assert position == longer.position
        reached.add(position)
    assert len(reached) > 40


def test_lengthened_by_the_generator_alone() -> None:
    start = openings.START
    drawn = [openings.lengthen(start, 20, np.random.default_rng(seed)) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    np.random.seed(3)  # the global generator has no say
    assert openings.lengthen(start, 20, np.random.default_rng(1)) == drawn[0]
    assert openings.lengthen(start, 0, np.random.default_rng(1)) == start


def test_lengthened_draws_evenly_from_the_legal_moves() -> None:
    generator = np.random.default_rng(5)
    drawn = [str(openings.lengthen(openings.START, 1, generator).moves[0]) for _ in range(7000)]
    counts = [drawn.count(str(move)) for move in moves.legal_moves(Position.start())]
    assert sum(counts) == 7000
    assert min(counts) > 900
    assert max(counts) < 1100


def test_lengthened_never_ends_in_a_lost_position() -> None:
    generator = np.random.default_rng(6)
    for _ in range(50):
        longer = openings.lengthen(openings.START, 60, generator)
        assert len(longer.moves) == 60
        assert moves.legal_moves(longer.position)
    # Here 4-8 leaves White without a move, so only the other two are ever drawn.
    nearly_over = Opening((), Position.from_fen("B:W12:B3,4"))
    drawn = {str(openings.lengthen(nearly_over, 1, generator).moves[0]) for _ in range(50)}
    assert drawn == {"3-7", "3-8"}


@pytest.mark.parametrize(
    ("fen", "plies", "complaint"),
    [
        (rules.START_FEN, -1, "0 or more"),
        (rules.START_FEN, 5000, "fewer"),
        ("B:W25,30:B21", 0, "fewer"),
        ("B:W25,30:B21", 1, "fewer"),
    ],
)
def test_openings_that_cannot_be_lengthened_are_refused(fen: str, plies: int, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        openings.lengthen(Opening((), Position.from_fen(fen)), plies, np.random.default_rng(1))
