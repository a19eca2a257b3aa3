"""Fixtures of tests that play tiny sessions by the command line."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import main
from tests.called import evolve_cowan
from tests.evolve.tiny_sessions import TINY, Evolve, Played


@pytest.fixture
def evolve(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Evolve:
    def call(*options: str) -> Played:
        capfd.readouterr()
        code = main.main(evolve_cowan(f"--out={tmp_path}", "--workers=1", "--json", *options))
        return Played(code, *capfd.readouterr())

    return call


@pytest.fixture(scope="session")
def template(shared: Callable[..., Path]) -> Path:
    """A run to generation 2 that nobody disturbs."""

    def play(folder: Path) -> None:
        options = (f"--out={folder}", "--name=one", "--seed=5", "--generations=2", "--workers=1", *TINY)
        assert main.main(evolve_cowan(*options)) == 0

    return shared("template", play) / "one"


@pytest.fixture
def one(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(template, tmp_path / "one"))
