"""Your runs among the opponents: search, tags, notes, archive, deletion and their pages."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evolve.run import notes, status
from evolve.run.folder import Run
from evolve.run.manifest import NAME
from evolve.run.notes import RunNote
from evolve.run.runs import Runs
from evolve.run.status import State
from gui.screens.dialogs.dialog import Dialog, Menu, Prompt
from gui.screens.home import Home
from gui.screens.individuals.chooser import NOTHING, Chooser
from gui.screens.individuals.run_actions import CHOOSE, GOES_ON
from gui.screens.sessions.session import SessionScreen
from tests.gui.chooser_helpers import click_card, listed, titles
from tests.gui.hands import Hands, Opened
from tests.gui.session_folder import SessionFolder
from tests.synthetic import make_run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make three runs: the newest with tags and a note, an earlier one, and an archived one."""
    runs = tmp_path / "runs"
    notes.note_run(make_run(runs, "wide", 2, seed=7), "diversity lasts", ["good", "slow"])
    SessionFolder(runs / "narrow", 2)
    notes.note_run(make_run(runs, "gone", 0), archived=True)
    for number, name in enumerate(("wide", "narrow", "gone")):
        os.utime(runs / name / NAME, (2e9 - number,) * 2)
    return runs


@pytest.fixture
def hands(opened: Opened, folder: Path) -> Hands:
    hands = opened()
    hands.key("<all-runs>")
    listed(hands)
    return hands


def test_a_button_and_a_key_lead_there_and_back(opened: Opened) -> None:
    hands = opened()
    hands.click("do.evolve-group")
    hands.click("menu.all-runs")
    assert titles(hands) == [] and hands.widget("cards").empty == NOTHING
    for key in ("<run>", "<tags>", "<note>", "<archive>"):
        hands.key(key)
        assert hands.app.said == CHOOSE, key
    hands.key("escape")
    assert isinstance(hands.app.screen, Home)


def test_runs_are_listed_but_for_archived_ones(hands: Hands) -> None:
    assert titles(hands) == ["wide", "narrow"]
    hands.key("/")
    hands.type("archived")
    assert titles(hands) == ["gone"]
    hands.key("escape")
    assert titles(hands) == ["wide", "narrow"]


def test_searching_by_name_preset_tag_and_note(hands: Hands) -> None:
    for text, result in (("wid", "wide"), ("SLOW", "wide"), ("lasts good", "wide"), ("cowan", "wide narrow")):
        hands.key("/")
        hands.type(text)
        assert titles(hands) == result.split(), text
        hands.key("escape")


def test_tags_and_notes_are_kept_beside_the_run(hands: Hands, folder: Path) -> None:
    click_card(hands, "narrow")
    hands.click("do.run-group")
    assert isinstance(hands.app.screen, Menu)
    hands.click("menu.tags")
    assert isinstance(hands.app.screen, Prompt)
    hands.type("fine, quick")
    hands.key("return")
    listed(hands)
    hands.key("<note>")
    hands.type("of no use")
    hands.key("return")
    listed(hands)
    assert notes.read_of_run(Run(folder / "narrow")) == RunNote("of no use", ("fine", "quick"))
    assert hands.widget("details").text.endswith("Tags: fine, quick\nof no use")
    hands.key("<tags>")
    hands.type("x" * 41)
    hands.key("return")
    assert "expected 1 to 40 characters" in hands.widget("wrong").text
    hands.key("escape", "<note>", "ctrl+a", "backspace", "return")
    listed(hands)
    assert notes.read_of_run(Run(folder / "narrow")) == RunNote("", ("fine", "quick"))


def test_archiving_and_taking_back(hands: Hands, folder: Path) -> None:
    for name in ("wide", "narrow"):
        click_card(hands, name)
        hands.key("<archive>")
        listed(hands)
    assert titles(hands) == []
    assert notes.read_of_run(Run(folder / "wide")) == RunNote("diversity lasts", ("good", "slow"), True)
    hands.key("/")
    hands.type("archived wide")
    click_card(hands, "wide")
    hands.key("<archive>")
    listed(hands)
    hands.key("escape")
    assert titles(hands) == ["wide"]


def test_a_run_is_deleted_after_a_question(hands: Hands, folder: Path) -> None:
    click_card(hands, "wide")
    hands.key("delete")
    hands.until(lambda: isinstance(hands.app.screen, Dialog), 3.0)
    dialog = hands.app.screen
    assert isinstance(dialog, Dialog) and dialog.title == "Delete wide?"
    text = hands.widget("text").text
    assert "3 generations" in text and "kB" in text and str(folder / "wide") in text and "cannot be undone" in text
    hands.key("return")  # which answers smaller questions
    assert hands.app.screen is dialog
    hands.key("escape")
    assert Runs(folder).names() == ["gone", "narrow", "wide"]
    hands.key("delete")
    hands.until(lambda: isinstance(hands.app.screen, Dialog), 3.0)
    hands.click("answer0")
    assert titles(hands) == ["narrow"] and listed(hands).offer is None
    assert Runs(folder).names() == ["gone", "narrow"]


def test_running_run_is_not_deleted(opened: Opened, tmp_path: Path) -> None:
    session = SessionFolder(tmp_path / "runs" / "going", 1)
    with session.locked():
        session.say(State.RUNNING)
        hands = opened()
        hands.key("<all-runs>")
        assert "running" in click_card(hands, "going").line
        hands.key("delete")
        assert hands.app.said == GOES_ON and isinstance(hands.app.screen, Chooser)
        status.write(session.path, status.now(State.STOPPED, 1, 1, 9, 0))  # but its process still holds it
        hands.until(lambda: "stopped" in hands.app.screen.offer.line, 3.0)  # type: ignore[attr-defined]
        hands.key("delete")
        hands.until(lambda: isinstance(hands.app.screen, Dialog), 3.0)
        hands.key("ctrl+return")
        hands.until(lambda: "is working on this run" in hands.app.said, 3.0)
    assert Runs(tmp_path / "runs").names() == ["going"]


def test_evolving_on_leads_to_the_page_of_the_run(hands: Hands) -> None:
    click_card(hands, "wide")
    hands.click("do.run")
    screen = hands.app.screen
    assert isinstance(screen, SessionScreen) and screen.run.name == "wide"
    hands.key("escape")
    offer = listed(hands).offer
    assert offer is not None and offer.title == "wide"


def test_new_and_damaged_runs_appear(hands: Hands, folder: Path) -> None:
    make_run(folder, "another", 1)
    (make_run(folder, "broken", 1).path / "manifest.csv").write_text("nonsense")
    hands.until(lambda: len(titles(hands)) == 4, 3.0)
    assert "manifest.csv" in click_card(hands, "broken").line
    hands.key("p")
    assert "manifest.csv" in hands.app.said


def test_runs_of_a_sweep_are_listed_and_looked_at(hands: Hands, folder: Path) -> None:
    (folder / "many").mkdir()
    (folder / "many" / "sweep.toml").write_text("")
    for seed in (1, 2):
        make_run(folder / "many", f"seed={seed}", 1, seed=seed)
    hands.until(lambda: len(titles(hands)) == 4, 3.0)
    assert titles(hands)[2:] == ["many/seed=1", "many/seed=2"]
    click_card(hands, "many/seed=2")
    # The page of the run is named by its sweep, too, and says why the sweep stopped it.
    result = status.now(status.State.STOPPED, 1, 1, 5, 0, reason="its sweep: 296 Elo behind seed=1 in generation 1")
    status.write(folder / "many" / "seed=2", result)
    hands.click("do.run")
    hands.until(lambda: "296 Elo behind seed=1" in hands.widget("status").text, 5.0)
    assert hands.app.screen.title == "Evolution of many/seed=2"
    hands.key("escape", "<archive>")
    assert titles(hands) == ["wide", "narrow", "many/seed=1"]
    assert notes.read_of_run(Run(folder / "many" / "seed=2")).archived
    click_card(hands, "many/seed=1")
    hands.key("delete")
    hands.until(lambda: isinstance(hands.app.screen, Dialog), 3.0)
    hands.key("ctrl+return")
    assert titles(hands) == ["wide", "narrow"] and Runs(folder / "many").names() == ["seed=2"]
