"""What short captures and letters mean, in linear time; and the tables of `docs/what-we-read.md` as data."""

from __future__ import annotations

import io
import itertools
import re
from random import Random

import pytest

from game import moves, plain
from game.board import FenError, Position
from game.moves import apply, parse_move
from game.notation import STANDARD, TURNED, BoardView, square_number
from game.pdn.game import encode_path
from game.pdn.meaning import MOST_PLIES, find_meant, follow, settle
from gui.model.pdn import read_all
from tests.cases import for_each
from tests.game.pdn.pdn_texts import ENCODED, codes, only, path_text, random_game, read, records, rows, written

OPEN = "B:W7,14,15,22,23,24:BK10"
"""In this position 10x28 may take four pieces, or two others."""


def paths(text: str) -> list[int]:
    return [encode_path(move) for move in text.split()]


def test_a_short_capture_means_the_one_that_the_rest_of_the_game_can_follow() -> None:
    start = Position.from_fen(OPEN)
    for rest, meant in (("15-11", "10x17x26x19x28"), ("14-10", "10x19x28"), ("22-18 28-32", "10x19x28")):
        for successors in (plain.successors, moves.successors):
            assert str(follow(start, paths(f"10x28 {rest}"), successors).plies[0][1]) == meant
        (record,) = records(f'[FEN "{OPEN}"] 10x28 {rest} *')
        assert record.whole and record.game is not None and str(record.game.moves[0]) == meant
        (loaded,) = read_all(io.StringIO(f'[FEN "{OPEN}"] 10x28 {rest} *'))
        assert not loaded.faults and loaded.whole
        assert [str(ply.move) for ply in loaded.model.plies] == [str(move) for move in record.game.moves]


@pytest.mark.parametrize("rest", ["", "7-3", "7-3 28-32", "1-2"])
def test_a_capture_that_the_rest_does_not_decide_is_ambiguous(rest: str) -> None:
    (record,) = records(f'[FEN "{OPEN}"] 10x28 {rest} *')
    assert not record.whole
    assert record.faults[0].message == "10x28: ambiguous, could be 10x17x26x19x28, 10x19x28"
    (loaded,) = read_all(io.StringIO(f'[FEN "{OPEN}"] 10x28 {rest} *'))
    assert "10x28: ambiguous" in loaded.trouble and not loaded.whole


def test_the_line_that_gets_furthest_is_meant_although_it_ends_in_a_fault() -> None:
    (record,) = records(f'[FEN "{OPEN}"] 10x28 15-11 28-1 *')
    assert record.game is not None and path_text(record.game) == "10x17x26x19x28 15-11"
    assert record.faults[0].message.startswith("28-1: not legal")


@pytest.mark.parametrize("seed", range(8))
def test_games_with_short_captures_are_the_same_games(seed: int) -> None:
    game = random_game(Random(seed))
    short = " ".join(f"{move.path[0]}x{move.path[-1]}" if move.captured else str(move) for move in game.moves)
    (record,) = records(f'[FEN "{game.start.fen()}"] {short} *')
    if record.whole:
        assert record.game is not None
        position = game.start
        for ours, theirs in zip(game.moves, record.game.moves, strict=True):
            after = moves.apply(position, ours)
            assert moves.apply(position, theirs) == after
            position = after
    else:
        assert "ambiguous" in record.faults[0].message


def test_a_capture_that_stays_unclear_is_not_followed_for_ever() -> None:
    to_and_fro = "7-3 28-32 3-7 32-28 " * MOST_PLIES
    start = Position.from_fen(OPEN)
    counted = itertools.count()

    def successors(position: Position) -> tuple[tuple[moves.Move, Position], ...]:
        next(counted)
        return plain.successors(position)

    assert settle(start, paths(f"10x28 {to_and_fro}"), successors) == []
    assert next(counted) <= 2 * MOST_PLIES


def test_square_numbers_agree_with_a_formula_in_all_views() -> None:
    for number in range(1, 33):
        row, place = divmod(number - 1, 4)
        # Black's own view: rows from the bottom, the first square on the right; a1 is a dark square.
        column = 7 - 2 * place - (1 - row % 2)
        name = f"{'abcdefgh'[column]}{row + 1}"
        assert square_number(name, STANDARD) == number
        assert square_number(name, TURNED) == 33 - number
        assert square_number(f"{'hgfedcba'[column]}{row + 1}", STANDARD) == number  # columns from the right
        assert square_number(str(number), BoardView(corner=2)) == 33 - number
    assert [square_number(name) for name in ("a1", "g1", "h2", "b8", "h8")] == [4, 1, 5, 32, 29]


def test_letters_are_those_of_an_independent_library() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    random = Random(1)
    for _ in range(20):
        state, position = pyspiel.load_game("checkers").new_initial_state(), Position.start()
        for _ in range(12):
            legal = [state.action_to_string(state.current_player(), action) for action in state.legal_actions()]
            ours = {str(move) for move in moves.legal_moves(position)}
            if any("x" in move for move in ours):  # OpenSpiel plays several jumps as several moves
                break
            assert {str(moves.parse_move(position, text)) for text in legal} == ours
            index = random.randrange(len(legal))
            position = moves.apply(position, moves.parse_move(position, legal[index]))
            state.apply_action(state.legal_actions()[index])


def test_a_typed_move_that_both_views_allow_is_ambiguous() -> None:
    position = Position.from_fen("W:WK11,22:B1")
    with pytest.raises(moves.IllegalMoveError, match="ambiguous, could be 11-15, 22-18"):
        moves.parse_move(position, "c3-d4")
    assert str(moves.parse_move(position, "11-15")) == "11-15"


def test_variations_with_letters_are_written_with_numbers() -> None:
    (record,) = records("1. c3-d4 (1. e3-f4 {not c3-b4} b6-a5 (1... f6-e5)) 1... b6-c5 *")
    assert record.game is not None
    assert "(1. 10-14 {not c3-b4} 24-20 (1... 22-18)) 1... 24-19" in written(record.game)
    (turned,) = records("1. f6-e5 (1. d6-c5 c3-b4) 1... c3-d4 *")
    assert turned.game is not None
    assert "1. 11-15 (1. 10-14 22-17) 1... 22-18" in written(turned.game)


def test_letters_whose_view_decides_only_late() -> None:
    fen = "B:WK17,21:BK16,12"
    start = Position.from_fen(fen)
    for view in (STANDARD, TURNED):
        names = {
            square_number(f"{c}{r}", view): f"{c}{r}"
            for c in "abcdefgh"
            for r in "12345678"
            if (ord(c) + int(r)) % 2 == 0
        }
        text = " ".join(f"{names[a]}-{names[b]}" for a, b in ((16, 11), (17, 13), (11, 16), (21, 17)))
        (record,) = records(f'[FEN "{fen}"] {text} *')
        assert record.whole and record.game is not None
        assert path_text(record.game) == "16-11 17-13 11-16 21-17"
    assert find_meant(start, encode_path("16-11"), plain.successors)
    with pytest.raises(FenError):
        Position.from_fen("B:Wa1,h8:Bb2")


@for_each(("text", "expected"), rows("games"))
def test_other_forms_of_games_are_read(text: str, expected: str) -> None:
    (record,) = records("\n".join(codes(text)))
    assert record.game is not None and record.whole
    assert [fault.message for fault in record.faults if "no result" not in fault.message] == []
    flat = " ".join(written(record.game).split())
    for code in codes(expected):
        assert code in flat
    assert only(written(record.game)) == record.game


@for_each(("text", "reported", "moves"), rows("faults"))
def test_faults_are_reported_and_earlier_moves_read(text: str, reported: str, moves: str) -> None:
    record = records("\n".join(codes(text)))[0]
    (message,) = codes(reported)
    assert message in record.faults[0].message
    assert record.whole == (moves == "read")
    assert moves in ("read", "not read")
    if record.whole:
        assert record.game is not None and str(record.game.moves[0]) == "9-14"


@for_each(("text", "expected"), rows("positions"))
def test_other_forms_of_positions_are_read(text: str, expected: str) -> None:
    (fen,), (code,) = codes(text), codes(expected)
    if expected.startswith("refused"):
        with pytest.raises(FenError) as caught:
            Position.from_fen(fen)
        assert code in str(caught.value)
    else:
        assert Position.from_fen(fen).fen() == code


@for_each(("encoding", "expected"), rows("encodings"))
def test_known_encodings_are_read(encoding: str, expected: str) -> None:
    if not expected.startswith("refused"):  # by what opens the file
        (game,) = read(ENCODED.encode(codes(encoding)[0]))
        assert (game.tag("Site"), len(game.moves), game.result) == ("Zürich", 2, "1-0")


MOVES = [(text, move) for text, move in ((codes(a)[0], codes(b)[0]) for a, b in rows("games")) if "[" not in text]


def test_single_moves_are_read_like_those_of_files() -> None:
    tried = 0
    for text, expected in MOVES:
        position = Position.start()
        words, moves = text.split(), [word for word in expected.split() if re.match(r"[1-9][0-9]*[-x][1-9]", word)]
        words = [word for word in words if re.fullmatch(r"\w+[^\w.]+\w+|[A-Ha-h][1-8][a-h][1-8]", word)]
        if len(words) != len(moves):
            continue
        for word, move in zip(words, moves, strict=True):
            if not re.fullmatch(r"[0-9]+[-x][0-9]+", move):
                break
            result = parse_move(position, word)
            assert str(result) == move
            position = apply(position, result)
            tried += 1
    assert tried > 15


def test_short_capture_is_one_move_for_the_engine() -> None:
    position = Position.from_fen("B:W14,15,22,23,30:BK10")
    assert str(parse_move(position, "10x10")) == "10x17x26x19x10"
