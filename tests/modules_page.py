"""The page docs/modules.md, made from the docstrings of the modules: ``python -m tests.modules_page`` writes it."""

from __future__ import annotations

from pathlib import Path

from tests.sources import ROOT, source_files
from tests.test_architecture import LADDERS

PAGE = ROOT / "docs" / "modules.md"

HEAD = """# Modules

Every module with the first sentence of its docstring. The rooms of a package (subpackages and single modules) are in
order: each imports only from itself and from rooms above it in the table
([architecture](architecture.md#who-imports-whom)).

`python -m tests.modules_page` writes this page.
"""


def subject(path: Path) -> str:
    """Return the first sentence of the docstring of a module, as the cell of a table."""
    # Every module begins with its docstring; parsing all of them takes seconds.
    paragraph = path.read_text(encoding="utf-8").split('"""')[1].partition("\n\n")[0]
    return " ".join(paragraph.split()).partition(". ")[0].rstrip(".").replace("|", r"\|")


def room_modules(package: str, room: str) -> list[Path]:
    """Return the modules of a room, which is a module or a package; empty ``__init__`` files are left out."""
    folder = ROOT / package / room
    paths = [folder.with_suffix(".py")] if not folder.is_dir() else sorted(folder.rglob("*.py"))
    return [path for path in paths if path.is_file() and path.stat().st_size]


def page() -> str:
    parts = [HEAD]
    for package, rooms in LADDERS.items():
        rows = [f"\n## {package}\n", "| module | subject |", "|---|---|"]
        for path in (path for room in rooms for path in room_modules(package, room)):
            name = path.relative_to(ROOT / package).with_suffix("").as_posix().removesuffix("/__init__")
            rows.append(f"| `{name}` | {subject(path)} |")
        parts.append("\n".join(rows) + "\n")
    parts.append("\n## extras\n\n| module | subject |\n|---|---|\n")
    for path in source_files():
        if path.is_relative_to(ROOT / "extras"):
            name = path.relative_to(ROOT / "extras").with_suffix("").as_posix().removesuffix("/__init__")
            parts.append(f"| `{'extras' if name == '__init__' else name}` | {subject(path)} |\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
