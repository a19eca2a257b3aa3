"""The verb `tablebase`, and the tablebases that players of other verbs use."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

import main
from evolve.names.registration import register
from extras.tablebase import reports
from extras.tablebase.reports import too_many
from game import terminal
from game.board import Position
from game.endgame import build, table_file
from game.endgame.slices import Slice
from game.endgame.tables import Tables
from game.endgame.verdict import Verdict
from game.errors import InputError
from game.moves import Move
from game.players.registry import player
from tests.called import Call, call_program
from tests.cases import for_each


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    """Runs the verb in this process: exit code, standard output, standard error."""

    return partial(call_program, capfd, "tablebase")


CLASSICS = {
    "W:WK15,20:BK28,12": (  # First Position
        {"value": "win", "plies": 81},
        ["15-19 win 81", "15-18 win 85", "15-10 win 85", "15-11 draw None", "20-16 loss 4"],
    ),
    "W:W6,11:B3,K25": ({"value": "win", "plies": 93}, ["6-1 win 93", "6-2 draw None", "11-8 loss 44", "11-7 loss 44"]),
}


@pytest.mark.parametrize("fen", CLASSICS)
def test_json_has_the_values_and_plies_of_the_classics(fen: str, call: Call) -> None:
    code, out, err = call("probe", "--fen", fen, "--json")
    assert (code, err, out.count("\n")) == (0, "", 1)
    result = json.loads(out)
    assert list(result) == ["value", "plies", "moves"]
    verdict, moves = CLASSICS[fen]
    assert {name: result[name] for name in ("value", "plies")} == verdict
    assert all(list(each) == ["move", "value", "plies"] for each in result["moves"])
    assert [f"{each['move']} {each['value']} {each['plies']}" for each in result["moves"]] == moves


@pytest.mark.parametrize(("fen", "who"), [("W:W21:B14,17", "White"), ("W:W:B12", "White"), ("B:WK18:B", "Black")])
def test_a_side_that_cannot_move_has_lost(fen: str, who: str, call: Call) -> None:
    code, out, err = call("probe", "--fen", fen)
    assert (code, err) == (0, "")
    assert out.endswith(f"\n{who} has no legal move and has lost.\n")
    assert json.loads(call("probe", "--fen", fen, "--json")[1]) == {"value": "loss", "plies": 0, "moves": []}


TEXT = """
White to move (b w men, B W kings)
W:WK15,20:B12,K28

win in 81 plies, with perfect play by both sides
Plies are counted until the loser has no legal move, the next move being the first.

move   result for White
15-19  win in 81 plies
15-18  win in 85 plies
15-10  win in 85 plies
15-11  draw
20-16  loss in 4 plies
"""


@pytest.mark.parametrize("width", [None, 80, 60, 40])
def test_text_fits_the_terminal(width: int | None, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolve.commands.options.output_width", lambda: width)
    code, out, err = call("probe", "--fen", "W:WK15,20:BK28,12")
    assert (code, err) == (0, "")
    assert out.split("\n", 8)[0] == "    .1      .2      .3      .4"
    assert max(map(len, out.splitlines())) <= (width or 100)
    expected = TEXT if width is None else terminal.wrap_lines(TEXT, width)
    assert out.endswith(expected)


SIX = Position.from_fen("B:WK1,K2,K3:BK30,K31,K32")


def test_tables_without_distances() -> None:
    """Known wins stand before those of unknown length, and known losses behind them."""

    class SixPieces:
        pieces = 6

        def probe(self, _: Position) -> Verdict:
            return Verdict(1, None)

        def moves(self, _: Position) -> list[tuple[Move, Verdict]]:
            verdicts = [(-1, 8), (1, None), (0, None), (-1, None), (1, 9), (-1, 20), (1, 7), (0, None)]
            return [(Move((number, 32)), Verdict(*each)) for number, each in enumerate(verdicts)]

    result = reports.probe(cast(Tables, SixPieces()), SIX)
    assert [move.path[0] for move, _ in result[1]] == [6, 4, 1, 2, 7, 3, 5, 0]
    assert reports.probe_json(result)["plies"] is None
    assert reports.probe_json(result)["moves"][2] == {"move": "1-32", "value": "win", "plies": None}
    text = reports.probe_text(SIX, result)
    assert f"\nwin, with perfect play by both sides\n{reports.PLIES}\n{reports.NO_PLIES}\n" in text
    assert text.endswith("\n3-32  loss\n5-32  loss in 20 plies\n0-32  loss in 8 plies")


MISTAKES = {
    "": "main.py tablebase: the following arguments are required: ACTION (see main.py tablebase --help)",
    "prob": "main.py tablebase: argument ACTION: invalid choice: 'prob'",
    "probe": "main.py tablebase probe: the following arguments are required: --fen",
    "probe --fen ''": "main.py: '': a FEN starts with the side to move, B or W",
    "build": "main.py tablebase build: the following arguments are required: --pieces",
    "build --pieces 7": "main.py: --pieces 7: needs --sides 4,3, the only part of these tables that is built",
    "build --pieces 8": "argument --pieces: expected a number of pieces from 2 to 6 (or 7 with --sides), got '8'",
    "build --pieces 7 --sides 5,2": "main.py: --sides: expected 4,3, got '5,2'",
    "build --pieces 6 --sides 4,3": "main.py: --sides 4,3: expected --pieces 7, got 6",
    "build --pieces x": "expected a number of pieces from 2 to 6 (or 7 with --sides), got 'x'",
    "info 3": "main.py tablebase info: unrecognized arguments: 3 (see main.py tablebase info --help)",
    "probe --fen W:WK30,K31,K32:BK1,K2,K3,K4": "main.py: W:WK30,K31,K32:BK1,K2,K3,K4: 7 pieces, but there are only ",
}


@for_each("text", MISTAKES)
def test_a_mistake_is_one_line_and_exit_code_2(text: str, call: Call) -> None:
    code, out, err = call(*(part.replace("''", "") for part in text.split()))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert MISTAKES[text] in err


def test_position_with_too_many_pieces_names_the_command_to_build() -> None:
    five, seven = (Position.from_fen(fen) for fen in ("B:WK14,K22:B5,K13,K21", "W:WK30,K31,K32:BK1,K2,K3,K4"))
    assert too_many(five, 4) == (
        "B:WK14,K22:B5,K13,K21: 5 pieces, but there are only tables of up to 4; "
        "python main.py tablebase build --pieces 5 builds more"
    )
    assert too_many(seven, 4).endswith("7 pieces, but there are only tables of up to 4; they can be built for up to 6")


@pytest.fixture
def folder(tmp_path: Path, tables_in: Callable[[Path | None], None]) -> Path:
    tables_in(tmp_path / "tables")
    return tmp_path / "tables"


@pytest.mark.check
def test_tables_are_built_and_mended(folder: Path, call: Call) -> None:
    code, out, err = call("build", "--pieces", "2")
    assert code == 0
    first, second, *progress = err.splitlines()
    assert first.startswith(f"tables of up to 2 pieces in {folder}: at most ")
    assert first.endswith(" of disk") and " of memory and " in first
    assert second == "Ctrl-C stops it; the same command continues it"
    assert all(re.fullmatch(r"[\d.]+ %, ([\d:]+ left, )?\w+ \d pieces", line) for line in progress)
    assert out.startswith("ready after 0:") and f"folder  {folder}" in out
    code, out, err = call("build", "--pieces", "2", "--json")
    result = json.loads(out)
    assert (code, err, result["pieces"], result["damaged"]) == (0, "", 2, [])
    assert result["seconds"] >= 0

    path = folder / "1010.table"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert call("build", "--pieces", "2")[0] == 0
    assert path.read_bytes() == whole


def test_without_a_folder_for_tables_none_are_built(call: Call, tables_in: Callable[[Path | None], None]) -> None:
    tables_in(None)
    text = "main.py: there is no folder for tables: set CROWNHEAD_CACHE_DIR to one\n"
    assert call("build", "--pieces=4") == (2, "", text)


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (KeyboardInterrupt(), 130, "stopped; 0 of 155 files are complete; the same command continues the build"),
        (SystemExit(143), 143, "stopped; 0 of 155 files are complete; the same command continues the build"),
        (InputError("tables of 6 pieces need 9 MB"), 2, "tables of 6 pieces need 9 MB"),
    ],
)
def test_failures_end_a_build_in_one_line(
    error: BaseException, code: int, text: str, folder: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(build, "build_tables", broken)
    output = call("build", "--pieces", "6")
    assert (output[0], output[1]) == (code, "")
    assert "\n".join(output[2].splitlines()[2:]) == f"main.py: {text}"
    assert call("build", "--pieces", "6", "--json")[2] == f"main.py: {text}\n"


def test_stopped_build_reports_kept_tables(folder: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    real = table_file.write

    def pressed(folder: Path, which: Slice, *rest: Any) -> object:
        if which == Slice(1, 0, 1, 0):
            raise KeyboardInterrupt
        return real(folder, which, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(table_file, "write", pressed)
        code, out, err = call("build", "--pieces", "2")
    assert (code, out) == (130, "")
    assert err.splitlines()[-1] == "main.py: stopped; 3 of 4 files are complete; the same command continues the build"
    assert call("build", "--pieces", "2")[0] == 0


WON = "W:WK15,20:BK28,12"
DRAWN = "W:W30,K32:BK1,K5"


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main.main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_move_and_analyse(capsys: pytest.CaptureFixture[str]) -> None:
    result = answer(capsys, "move", "material,tablebase=4", "--fen", WON)
    assert (result["move"], result["score"], result["tablebase"]) == ("15-19", 1_000_000 - 81, 4)
    assert answer(capsys, "move", "material", "--fen", WON)["tablebase"] == 0
    result = answer(capsys, "analyse", "material,tablebase=4", "--fen", DRAWN)
    assert (result["verdict"], result["score"], result["tablebase"]) == ("draw", 0.0, 4)
    assert answer(capsys, "analyse", "material", "--fen", DRAWN)["verdict"] is None
    assert main.main(["analyse", "material,tablebase=4", "--fen", WON]) == 0
    output = capsys.readouterr().out
    assert "won according to tablebases\n" in output and "15-19  win in 81 plies\n" in output
    assert main.main(["analyse", "material,depth=4,tablebase=4", "--fen", DRAWN]) == 0
    assert "drawn according to tablebases; moves without a distance have the scores of the" in capsys.readouterr().out


def test_match_and_ladder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    names, file = ("material,tablebase=4", "random"), tmp_path / "games.pdn"
    arguments = ("match", *names, "--games", "2", "--seed", "1", "--workers", "1")
    assert answer(capsys, *arguments, "--pdn", str(file))["tablebase"] == {"a": 4, "b": 0}
    assert file.read_text().startswith(
        '[Event "Match of material,tablebase=4 and random, three-move, seed 1, tablebases: A of up to 4 pieces"]\n'
    )
    assert main.main(list(arguments)) == 0
    assert "\nTables A of up to 4 pieces\n" in capsys.readouterr().out
    ladder = ("ladder", *names, "--games", "2", "--anchors", "none", "--workers", "1")
    players = {each["player"]: each["tablebase"] for each in answer(capsys, *ladder)["players"]}
    assert players == {"material,depth=1,tablebase=4": 4, "random": 0}
    assert main.main(list(ladder)) == 0
    assert (
        "material,depth=1,tablebase=4 looked up positions of up to 4 pieces in tablebases\n" in capsys.readouterr().out
    )


def test_runs_of_faithful_presets_have_none() -> None:
    register(Path(__file__).parents[3] / "populations")
    strong = player("crownhead-1")
    assert strong.canonical_name == "crownhead-1"
    assert "endings by tablebase" in strong.describe() and strong.tablebase >= 4
    assert player("crownhead-1,tablebase=no").tablebase == 0
    assert player("crownhead-1,tablebase=no").canonical_name == "crownhead-1,depth=4,tablebase=no"
    for name in ("blondie24-840.csv", "crownhead-1,depth=1", "material,depth=8,quiescence=yes"):
        assert player(name).tablebase == 0
