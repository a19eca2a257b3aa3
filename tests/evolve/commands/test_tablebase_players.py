"""What verbs say of the tablebases that are in force."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import main
from evolve.names.registration import register
from game.engine import Engine
from game.external.protocol import info_line, read_info
from game.players.registry import player
from game.search.interface import TABLEBASE_WON

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


def test_engine() -> None:
    lines: list[str] = []
    engine = Engine(player("material,tablebase=4"), lines.append)
    engine.run(["isready", f"position fen {WON}", "go depth 5", "quit"])
    assert "info string tablebases of up to 4 pieces" in lines
    assert any(" score win 81 pv 15-19" in line for line in lines)
    assert lines[-1] == "bestmove 15-19"
    line = info_line(3, 100, 0.1, 5 - TABLEBASE_WON, ())
    assert " score lost " in line
    assert read_info(line.split()[1:]).score == -TABLEBASE_WON


def test_runs_of_faithful_presets_have_none() -> None:
    register(Path(__file__).parents[3] / "populations")
    strong = player("crownhead-1")
    assert strong.canonical_name == "crownhead-1"
    assert "endings by tablebase" in strong.describe() and strong.tablebase >= 4
    assert player("crownhead-1,tablebase=no").tablebase == 0
    assert player("crownhead-1,tablebase=no").canonical_name == "crownhead-1,depth=4,tablebase=no"
    for name in ("blondie24-840.csv", "crownhead-1,depth=1", "material,depth=8,quiescence=yes"):
        assert player(name).tablebase == 0
