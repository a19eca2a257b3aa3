"""Runs with kinds and presets that were removed: they open and play, and are not continued."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import main
from evolve.run.folder import Run
from evolve.run.runs import SHIPPED_RUNS
from game.removed import REMOVED

SETTING, PRESET = "setting optimiser.kind=genes", "preset crownhead-2"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(Path(shutil.copytree(SHIPPED_RUNS / "crownhead-2", tmp_path / "old")))


def test_a_run_of_a_removed_kind_is_read_as_it_was_written(run: Run) -> None:
    config = run.config()
    assert config.optimiser.kind.kind == "genes"
    assert config.obtained == "by own searches, with a gradient"
    assert not run.changes_by_hand(config)


def test_a_run_of_a_removed_kind_is_inspected_without_a_command_that_repeats_it(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.main(["inspect", "old", "--runs", str(run.path.parent)]) == 0
    report = capsys.readouterr().out
    assert "by own searches, with a gradient" in report
    assert "digest" in report and "repeat " not in report


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--resume", "old", "--generations", "9"], f"old: {SETTING} was removed: {REMOVED[SETTING]}"),
        (["--branch", "old@6"], f"old: {SETTING} was removed: {REMOVED[SETTING]}"),
        (["--config", "old/config.toml", "--preset", "first"], f"{SETTING} was removed: {REMOVED[SETTING]}"),
        (["--config", "old/config.toml"], f"{PRESET} was removed: {REMOVED[PRESET]}"),
        (["--preset", "crownhead-2"], f"{PRESET} was removed: {REMOVED[PRESET]}"),
        (["--preset", "crownhead-1", "--set", "optimiser.kind=genes", "--set", "optimiser.games=7"], REMOVED[SETTING]),
        (["--preset", "crownhead-1", "--set", "optimiser.kind=cma-es"], "use optimiser.kind=snes"),
        (["--preset", "cowan", "--set", "games.openings=middle"], "use games.openings=three-move"),
    ],
)
def test_a_removed_kind_or_preset_is_refused_in_one_line(
    arguments: list[str], message: str, run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(run.path.parent)
    assert main.main(["evolve", *arguments, "--runs", "."]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def test_a_run_with_a_removed_value_opens_and_is_not_continued(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Run(Path(shutil.copytree(SHIPPED_RUNS / "crownhead-1", tmp_path / "old")))
    path = run.path / "config.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('"three-move"', '"middle"'), encoding="utf-8")
    assert run.config().games.openings == "middle"
    assert main.main(["evolve", "--resume", "old", "--runs", str(tmp_path)]) == 2
    assert "setting games.openings=middle was removed" in capsys.readouterr().err
