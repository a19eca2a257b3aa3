"""The verb ``analyse --pdn``: annotated games, faults, Ctrl-C, calibration."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

import main
from evolve import game_review
from game.pdn.check import check, read_games
from game.review.looking import Analyst

GAMES = """[Event "one"]
[Black "Ann"]

1. 11-15 23-18 2. 8-11 18-14 3. 9x18 24-19 4. 15x24 28x19 1-0

[Event "two"]

1. 9-14 22-18 2. 11-16 18x9 0-1
"""
ANALYST = ("analyse", "material", "--depth", "3")


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.pdn"
    path.write_text(GAMES)
    return path


def test_annotated_games_go_to_standard_output(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main([*ANALYST, "--pdn", str(games)]) == 0
    out, err = capsys.readouterr()
    assert [game.moves for game in read_games(io.StringIO(out))] == [game.moves for game in read_games(games)]
    assert "Crownhead: Black: no mistakes; White: 1 mistake (opening 1)" in out
    assert err.startswith("main.py: 2 games reviewed, ")


def test_annotated_games_go_to_a_file(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.pdn"
    assert main.main([*ANALYST, "--pdn", str(games), "--out", str(out)]) == 0
    assert check(out).errors == []
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("game 1  Black: ")
    assert told[-1].startswith("2 games reviewed, ")
    assert told[-1].endswith(f"written to {out}")
    first = out.read_text()
    assert main.main([*ANALYST, "--pdn", str(out), "--out", str(out)]) == 0  # over itself
    assert out.read_text() == first


def test_json(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main([*ANALYST, "--pdn", str(games), "--json"]) == 0
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert (told["analyst"], told["depth"], err) == ("material", 3, "")
    assert [game["black"] for game in told["games"]] == ["Ann", None]
    assert len(told["games"][0]["review"]["chances"]) == 9


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GAMES.encode())))
    assert main.main([*ANALYST, "--pdn", "-"]) == 0
    assert capsys.readouterr().out.count("[Event") == 2


def test_faults_are_told_and_the_rest_is_reviewed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.pdn"
    path.write_text(GAMES.replace("18x9 0-1", "18-2 0-1"))
    assert main.main([*ANALYST, "--pdn", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out.count("[Event") == 2
    assert err.splitlines()[0].startswith(f"{path}:8: game 2, ply 4: ")


def test_ctrl_c_keeps_what_is_finished(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    review, asked = Analyst.review, []

    def stopped(self: Analyst, *arguments: object) -> object:
        asked.append(1)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return review(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Analyst, "review", stopped)
    out = tmp_path / "out.pdn"
    assert main.main([*ANALYST, "--pdn", str(games), "--out", str(out)]) == game_review.INTERRUPTED
    assert len(list(read_games(out))) == 1
    assert capsys.readouterr().err.splitlines() == [f"main.py: stopped: 1 game reviewed, 1 mistake, written to {out}"]


def test_ctrl_c_before_the_first_game_writes_nothing(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Analyst, "review", stopped)
    out = tmp_path / "out.pdn"
    assert main.main([*ANALYST, "--pdn", str(games), "--out", str(out)]) == game_review.INTERRUPTED
    assert not out.exists()
    assert capsys.readouterr().err.splitlines() == ["main.py: stopped: no games reviewed, no mistakes"]


def test_calibration_says_how_few_games_there_are(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main([*ANALYST, "--pdn", str(games), "--calibrate"]) == 2
    assert "2 positions of games with a result: a curve needs 100 or more" in capsys.readouterr().err


def test_calibration(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games.write_text(GAMES * 50)
    assert main.main([*ANALYST, "--pdn", str(games), "--calibrate"]) == 0
    assert "from 100 positions" in capsys.readouterr().out
    assert main.main([*ANALYST, "--pdn", str(games), "--calibrate", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["positions"] == 100
