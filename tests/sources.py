"""The files of the program, for tests that read them."""

from __future__ import annotations

from pathlib import Path

from game.compiled.jit import COMPILED_ENDINGS
from game.imports import PACKAGES

ROOT = Path(__file__).parents[1]
READ_BY_COMPILED = (
    *("activations.py", "bitboard.py", "generator.py", "jit.py", "layout.py", "rules.py", "slices.py", "windows.py"),
)
"""Files whose constants, or functions, compiled code may use."""


def source_files(root: Path = ROOT, ending: str = ".py") -> list[Path]:
    """Return main.py and the files of the packages with an ending; tests of extras are left out."""
    results = [path for top in PACKAGES for path in sorted((root / top).rglob(f"*{ending}"))]
    tests = {"tests", "conftest.py"}
    return [root / "main.py", *(path for path in results if not tests.intersection(path.relative_to(root).parts))]


def window_files() -> list[Path]:
    """Return the modules of the window, and those of extras that use it."""
    paths = ((path, path.relative_to(ROOT).parts[0]) for path in source_files())
    return [path for path, top in paths if top == "gui" or (top == "extras" and "from gui" in path.read_text())]


def is_compiled_source(name: str) -> bool:
    return name in READ_BY_COMPILED or name.endswith(COMPILED_ENDINGS)
