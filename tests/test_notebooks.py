"""The page on notebooks: its code runs in its order; and examples with pyribs and Optuna."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import main
from evolve.names.registration import register
from evolve.run.files import RunError
from evolve.run.folder import Run
from evolve.strength.match import MatchResult
from game.players import registry
from game.players.network import NetworkPlayer
from tests.called import evolve_cowan
from tests.runs import run_player

PAGE = Path(__file__).parents[1] / "docs" / "notebooks.md"
SETTINGS = (
    "--set=population={parents=4,recombine=true,mutants=1}",
    '--set=stages=[{kind="elimination",rounds=3},{kind="round-robin"}]',
)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    assert main.main(evolve_cowan(f"--out={folder}", "--name=cowan-1", "--seed=1", "--workers=1", *SETTINGS)) == 0
    return folder


@pytest.fixture
def ran(
    runs: Path,
    tmp_path: Path,
    own_names: None,
    runs_in: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> tuple[dict[str, Any], str]:
    runs_in(runs)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    with mpl.rc_context({"backend": "agg"}):
        for block in re.finditer(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            line = PAGE.read_text(encoding="utf-8")[: block.start(1)].count("\n")
            exec(compile("\n" * line + block[1], str(PAGE), "exec"), names)
    return names, capsys.readouterr().out


@pytest.mark.check
@pytest.mark.needs("notebooks")
def test_the_page_runs(ran: tuple[dict[str, Any], str], runs: Path, tmp_path: Path) -> None:
    names, printed = ran
    run = Run(runs / "cowan-1")
    rows = run.read_generation(15)
    assert names["run"] == run
    assert isinstance(names["log"], pd.DataFrame) and list(names["log"].index) == list(range(16))
    assert names["log"]["champion"][15] == rows.names[0]
    table = names["table"]
    assert table["name"].tolist() == rows.names
    weights = table[[f"w{index}" for index in range(247)]].to_numpy().astype(np.float32)
    assert weights.tobytes() == rows.weights.tobytes()
    assert table["parents"][0].split() == list(rows.parents[0] if rows.parents else ())
    for name, row in (("champion", 0), ("eighth", 7)):
        player = names[name]
        assert player.weights.tobytes() == rows.weights[row].tobytes()
    assert names["ancestor"].weights.tobytes() == run.read_generation(0).weights[0].tobytes()
    assert names["anna"].weights.tobytes() == rows.weights[2].tobytes()
    assert names["kernels"].shape == (5, 5, 1, 3)
    assert isinstance(names["result"], MatchResult) and names["result"].games == 200
    assert "layers.0 kernels" in printed and "%, between" in printed
    assert (tmp_path / "three.csv").is_file()
    assert names["figure"].axes
    run.check(run.manifest())


def test_names_of_players_are_those_of_the_command_line(runs: Path, own_names: None) -> None:
    register(runs)
    run = Run.open("cowan-1", runs)
    assert run == Run.open(str(runs / "cowan-1"))
    result = run_player(run, 15, run.read_generation(15).names[3], depth=3)
    same = registry.player(result.name)
    assert isinstance(same, NetworkPlayer) and isinstance(result, NetworkPlayer)
    assert same.weights.tobytes() == result.weights.tobytes()
    assert (same.name, same.limits, same.limits.depth) == (result.name, result.limits, 3)
    with pytest.raises(RunError, match="none: no run of this name"):
        Run.open("none", runs)


def example_of(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parents[1] / "docs" / "examples" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    return example


@pytest.mark.check
@pytest.mark.needs("notebooks")
def test_the_example_evolves_and_records(tmp_path: Path, runs_in: Callable[..., None]) -> None:
    pytest.importorskip("ribs")
    runs_in(tmp_path)
    example = example_of("ribs_example")
    digests = []
    for name in ("one", "two"):
        archive = example.evolve(name, steps=2)
        run = Run.open(name)
        log, known = run.log(), run.manifest()
        run.check(known)
        assert len(log) == 2 and archive.stats.num_elites > 0
        assert archive.stats.obj_max == log["best_points"].max()
        assert set(log["games"]) == {2 * example.BATCH * example.OPPONENTS}
        digests.append(known.digest())
    assert digests[0] == digests[1]


@pytest.mark.check
def test_the_search_example_plays_trials_and_continues(
    tmp_path: Path, runs_in: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("optuna")
    runs_in(tmp_path)
    monkeypatch.chdir(tmp_path)
    example = example_of("optuna_search")
    settings = ("rating.every=2", "rating.games=2", "rating.anchors=random")
    for total in (1, 2):
        study = example.search("tried", 1, generations=2, settings=settings)
        assert [trial.value is not None for trial in study.trials] == [True] * total
    ratings = [Run.open(f"tried-{trial.number}").log()["rating"].iloc[-1] for trial in study.trials]
    assert [trial.value for trial in study.trials] == pytest.approx(ratings)
