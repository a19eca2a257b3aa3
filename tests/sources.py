"""The files of the program, for tests that read them."""

from __future__ import annotations

from pathlib import Path

from game.imports import PACKAGES

ROOT = Path(__file__).parents[1]


def source_files(root: Path = ROOT, ending: str = ".py") -> list[Path]:
    """Return main.py and the files of the packages with an ending; tests of extras are left out."""
    results = [path for top in PACKAGES for path in sorted((root / top).rglob(f"*{ending}"))]
    return [root / "main.py", *(path for path in results if "tests" not in path.relative_to(root).parts)]
