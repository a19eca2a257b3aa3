"""Values and functions of `test_folder` that other tests use, too."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from evolve.config import toml
from evolve.run.folder import Run
from evolve.run.generation_csv import Generation, to_csv
from evolve.run.manifest import Manifest
from evolve.session import create
from game.players.network import NetworkPlayer
from game.players.registry import player
from tests.runs import growing_lines, random_rows

CONFIG = toml.load(None, None, ["population.parents=4", "stages.0.rounds=2", "stages.1.rounds=2", "seed=1"])
WIDTH = 247


def rows(generation: int, count: int = 6, width: int = WIDTH) -> Generation:
    return random_rows(generation, count, width)


def additions(generation: int, width: int = WIDTH) -> dict[str, bytes]:
    return growing_lines(rows(generation, width=width), generation)


def made(folder: Path, last: int, name: str = "one", width: int = WIDTH) -> Run:
    """A run that is complete to a generation."""
    run = create.create(folder, name, CONFIG)
    known = Manifest()
    for generation in range(last + 1):
        known = run.save(known, to_csv(rows(generation, width=width)), additions(generation, width))
    return run


def contents(run: Run) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in run.path.iterdir() if path.is_file()}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that is complete to generation 3."""
    return made(tmp_path_factory.mktemp("template"), 3)


@pytest.fixture
def run(template: Run, tmp_path: Path) -> Run:
    return Run(Path(shutil.copytree(template.path, tmp_path / "one")))


def in_time(action: Callable[[], object]) -> object:
    """What an action returns or raises; a test must not wait for a pipe for ever."""
    results: list[object] = []

    def work() -> None:
        try:
            results.append(action())
        except Exception as error:
            results.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(240)  # that long on a loaded machine
    assert results, "it waits"
    return results[0]


def weights_of(text: str) -> bytes:
    """Return the weights of the player of this name, which is its own."""
    result = player(text)
    assert isinstance(result, NetworkPlayer)
    assert result.name == text
    return bytes(np.asarray(result.weights).tobytes())
