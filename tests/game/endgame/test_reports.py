"""Reports about tablebases: which tables are there at any width, and recorded games compared with them."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pytest

import main
from game.board import Position
from game.endgame import reports, table_file
from game.endgame.build import build_values
from game.endgame.reports import Comparison, GameComparer, take_inventory
from game.endgame.slices import slices_of
from game.endgame.tables import Tables, open_tables
from game.moves import apply, parse_move
from game.pdn import check
from tests.called import Call, call_program
from tests.notices import without_notice


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables of 2 and 3 pieces."""
    folder = tmp_path_factory.mktemp("tables")
    known = build_values(3)
    for each in known.all:
        table_file.write(folder, each, known.of(each), True)
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    shutil.copytree(whole, tmp_path / "tables")
    return tmp_path / "tables"


ROW = re.compile(r"^\| (\d+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| (\d*) \|$", re.MULTILINE)


def test_counts_are_those_of_the_page(whole: Path) -> None:
    """Of all slices that it tells, and the totals."""
    page = (Path(main.__file__).parent / "docs" / "log" / "tablebases.md").read_text(encoding="utf-8")
    rows = {name: [int(number.replace(",", "") or 0) for number in numbers] for name, *numbers in ROW.findall(page)}
    there = [pieces for pieces in range(2, 7) if str(pieces) in rows]
    assert rows.keys() == {each.name for n in there for each in slices_of(n)} | {str(n) for n in there}
    assert there[:4] == [2, 3, 4, 5]
    for pieces in there:
        parts = [rows[each.name] for each in slices_of(pieces)]
        assert all(
            each.positions == row[0] == sum(row[1:4]) for each, row in zip(slices_of(pieces), parts, strict=True)
        )
        assert rows[str(pieces)][:4] == [sum(column) for column in zip(*parts, strict=True)][:4]
        if pieces < 6:
            assert (rows[str(pieces)][4] + 1) // 2 == (max(row[4] for row in parts) + 1) // 2  # a loss is a ply longer
    for group in take_inventory(whole).groups[:2]:
        for each in group.files:
            assert rows[each.slice.name] == [each.positions, each.wins, each.losses, each.draws, each.longest]


TEXT = """\
folder  FOLDER

pieces      positions            win         loss         draw  longest   on disk  a position
     2          3,488            716          402        2,370       13    4.5 kB      1.30 B
     3        196,032        100,250       87,305        8,477       62  142.6 kB      0.73 B
     4  missing
     5  missing
     6  missing

python main.py tablebase build --pieces 4 builds the missing tables; so does the first player that uses tables."""


def test_text(whole: Path) -> None:
    text = take_inventory(whole).text().replace(str(whole), "FOLDER")
    sizes = re.compile(r" [ \d.]{5} (k?B)(?= |$)", re.MULTILINE)  # which follow from how files are packed
    assert sizes.sub(r" 00.0 \1", text) == sizes.sub(r" 00.0 \1", TEXT)


@pytest.mark.parametrize(
    ("width", "names"),
    [
        (80, "pieces positions win loss longest on disk"),
        (60, "pieces positions win longest on disk"),
        (40, "pieces positions longest on disk"),
    ],
)
def test_narrow_terminals_lose_columns_and_no_numbers(width: int, names: str, whole: Path) -> None:
    lines = take_inventory(whole).text(width).splitlines()
    assert " ".join(lines[2].split()) == names
    assert all(len(line) <= width for line in lines[2:7])
    assert "196,032" in lines[4] and " 62" in lines[4]


def test_json(whole: Path) -> None:
    result = json.loads(json.dumps(take_inventory(whole).as_json()))
    assert list(result) == ["folder", "pieces", "distances", "bytes", "damaged", "build", "tables"]
    assert (result["folder"], result["pieces"], result["distances"]) == (str(whole), 3, 3)
    assert result["bytes"] == sum(path.stat().st_size for path in whole.glob("*.table"))
    assert result["build"] == "python main.py tablebase build --pieces 4"
    assert [each["complete"] for each in result["tables"]] == [True, True, False, False, False]
    assert [len(each["slices"]) for each in result["tables"]] == [len(slices_of(each)) for each in range(2, 7)]
    assert result["tables"][0]["slices"][0] | {"bytes": 0} == {
        "slice": "0101", "positions": 992, "win": 230, "loss": 108, "draw": 654, "bytes": 0, "longest": 11, "fault": "",
    }  # fmt: skip
    assert result["tables"][2]["slices"][0]["fault"] == "missing"


def damage(folder: Path) -> dict[str, str]:
    """Damages files in every way; what is said of each."""
    one, short, strange, other = (folder / f"{name}.table" for name in ("0101", "1110", "2001", "0120"))
    content = bytearray(one.read_bytes())
    content[-300] ^= 1  # the header is sound
    one.write_bytes(content)
    short.write_bytes(short.read_bytes()[:-1])
    strange.write_text("something else")
    other.unlink()
    return {
        "0101": f"{one}: is damaged",
        "1110": f"{short}: has ",
        "2001": f"{strange}: is not a table file",
        "0120": "missing",
    }


def test_damaged_tables_are_named_and_not_used(folder: Path) -> None:
    result = damage(folder)
    outcome = take_inventory(folder)
    faults = {each.slice.name: each.fault for group in outcome.groups[:2] for each in group.files if each.fault}
    assert faults.keys() == result.keys()
    assert all(faults[name].startswith(text) for name, text in result.items())
    assert (outcome.pieces(), outcome.groups[0].complete) == (0, False)
    assert sorted(each.slice.name for each in outcome.damaged) == ["0101", "1110", "2001"]
    assert len(outcome.as_json()["damaged"]) == 3
    text = outcome.text()
    assert "     2  3 of 4 files exist, 1 damaged\n" in text
    assert "     3  9 of 12 files exist, 2 damaged\n" in text
    assert f"\n{folder / '2001.table'}: is not a table file\n" in text


def test_positions_of_seven_pieces_are_reported(folder: Path) -> None:
    (folder / "0403.table").write_text("x")
    result = take_inventory(folder)
    assert [each.pieces for each in result.groups] == [2, 3, 4, 5, 6, 7]
    assert f"     7  0 of {len(slices_of(7))} files exist, 1 damaged" in result.text()


@pytest.mark.skipif(os.name != "posix", reason="permissions work otherwise here")
@pytest.mark.usefixtures("ordinary_rights")
def test_a_folder_that_may_not_be_entered_is_not_called_empty(
    folder: Path, capfd: pytest.CaptureFixture[str], tables_in: Callable[[Path | None], None]
) -> None:
    tables_in(folder)
    folder.chmod(0)
    try:
        assert main.main(["tablebase", "info"]) == 2
    finally:
        folder.chmod(0o700)
    assert capfd.readouterr() == ("", f"main.py: {folder}: cannot be read: Permission denied\n")


def test_the_verb(folder: Path, capfd: pytest.CaptureFixture[str], tables_in: Callable[[Path | None], None]) -> None:
    tables_in(folder)
    assert main.main(["tablebase", "info", "--json"]) == 0
    out, err = capfd.readouterr()
    assert (json.loads(out)["pieces"], without_notice(err)) == (3, "")
    assert main.main(["tablebase", "info"]) == 0
    assert capfd.readouterr().out == f"{take_inventory(folder).text()}\n"
    damage(folder)
    assert main.main(["tablebase", "info"]) == 2
    out, err = capfd.readouterr()
    assert "1 damaged" in out
    assert err == ""


FIRST = "W:WK15,20:BK28,12"
"""First Position: White wins by 15-19, 15-18 and 15-10, draws by 15-11, loses by 20-16."""


@pytest.fixture(scope="module")
def tables() -> Tables:
    return open_tables(4)


def game(fen: str | None, moves: str, result: str) -> str:
    setup = "" if fen is None else f'[SetUp "1"]\n[FEN "{fen}"]\n'
    return f'[Event "x"]\n{setup}\n{moves} {result}\n\n'


def compared(text: str, tables: Tables) -> Comparison:
    comparing = GameComparer(tables)
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
    result = compared(text, tables)
    assert {each: getattr(result, each) for each in KINDS} == {each: int(each == kind) for each in KINDS}
    assert (len(result.thrown), len(result.differing)) == (result.thrown_away, result.against)


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
    text = compared(game(FIRST, " ".join(moves), "1-0"), tables)
    (thrown,) = text.thrown
    assert thrown == reports.ThrownAway(1, 1, 1, "15-11", "W:WK15,20:B12,K28", "win", "draw", "1-0")
    assert str(thrown) == "1: game 1, ply 1: 15-11 throws the win away: W:WK15,20:B12,K28"
    assert (text.positions, text.moves) == (4, 3)


def test_a_move_into_the_tables_is_no_mistake(tables: Tables) -> None:
    """What the position before a capture was worth is not known."""
    fen = "B:W18,K1,K2:B14,K32"
    result = compared(game(fen, "14x23", "0-1"), tables)
    assert (result.agreeing + result.against, result.mistakes, result.positions, result.moves) == (1, 0, 1, 0)
    result = compared(game(fen, "14x23 1-6", "0-1"), tables)
    assert (result.positions, result.moves) == (2, 1)


# The command line -------------------------------------------------------------------------------------------------


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return partial(call_program, capfd, "pdn", "check")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "games.pdn"
    path.write_text("".join(text for text, kind in GAMES.values() if kind != "faulty"))
    return path


def test_json_of_recorded_games(file: Path, call: Call, tables: Tables) -> None:
    code, out, err = call(str(file), "--tablebase", "4", "--json")
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert result["tablebase"] == asdict(compared(file.read_text(), tables))
    assert result["tablebase"]["thrown"][0]["move"] == "15-11"
    assert result["tablebase"]["differing"][0] | {"line": 0} == {
        "game": 8, "line": 0, "fen": "B:WK19,20:B12,K28", "value": "loss", "plies": 80, "result": "1/2-1/2",
    }  # fmt: skip
    assert "tablebase" not in json.loads(call(str(file), "--json")[1])
    assert result | {"tablebase": None} == json.loads(call(str(file), "--json")[1]) | {"tablebase": None}


@pytest.mark.parametrize("width", [None, 80, 60, 40])
def test_text_of_recorded_games(width: int | None, file: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolve.commands.options.output_width", lambda: width)
    monkeypatch.chdir(file.parent)
    code, out, err = call(file.name, "--tablebase", "4")
    assert (code, err) == (0, "")
    text = " ".join(out.split())
    for part in (
        "games compared with tables of up to 4 pieces",
        "agreeing 4 the result of perfect play",
        "thrown away 3 a move gave away a win or a draw",
        "against 4 no mistakes, but 1 agreed draws and 3 resignations",
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
    assert text.count("throws the win away") == reports.SHOWN
    assert text.endswith(f"\n... and {15 - reports.SHOWN} more")


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


def test_tables_that_are_not_there(file: Path, call: Call, tables: Tables, open_instead: Callable[..., None]) -> None:
    open_instead(lambda pieces=None: tables)
    code, out, err = call(str(file), "--tablebase", "6")
    assert (code, out) == (2, "")
    assert err == (
        "main.py: --tablebase 6: there are only tables of up to 4 pieces; "
        "python main.py tablebase build --pieces 6 builds more\n"
    )
    assert json.loads(call(str(file), "--tablebase", "--json")[1])["tablebase"]["pieces"] == 4
