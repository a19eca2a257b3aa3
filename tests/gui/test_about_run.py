"""The facts about a run on its page, by mouse and by keyboard."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from evolve.report import comparison
from evolve.run import notes
from evolve.run.folder import Run
from evolve.run.notes import RunNote
from gui.screens.dialogs.dialog import Prompt
from gui.screens.sessions.panels import NO_COMMAND, NOT_YET
from gui.screens.sessions.session import SessionScreen
from tests.gui.hands import Hands, Opened
from tests.gui.session_folder import SessionFolder
from tests.logged_runs import add_lines, make_logged_run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return make_logged_run(tmp_path / "runs", "wide", 3, 7, "variation.high=0.2")


def show(opened: Opened, path: Path, **more: object) -> Hands:
    hands = opened(**more)
    hands.app.open(SessionScreen(hands.app, path))
    settle(hands)
    return hands


def settle(hands: Hands) -> None:
    screen = hands.app.screen
    assert isinstance(screen, SessionScreen)
    hands.until(lambda: screen.run.facts is not None and not screen.run.reads_facts, 3.0)
    hands.wait(0.2)


def facts(hands: Hands) -> dict[str, list[str]]:
    table = hands.widget("about")
    rows = [[cell if isinstance(cell, str) else cell.text for cell in table.cells(row)] for row in range(table.count)]
    return {name: more for name, *more in rows}


def test_origin_and_settings_are_shown(opened: Opened, run: Run) -> None:
    hands = show(opened, run.path)
    hands.key("<tab>")
    assert facts(hands) == {
        "preset": ["cowan", ""],
        "seed": ["7", ""],
        "obtained": ["by games alone", ""],
        "digest": [run.manifest().digest(), ""],
        "variation.high": ["0.2", "0.1"],
    }
    assert [column.title for column in hands.widget("about").columns] == ["", "Here", "cowan"]
    add_lines(run, range(4, 5), 7)
    hands.until(lambda: facts(hands)["digest"][0] == run.manifest().digest(), 3.0)


def test_the_command_that_repeats_it_is_copied(opened: Opened, run: Run) -> None:
    hands = show(opened, run.path)
    wanted = comparison.repeat_command(run, run.config(), run.check_format(), 3)
    assert wanted is not None and "--set variation.high=0.2" in wanted
    hands.key("ctrl+c")  # whatever the page contains
    assert hands.app.services.clipboard.paste() == wanted
    assert hands.app.said == "Copied the command that repeats this run."
    hands.app.services.clipboard.copy("")
    tabs = hands.widget("tabs")
    hands.click(tabs.parts()[1].centre)
    assert hands.widget("repeat").text == wanted
    hands.click("do.copy")
    assert shlex.split(hands.app.services.clipboard.paste())[-1] == "3"
    hands.click_row("about", 1, times=2)
    assert hands.app.services.clipboard.paste() == "7"


def test_tags_and_note(opened: Opened, run: Run) -> None:
    hands = show(opened, run.path)
    hands.key("<tab>", "<tags>")
    assert isinstance(hands.app.screen, Prompt)
    hands.type("wide, slow")
    hands.key("return")
    settle(hands)
    hands.click("do.note")
    hands.type("of use")
    hands.key("return")
    settle(hands)
    assert notes.read_of_run(run) == RunNote("of use", ("wide", "slow"))
    assert (facts(hands)["tags"][0], facts(hands)["note"][0]) == ("wide, slow", "of use")
    hands.key("<note>")
    hands.key("escape")
    assert notes.read_of_run(run).text == "of use"


def test_a_run_that_is_as_its_preset(opened: Opened, tmp_path: Path) -> None:
    hands = show(opened, make_logged_run(tmp_path / "runs", "plain", 0, 3).path)
    hands.key("<tab>")
    assert facts(hands)["differences"] == ["none from cowan"]


def test_branch_of_a_missing_run_is_described(opened: Opened, run: Run) -> None:
    text = (run.path / "config.toml").read_text(encoding="utf-8")
    (run.path / "config.toml").write_text(
        text.replace("[record]", '[record]\nbranched_from = "gone@1"'), encoding="utf-8"
    )
    hands = show(opened, run.path)
    hands.key("<tab>", "ctrl+c")
    assert hands.app.said == NO_COMMAND
    result = facts(hands)
    assert result["branch of"] == ["gone@1"] and result["differences"] == ["unknown"]


def test_before_the_first_generation(opened: Opened, tmp_path: Path) -> None:
    hands = show(opened, SessionFolder(tmp_path / "runs" / "new").path)
    hands.key("<tab>", "ctrl+c")
    assert hands.app.said == NOT_YET and "digest" not in facts(hands)


def test_a_configuration_that_is_damaged(opened: Opened, run: Run) -> None:
    (run.path / "config.toml").write_text("nonsense", encoding="utf-8")
    hands = show(opened, run.path)
    hands.key("<tab>", "<tags>")
    assert "config.toml" in hands.app.said and isinstance(hands.app.screen, SessionScreen)
    assert hands.widget("about").count == 0 and "config.toml" in hands.widget("about").empty
