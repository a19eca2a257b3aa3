"""Legal moves of the kernels and of plain Python, against the naive twin."""

from __future__ import annotations

import csv
import itertools
import subprocess
import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from game import bitboard, kernels, moves, plain, rules
from game.board import Position
from game.errors import InputError
from game.moves import IllegalMoveError, Move
from tests import naive
from tests.cases import for_each

CANARY = 0xDEADBEEFDEADBEEF  # no board and no code of a move
WORDS = kernels.MOVE_WORDS

with (Path(__file__).parents[1] / "data" / "unit_positions.tsv").open(encoding="utf-8") as _file:
    UNIT_POSITIONS = list(csv.DictReader(_file, delimiter="\t"))


def _rows(position: Position, rows: np.ndarray) -> int:
    words = (np.uint64(position.own), np.uint64(position.opponent), np.uint64(position.kings))
    return kernels.generate(*words, position.side, rows)


@for_each("row", UNIT_POSITIONS)
def test_moves_of_edge_positions_are_those_of_the_table(row: dict[str, str]) -> None:
    position = Position.from_fen(row["fen"])
    legal = moves.legal_moves(position)
    assert sorted(map(str, legal)) == sorted(row["moves"].split())
    assert len(legal) == int(row["paths"])
    assert len({after for _, after in moves.successors(position)}) == int(row["distinct_moves"])


@for_each("row", UNIT_POSITIONS)
def test_edge_positions_by_the_naive_twin(row: dict[str, str]) -> None:
    board = naive.Board.from_fen(Position.from_fen(row["fen"]).fen())
    turns = naive.turns(board)
    written = [("x" if turn.captured else "-").join(map(str, turn.path)) for turn in turns]
    assert sorted(written) == sorted(row["moves"].split())
    assert len(naive.distinct(board)) == int(row["distinct_moves"])


def _check_same_to_the_mover(position: Position) -> None:
    ours, theirs = moves.successors(position), moves.successors(position.mirror())
    assert [move for move, _ in ours] == [_turned(move) for move, _ in theirs]
    assert [after for _, after in ours] == [after.mirror() for _, after in theirs]


def _turned(move: Move) -> Move:
    return Move(tuple(33 - s for s in move.path), tuple(33 - s for s in move.captured))


def test_kernels_like_the_naive_twin() -> None:
    captures = longest = 0
    for board in naive.random_boards(Random(1), 1500):
        position = Position.from_fen(board.fen())
        expected = naive.turns(board)
        rows = np.full((rules.MAX_MOVES, WORDS), CANARY, np.uint64)
        count = _rows(position, rows)
        assert count == len(expected), str(position)
        assert (rows[count + 1 :] == CANARY).all(), str(position)
        for turn, (own, opponent, kings, code) in zip(expected, rows[:count].tolist(), strict=True):
            assert moves.decode(code, position.side) == Move(turn.path, turn.captured), str(position)
            black, white = (own, opponent) if board.side == "B" else (opponent, own)
            after = Position(black, white, kings, 1 - position.side)
            assert after.fen() == turn.after.fen(), f"{position} {turn.path}"
            assert (own | opponent | kings) & ~bitboard.BOARD == 0
            assert kings & ~(own | opponent) == 0
            longest = max(longest, len(turn.captured))
        captures += bool(expected and expected[0].captured)
    assert captures > 500
    assert longest >= 6


def test_order_is_the_same_to_both_movers() -> None:
    for board in naive.random_boards(Random(2), 2000):
        position = Position.from_fen(board.fen())
        _check_same_to_the_mover(position)
        paths = [naive.seen_by(board.side, move.path) for move in moves.legal_moves(position)]
        assert paths == sorted(set(paths)), str(position)


def test_the_longest_capture_has_nine_jumps() -> None:
    positions = [_surrounded(square, _jumpable(square), king=True) for square in range(1, 33)]
    lengths = [len(move.captured) for position in positions for move in moves.legal_moves(position)]
    assert max(lengths) == 9


def _jumpable(square: int) -> list[int]:
    row, column = naive.PLACES[square]
    inner = ((r, c) for r, c in naive.SQUARES if 1 <= r <= 6 and 1 <= c <= 6)
    return [naive.SQUARES[r, c] for r, c in inner if (r - row) % 2 == 1 and (c - column) % 2 == 1]


def _surrounded(square: int, victims: list[int], king: bool) -> Position:
    return Position.from_squares([square], victims, [*victims, square] if king else victims, rules.BLACK)


def _capture_paths(position: Position) -> int:
    return sum(bool(move.captured) for move in moves.legal_moves(position))


def test_room_for_all_moves() -> None:
    """The claim of `rules.MAX_MOVES`, over every set of victims that one piece can have on an empty board.

    A piece can jump a victim along one line only, so a blocked landing forbids what missing victims forbid
    too: these sets are all cases.
    """
    most = {}
    for square in range(1, 33):
        jumpable = _jumpable(square)
        assert len(jumpable) == 9
        counts = {}
        for size in range(len(jumpable) + 1):
            for victims in itertools.combinations(jumpable, size):
                counts[victims] = _capture_paths(_surrounded(square, list(victims), king=True))
                if square <= 28:
                    assert _capture_paths(_surrounded(square, list(victims), king=False)) <= counts[victims]
        most[square] = max(counts.values())
        assert most[square] == counts[tuple(jumpable)]  # nothing beats a full board
    assert sorted(set(most.values())) == [9, 14, 16]
    assert sum(sorted(most.values())[-rules.PIECES_A_SIDE :]) == 184
    assert rules.MAX_MOVES >= 184
    assert 4 * rules.PIECES_A_SIDE <= rules.MAX_MOVES  # without captures


def test_put_move_never_writes_beyond_the_room() -> None:
    one = np.uint64(1)
    for count in (0, 1, rules.MAX_MOVES - 1, rules.MAX_MOVES, rules.MAX_MOVES + 1, rules.MAX_MOVES + 5):
        rows = np.full((rules.MAX_MOVES + 8, WORDS), CANARY, np.uint64)
        assert kernels.put_move(rows.ctypes.data, count, one, one, one, one) == count + 1
        written = np.flatnonzero((rows != CANARY).any(axis=1)).tolist()
        assert written == ([count] if count < rules.MAX_MOVES else [])


def test_jumps_of_a_full_list_are_counted_but_not_written() -> None:
    position = _surrounded(10, _jumpable(10), king=True)
    words = [np.uint64(word) for word in (position.own, position.opponent, position.kings)]
    for start in (rules.MAX_MOVES - 3, rules.MAX_MOVES):
        rows = np.full((rules.MAX_MOVES + 32, WORDS), CANARY, np.uint64)
        end = kernels.add_jumps(*words, rules.BLACK, words[0], rows.ctypes.data, start, True)
        assert end == start + 16
        written = np.flatnonzero((rows != CANARY).any(axis=1)).tolist()
        assert written == list(range(start, rules.MAX_MOVES))


def test_successors_moves_and_apply_agree() -> None:
    for board in naive.random_boards(Random(5), 300):
        position = Position.from_fen(board.fen())
        result = moves.successors(position)
        assert [move for move, _ in result] == moves.legal_moves(position)
        for move, after in result:
            assert moves.apply(position, move) == after
            assert moves.parse_move(position, str(move)) == move
            assert after.side != position.side


@pytest.mark.parametrize("move", [Move((11, 20)), Move((21, 17)), Move(()), Move((11,)), Move((11, 15, 18))])
def test_apply_refuses_other_moves(move: Move) -> None:
    with pytest.raises(IllegalMoveError, match=r"not legal.*11-15"):
        moves.apply(Position.start(), move)


def test_a_lost_position_has_no_moves() -> None:
    lost = Position.from_fen("B:W25,30:B21")
    assert moves.legal_moves(lost) == []
    with pytest.raises(IllegalMoveError, match="lost"):
        moves.apply(lost, Move((21, 25)))


TWO_WAYS = "B:W6,7,14,15:BK2"
LONG_AND_SHORT = "B:W7,14,15,22,23,24:BK10"


@for_each(
    ("fen", "text", "written"),
    [
        (rules.START_FEN, "11-15", "11-15"),
        (rules.START_FEN, "09-13", "9-13"),
        ("B:W14,23,24:B9,19", "9x18x27", "9x18x27"),
        ("B:W14,23,24:B9,19", "9:18:27", "9x18x27"),
        ("B:W14,23,24:B9,19", "9x27", "9x18x27"),
        (TWO_WAYS, "2x9x18x11x2", "2x9x18x11x2"),
        (TWO_WAYS, "2x2", "2x9x18x11x2"),  # two paths to one position are one move
        (TWO_WAYS, "2x11x18x2", "2x11x18x9x2"),
        (LONG_AND_SHORT, "10x17x28", "10x17x26x19x28"),
        (rules.START_FEN, " 11-15\n", "11-15"),
        (rules.START_FEN, "11–15", "11-15"),
        (rules.START_FEN, "１１－１５", "11-15"),
        (rules.START_FEN, "11 − 15", "11-15"),
        (rules.START_FEN, "c3-d4", "11-15"),
        (rules.START_FEN, "F6E5", "11-15"),  # seen from White
        ("B:W14,23,24:B9,19", "9×18X27", "9x18x27"),
        ("B:W14,23,24:B9,19", "g3e5:c7", "9x18x27"),
        (LONG_AND_SHORT, "10x3", "10x3"),  # a full path before the short form of longer ones
        (LONG_AND_SHORT, "10x19x28", "10x19x28"),
    ],
)
def test_a_typed_move_is_parsed_to_its_path(fen: str, text: str, written: str) -> None:
    assert str(moves.parse_move(Position.from_fen(fen), text)) == written


@for_each(
    ("fen", "text", "complaint"),
    [
        (rules.START_FEN, "11-14", "not legal"),
        ("B:W14,23,24:B9,19", "9x18", "not legal"),  # the jump must be completed
        ("B:W14,23,24:B9,19", "9-13", "not legal"),  # capture is compulsory
        (LONG_AND_SHORT, "10x28", "ambiguous"),
        (rules.START_FEN, "", "written like"),
        (rules.START_FEN, "011-15", "written like"),
        (rules.START_FEN, "١١-15", "written like"),
        (rules.START_FEN, "9" * 5000 + "-1", "written like"),
    ],
)
def test_parse_move_refuses(fen: str, text: str, complaint: str) -> None:
    with pytest.raises(IllegalMoveError, match=complaint):
        moves.parse_move(Position.from_fen(fen), text)


@given(st.text() | st.text(alphabet="0123456789-x:", max_size=20))
def test_text_is_a_move_or_an_illegal_move(text: str) -> None:
    try:
        move = moves.parse_move(Position.start(), text)
    except IllegalMoveError as error:
        assert isinstance(error, InputError)
    else:
        assert move in moves.legal_moves(Position.start())


def _same(position: Position) -> None:
    assert list(plain.successors(position)) == moves.successors(position), position.fen()
    assert plain.legal_moves(position) == moves.legal_moves(position)


def test_edge_positions_for_both_colours() -> None:
    assert len(UNIT_POSITIONS) == 21
    for row in UNIT_POSITIONS:
        position = Position.from_fen(row["fen"])
        _same(position)
        _same(position.mirror())


@pytest.mark.parametrize("seed", range(2))
def test_the_kernels_find_the_same_in_the_same_order(seed: int) -> None:
    for board in naive.random_boards(Random(seed), 1500):
        _same(Position.from_fen(board.fen()))


def test_the_plain_twin_applies_moves_alike() -> None:
    start = Position.start()
    assert plain.apply(start, Move((11, 15))) == moves.apply(start, Move((11, 15)))
    with pytest.raises(IllegalMoveError, match="11-20: not legal"):
        plain.apply(start, Move((11, 20)))


def test_plain_rules_load_no_heavy_modules() -> None:
    code = """
import sys
from game import plain
from game.board import Position
assert len(plain.legal_moves(Position.start())) == 7
print([name for name in ("numba", "numpy") if name in sys.modules])
"""
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
