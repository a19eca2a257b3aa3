"""PDN text: every element of it, and every fault with its place."""

from __future__ import annotations

import pytest

from game.board import Position
from game.moves import Move
from game.pdn.game import RESULTS
from tests.cases import for_each
from tests.game.pdn.pdn_texts import (
    DATA,
    NOTHING,
    SOUND,
    faults,
    games_of,
    notes,
    only,
    path_text,
    read,
    records,
    written,
)


@for_each(
    "text",
    [
        "1. 11-15 23-19 2. 8-11 1-0",
        "1. 11-15 1... 23-19 2. 8-11 1-0",
        "1. 11-15 1. ... 23-19 2. 8-11 1-0",
        "01. 11-15 23-19\n\n\n002. 08-11 1-0",
        "11-15 23-19 8-11 1-0",
        "1. 11x15 23:19 2. 8-11 1-0",
        "1. 11-15{c}23-19(9-14)2. 8-11$1 1-0;end",
        "% a line 22-18 {\n1. 11-15 % not at the start of a line: within a comment {% }".replace(" % not", " { % not")
        + " 23-19\n%2. 22-18\n8-11 1-0",
        "1. 11-15 23-19 2. 8-11 1-0\x1a",
        "1. 11-15 23-19 2. 8-11 1-0 *\n",
        '{before}\n[Event "x"] {between} [Site "y"]\n1. 11-15 23-19 2. 8-11 1-0 {after} ; and after\n',
    ],
)
def test_moves_and_numbers(text: str) -> None:
    game = only(text)
    assert (path_text(game), game.result) == ("11-15 23-19 8-11", "1-0")
    assert len(records(text)) == 1


@for_each(
    ("text", "expected"),
    [
        ("11-15! 1-0", [(1, "mark", "!")]),
        ("11-15?!* *", [(1, "mark", "?!*")]),
        ("11-15(?) *", [(1, "mark", "?")]),
        ("11-15!$3 *", [(1, "mark", "!"), (1, "nag", "$3")]),
        ("11-15 {c} ! ? *", [(1, "mark", "!?"), (1, "comment", "c")]),
        ("$10 11-15 $007$2 *", [(0, "nag", "$10"), (1, "nag", "$7"), (1, "nag", "$2")]),
        ("{a\n  b { c ; d % e} 11-15 {} *", [(0, "comment", "a b { c ; d % e"), (1, "comment", "")]),
        ('{11-16 1-0 [Event "x"]} 11-15 *', [(0, "comment", '11-16 1-0 [Event "x"]')]),
        ('{\n[Event "x"]\n1. 9-13 *\n} 11-15 *', [(0, "comment", '[Event "x"] 1. 9-13 *')]),
        ("11-15 ; to the end } { ( 9-13\n*", [(1, "comment", "to the end } { ( 9-13")]),
        ("11-15 (11-16 (9-13 () 24-20) {)}) *", [(1, "variation", "11-16 (9-13 () 24-20) {)}")]),
        ("11-15 ( 11-16 ; a ) b }\n% dropped (\n 24-20 ) *", [(1, "variation", "11-16 {a ) b )} 24-20")]),
        ("11-15 (prose, not moves) *", [(1, "variation", "prose, not moves")]),
        ("11-15 1-0 {late} ;r", [(1, "comment", "late"), (1, "comment", "r")]),
    ],
)
def test_notes_are_read_at_their_plies(text: str, expected: list[tuple[int, str, str]]) -> None:
    game = only(text)
    assert (path_text(game), notes(game)) == ("11-15", expected)
    assert only(written(game)) == game


def test_tags_are_read_with_their_quotes() -> None:
    game = only('[Event "a \\"b\\" \\\\ \\c"]\n[ Site  "" ][Round "1 [2] {3}"]\n[Result "?"]\n*')
    assert game.tags == (("Event", 'a "b" \\ \\c'), ("Site", ""), ("Round", "1 [2] {3}"))
    assert (game.tag("Event"), game.tag("White")) == ('a "b" \\ \\c', None)
    assert only(written(game)) == game


@pytest.mark.parametrize("value", ["21", "21,B,8,8,N1,0", "21,W,8,8", " 21 , B"])
def test_other_forms_of_the_game_type_are_read(value: str) -> None:
    assert '[GameType "21"]\n' in written(only(f'[GameType "{value}"] 11-15 *'))


@pytest.mark.parametrize(
    ("tags", "fen"),
    [
        ('[SetUp "1"][FEN "W:W31:BK22,K23,4."]', "W:W31:B4,K22,K23"),
        ('[FEN "W:BK22,23,4:W31"]', "W:W31:B4,K22,23".replace(",23", ",23")),
        ('[SetUp "0"][FEN "W:W31:BK22"]', Position.start().fen()),
        ('[SetUp "0"]', Position.start().fen()),
    ],
)
def test_tags_describe_the_first_position(tags: str, fen: str) -> None:
    game = only(tags + " *")
    assert game.start == Position.from_fen(fen)
    assert only(written(game)) == game


def test_results_are_read_from_moves_or_tag() -> None:
    for result in RESULTS:
        assert only(f"11-15 {result}").result == result
        assert only(f'[Result "{result}"] 11-15 {result}').result == result
        assert only(f'[Result "{result}"] 11-15 *').result == result  # PDN 3.0: the asterisk only ends the game
    assert only('[Result ""] 11-15 0-1').result == "0-1"


def test_multiple_jumps_in_all_forms() -> None:
    fen = "W:WK26:B6,7,14,15,22,23"
    exact = Move((26, 17, 10, 3), (22, 14, 7))
    for text in ("26x17x10x3", "26-17-10-03", "26:17x10:3"):
        assert only(f'[FEN "{fen}"] {text} *').moves == (exact,)
    fen = "W:W26:B6,14,22"
    for text in ("26x17x10x1", "26x1", "26-1"):
        assert path_text(only(f'[FEN "{fen}"] {text} *')) == "26x17x10x1"


def test_games_without_tags() -> None:
    result = read('1. 11-15 1-0 1. 9-13 (x) 0-1 $1 9-14 {c} * [Event "d"] *')
    assert [(path_text(game), game.result) for game in result] == [
        ("11-15", "1-0"),
        ("9-13", "0-1"),
        ("9-14", "*"),
        ("", "*"),
    ]


def test_a_draw_rule_never_ends_a_game() -> None:
    shuffle = "1-6 32-27 6-1 27-32 " * 60
    game = only(f'[FEN "B:WK32:BK1"] {shuffle} *')
    assert len(game.moves) == 240


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b'[Site "Z\xc3\xbcrich"] *', "Zürich"),
        (b'\xef\xbb\xbf[Site "Z\xc3\xbcrich"] *', "Zürich"),
        (b'[Site "Z\xfcrich"] *', "Zürich"),
        (b'[Site "Z\xfcri\xc3\xbcch \xe6\xa3"] *', "Züriüch æ£"),
    ],
)
def test_names_are_read_in_known_encodings(data: bytes, name: str) -> None:
    assert only(data).tag("Site") == name


def test_line_ends_make_no_difference() -> None:
    text = (DATA / "annotated.pdn").read_text(encoding="utf-8")
    broken = SOUND + '[Event "x"]\n\n11-15 {a\nb} nonsense 1-0\n'
    for end in ("\r\n", "\r"):
        assert read(text.replace("\n", end).encode()) == read(text)
        assert read(text.replace("\n", end)) == read(text)
        assert faults(broken.replace("\n", end)) == faults(broken) != []


def test_an_annotated_file_is_read_whole() -> None:
    first, second = games_of(DATA / "annotated.pdn")
    assert path_text(first) == "11-15 23-19 8-11 22-17 11-16 24-20 16x23 27x18x11 7x16 20x11"
    assert dict(first.tags) == {
        "Event": 'A "small" match, round \\1\\',
        "Site": "Zürich",
        "Black": "One",
        "White": "Two",
    }
    assert notes(first) == [
        (0, "comment", "Before the first move; 11-16 is not played"),
        (1, "mark", "!"),
        (2, "mark", "??"),
        (3, "nag", "$1"),
        (3, "nag", "$10"),
        (3, "comment", "the old reply } stands in every book"),
        (4, "mark", "*"),
        (6, "mark", "!"),
        (6, "comment", 'braces do not { nest, [Event "no tag"]'),
        (6, "variation", "24-20 {a comment with ) and 1-0} 16-24 (16x23 27x11 {cut ) off} 7x16 20x11) 28x19"),
    ]
    assert (path_text(second), second.result, second.start.fen()) == ("31-26 23x30", "0-1", "W:W31:B4,K22,K23")
    assert read(written(first, second)) == [first, second]


def test_faults_of_a_file_have_their_places() -> None:
    text = (DATA / "faulty.pdn").read_bytes()
    places = [(fault.game, fault.line, fault.ply) for fault in faults(text)]
    assert places == [(1, 5, 8), (3, 16, 3), (5, 24, 2), (6, 27, None), (7, 33, None), (8, 37, 2)]
    output = [fault.message for fault in faults(text)]
    expected = [
        "20-16: not legal in W:W17,20,21,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,9,10,12,16,24 (legal moves: 28x19, ",
        "the comment that starts here with { has no closing }",
        "the variation that starts here with ( has no closing )",
        "GameType '20': expected 21",
        "no result after the moves",
        "'resigns': expected a move",
    ]
    assert [message[: len(start)] for message, start in zip(output, expected, strict=True)] == expected
    whole, games = [record.whole for record in records(text)], [record.game for record in records(text)]
    assert (len(whole), sum(whole)) == (9, 4)
    assert [len(game.moves) for game in games if game is not None] == [7, 1, 2, 2, 1, 2, 1, 1]


@for_each(
    ("text", "line", "ply", "message"),
    [
        ("11-15\n11-15 *", 2, 2, "11-15: not legal in W:"),
        ("1. 11-15 23-19\n2. 8-11 22-17\n3. 11-16 24-20\n99-98 *", 4, 7, "99-98: not legal in B:"),
        ("11-15\n\n{a\nb", 3, 2, "the comment that starts here with {"),
        ("11-15\n(a (b)\n", 2, 2, "the variation that starts here with ("),
        ("11-15 (a {b)\n *", 1, 2, "the variation that starts here with ("),
        ("11-15\n} *", 2, 2, "'}': this closes nothing: remove it, or put its {"),
        ("11-15 " + "&" * 3000 + " *", 1, 2, "'&&&&"),
        ("11-15 &amp;&#38;&lt;x *", 1, 2, "'&amp': expected a move"),
        ("1115 *", 1, 1, "'1115': expected a move"),
        ('11-15 /FEN "B:W1:B2"/ *', 1, 2, "'/FEN': expected a move"),
        ("11-15 w\u00fc\x1b[31mx *", 1, 2, "'w\\xfc\\x1b': expected a move"),
        ('[Event "a"]\n[GameType "25,W,8,8,A0,0"]\nc3-d4 2-0', 2, None, "GameType '25,W,8,8,A0,0': expected 21"),
        ('[SetUp "1"]\n11-15 *', 1, None, "tag SetUp is 1 but there is no tag FEN"),
        ('[Event "a"]\n[FEN "B:W33:B2"]\n11-15 *', 2, None, "tag FEN: '33' in 'W33': squares are numbered 1 to 32"),
    ],
)
def test_a_fault_has_its_place_and_the_next_game_is_read(text: str, line: int, ply: int | None, message: str) -> None:
    (result,) = [fault for fault in faults(text) if "no result" not in fault.message]
    assert (result.game, result.line, result.ply, result.message[: len(message)]) == (1, line, ply, message)
    assert result.message.isascii() and result.message.isprintable()
    broken, sound = records(text + "\n\n" + SOUND)
    assert (broken.whole, sound.whole, sound.game) == (False, True, only(SOUND))


@pytest.mark.parametrize(
    ("text", "line", "result", "message"),
    [
        ("11-15\n23-19\n\n", 2, "*", "no result after the moves: add 1-0, 0-1, 1/2-1/2 or *"),
        ('[Event "a"]\n', 1, "*", "no result after the moves"),
        ("11-15 0-0", 1, "*", "0-0: no result"),
        ("11-15 1-0\n0-1", 2, "1-0", "0-1: the game has a result already, 1-0"),
        ('[Result "lost"]\n11-15 1-0', 1, "1-0", "tag Result is 'lost': expected 1-0"),
        ('[Event "a"]\n[Result "0-1"]\n11-15 1-0', 2, "1-0", "tag Result is 0-1 but the moves end with 1-0"),
    ],
)
def test_fault_of_the_result(text: str, line: int, result: str, message: str) -> None:
    (outcome,) = faults(text)
    assert (outcome.game, outcome.line, outcome.ply, outcome.message[: len(message)]) == (1, line, None, message)
    (record,) = records(text)
    assert record.whole and record.game is not None and record.game.result == result


@pytest.mark.parametrize(
    ("before", "games", "plies"),
    [
        ('[Event "a"]\n11-15 {open\n', 2, 1),  # the sound game's comment closes it, were it not for its tags
        ('[Event "a"]\n11-15 (open\n', 2, 1),
        ('[Event "a"]\n11-15 (open {open\n', 2, 1),
        ("Words before the first game.\n\n", 2, 0),
        ('[Event "a"]\n11-15\n', 2, 1),
        ('[Event "a"]\n\n', 2, 0),
    ],
)
def test_reading_continues_with_the_next_game(before: str, games: int, plies: int) -> None:
    sound = SOUND.replace("22-18", "{with a comment} 22-18")
    *others, last = [record.game for record in records(before + sound)]
    assert len(others) + 1 == games and last is not None and (len(last.moves), last.result) == (2, "1-0")
    assert sum(len(game.moves) for game in others if game is not None) == plies
    assert [fault.game for fault in faults(before + sound)] == [1]


@for_each(
    ("text", "line", "ply", "message"),
    [
        ('[Event "a"]\n[Site "b"]\n[Event "c"]\n11-15 *', 3, None, "tag 'Event' is given twice"),
        ('[Event "a"]\n[event "c"]\n11-15 *', 2, None, "tag 'Event' is given twice"),
        ('[Result "1-0"]\n[Result "0-1"]\n11-15 1-0', 2, None, "tag 'Result' is given twice"),
        ('[FEN "B:W21:B11"]\n[SetUp "x"]\n11-15 *', 2, None, "tag SetUp is 'x': expected 0 or 1"),
        ("[Event a b c\n11-15 *", 1, None, "'[Event a b c': expected a tag on one line"),
        ('["a"]\n[Site "b"]\n11-15 *', 1, None, "'[\"a\"]': expected a tag on one line"),
        ("! 11-15 *", 1, 1, "'!': expected at most 8 such marks, after a move"),
        ("11-15 !!!! ???? ! *", 1, 2, "'!!!!????!': expected at most 8"),
    ],
)
def test_a_fault_that_does_not_keep_moves_from_being_read(text: str, line: int, ply: int | None, message: str) -> None:
    (record,) = records(text)
    assert record.game is not None and record.whole
    assert path_text(record.game) == "11-15"
    (result,) = record.faults
    assert (result.line, result.ply, result.message[: len(message)]) == (line, ply, message)


@for_each(
    "text",
    [
        "11-15 nonsense *",
        "11-15 {open",
        "11-15 } *",
        '[GameType "25"]\n11-15 *',
        '[FEN "B:W33:B1"]\n11-15 *',
        '[FEN "B:W21:B11"]\n[FEN "B:W22:B11"]\n11-15 *',
        '[SetUp "1"]\n11-15 *',
        "[FEN B:W21:B11\n11-15 *",
    ],
)
def test_a_game_that_cannot_be_read_to_its_end_is_not_whole(text: str) -> None:
    record = records(text)[0]
    assert record.faults and not record.whole


@pytest.mark.parametrize("text", NOTHING)
def test_a_text_without_games_has_no_records(text: str) -> None:
    assert records(text) == []
