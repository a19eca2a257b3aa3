"""Weights of individuals in reports of `inspect`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import main
from evolve.report.overview import file_overview, generation_overview
from evolve.run.folder import Run
from extras.weights.part import WeightsPart
from tests.synthetic import make_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("runs"), "one", 3)


def test_weights_of_an_individual(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    rows = run.read_generation(3)
    target = f"{run.path}@3:{rows.names[4]}"
    assert main.main(["inspect", target, "--games=0"]) == 0
    out = capsys.readouterr().out
    assert "layers.0 kernels" in out and f"{rows.weights[4][:75].min():.3f}" in out
    assert main.main(["inspect", target, "--games=0", "--json"]) == 0
    assert [part["weights"] for part in json.loads(capsys.readouterr().out)["parts"]] == [75, 3, 81, 3, 72, 6, 6, 1]


def test_stretches_of_weights(run: Run, tmp_path: Path) -> None:
    one = generation_overview(run, 3).individual()
    kernels = one.weights[:75].astype(float)
    first = WeightsPart(one).stretches[0]
    assert (first.low, first.high) == (kernels.min(), kernels.max())
    path = tmp_path / "players.csv"
    path.write_text("name,w0,w1\nAnna,1,2\n", encoding="utf-8")
    assert [part.name for part in WeightsPart(file_overview(path).individual()).stretches] == ["weights"]
