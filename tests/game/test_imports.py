"""Imports in the spelling of a wheel: only imports change, and they mean the same."""

from __future__ import annotations

import ast

import pytest

from game import imports
from tests.cases import for_each


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
