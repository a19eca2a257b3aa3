"""Setting up positions."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from game.board import Position
from game.rules import BLACK, WHITE
from gui.model.game import GameModel
from gui.model.lines import Piece
from gui.model.setup import Setup
from tests import naive


@given(st.integers(0, 2**32))
def test_any_position_can_be_shown_and_comes_back(seed: int) -> None:
    for board in naive.random_boards(Random(seed), 6):
        position = Position.from_fen(board.fen())
        setup = Setup(position)
        assert setup.position() == position
        assert setup.pieces == GameModel(start=position).pieces()
        setup.turn_round()
        assert setup.position() == position.mirror()


def test_cycling() -> None:
    setup = Setup()
    setup.clear()
    seen = []
    for _ in range(5):
        setup.cycle(15)
        seen.append(setup.pieces.get(15))
    assert seen == [Piece(0, False), Piece(0, True), Piece(1, False), Piece(1, True), None]
    setup.cycle(15, WHITE)
    assert setup.pieces == {15: Piece(WHITE, False)}
    setup.cycle(15, BLACK)  # the other colour's piece is removed
    assert setup.pieces == {15: Piece(BLACK, False)}
    setup.cycle(0)
    setup.clear()
    setup.cycle(30)  # a man of Black cannot stand there
    assert setup.pieces == {30: Piece(BLACK, True)}


def test_dragging() -> None:
    setup = Setup()
    setup.move(9, 14)
    assert 9 not in setup.pieces and setup.pieces[14] == Piece(BLACK, False)
    setup.move(14, 0)
    assert 14 not in setup.pieces
    setup.move(14, 15)
    assert len(setup.pieces) == 23
    setup.move(1, 29)
    assert setup.pieces[29] == Piece(BLACK, True)


def test_faults() -> None:
    setup = Setup()
    assert setup.fault == ""
    setup.put(14, Piece(BLACK, False))
    assert setup.fault == "Black has 13 pieces; a side has at most 12."
    setup.clear()
    assert setup.fault == "Black has no pieces."
    setup.put(1, Piece(BLACK, False))
    assert setup.fault == "White has no pieces."
    setup.put(5, Piece(WHITE, False))
    setup.side = WHITE
    assert setup.fault == "White is to move and has no legal move."
    setup.side = BLACK
    assert setup.fault == ""


@given(st.lists(st.tuples(st.integers(0, 32), st.sampled_from([None, BLACK, WHITE])), max_size=60))
def test_valid_positions_can_be_played_after_any_clicks(clicks: list[tuple[int, int | None]]) -> None:
    setup = Setup()
    for square, side in clicks:
        setup.cycle(square, side)
        if not setup.fault:
            assert not GameModel(start=setup.position()).over
