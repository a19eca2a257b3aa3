"""Sessions by each optimiser: what it knows lies in the generation CSV, so a run goes on to the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import main
from evolve.config import preset_files, toml
from evolve.kinds.optimisers.optimiser import Distribution, Optimiser
from evolve.run import manifest
from evolve.run.columns import GenerationError
from evolve.run.folder import Run
from evolve.session import create
from tests.called import evolve_cowan
from tests.evolve.tiny_sessions import results

LEARNING = [name for name, kind in Optimiser.kinds.items() if issubclass(kind, Distribution)]
TINY = ("population.parents=4", "population.mutants=6", "search.depth=1", "rating.every=0", "saving.every=2")


def settings(kind: str) -> list[str]:
    return [*TINY, f"optimiser.kind={kind}", "optimiser.step=0.3"]


def play(folder: Path, *options: str) -> None:
    assert main.main(evolve_cowan(f"--out={folder}", *options)) == 0


def begin(folder: Path, kind: str, *options: str) -> Path:
    given = [f"--set={each}" for each in settings(kind)]
    play(folder, "--preset=crownhead-1", "--name=one", "--seed=3", *given, *options)
    return folder / "one"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A run to generation 3 that nobody disturbs, one for each kind."""
    actual: dict[str, Path] = {}

    def run(kind: str) -> Path:
        if kind not in actual:
            actual[kind] = begin(tmp_path_factory.mktemp(kind), kind, "--workers=1", "--generations=3")
        return actual[kind]

    return run


GOLDEN = {"snes": "46ef02772f10"}
"""How digests begin: whatever changes them changes the results of every run of these optimisers."""


@pytest.mark.parametrize("kind", LEARNING)
def test_the_golden_runs(kind: str, whole: Callable[[str], Path]) -> None:
    assert manifest.read(whole(kind)).digest()[:12] == GOLDEN[kind]


@pytest.mark.parametrize("kind", LEARNING)
def test_resumed_to_the_same_bytes_by_other_workers(kind: str, whole: Callable[[str], Path], tmp_path: Path) -> None:
    run = begin(tmp_path, kind, "--workers=2", "--generations=1")
    play(tmp_path, "--resume", str(run), "--workers=1", "--generations=3")
    assert results(run) == results(whole(kind))
    assert manifest.read(run).whole == [0, 2, 3]


@pytest.mark.parametrize("kind", LEARNING)
def test_the_state_is_read_row_by_row(kind: str, whole: Callable[[str], Path]) -> None:
    run = Run(whole(kind))
    config, known = run.config(), run.manifest()
    frame = pd.read_csv(run.generation_path(3))
    columns = [name for name in frame.columns if name.startswith("o") and name != "origin"]
    state = frame[columns].to_numpy(np.float64).astype(np.float32).reshape(-1)
    mean = create.parents(run, known, config)[0]
    assert mean.state is not None
    assert len(mean.state) == config.state_size == config.optimiser.kind.state_size(config.network.weights)
    assert mean.state.tobytes() == state[: len(mean.state)].tobytes()
    assert not state[len(mean.state) :].any()
    assert len(columns) == -(-len(mean.state) // 7)
    assert "o0" not in (run.path / "generation_0001.csv").read_text().partition("\n")[0]  # thinned


def test_a_generation_without_the_numbers_of_the_optimiser_is_refused(
    whole: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(whole("snes"))
    rows = run.read_generation(3)
    assert rows.state is not None
    fewer = replace(rows, state=rows.state[:, 1:])
    monkeypatch.setattr(Run, "read_generation", lambda *_: fewer)
    with pytest.raises(GenerationError, match=r"generation_0003.csv: expected 33 numbers of the optimiser \(o0, o1"):
        create.parents(run, run.manifest(), run.config())


@pytest.mark.parametrize(
    ("setting", "line"),
    [
        ("variation.step=0.1", "variation.step: has no effect"),
        ("variation.mutation=uniform", "variation.mutation: has no effect"),
        ("optimiser.step_low=0.5", "optimiser.step: expected at least optimiser.step_low = 0.5, got 0.3"),
        ("optimiser.kind=sness", "optimiser.kind: expected "),
        ("optimiser.low=1", "optimiser.low: unknown key"),
    ],
)
def test_mistakes_are_named(setting: str, line: str) -> None:
    with pytest.raises(preset_files.ConfigError) as raised:
        toml.load("crownhead-1", settings=[*settings("snes"), setting])
    assert any(each.startswith(line) for each in raised.value.lines), raised.value.lines


def test_an_optimiser_needs_a_mean() -> None:
    with pytest.raises(preset_files.ConfigError, match=r"optimiser\.kind: has no effect with the other values"):
        toml.load("cowan", settings=["optimiser.kind=snes"])


def test_runs_of_before_are_of_the_mean(tmp_path: Path) -> None:
    config = toml.load("crownhead-1")
    text = toml.to_toml(config, {})
    path = tmp_path / "config.toml"
    path.write_text(text.replace("\n[optimiser]\n", "\n").replace('\nkind = "mean"\n', "\n"), encoding="utf-8")
    assert "optimiser" not in path.read_text(encoding="utf-8")
    assert toml.from_toml(path) == config
