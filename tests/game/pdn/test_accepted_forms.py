"""The tables of `docs/what-we-read.md` are data of these tests."""

from __future__ import annotations

import re

import pytest

from game.board import FenError, Position
from game.moves import apply, parse_move
from tests.cases import for_each
from tests.game.pdn.pdn_texts import ENCODED, codes, only, read, records, rows, written


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
