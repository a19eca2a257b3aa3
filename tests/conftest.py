"""Settings of all tests: what is random is seeded, and compiled code may take its time at first use."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator

import hypothesis
import pytest

from game.compiled import compiling
from tests import rights

hypothesis.settings.register_profile("crownhead", derandomize=True, deadline=None, max_examples=50)
hypothesis.settings.load_profile("crownhead")


def pytest_configure(config: pytest.Config) -> None:
    """Compile what most tests use once, before several workers begin: each of them would compile the same."""
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        with tempfile.TemporaryDirectory() as folder:
            for verb in (["evolve", "--generations=0", f"--out={folder}"], ["bench", "--signature"]):
                command = [sys.executable, "main.py", *verb]
                subprocess.run(command, cwd=config.rootpath, capture_output=True, check=False)


@pytest.fixture
def ordinary_rights() -> Iterator[None]:
    """The test is held to the permissions of files, also where it is run by root."""
    if not rights.can_be_had():
        pytest.skip("permissions of files are not held to here")
    with rights.ordinary():
        yield


@pytest.fixture(autouse=True)
def silent_compiling(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verbs say nothing of compiling: what is compiled by then depends on the tests before, which are any of all."""
    if request.path.name != "test_compiling.py":
        monkeypatch.setattr(compiling.Notice, "__call__", lambda *_: None)
