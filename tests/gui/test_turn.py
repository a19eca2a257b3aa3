"""Turns that are put together square by square."""

from __future__ import annotations

import csv
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game import plain
from game.board import Position
from game.moves import Move
from gui import geometry
from gui.model.turn import Completed, Hopped, Ignored, Refusal, Refused, Selected, Turn
from tests import naive
from tests.cases import for_each

with (Path(__file__).parents[1] / "data" / "unit_positions.tsv").open(encoding="utf-8") as _file:
    EDGES = [Position.from_fen(row["fen"]) for row in csv.DictReader(_file, delimiter="\t")]
EDGES += [position.mirror() for position in EDGES]


def hop_sequences(position: Position) -> set[tuple[int, ...]]:
    """Return all ways to complete a turn by touching the next squares only."""
    done = set()

    def go_on(path: tuple[int, ...]) -> None:
        turn = Turn(position)
        for square in path:
            assert isinstance(turn.touch(square), Selected | Hopped)
        for target in turn.targets:
            again = Turn(position)
            for square in path:
                again.touch(square)
            result = again.touch(target)
            if isinstance(result, Completed):
                assert result.hops == (path[-1], target)
                assert result.move.path == (*path, target)
                done.add(result.move.path)
            else:
                assert result == Hopped((path[-1], target))
                assert (
                    again.captured
                    == next(m for m in again.legal if m.path[: len(path) + 1] == again.path).captured[: len(path)]
                )
                go_on((*path, target))

    for square in Turn(position).movable:
        go_on((square,))
    return done


def paths(position: Position) -> set[tuple[int, ...]]:
    return {move.path for move in plain.legal_moves(position)}


@for_each("position", EDGES)
def test_hop_sequences_are_the_legal_moves_of_edge_positions(position: Position) -> None:
    assert hop_sequences(position) == paths(position)


@given(st.integers(0, 2**32))
def test_hop_sequences_are_the_legal_moves(seed: int) -> None:
    for board in naive.random_boards(Random(seed), 9):
        position = Position.from_fen(board.fen())
        assert hop_sequences(position) == paths(position)


@given(st.integers(0, 2**32), st.lists(st.integers(-1, 33), max_size=12))
def test_touches_complete_only_legal_moves(seed: int, squares: list[int]) -> None:
    """Whatever is touched, the turn stays the beginning of a legal move, and each touch has an answer."""
    position = Position.from_fen(naive.random_boards(Random(seed), 3)[seed % 3].fen())
    turn = Turn(position)
    for square in squares:
        if square < 0:
            turn.cancel()
            continue
        before = turn.path
        result = turn.touch(square if square < 33 else 0)
        assert turn.position == position
        if isinstance(result, Completed):
            assert result.move in plain.legal_moves(position)
            return
        if isinstance(result, Refused | Ignored):
            assert turn.path == before
        assert not turn.path or any(move.path[: len(turn.path)] == turn.path for move in turn.legal)
        assert not turn.hopping or turn.targets


@given(st.integers(0, 2**32))
def test_a_final_square_plays_the_one_way_there(seed: int) -> None:
    for board in naive.random_boards(Random(seed), 9):
        position = Position.from_fen(board.fen())
        for start in Turn(position).movable:
            turn = Turn(position)
            turn.touch(start)
            for final in turn.finals:
                if final in turn.targets or final == start:
                    continue
                again = Turn(position)
                again.touch(start)
                (way,) = [move for move in again.legal if move.path[0] == start and move.path[-1] == final]
                assert again.touch(final) == Completed(way, way.path)


def touched(fen: str, *squares: int) -> object:
    turn = Turn(Position.from_fen(fen))
    result: object = None
    for square in squares:
        result = turn.touch(square)
    return result


REFUSALS = [
    (Refusal.NOT_YOURS, "B:W21:B9", (21,)),
    (Refusal.LIGHT_SQUARE, "B:W21:B9", (0,)),
    (Refusal.LIGHT_SQUARE, "B:W21:B9", (9, 0)),
    (Refusal.BLOCKED, "B:W21-32:B1-12", (1,)),
    (Refusal.MUST_CAPTURE, "B:W14,32:B9,12", (12,)),
    (Refusal.MUST_CAPTURE, "B:W14,32:B9,12", (9, 12)),
    (Refusal.MUST_JUMP, "B:W14,32:B9,12", (9, 13)),
    (Refusal.MUST_CONTINUE, "B:W6,14,22:B1", (1, 10, 15)),
    (Refusal.MUST_CONTINUE, "B:W6,14,22:B1,12", (1, 10, 12)),
    (Refusal.CROWNED, "B:W25,26,18:B21", (21, 23)),
    (Refusal.NOT_DIAGONAL, "B:W32:B9", (9, 17)),
    (Refusal.NOT_DIAGONAL, "B:W32:B9", (9, 10)),
    (Refusal.TOO_FAR, "B:W32:B9", (9, 27)),
    (Refusal.BACKWARDS, "B:W32:B9", (9, 5)),
    (Refusal.BACKWARDS, "B:W10,32:B14", (14, 7)),
    (Refusal.BACKWARDS, "W:W14:B12", (14, 17)),
    (Refusal.OCCUPIED, "B:W32,14,23:B9", (9, 14)),
    (Refusal.OWN_PIECE_BETWEEN, "B:W32:B9,14", (9, 18)),
    (Refusal.NOTHING_TO_JUMP, "B:W32:B9", (9, 18)),
    (Refusal.AMBIGUOUS, "B:W6,7,14,15,23:BK2", (2, 27)),
    (Refusal.JUMPED_BEFORE, "W:WK19:B15,14", (19, 10, 19)),
]


@for_each(("refusal", "fen", "squares"), REFUSALS)
def test_refusals_of_touches_have_reasons(refusal: Refusal, fen: str, squares: tuple[int, ...]) -> None:
    result = touched(fen, *squares)
    assert isinstance(result, Refused), result
    assert result.refusal is refusal
    assert result.text.endswith(".")


TYPED = [
    (Refusal.NO_MOVE_TEXT, "hello"),
    (Refusal.NO_MOVE_TEXT, ""),
    (Refusal.NO_MOVE_TEXT, "11"),
    (Refusal.NOT_LEGAL, "11-99"),
    (Refusal.NOT_LEGAL, "0-4"),
    (Refusal.NO_PIECE, "11-15"),
    (Refusal.NOT_YOURS, "14-9"),
    (Refusal.MUST_CONTINUE, "2x9"),
    (Refusal.AMBIGUOUS, "2x27"),
    (Refusal.MUST_JUMP, "1-5"),
]


@for_each(("refusal", "text"), TYPED)
def test_typed_moves_that_are_none(refusal: Refusal, text: str) -> None:
    position = "B:W6,14,22:B1" if refusal is Refusal.MUST_JUMP else "B:W6,7,14,15,23:BK2"
    turn = Turn(Position.from_fen(position))
    result = turn.type_move(text)
    assert result.refusal is refusal
    assert turn.path == ()


def test_moves_may_be_typed() -> None:
    position = Position.from_fen("B:W6,7,14,15,23:BK2")
    for move in plain.legal_moves(position):
        for text in (str(move), f" {str(move).replace('x', '-')} ", str(move).replace("x", " ")):
            assert Turn(position).type_move(text) == Completed(move, move.path)
    assert Turn(Position.start()).type_move("11-15") == Completed(Move((11, 15)), (11, 15))
    assert Turn(Position.from_fen("B:W6,14,22:B1")).type_move("1x26") == Completed(
        Move((1, 10, 17, 26), (6, 14, 22)), (1, 10, 17, 26)
    )


def test_two_paths_to_one_position_are_one_move() -> None:
    """The square where both end can be touched, and a circle is played by touching the piece again."""
    circle = Turn(Position.from_fen("B:W14,15,22,23,30:BK10"))
    assert circle.touch(10) == Selected(10)
    assert circle.finals == (10,)
    result = circle.touch(10)
    assert isinstance(result, Completed) and result.move.path == (10, 17, 26, 19, 10)
    differ = Turn(Position.from_fen("B:W7,14,15,22,23,24:BK10"))
    assert differ.touch(10) == Selected(10)
    assert 28 not in differ.finals


@pytest.mark.parametrize(
    ("fen", "text", "move"),
    [
        ("W:W21-32:B1-12", "c3-d4", "22-18"),  # the board as White sees it
        ("W:W21-32:B1-12", "f6-e5", "22-18"),
        ("B:W21-32:B1-12", "C3–D4", "11-15"),
        ("B:W7,14,15,22,23,24:BK10", "10×17×28", "10x17x26x19x28"),
        ("B:W14,15,22,23,30:BK10", "10x10", "10x17x26x19x10"),
    ],
)
def test_typed_moves_in_other_forms(fen: str, text: str, move: str) -> None:
    result = Turn(Position.from_fen(fen)).type_move(text)
    assert isinstance(result, Completed) and str(result.move) == move


def test_every_reason_of_a_turn_was_tried() -> None:
    tried = {case[0] for case in REFUSALS} | {refusal for refusal, _ in TYPED}
    assert set(Refusal) - tried == {Refusal.NOT_YOUR_TURN, Refusal.GAME_OVER, Refusal.LOOKING_BACK, Refusal.VARIATION}


def test_captures_and_targets_are_marked() -> None:
    turn = Turn(Position.from_fen("B:W14,15,32:B9,10,12"))
    assert turn.must_capture == (9, 10) == turn.movable
    assert Turn(Position.start()).must_capture == ()
    turn.touch(10)
    assert set(turn.targets) == {17, 19} == set(turn.finals)


def test_squares_agree_with_their_places() -> None:
    for square in range(1, 33):
        assert geometry.square_at(geometry.row_of(square), geometry.column_of(square)) == square
        assert naive.PLACES[square] == (geometry.row_of(square), geometry.column_of(square))
    assert [geometry.square_at(0, 0), geometry.square_at(-1, 2), geometry.square_at(8, 1)] == [0, 0, 0]
    assert geometry.neighbours(1) == (5, 6) and geometry.neighbours(15) == (10, 11, 18, 19)
    assert [geometry.between(*pair) for pair in ((1, 10), (4, 12), (5, 13), (9, 9))] == [6, 0, 0, 0]
