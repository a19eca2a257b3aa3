"""Games written and read again are equal; whatever is read, only the documented errors come."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game import moves
from game.board import Position
from game.moves import Move
from game.pdn.game import RESULTS, Annotation, Game, PdnError
from tests.cases import for_each
from tests.game.pdn.pdn_texts import FENS, damaged_files, faults, notes, only, read, records, written


def test_a_game_is_written_with_full_captures() -> None:
    start = Position.from_fen("W:W26,32:B6,14,22")
    long_move = moves.parse_move(start, "26x1")
    comment = Annotation(1, "comment", "  line\nbreaks\tand } a brace")
    game = Game((("Event", 'a "b" \\'),), start, (long_move,), "0-1", (Annotation(1, "mark", "!"), comment))
    assert written(game) == (
        '[Event "a \\"b\\" \\\\"]\n[Result "0-1"]\n[GameType "21"]\n[SetUp "1"]\n'
        '[FEN "W:W26,32:B6,14,22"]\n\n1... 26x17x10x1!\n; line breaks and } a brace\n0-1\n\n'
    )


def test_lines_wrap_and_no_line_starts_like_a_tag() -> None:
    words = " ".join(['word [Event "x"] %clk'] * 30)
    text = written(
        Game((), Position.start(), (), "*", (Annotation(0, "comment", words), Annotation(0, "variation", words)))
    )
    lines = text.splitlines()
    assert max(map(len, lines)) == pytest.approx(79, abs=8)
    assert max(map(len, lines)) <= 79
    assert not any(line.startswith(("[Ev", "%")) for line in lines)
    assert notes(only(text)) == [(0, "comment", words), (0, "variation", words)]


@for_each(
    ("ply", "kind", "text"),
    [
        (0, "mark", "!"),
        (1, "mark", ""),
        (1, "mark", "good"),
        (1, "mark", "!" * 9),
        (0, "nag", "5"),
        (0, "nag", "$05"),
        (0, "variation", ")"),
        (0, "variation", "a) (b"),
        (0, "variation", "{"),
        (0, "variation", "!?"),
        (0, "remark", ""),
    ],
)
def test_notes_that_could_not_be_read(ply: int, kind: str, text: str) -> None:
    with pytest.raises(PdnError):
        Annotation(ply, kind, text)


@pytest.mark.parametrize(
    ("tags", "result", "noted"),
    [
        ((("Result", "*"),), "*", ()),
        ((("FEN", "B:W1:B2"),), "*", ()),
        ((("A", ""), ("A", "")), "*", ()),
        ((("A B", ""),), "*", ()),
        ((), "2-0", ()),
        ((), "*", (Annotation(1, "comment", "past the end"),)),
    ],
)
def test_games_that_could_not_be_read(
    tags: tuple[tuple[str, str], ...], result: str, noted: tuple[Annotation, ...]
) -> None:
    with pytest.raises(PdnError):
        Game(tags, Position.start(), (), result, noted)


def test_order_of_notes() -> None:
    start = Position.start()
    (move, *_) = moves.legal_moves(start)
    mark, comment, early = Annotation(1, "mark", "!"), Annotation(1, "comment", "c"), Annotation(0, "comment", "c")
    Game((), start, (move,), "*", (early, early, mark, comment, comment))
    for noted in ((comment, mark), (mark, mark), (comment, early)):
        with pytest.raises(PdnError):
            Game((), start, (move,), "*", noted)


PLAIN = st.text('abc {}[]()%;$!?*"\\\n\té棋\x00\x85\u2028-1509.', max_size=120)
WORDS = ["12-16", "\n24-20", "24x15!", "1-0", "words", "[Event", "%x", "*", "{a ) (}", '{[A "b"]\n}', ";x}\n"]
INNER = st.recursive(
    st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=4).map(lambda parts: "(" + " ".join(parts) + ")"),
    max_leaves=8,
)
NOTES = st.one_of(
    st.tuples(st.just("comment"), PLAIN),
    st.tuples(st.just("nag"), st.integers(0, 999_999_999).map(lambda number: f"${number}")),
    st.tuples(st.just("variation"), st.lists(INNER, max_size=6).map(" ".join)),
)
MARKS = st.text("!?*", min_size=1, max_size=8)
TAGS = st.dictionaries(st.from_regex(r"[A-Z][A-Za-z0-9_]{0,9}", fullmatch=True), PLAIN, max_size=5)


@st.composite
def games(draw: st.DrawFn) -> Game:
    start = position = Position.from_fen(draw(st.sampled_from(FENS)))
    played: list[Move] = []
    noted: list[Annotation] = []
    for ply in range(draw(st.integers(0, 30)) + 1):
        if ply > 0:
            legal = moves.successors(position)
            if not legal:
                break
            move, position = draw(st.sampled_from(legal))
            played.append(move)
        if draw(st.integers(0, 4)) == 0:
            if ply > 0 and draw(st.booleans()):
                noted.append(Annotation(ply, "mark", draw(MARKS)))
            noted += [Annotation(ply, kind, text) for kind, text in draw(st.lists(NOTES, max_size=3))]
    tags = {name: value for name, value in draw(TAGS).items() if name not in ("Result", "SetUp", "FEN", "GameType")}
    return Game(tuple(tags.items()), start, tuple(played), draw(st.sampled_from(RESULTS)), tuple(noted))


@given(st.lists(games(), min_size=1, max_size=3))
@settings(max_examples=8)
def test_written_games_are_read_again(games_: list[Game]) -> None:
    text = written(*games_)
    assert read(text) == games_
    assert read(text.encode()) == games_
    assert written(*read(text)) == text
    for line in text.split("\n"):
        assert len(line) <= 79 or line[0] in "[;" or not re.search(r" (?![\[%])", line)


PIECES = st.sampled_from(
    b'[Event "a"]\n|[A|"]|{|}|(|)|;|%|$1|$|\n|\n\n|11-15 |23-19 |1. |1...|...|*|!|1-0 |1/2-1/2|2-0|x|[FEN "B:W:B1"]|'
    b'[SetUp "1"]|[GameType "20"]|\\|\xff|9-13x|32x32x32|\r|\x00|\xef\xbb\xbf|\xc3|\x1a| '.split(b"|")
)


def _never_breaks(data: bytes) -> None:
    result = records(data)
    assert all(fault.line <= data.count(b"\n") + data.count(b"\r") + 1 for fault in faults(data))
    for record in result:
        if record.game is not None:
            assert only(written(record.game)) == record.game
    if not faults(data):
        assert len(read(data)) == len(result)


@given(st.one_of(st.binary(max_size=200), st.lists(PIECES, max_size=40).map(b"".join)))
@settings(max_examples=100)
def test_garbage_is_read_without_an_error(data: bytes) -> None:
    _never_breaks(data)


def test_damaged_files_are_read_without_an_error() -> None:
    for data in damaged_files(150):
        _never_breaks(data)
