"""How the tests run: the quick ones are of every room, and a hanging one ends the run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.quick import MODULES, TESTS

ROOMS = ("game", "evolve", "gui")


def test_every_room_has_quick_tests() -> None:
    places = {module: (TESTS.parent if module.startswith("extras/") else TESTS) / module for module in MODULES}
    assert [module for module, path in sorted(places.items()) if not path.is_file()] == []
    rooms = {path.parent for room in ROOMS for path in (TESTS / room).rglob("test_*.py")}
    assert rooms - {path.parent for path in places.values()} == set()


def test_the_mark_selects_quick_modules_alone() -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--collect-only",
        "-m",
        "quick",
        "tests/game/pdn",
        "tests/game/review",
    ]
    listed = subprocess.run(
        command, cwd=TESTS.parent, env=os.environ | {"PYTEST_ADDOPTS": ""}, capture_output=True, text=True, check=True
    ).stdout
    modules = {line.partition("::")[0].removeprefix("tests/") for line in listed.splitlines() if "::" in line}
    assert modules == {module for module in MODULES if module.startswith(("game/pdn/", "game/review/"))}


ROOT = Path(__file__).parents[1]
HANGING = """
import ctypes

def test_before():
    pass

def test_hangs():
    {hang}

def test_after():
    print("came after")
"""


@pytest.mark.parametrize("hang", ["while True: pass", "ctypes.PyDLL(None).pause()"])  # the second keeps the interpreter
def test_a_test_that_hangs_ends_the_run(hang: str, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(HANGING.format(hang=hang))
    command = [sys.executable, "-m", "pytest", "-q", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path)]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", "-o", "faulthandler_timeout=1", str(tmp_path)],
        cwd=tmp_path, check=False, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    output = done.stdout + done.stderr
    assert done.returncode == 1
    assert "Timeout (0:00:01)!" in output and "in test_hangs" in output and "came after" not in output


def test_there_is_a_limit(pytestconfig: pytest.Config) -> None:
    assert 0 < float(pytestconfig.getini("faulthandler_timeout")) <= 900
