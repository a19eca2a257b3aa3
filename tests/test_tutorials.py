"""The tutorials in docs/notebooks: their cells run in order in one namespace, as a notebook runs them."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evolve.run.folder import Run
from tests.sources import ROOT

FOLDER = ROOT / "docs" / "notebooks"


@pytest.fixture
def ran(
    own_names: None, runs_in: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], dict[str, Any]]:
    """Return a function that runs the cells of a notebook in an empty folder, and returns their names."""
    runs_in(tmp_path / "populations")
    monkeypatch.chdir(tmp_path)

    def run(name: str) -> dict[str, Any]:
        names: dict[str, Any] = {}
        for cell in json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]:
            assert cell["cell_type"] == "markdown" or (cell["outputs"], cell["execution_count"]) == ([], None)
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), f"{name}, cell {cell['id']}", "exec"), names)
        return names

    return run


@pytest.mark.needs("notebooks")
def test_the_tutorial_on_watching_evolution(ran: Callable[[str], dict[str, Any]]) -> None:
    names = ran("watch-evolution")
    assert (names["branch"].run.name, names["branch"].generations) == ("watched-branch-1", 11)
    assert len(names["largest"]) == 12 and list(names["log"].index) == list(range(9))
    assert names["result"].games == 20 and names["board"].reason is not None


@pytest.mark.needs("notebooks")
def test_the_tutorial_on_an_own_operator_and_fitness(ran: Callable[[str], dict[str, Any]]) -> None:
    names = ran("own-operator-and-fitness")
    config = names["own"].run.config()
    assert (config.variation.mutation.kind, config.fitness.kind.kind) == ("laplace", "small")
    assert names["sizes"][0] < names["sizes"][1]


@pytest.mark.check
@pytest.mark.needs("notebooks")
def test_the_tutorial_on_an_own_algorithm(ran: Callable[[str], dict[str, Any]]) -> None:
    names = ran("own-algorithm")
    assert len(names["run"].log()) == 3 and names["strategy"].mean.any()
    if importlib.util.find_spec("ribs"):
        assert names["ribs"].archive.stats.num_elites > 0 and len(Run.open("own-ribs").log()) == 3
