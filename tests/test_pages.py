"""The pages of the project: what they link to and which files they name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.test_architecture import LADDERS

ROOT = Path(__file__).parents[1]
PAGES = [path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))]
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")
FILE = re.compile(r"`((?:game|evolve|gui|tests|docs|\.ci)/[\w/.-]+|main\.py)`")


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def missing(page: Path) -> list[str]:
    text = page.read_text(encoding="utf-8")
    found = [file for file in FILE.findall(text) if not (ROOT / file).exists()]
    for target, anchor in LINK.findall(text):
        linked = page.parent / target if target else page
        if not linked.exists() or (anchor and anchor not in anchors(linked)):
            found.append(f"{target}#{anchor}")
    return found


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_names_is_there(page: str) -> None:
    assert missing(ROOT / page) == []


@pytest.mark.parametrize(("package", "heading"), [("game", "The game"), ("evolve", "Evolution"), ("gui", "The window")])
def test_the_table_of_a_package_names_its_rooms_in_the_order_in_which_they_import(package: str, heading: str) -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = text.partition(f"\n## {heading}\n")[2].partition("\n\n**")[0].partition("\n\n## ")[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    rooms = [room for cell in cells for room in re.findall(r"`(\w+)/?`", cell)]
    there = {
        path.stem for path in (ROOT / package).iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert rooms == [room for room in LADDERS[package] if room in there]


def test_that_check_can_fail(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(
        "# A b\n[1](none.md) [2](#a-b) [3](page.md#c) [4](page.md) `game/no.py` `main.py`\n"
    )
    assert missing(tmp_path / "page.md") == ["game/no.py", "none.md#", "page.md#c"]
