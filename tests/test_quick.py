"""How the tests run: the quick ones are of every room, and no test hangs for ever."""

from __future__ import annotations

import os
import sys

import pytest

from tests.processes import completed
from tests.quick import MODULES, TESTS

ROOMS = ("game", "evolve", "gui")


@pytest.mark.needs()
def test_every_room_has_quick_tests() -> None:
    places = {module: (TESTS.parent if module.startswith("extras/") else TESTS) / module for module in MODULES}
    assert [module for module, path in sorted(places.items()) if not path.is_file()] == []
    rooms = {path.parent for room in ROOMS for path in (TESTS / room).rglob("test_*.py")}
    assert rooms - {path.parent for path in places.values()} == set()


def test_the_mark_selects_quick_modules_alone() -> None:
    folders = ("tests/game/pdn", "tests/game/review")
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-m", "quick", *folders]
    listed = completed(command, cwd=TESTS.parent, env=os.environ | {"PYTEST_ADDOPTS": ""}, check=True).stdout
    modules = {line.partition("::")[0].removeprefix("tests/") for line in listed.splitlines() if "::" in line}
    assert modules == {module for module in MODULES if module.startswith(("game/pdn/", "game/review/"))}
