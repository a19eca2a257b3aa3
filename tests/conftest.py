"""Settings for all tests: random numbers are seeded, and code may take time to compile on first use."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hypothesis
import pytest

from game.compiled import compiling
from tests import processes, quick, rights

hypothesis.settings.register_profile("crownhead", derandomize=True, deadline=None, max_examples=30)
hypothesis.settings.load_profile("crownhead")


def pytest_configure(config: pytest.Config) -> None:
    """Share compiled code between tests: learners through one folder, and kernels compiled before workers start."""
    if hasattr(config, "workerinput"):
        return
    folder = tempfile.TemporaryDirectory(prefix="crownhead-compiled-")
    config.add_cleanup(folder.cleanup)
    os.environ["JAX_COMPILATION_CACHE_DIR"] = folder.name
    os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
    os.environ["JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES"] = "-1"
    if config.getoption("numprocesses", None):
        with ThreadPoolExecutor(2) as threads:
            threads.submit(_compile_tests, config.rootpath, config.option.markexpr)
            threads.submit(_compile_kernels, config.rootpath)


def _compile_tests(root: Path, marked: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:xdist", "-m", marked]
    subprocess.run(command, cwd=root, env=os.environ | {"PYTEST_ADDOPTS": ""}, capture_output=True, check=False)


def _compile_kernels(root: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for verb in (["evolve", "--preset=cowan", "--generations=0", f"--out={folder}"], ["bench", "--signature"]):
            subprocess.run([sys.executable, "main.py", *verb], cwd=root, capture_output=True, check=False)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Read no other modules for `-m quick`: reading all of them takes as long as these tests."""
    others = collection_path.name.startswith("test_") and not quick.is_quick(collection_path)
    return True if config.option.markexpr == quick.MARK and others else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the quick tests, before tests are selected by their marks."""
    for item in items:
        expensive = item.get_closest_marker("slow") or item.get_closest_marker("check")
        if quick.is_quick(item.path) and not expensive:
            item.add_marker(quick.MARK)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without looking for garbage, and look for none in what was collected, which lasts to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture
def ordinary_rights() -> Iterator[None]:
    """Apply ordinary file permissions to the test, even if root runs it."""
    if not rights.can_be_had():
        pytest.skip("permissions of files are not held to here")
    with rights.ordinary():
        yield


@pytest.fixture
def usual_signals() -> Iterator[None]:
    """Let signals do in the test what they do in a terminal, even if the tests run under ``nohup`` or the like."""
    with processes.usual_signals():
        yield


@pytest.fixture(autouse=True)
def silent_compiling(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Suppress the notices about compiling, because it depends on earlier tests what is already compiled."""
    if request.path.name != "test_compiling.py":
        monkeypatch.setattr(compiling.Notice, "__call__", lambda *_: None)
