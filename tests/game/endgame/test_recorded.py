"""Recorded games beside tables: who agreed, who threw a game away, who gave up what was not lost."""

from __future__ import annotations

import io
import json
import tracemalloc
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pytest

from game.board import Position
from game.endgame import recorded
from game.endgame.recorded import Comparing, Comparison
from game.endgame.tables import Tables, open_tables
from game.moves import apply, parse_move
from game.pdn import check, lexer
from tests.called import Call, call_program
from tests.game.pdn.test_check import ACF, Repeated

FIRST = "W:WK15,20:BK28,12"
"""First Position: White wins by 15-19, 15-18 and 15-10, draws by 15-11, loses by 20-16."""


@pytest.fixture(scope="module")
def tables() -> Tables:
    return open_tables(4)


def game(fen: str | None, moves: str, result: str) -> str:
    setup = "" if fen is None else f'[SetUp "1"]\n[FEN "{fen}"]\n'
    return f'[Event "x"]\n{setup}\n{moves} {result}\n\n'


def compared(text: str, tables: Tables) -> Comparison:
    comparing = Comparing(tables)
    check.check(io.StringIO(text), comparing)
    return comparing.result


KINDS = ("agreeing", "thrown_away", "against", "not_covered", "without_result", "faulty")
GAMES = {
    "a win that was won": (game(FIRST, "15-19 28-32", "0-1"), "agreeing"),
    "given up in time": (game(FIRST, "", "0-1"), "agreeing"),
    "a draw": (game("B:WK1:BK32", "32-28", "1/2-1/2"), "agreeing"),
    "played to the end": (game("B:W18:B14", "14x23", "1-0"), "agreeing"),
    "a win thrown away": (game(FIRST, "15-11", "1/2-1/2"), "thrown_away"),
    "and the result does not matter": (game(FIRST, "15-11", "0-1"), "thrown_away"),
    "a win turned into a loss": (game(FIRST, "20-16 12x19", "1-0"), "thrown_away"),
    "a draw agreed in a won position": (game(FIRST, "15-19", "1/2-1/2"), "against"),
    "a won position given up": (game(FIRST, "15-19", "1-0"), "against"),
    "a drawn position given up": (game("B:WK1:BK32", "32-28", "0-1"), "against"),
    "a lost position that was won": (game("W:W21:B14,17", "", "0-1"), "against"),
    "too many pieces": (game(None, "11-15 23-19", "1-0"), "not_covered"),
    "no moves": (game(None, "", "1-0"), "not_covered"),
    "no result": (game(FIRST, "15-11", "*"), "without_result"),
    "no result, and not covered": (game(None, "11-15", "*"), "without_result"),
    "an illegal move": (game(FIRST, "15-11 1-2", "1/2-1/2"), "faulty"),
    "no position": (game("X", "", "1-0"), "faulty"),
}


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_of_one_kind(name: str, tables: Tables) -> None:
    text, kind = GAMES[name]
    found = compared(text, tables)
    assert {each: getattr(found, each) for each in KINDS} == {each: int(each == kind) for each in KINDS}
    assert (len(found.thrown), len(found.differing)) == (found.thrown_away, found.against)


def test_all_of_them_in_one_file(tables: Tables) -> None:
    found = compared("".join(text for text, _ in GAMES.values()), tables)
    kinds = [kind for _, kind in GAMES.values()]
    assert {each: getattr(found, each) for each in KINDS} == {each: kinds.count(each) for each in KINDS}
    assert (found.mistakes, found.changes) == (3, {"win to draw": 2, "win to loss": 1, "draw to loss": 0})
    assert found.agreed == 1
    assert [each.game for each in found.thrown] == [5, 6, 7]
    lines = "".join(text for text, _ in GAMES.values()).splitlines()
    assert [lines[each.line - 1] for each in found.thrown] == ['[Event "x"]'] * 3
    assert lines[found.thrown[1].line + 3] == "15-11 0-1"


def test_the_first_bad_move_is_named(tables: Tables) -> None:
    """White throws the win away, Black the draw, White the win again."""
    moves = ["15-11", "28-24", "11-7"]
    position = Position.from_fen(FIRST)
    values = []
    for move in moves:
        verdict = tables.probe(position)
        assert verdict is not None
        values.append(verdict.value)
        position = apply(position, parse_move(position, move))
    found = compared(game(FIRST, " ".join(moves), "1-0"), tables)
    (thrown,) = found.thrown
    assert thrown == recorded.ThrownAway(1, 1, 1, "15-11", "W:WK15,20:B12,K28", "win", "draw", "1-0")
    assert str(thrown) == "1: game 1, ply 1: 15-11 throws the win away: W:WK15,20:B12,K28"
    assert (found.positions, found.moves) == (4, 3)


def test_a_move_into_the_tables_is_nobodys_mistake(tables: Tables) -> None:
    """What the position before a capture was worth is not known."""
    fen = "B:W18,K1,K2:B14,K32"
    found = compared(game(fen, "14x23", "0-1"), tables)
    assert (found.agreeing + found.against, found.mistakes, found.positions, found.moves) == (1, 0, 1, 0)
    found = compared(game(fen, "14x23 1-6", "0-1"), tables)
    assert (found.positions, found.moves) == (2, 1)


def test_colours_are_alike(tables: Tables) -> None:
    def turned(text: str) -> str:
        return "-".join(str(33 - int(square)) for square in text.split("-"))

    mirrored = Position.from_fen(FIRST).mirror().fen()
    for moves, result, other in (("15-19", "0-1", "1-0"), ("15-11", "1/2-1/2", "1/2-1/2"), ("15-19", "1-0", "0-1")):
        one, two = (
            compared(game(fen, each, end), tables)
            for fen, each, end in ((FIRST, moves, result), (mirrored, turned(moves), other))
        )
        assert [getattr(one, each) for each in KINDS] == [getattr(two, each) for each in KINDS]


def test_memory_is_constant(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded, "MOST_LISTED", 20)
    monkeypatch.setattr(lexer, "BLOCK", 1 << 10)
    monkeypatch.setattr(lexer, "AHEAD", 1 << 10)
    text = "".join(text for text, kind in GAMES.values() if kind != "faulty").encode()
    peaks = []
    check.check(Repeated(text, 1), Comparing(tables))
    for times in (10, 100):
        comparing = Comparing(tables)
        tracemalloc.start()
        check.check(Repeated(text, times), comparing)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert comparing.result.thrown_away == 3 * times
        assert (len(comparing.result.thrown), len(comparing.result.differing)) == (20, 20)
    assert peaks[1] < 1.3 * peaks[0] < 2_000_000


# The command line -------------------------------------------------------------------------------------------------


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return partial(call_program, capfd, "pdn", "check")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "games.pdn"
    path.write_text("".join(text for text, kind in GAMES.values() if kind != "faulty"))
    return path


def test_json(file: Path, call: Call, tables: Tables) -> None:
    code, out, err = call(str(file), "--tablebase", "4", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["tablebase"] == asdict(compared(file.read_text(), tables))
    assert found["tablebase"]["thrown"][0]["move"] == "15-11"
    assert found["tablebase"]["differing"][0] | {"line": 0} == {
        "game": 8, "line": 0, "fen": "B:WK19,20:B12,K28", "value": "loss", "plies": 80, "result": "1/2-1/2",
    }  # fmt: skip
    assert "tablebase" not in json.loads(call(str(file), "--json")[1])
    assert found | {"tablebase": None} == json.loads(call(str(file), "--json")[1]) | {"tablebase": None}


@pytest.mark.parametrize("width", [None, 80, 60, 40])
def test_text(width: int | None, file: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolve.commands.options.output_width", lambda: width)
    monkeypatch.chdir(file.parent)
    code, out, err = call(file.name, "--tablebase", "4")
    assert (code, err) == (0, "")
    text = " ".join(out.split())
    for part in (
        "games beside tables of up to 4 pieces",
        "agreeing 4 the result that perfect play brings",
        "thrown away 3 a move gave away a win or a draw",
        "against 4 nobody erred, but 1 agreed to a draw and 3 gave up",
        "not covered 2",
        "no result 2",
        "mistakes 3 in",
        "2 win to draw, 1 win to loss, 0 draw to loss",
        "ply 1: 15-11 throws the win away: W:WK15,20:B12,K28",
        "1/2-1/2, but the last position is a loss in 80 plies: B:W",
    ):
        assert part in text
    if width is not None:
        assert max(len(line) for line in out.splitlines()) <= width


def test_of_many_games_some_are_shown(tmp_path: Path, tables: Tables) -> None:
    text = compared(game(FIRST, "15-11", "*".replace("*", "1-0")) * 15, tables).text("games.pdn")
    assert text.count("throws the win away") == recorded.SHOWN
    assert text.endswith(f"\n... and {15 - recorded.SHOWN} more")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["x.pdn", "--tablebase", "1"], "argument --tablebase: expected a number of pieces from 2 to 6, got '1'"),
        (["x.pdn", "--tablebase", "four"], "argument --tablebase: expected a number of pieces from 2 to 6, got 'four'"),
        (["x.pdn", "--tablebase", "7"], "argument --tablebase: expected a number of pieces from 2 to 6, got '7'"),
        (["--tablebase", "x.pdn"], "expected a number of pieces from 2 to 6, got 'x.pdn'"),
        (["x.pdn", "--tablebase", "4"], "x.pdn: there is no such file"),
    ],
)
def test_a_mistake_is_one_line(arguments: list[str], error: str, call: Call) -> None:
    code, out, err = call(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert error in err


def test_tables_that_are_not_there(file: Path, call: Call, tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("game.endgame.tables.open_tables", lambda pieces=None: tables)
    code, out, err = call(str(file), "--tablebase", "6")
    assert (code, out) == (2, "")
    assert err == (
        "main.py: --tablebase 6: tables of up to 4 pieces are there; more are built by "
        "python main.py tablebase build --pieces 6\n"
    )
    assert json.loads(call(str(file), "--tablebase", "--json")[1])["tablebase"]["pieces"] == 4


@pytest.mark.acf
def test_real_games(tables: Tables) -> None:
    if not ACF.is_file():
        pytest.skip(f"no file {ACF} (set CROWNHEAD_ACF to the path of acf.pdn)")
    comparing = Comparing(tables)
    check.check(ACF, comparing)
    found = comparing.result
    assert [getattr(found, each) for each in KINDS] == [141, 3, 2, 9_231, 0, 0]
    assert (found.agreed, found.moves, found.mistakes) == (1, 407, 3)
    assert [(each.game, each.ply, each.move) for each in found.thrown] == [
        (5611, 62, "28-24"),
        (7993, 98, "25-21"),
        (8793, 69, "16-19"),
    ]
    assert [(each.game, each.result, each.value, each.plies) for each in found.differing] == [
        (2181, "1/2-1/2", "win", 71),
        (2993, "0-1", "draw", None),
    ]
