"""Available memory, packages that do not fit, and imports in the spelling of a wheel."""

from __future__ import annotations

import ast
from importlib import metadata
from pathlib import Path

import pytest

from game import imports, installation
from tests.cases import for_each

MB = 1 << 20


@pytest.mark.parametrize(("folder", "limit", "taken", "given_up"), [
    (".", "memory.max", "memory.current", "inactive_file"),
    ("memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
])  # fmt: skip
def test_the_limit_of_a_container_counts(
    folder: str, limit: str, taken: str, given_up: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "_GROUP", tmp_path)
    whole = installation.free_memory()
    group = tmp_path / folder
    group.mkdir(exist_ok=True)
    (group / limit).write_text(f"{100 * MB}\n")
    (group / taken).write_text(f"{95 * MB}\n")
    (group / "memory.stat").write_text(f"anon 1\n{given_up} {3 * MB}\n")
    assert installation.free_memory() == 8 * MB
    (group / taken).write_text(f"{120 * MB}\n")
    assert installation.free_memory() == 0
    (group / limit).write_text("max\n")
    assert (installation.free_memory() is None) == (whole is None)


def test_packages_that_fit_have_no_part_in_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = f"numba=={metadata.version('numba')} \\\n    --hash=sha256:0\nnowhere==1.0 ; sys_platform == 'win32'\n"
    numpy = f"numpy==1.0 ; python_full_version < '3'\nnumpy=={metadata.version('numpy')} ; python_version >= '3'\n"
    (tmp_path / "requirements.txt").write_text(f"# -r all\n{numpy}{lock}numpy==2.0 ; python_full_version < '3.9.2'\n")
    monkeypatch.setattr(installation, "TREE", tmp_path)
    assert installation.environment_problem(AttributeError("x")) == ""
    (tmp_path / "requirements.txt").unlink()
    assert installation.environment_problem(AttributeError("x")) == ""


def test_a_package_of_another_version_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "requirements.txt").write_text("numba==0.1.2 \\\n    --hash=sha256:0\n")
    monkeypatch.setattr(installation, "TREE", tmp_path)
    assert installation.environment_problem(AttributeError("x")) == (
        f"numba {metadata.version('numba')} is installed, ==0.1.2 is expected: "
        "python -m pip install --require-hashes -r requirements.txt"
    )


def test_a_wheel_names_its_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    ranges = ["numba<0.69,>=0.63", "pygame<3,>=2; python_version < '3.14'", "pandas<1; extra == 'x'"]
    monkeypatch.setattr(installation, "INSTALLED", True)
    monkeypatch.setattr(metadata, "requires", lambda name: ranges)
    monkeypatch.setattr(metadata, "version", {"numba": "0.68.1", "pygame": "2.6.1", "pandas": "3.1.1"}.__getitem__)
    assert installation.environment_problem(TypeError()) == ""
    monkeypatch.setattr(metadata, "version", {"numba": "0.70.0rc1", "pygame": "2.6.1"}.__getitem__)
    assert installation.environment_problem(TypeError()) == (
        "numba 0.70.0rc1 is installed, <0.69,>=0.63 is expected: "
        "install the program again from its checkout, in a separate environment"
    )


def test_a_package_that_is_missing_is_named() -> None:
    result = installation.environment_problem(ModuleNotFoundError("No module named 'rich.x'", name="rich.x"))
    assert result.startswith("the package rich is not installed: python -m pip install")
    assert installation.environment_problem(ModuleNotFoundError("", name="game.nowhere")) == ""


@for_each(("source", "expected"), [
    ("from game.board import Position", "from crownhead.game.board import Position"),
    ("from evolve import sessions as s", "from crownhead.evolve import sessions as s"),
    ("import game", "import crownhead.game as game"),
    ("import game.board", "import crownhead.game.board, crownhead.game as game"),
    ("import game.board as b", "import crownhead.game.board as b"),
    ("import os, gui.look.theme as t, evolve.kinds, re",
     "import os, crownhead.gui.look.theme as t, crownhead.evolve.kinds, crownhead.evolve as evolve, re"),
    ("é = 'ü'; import game.board as b # game", "é = 'ü'; import crownhead.game.board as b # game"),
    ("if 1:\n\tfrom\tgame  import (board,\n\t moves)\r\n",
     "if 1:\n\tfrom\tcrownhead.game  import (board,\n\t moves)\r\n"),
    ("from \\\n  game.board import Position", "from crownhead.\\\n  game.board import Position"),
    ("from\\\n  game.board import Position", "from crownhead.\\\n  game.board import Position"),
    ("def f():\n    if 1: import game.board",
     "def f():\n    if 1: import crownhead.game.board, crownhead.game as game"),
])  # fmt: skip
def test_imports_are_rewritten(source: str, expected: str) -> None:
    assert ast.dump(ast.parse(imports.in_wheel(source))) == ast.dump(ast.parse(expected))
    if not source.startswith("from \\"):
        assert imports.in_wheel(source) == expected
    assert imports.in_wheel(expected) == expected


@for_each("source", [
    "", "\n\n# import game\n", "'import game.board'", '"""\nfrom game.board import Position\n"""\n',
    "from . import game", "from .game import x", "import games, numpy.game, gui_, main", "from games import game",
    "game = evolve.game", "import_module('game.board')", "\x0cimport os\r\n", "from crownhead.game import board",
])  # fmt: skip
def test_other_statements_are_unchanged(source: str) -> None:
    assert imports.in_wheel(source) == source


def test_names_that_an_import_binds_stay() -> None:
    names: dict[str, object] = {}
    exec(imports.in_wheel("import game.board\nimport game.moves as m\nword = game.board.Position.__name__"), names)
    assert {"game", "m"} <= set(names) and "crownhead" in names and names["word"] == "Position"


def test_other_than_python_is_refused() -> None:
    with pytest.raises(SyntaxError):
        imports.in_wheel("from game import")
