"""Lines of the protocol: positions in all forms, as in PDN."""

from __future__ import annotations

import pytest

from extras.external.protocol import info_line, read_info, read_position
from game.errors import InputError
from game.search.interface import TABLEBASE_WON
from tests.cases import for_each
from tests.game.pdn.test_meaning import OPEN


@for_each(
    ("line", "fen"),
    [
        ("startpos moves c3-d4 b6-c5 d4xb6 a7xc5", "B:W19,21,22,23,25,26,27,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12"),
        ("startpos moves f6-e5 c3-d4 e5xc3", "W:W21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,22"),
        ("startpos moves 11–15 22−18 15×22", "W:W21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,22"),
        (f"fen {OPEN} moves 10x28 15-11", "B:W7,11:BK28"),
        (f"fen {OPEN} moves 10x28 14-10", "B:W7,10,22,23:BK28"),
        ("fen B:W14,15,22,23,30:BK10 moves 10x10", "W:W30:BK10"),
        ("fen W:Wc3,e3:Bb6,Kd8", "W:W10,11:B24,K31"),
        ("fen W:Wc3,e3:Bb6,Kd8 moves c3-d4", "B:W18,23:BK2,9"),
        ("fen B:B:W21–23:BK1", "B:W21,22,23:BK1"),
    ],
)
def test_the_engine_protocol_accepts_positions_in_other_forms(line: str, fen: str) -> None:
    assert read_position(line.split())[-1].fen() == fen


def test_a_line_of_the_protocol_that_continues_an_earlier_one_is_read_alike() -> None:
    words = ["startpos", "moves", "f6-e5", "c3-d4", "e5xc3"]
    known = read_position(words)
    assert read_position([*words, "b2xd4"], words, known) == read_position([*words, "b2xd4"])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"fen {OPEN} moves 10x28", "10x28: ambiguous, could be 10x17x26x19x28, 10x19x28"),
        ("startpos moves c3-d4 c3-d4", "expected letters as seen from one side"),
        ("startpos moves c3-e5", "c3-e5: not legal"),
        ("startpos moves c9-d4", "a move is written like"),
    ],
)
def test_lines_of_the_protocol_that_are_refused(line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_position(line.split())


def test_a_result_of_tablebases_without_a_distance_is_written_and_read() -> None:
    line = info_line(3, 100, 0.1, 5 - TABLEBASE_WON, ())
    assert " score lost " in line
    assert read_info(line.split()[1:]).score == -TABLEBASE_WON
