"""The screen with all runs, by mouse and by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.run import notes, status
from evolve.run.folder import Run
from evolve.run.notes import RunNote
from evolve.run.runs import Runs
from evolve.run.status import State
from gui.key_table import with_keys
from gui.screens.dialogs.dialog import Dialog, Prompt
from gui.screens.home import Home
from gui.screens.runs.all_runs import CHOOSE, GOES_ON, NONE_YET, RunsScreen
from gui.screens.sessions.session import SessionScreen
from tests.gui.hands import Hands, Opened
from tests.gui.session_folder import SessionFolder
from tests.synthetic import make_run


def screen_of(hands: Hands) -> RunsScreen:
    screen = hands.app.screen
    assert isinstance(screen, RunsScreen)
    return screen


def settle(hands: Hands) -> None:
    screen = screen_of(hands)
    hands.until(lambda: not screen.runs.busy, 3.0)
    hands.wait(0.2)


def names(hands: Hands) -> list[str]:
    table = hands.widget("runs")
    return [table.cells(row)[0].text for row in range(table.count)]


def choose(hands: Hands, name: str) -> None:
    hands.click_row("runs", names(hands).index(name))
    settle(hands)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make three runs: one with tags and a note, one of another preset, and an archived one."""
    runs = tmp_path / "runs"
    wide = make_run(runs, "wide", 2, seed=7)
    notes.note_run(wide, "diversity lasts", ["good", "slow"])
    SessionFolder(runs / "plain", 2)
    notes.note_run(make_run(runs, "gone", 0), archived=True)
    return runs


@pytest.fixture
def listed(opened: Opened, folder: Path) -> Hands:
    hands = opened()
    hands.key("<all-runs>")
    settle(hands)
    hands.key("<order>")  # by name, even if their files have the same time
    return hands


def test_a_button_and_a_key_lead_there_and_back(opened: Opened) -> None:
    hands = opened()
    hands.click("do.evolve-group")
    hands.click("menu.all-runs")
    settle(hands)
    assert hands.widget("runs").empty == with_keys(NONE_YET)
    for key in ("return", "<tags>", "<note>", "<archive>", "delete"):
        hands.key(key)
        assert hands.app.said == CHOOSE, key
    hands.key("escape")
    assert isinstance(hands.app.screen, Home)


def test_runs_are_listed_but_for_archived_ones(listed: Hands) -> None:
    assert names(listed) == ["plain", "wide"]
    assert listed.widget("count").text == "2 of 3 runs"
    choose(listed, "wide")
    facts = listed.widget("facts").text
    assert "preset cowan, seed 7" in facts and "generation 2" in facts and "kB" in facts
    assert (listed.widget("tagged").text, listed.widget("noted").text) == ("good, slow", "diversity lasts")
    listed.key("<filter>", "<filter>")
    assert names(listed) == ["gone"]
    listed.click("filter")
    listed.key("escape")
    assert names(listed) == ["plain", "wide"]


def test_searching_by_name_preset_tag_and_note(listed: Hands) -> None:
    for text, result in (("wid", ["wide"]), ("SLOW", ["wide"]), ("lasts good", ["wide"]), ("cowan", ["plain", "wide"])):
        listed.key("/")
        listed.type(text)
        assert names(listed) == result, text
        listed.key("escape")


def test_tags_and_notes_are_kept_beside_the_run(listed: Hands, folder: Path) -> None:
    listed.click("do.tags")
    assert isinstance(listed.app.screen, Prompt)
    listed.type("fine, quick")
    listed.key("return")
    settle(listed)
    assert listed.widget("tagged").text == "fine, quick"
    listed.key("<note>")
    listed.type("of no use")
    listed.key("return")
    settle(listed)
    assert notes.read_of_run(Run(folder / "plain")) == RunNote("of no use", ("fine", "quick"))
    listed.key("<tags>")
    listed.type("x" * 41)
    listed.key("return")
    assert "expected 1 to 40 characters" in listed.widget("wrong").text
    listed.key("escape", "<note>", "ctrl+a", "backspace", "return")
    settle(listed)
    assert notes.read_of_run(Run(folder / "plain")) == RunNote("", ("fine", "quick"))


def test_archiving_and_taking_back(listed: Hands, folder: Path) -> None:
    for _ in range(2):
        listed.key("<archive>")
        settle(listed)
    assert names(listed) == []
    assert notes.read_of_run(Run(folder / "wide")) == RunNote("diversity lasts", ("good", "slow"), True)
    listed.key("escape")
    assert [run.name for run in listed.app.services.library.sources.runs] == []  # opponents do not include it either
    listed.key("<all-runs>", "<filter>", "<filter>")
    settle(listed)
    choose(listed, "wide")
    listed.click("do.archive")
    settle(listed)
    assert sorted(names(listed)) == ["gone", "plain"]
    listed.key("escape")
    assert names(listed) == ["wide"]


def test_a_run_is_deleted_after_a_question(listed: Hands, folder: Path) -> None:
    listed.key("down", "delete")  # at once, while its size is being counted
    listed.until(lambda: isinstance(listed.app.screen, Dialog), 3.0)
    dialog = listed.app.screen
    assert isinstance(dialog, Dialog) and dialog.title == "Delete wide?"
    text = listed.widget("text").text
    assert "3 generations" in text and "kB" in text and str(folder / "wide") in text and "cannot be undone" in text
    listed.key("return")  # which answers smaller questions
    assert listed.app.screen is dialog
    listed.key("escape")
    assert Runs(folder).names() == ["gone", "plain", "wide"]
    listed.click("do.delete")
    listed.click("answer0")
    settle(listed)
    assert names(listed) == ["plain"] and listed.widget("name").text == "plain"
    assert Runs(folder).names() == ["gone", "plain"]


def test_running_run_is_not_deleted(opened: Opened, tmp_path: Path) -> None:
    session = SessionFolder(tmp_path / "runs" / "going", 1)
    with session.locked():
        session.say(State.RUNNING)
        hands = opened()
        hands.key("<all-runs>")
        settle(hands)
        hands.key("delete")
        assert hands.app.said == GOES_ON and isinstance(hands.app.screen, RunsScreen)
        status.write(session.path, status.now(State.STOPPED, 1, 1, 9, 0))  # but its process still holds it
        hands.until(lambda: screen_of(hands).run.state == "stopped", 3.0)  # type: ignore[union-attr]
        hands.key("delete", "ctrl+return")
        settle(hands)
        assert "is working on this run" in hands.app.said
    assert Runs(tmp_path / "runs").names() == ["going"]


def test_its_page(listed: Hands) -> None:
    listed.key("down", "return")
    screen = listed.app.screen
    assert isinstance(screen, SessionScreen) and screen.run.name == "wide"
    listed.key("escape")
    assert listed.widget("runs").selected == 1
    listed.click_row("runs", 0, times=2)
    assert isinstance(listed.app.screen, SessionScreen)


def test_new_and_damaged_runs_appear(listed: Hands, folder: Path) -> None:
    make_run(folder, "another", 1)
    (make_run(folder, "broken", 1).path / "manifest.csv").write_text("nonsense")
    listed.until(lambda: len(names(listed)) == 4, 3.0)
    choose(listed, "broken")
    assert "manifest.csv" in listed.widget("facts").text


def test_runs_of_a_sweep_are_listed_and_looked_at(listed: Hands, folder: Path) -> None:
    (folder / "many").mkdir()
    (folder / "many" / "sweep.toml").write_text("")
    for seed in (1, 2):
        make_run(folder / "many", f"seed={seed}", 1, seed=seed)
    listed.until(lambda: len(names(listed)) == 4, 3.0)
    assert names(listed)[:2] == ["many/seed=1", "many/seed=2"]
    choose(listed, "many/seed=2")
    assert "seed 2" in listed.widget("facts").text
    # The page of the run is named by its sweep, too, and says why the sweep stopped it.
    result = status.now(status.State.STOPPED, 1, 1, 5, 0, reason="its sweep: 296 Elo behind seed=1 in generation 1")
    status.write(folder / "many" / "seed=2", result)
    listed.key("return")
    listed.until(lambda: "296 Elo behind seed=1" in listed.widget("status").text, 5.0)
    assert listed.app.screen.title == "Evolution of many/seed=2"
    listed.key("escape", "<archive>")
    settle(listed)
    assert names(listed) == ["many/seed=1", "plain", "wide"]
    assert notes.read_of_run(Run(folder / "many" / "seed=2")).archived
    choose(listed, "many/seed=1")
    listed.key("delete", "ctrl+return")
    settle(listed)
    assert names(listed) == ["plain", "wide"] and Runs(folder / "many").names() == ["seed=2"]
