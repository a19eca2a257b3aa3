"""Squares, positions, FEN, and the rules as data."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game import bitboard, rules
from game.board import FenError, Position
from game.errors import InputError
from tests import naive
from tests.cases import for_each


@st.composite
def boards(draw: st.DrawFn) -> naive.Board:
    pieces: dict[naive.Place, str] = {}
    cells = draw(st.lists(st.sampled_from("..bBwW"), min_size=32, max_size=32))
    for square in draw(st.permutations(range(1, 33))):
        piece, place = cells[square - 1], naive.PLACES[square]
        if piece == "." or sum(p.lower() == piece.lower() for p in pieces.values()) == rules.PIECES_A_SIDE:
            continue
        on_king_row = place[0] == (7 if piece == "b" else 0)
        pieces[place] = piece.upper() if on_king_row else piece
    return naive.Board.from_pieces(pieces, draw(st.sampled_from("BW")))


def test_squares_have_bits_of_their_own() -> None:
    bits = bitboard.SQUARE_BIT[1:]
    assert len(set(bits)) == rules.SQUARES
    assert [bitboard.BIT_SQUARE[bit] for bit in bits] == list(range(1, 33))
    assert [bit for bit, square in enumerate(bitboard.BIT_SQUARE) if square == 0] == [8, 17, 26]
    assert max(bits) == bitboard.LAST_BIT
    assert list(bitboard.squares_of(bitboard.BOARD)) == list(range(1, 33))
    assert list(bitboard.squares_of(bitboard.TOP_ROW)) == list(rules.KING_ROW[rules.WHITE])
    assert list(bitboard.squares_of(bitboard.BOTTOM_ROW)) == list(rules.KING_ROW[rules.BLACK])


def test_a_diagonal_step_is_a_shift() -> None:
    for (row, column), square in naive.SQUARES.items():
        for down, shifts in ((1, (4, 5)), (-1, (-5, -4))):
            bits = [bitboard.SQUARE_BIT[square] + shift for shift in shifts]
            reached = [bitboard.BIT_SQUARE[bit] for bit in bits if 0 <= bit <= bitboard.LAST_BIT]
            beside = [naive.SQUARES.get((row + down, column + right), 0) for right in (-1, 1)]
            assert [s for s in reached if s] == [s for s in beside if s]


@given(st.sets(st.integers(1, 32)))
def test_turning_the_board(squares: set[int]) -> None:
    word = sum(1 << bitboard.SQUARE_BIT[square] for square in squares)
    assert list(bitboard.squares_of(bitboard.rotate(word))) == sorted(33 - square for square in squares)
    assert bitboard.rotate(bitboard.rotate(word)) == word


def test_the_start_position_is_that_of_the_rules() -> None:
    start = Position.start()
    assert start == Position.from_fen(rules.START_FEN)
    assert start == Position.from_squares(range(1, 13), range(21, 33), [], rules.BLACK)
    assert start.fen() == naive.START
    assert str(start) == naive.START
    assert start.mirror().mirror() == start


@given(boards())
def test_mirrored_is_an_involution(board: naive.Board) -> None:
    position = Position.from_fen(board.fen())
    mirror = position.mirror()
    assert mirror.fen() == board.mirror().fen()
    assert mirror.mirror() == position
    assert mirror != position
    assert bitboard.rotate(mirror.own) == position.own
    assert bitboard.rotate(mirror.opponent) == position.opponent


@given(boards())
def test_own_and_opponent(board: naive.Board) -> None:
    position = Position.from_fen(board.fen())
    both = {position.own, position.opponent}
    assert both == {position.black, position.white}
    assert position.own == (position.black if board.side == "B" else position.white)


@for_each(
    ("black", "white", "kings", "side", "token"),
    [
        ([1], [33], [], rules.BLACK, "W33"),
        ([-1], [30], [], rules.BLACK, "B-1"),
        ([5, 5], [30], [], rules.BLACK, "B5"),
        ([5], [5], [], rules.BLACK, "W5"),
        ([29], [5], [], rules.BLACK, "B29"),
        ([5], [30], [7], rules.BLACK, "K7"),
        (range(1, 14), [30], [], rules.BLACK, "13 pieces"),
        ([5], [30], [], 2, "side"),
    ],
)
def test_squares_that_describe_no_position(black, white, kings, side, token) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(FenError, match=token):
        Position.from_squares(black, white, kings, side)


@given(boards())
def test_fen_round_trip(board: naive.Board) -> None:
    position = Position.from_fen(board.fen())
    assert position.fen() == board.fen()
    assert Position.from_fen(position.fen()) == position


@given(boards(), st.randoms(use_true_random=False))
def test_fen_may_be_written_in_many_ways(board: naive.Board, random: Random) -> None:
    side, white, black = board.fen().split(":")
    fields = [field[0] + ",".join(_with_ranges(field[1:], random)) for field in (white, black)]
    random.shuffle(fields)
    text = random.choice(("", " ", "\n")) + ":".join([side, *fields]) + random.choice(("", ".", " .", ".  "))
    text = text.replace(",", random.choice((",", ", ", " ,"))).replace(":", random.choice((":", " : ")))
    assert Position.from_fen(text) == Position.from_fen(board.fen())


def _with_ranges(field: str, random: Random) -> list[str]:
    tokens = field.split(",") if field else []
    written = []
    while tokens:
        first = last = tokens.pop(0)
        while tokens and random.random() < 0.8 and tokens[0] == _following(last):
            last = tokens.pop(0)
        end = last.removeprefix("K") if random.random() < 0.5 else last
        written.append(first if first == last else f"{first}-{end}")
        if first == last and first.isdigit() and random.random() < 0.2:
            written[-1] = f"{int(first):02}"
    random.shuffle(written)
    return written


def _following(token: str) -> str:
    return "K" * token.startswith("K") + str(int(token.removeprefix("K")) + 1)


@for_each(
    ("text", "fen"),
    [
        ("B:W21-32:B1-12", naive.START),
        ("W:WK1-4:BK29-K32", "W:WK1,K2,K3,K4:BK29,K30,K31,K32"),
        ("W:W5-5:B", "W:W5:B"),
        ("W:W:B", "W:W:B"),
        ("B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29", "B:WK10,K15,18,24,27,28:B12,16,20,K22,K25,K29"),
        ("b:w18,k24:bk12-k13,5", "B:W18,K24:B5,K12,K13"),
        ("w:w21:b1:h12:f40.", "W:W21:B1"),
        (' [FEN "W:W21:BK1:H0:F1"]\n', "W:W21:BK1"),
        ('[fen "b:w21:bk1."]', "B:W21:BK1"),
        ("B:B:W21:BK1", "B:W21:BK1"),
        ("B:W21:BK1:B", "B:W21:BK1"),
        ("R:RK1:W21", "B:W21:BK1"),
        ("Ｂ：Ｗ２１－２３：ＢＫ１", "B:W21,22,23:BK1"),
        ("B:W21 - 23,\u00a025:\u200bBK1", "B:W21,22,23,25:BK1"),
        # letters: a1 is Black's left corner, or if that is impossible, White's
        ("W:Wc3,e3:Bb6,Kd8", "W:W10,11:B24,K31"),
        ("B:WA7,KC1:Bg1", "B:WK3,28:B1"),
        ("W:Wa1,c3:Bh8,Kd8", "W:W22,29:BK2,4"),
    ],
)
def test_examples_of_fen_are_written_in_one_form(text: str, fen: str) -> None:
    assert Position.from_fen(text).fen() == fen


@for_each(
    ("text", "token"),
    [
        # the board
        ("B:W4:B5", "W4"),
        ("B:W21:B21", "square 21"),
        ("B:W20-24,22:B1", "square 22"),
        ("B:W33:B1", "'33'"),
        ("B:W20-32:B1", "W: 13 pieces"),
        # ranges
        ("B:W32-21:B1", "'32-21'"),
        ("B:W21-K32:B1", "'21-K32'"),
        ("B:W21-22-23:B1", "'21-22-23'"),
        # the sides
        ("", "''"),
        ("B:W21", "parts"),
        ("B:W21:W22", "'W22'"),
        ("B:21:1", "'21'"),
        ("?:W21:B1", "'?'"),
        ("B:W21:B1:H", "parts"),
        ("B:W21:H0", "'H0'"),
        ('[FEN "B:W21:B1" 1]', "parts|side to move"),
        # tokens
        ("B:W21,:B1", "''"),
        ("B:W21 22:B1", "'21 22'"),
        ("B:WKK21:B1", "'KK21'"),
        ("B:W00021:B1", "'00021'"),
        ("B:W" + "9" * 5000 + ":B1", "99999"),
        ("B:W٢١:B1", "'٢١'"),
    ],
)
def test_fen_that_describes_no_position(text: str, token: str) -> None:
    with pytest.raises(FenError, match=token):
        Position.from_fen(text)


@given(st.text() | st.text(alphabet="BWK0123456789,:-. \n", max_size=40))
def test_text_is_a_position_or_a_fen_error(text: str) -> None:
    _read_or_refuse(text)


@given(boards(), st.integers(0, 200), st.integers(0, 2), st.text(max_size=3) | st.sampled_from("BWK,:-.0139"))
def test_damaged_fen_is_a_position_or_an_error(board: naive.Board, at: int, removed: int, put: str) -> None:
    text = board.fen()
    at %= len(text)
    _read_or_refuse(text[:at] + put + text[at + removed :])


def _read_or_refuse(text: str) -> None:
    try:
        position = Position.from_fen(text)
    except FenError as error:
        assert isinstance(error, InputError)
        assert str(error)
    else:
        assert Position.from_fen(position.fen()) == position
        assert position.black & position.white == 0
        assert position.kings & ~(position.black | position.white) == 0
        assert (position.black | position.white) & ~bitboard.BOARD == 0


def test_draw_rules_of_the_federation() -> None:
    assert rules.DrawRules(repetition=3, quiet_plies=80, men_reset=True, max_plies=0) == rules.WCDF


@pytest.mark.parametrize(
    "values",
    [
        {"repetition": 1},
        {"repetition": -1},
        {"quiet_plies": -1},
        {"max_plies": -1},
        {"quiet_plies": rules.MAX_PLIES + 1},
        {"max_plies": rules.MAX_PLIES + 1},
        {"quiet_plies": 0},
        {"quiet_plies": 0, "repetition": 0},
    ],
)
def test_draw_rules_out_of_range(values: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"expected|for ever"):
        rules.DrawRules(**values)  # type: ignore[arg-type]
