"""Actions on runs among the opponents: tags, notes, archive and deletion."""

from __future__ import annotations

from pathlib import Path

from evolve.run import notes, status
from evolve.run.folder import Run
from evolve.run.notes import RunNote
from evolve.run.runs import Runs
from evolve.run.status import State
from extras.keeping.actions import GOES_ON
from gui.screens.dialogs.dialog import Dialog, Menu, Prompt
from gui.screens.individuals.chooser import CHOOSE, Chooser
from tests.gui.chooser_helpers import click_card, listed, titles
from tests.gui.hands import Hands, Opened
from tests.gui.own_runs import folder, hands
from tests.gui.session_folder import SessionFolder

__all__ = ["folder", "hands"]


def test_actions_need_a_run(opened: Opened) -> None:
    hands = opened()
    hands.key("<all-runs>")
    for key in ("<tags>", "<note>", "<archive>"):
        hands.key(key)
        assert hands.app.notice == CHOOSE, key


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
    assert titles(hands) == [] and hands.widget("do.hidden").text == "3 runs hidden: show"
    assert notes.read_of_run(Run(folder / "wide")) == RunNote("diversity lasts", ("good", "slow"), True)
    hands.click("do.hidden")
    assert sorted(titles(hands)) == ["gone", "narrow", "wide"]
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
        assert "Running" in click_card(hands, "going").line
        hands.key("delete")
        assert hands.app.notice == GOES_ON and isinstance(hands.app.screen, Chooser)
        status.write(session.path, status.now(State.STOPPED, 1, 1, 9, 0))  # but its process still holds it
        hands.until(lambda: "Stopped" in hands.app.screen.offer.line, 3.0)  # type: ignore[attr-defined]
        hands.key("delete")
        hands.until(lambda: isinstance(hands.app.screen, Dialog), 3.0)
        hands.key("ctrl+return")
        hands.until(lambda: "is working on this run" in hands.app.notice, 3.0)
    assert Runs(tmp_path / "runs").names() == ["going"]
