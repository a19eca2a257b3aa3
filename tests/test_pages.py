"""The pages of the project: their links and the files that they name exist."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import main
from tests import additions, commands_page, modules_page
from tests.cases import for_each

ROOT = Path(__file__).parents[1]
PAGES = [
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.md", ".github/*.md", "docs/**/*.md", "extras/*/*.md")
    for path in ROOT.glob(pattern)
]
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")
FILE = re.compile(r"`((?:game|evolve|gui|tests|docs|\.ci)/[\w/.-]+|main\.py)`")
NAME = re.compile(r"`(?:crownhead\.)?((?:game|evolve|gui|tests)(?:\.\w+)+)")


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def exists(name: str) -> bool:
    """Return whether a dotted name is a package, a module, or consists of words of a module after its name."""
    path, words = ROOT.joinpath(*name.split(".")), []
    if path.is_dir():
        return True
    while path != ROOT and not path.with_suffix(".py").exists():
        words.append(path.name)
        path = path.parent
    if path == ROOT:
        return False
    text = path.with_suffix(".py").read_text(encoding="utf-8")
    return all(re.search(rf"\b{word}\b", text) for word in words)


def missing(page: Path) -> list[str]:
    text = page.read_text(encoding="utf-8")
    results = [file for file in FILE.findall(text) if not (ROOT / file).exists()]
    results += [name for name in NAME.findall(text) if not exists(name)]
    for target, anchor in LINK.findall(text):
        linked = page.parent / target if target else page
        if not linked.exists() or (anchor and anchor not in anchors(linked)):
            results.append(f"{target}#{anchor}")
    return results


@for_each("page", PAGES)
@pytest.mark.needs()
def test_names_on_pages_exist(page: str) -> None:
    assert missing(ROOT / page) == []


@pytest.mark.needs()
def test_the_page_of_modules_is_made_from_their_docstrings() -> None:
    assert modules_page.PAGE.read_text(encoding="utf-8") == modules_page.page(), "run python -m tests.modules_page"


@pytest.mark.needs()
def test_the_page_of_commands_is_made_from_their_parsers() -> None:
    assert commands_page.PAGE.read_text(encoding="utf-8") == commands_page.page(), "run python -m tests.commands_page"
    assert all(commands_page.examples(verb) for verb in main.VERBS)


@pytest.mark.needs()
def test_pages_name_options_that_their_verbs_have() -> None:
    wrong = []
    for verb, parser in commands_page.verb_parsers().items():
        parsers = [parser, *commands_page.actions_of(parser).values()]
        options = {option for each in parsers for option in each._option_string_actions}
        for page in (name for name in PAGES if not name.startswith("docs/log/")):  # those name earlier programs
            text = (ROOT / page).read_text(encoding="utf-8").replace("\\\n", " ")
            for command in re.findall(rf"main\.py {verb} ([^`\n#|]*)", text):
                named = re.findall(r"(?<!\S)--[\w-]+", command)
                wrong += [(page, verb, option) for option in named if option not in options]
    assert wrong == []


@pytest.mark.needs()
def test_the_table_of_additions_is_made_from_their_tests() -> None:
    assert additions.PAGE.read_text(encoding="utf-8") == additions.page(), "run python -m tests.additions"
    assert len(list(additions.additions())) > 15


def test_every_module_has_a_row() -> None:
    rooms = [(package, room) for package, rooms in modules_page.LADDERS.items() for room in rooms]
    there = {path for package, room in rooms for path in modules_page.room_modules(package, room)}
    modules = {path for package in modules_page.LADDERS for path in (ROOT / package).rglob("*.py")}
    assert there == {path for path in modules if path.stat().st_size}


def test_the_reading_path_can_be_read_in_a_day() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = page.partition("\n## A reading path\n")[2].partition("\n## ")[0]
    steps = [line for line in section.splitlines() if re.match(r"\d+\. ", line)]
    paths = [ROOT / path for line in steps for path in re.findall(r"`([\w/]+\.py)`", line)]
    assert 30 < len(paths) == len(set(paths)) <= 40
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths) <= 12_000


def test_the_citation_is_of_this_project() -> None:
    yaml = pytest.importorskip("yaml")
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    assert "version" not in {**project, **cited}, "game/installation.py has it"
    assert cited["license"] == project["license"]
    assert cited["abstract"] == f"{project['description']}."
    assert (cited["title"].lower(), cited["type"], cited["cff-version"]) == (project["name"], "software", "1.2.0")
    assert cited["authors"] == [{"name": "The Crownhead authors"}] and cited["message"]
