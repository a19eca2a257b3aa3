"""The list from which players are chosen, searches in it, and what is read in the background."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

from evolve.run import generation_csv, manifest
from extras.individuals import query
from extras.individuals.browser import Browser
from extras.individuals.cells import counted
from extras.individuals.library import Library
from extras.individuals.query import Condition
from gui.background import Background, Trouble
from gui.individuals.individual import EntryKind
from gui.runs.sources import LOOK_EVERY, Sources
from tests.runs import plain_file
from tests.synthetic import make_run


def settled(browser: Browser, now: float = 0.0) -> None:
    browser.library.sources.look_soon()
    browser.step(now, 1.0)
    while browser.busy:
        browser.step(now, 1.0)
    browser.step(now, 1.0)


def source(browser: Browser, name: str) -> None:
    """Choose a source by its name."""
    browser.choose_source(next(source for source in browser.sources if source.name == name))
    settled(browser)


# Queries ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "column", "value", "fits"),
    [
        ("points>=20", "points", 20, True),
        ("points>20", "points", 20, False),
        ("rating<-0.5", "rating", -0.6, True),
        ("rating<−0.5", "rating", -0.4, False),
        ("origin=Mutated", "origin", "mutated", True),
        ("origin!=mutated", "origin", "mutated", False),
        ("rank=3", "rank", None, False),
        ("rank!=3", "rank", None, True),
    ],
)
def test_conditions(text: str, column: str, value: query.Value, fits: bool) -> None:
    result = query.read(text)
    assert result.trouble == ""
    assert [condition.column for condition in result.conditions] == [column]
    assert result.conditions[0].holds(value) is fits


def test_wrong_query_is_reported() -> None:
    assert query.read("w9>1").trouble == "There is no column w9."
    assert "expected a number" in query.read("points>much").trouble
    assert query.read("Ann points>1").words == ("ann",)
    assert query.read("").empty
    assert not Condition("points", ">", "much").holds(1.0)


# The background ---------------------------------------------------------------------------------------------------


def test_background_answers_once_and_reports_failures() -> None:
    background, answers = Background(), list[object]()
    one, other, held = object(), object(), threading.Event()
    background.ask(one, "a", lambda: 1, answers.append)
    background.ask(one, "b", lambda: 1 / 0, answers.append)
    assert background.wants(one) and background.wants(one, "a") and not background.wants(other)
    while background.wants(one):
        background.deliver()
    assert answers[0] == 1 and isinstance(answers[1], Trouble) and not background.deliver()
    background.ask(other, "held", held.wait, lambda answer: None)
    background.ask(one, "c", lambda: 2, answers.append)
    background.ask(one, "d", lambda: 3, answers.append)
    background.ask(other, "c", lambda: 4, answers.append)
    background.cancel(one, "c")
    background.ask(one, "d", lambda: 5, answers.append)
    held.set()
    background.finish(60.0)
    assert answers[2:] == [4, 5]


def test_background_skips_closed_owners() -> None:
    background, answers, closed, held = Background(), list[object](), object(), threading.Event()
    background.ask(background, "held", held.wait, lambda answer: None)
    background.ask(background, "soon", lambda: "soon", answers.append)
    background.ask(closed, "closed", lambda: "closed", answers.append)
    background.cancel(closed)
    held.set()
    background.finish(60.0)
    assert answers == ["soon"]


# Sources ----------------------------------------------------------------------------------------------------------


def test_damage_stays_where_it_is(tmp_path: Path) -> None:
    make_run(tmp_path, "sound", 2)
    run = make_run(tmp_path, "spoiled", 4)
    path = run.generation_path(4)
    path.write_bytes(path.read_bytes()[:-40])
    (make_run(tmp_path, "lost", 2).path / "manifest.csv").write_text("nonsense\n", encoding="utf-8")
    browser = Browser(Library(Sources(tmp_path)))
    settled(browser)
    by_name = {source.name: source for source in browser.sources}
    assert by_name["sound"].trouble == ""
    assert by_name["lost"].state == "damaged" and "manifest.csv" in by_name["lost"].trouble
    source(browser, "spoiled")
    browser.choose_generation(4)
    settled(browser)
    assert browser.chosen is not None and browser.chosen.kind is EntryKind.DAMAGED
    assert "its bytes are not what the session wrote" in browser.chosen.trouble
    browser.choose_generation(3)
    settled(browser)
    assert browser.chosen is not None and browser.chosen.player
    source(browser, "lost")
    assert [row.player for row in browser.library.rows] == []
    source(browser, "sound")
    assert [row.player for row in browser.library.rows] == ["sound", "sound@1", "sound@0"]


def test_individuals_of_a_generation_and_of_a_thinned_one(tmp_path: Path) -> None:
    run = make_run(tmp_path, "alpha", 2)
    data = generation_csv.to_csv(run.read_generation(1).thinned())
    run.manifest().with_thinned(1, manifest.sha256(data)).write(run.path)
    run.generation_path(1).write_bytes(data)
    browser = Browser(Library(Sources(tmp_path)))
    settled(browser)
    source(browser, "alpha")
    browser.choose_generation(1)
    settled(browser)
    assert browser.chosen is not None and browser.chosen.player == "alpha@1"
    browser.choose_at(3)
    assert browser.chosen.player == "" and "not kept" in browser.chosen.trouble


def test_a_changed_generation_that_is_opened_by_itself_is_a_table(tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", "alpha", 1)
    path = run.path / "generation_0001.csv"
    path.write_text(path.read_text().replace(",", ";"))
    browser = Browser(Library(Sources(tmp_path / "runs", [path])), path)
    for look in range(3):
        settled(browser, LOOK_EVERY * (look + 1))
        assert browser.source is not None and browser.source.path == path
        assert browser.source.trouble == ""
        assert browser.chosen is not None and browser.chosen.player
        assert counted(browser).endswith("; its bytes are not what the session wrote")


def test_files_in_the_folder_of_runs(tmp_path: Path) -> None:
    make_run(tmp_path, "alpha", 1)
    lying = plain_file(tmp_path / "lying.csv", ["Ann", "Bob"])
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "far").mkdir()
    browser = Browser(Library(Sources(tmp_path, [plain_file(tmp_path / "far" / "opened.csv", ["Cleo"]), lying])))

    def names() -> list[str]:
        return [source.name for source in browser.sources[2:]]

    settled(browser)
    assert names() == ["alpha", "opened.csv", "lying.csv"]
    source(browser, "lying.csv")
    assert browser.chosen is not None and browser.chosen.name == "Ann"
    plain_file(tmp_path / "later.csv", ["Dora"])
    settled(browser, LOOK_EVERY)
    assert names() == ["alpha", "opened.csv", "later.csv", "lying.csv"]
    assert browser.source is not None and browser.source.name == "lying.csv"
    lying.unlink()
    settled(browser, 2 * LOOK_EVERY)
    assert names() == ["alpha", "opened.csv", "lying.csv", "later.csv"]


def test_a_run_that_goes_away(tmp_path: Path) -> None:
    make_run(tmp_path, "alpha", 1)
    browser = Browser(Library(Sources(tmp_path)))
    settled(browser)
    source(browser, "alpha")
    shutil.rmtree(tmp_path / "alpha")
    settled(browser, LOOK_EVERY)
    assert browser.source == browser.sources[0]
    assert browser.said == ["alpha is no longer there."]
