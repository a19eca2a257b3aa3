"""The form that begins a session, by posted events."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.config import toml
from evolve.run.status import State
from gui.screens.sessions.session import SessionScreen
from gui.screens.sessions.start import SessionStart
from tests.gui.hands import Opened
from tests.gui.session_folder import SessionFolder, Starts


def test_a_session_is_begun_by_the_keyboard_alone(opened: Opened, tmp_path: Path, starts: Starts) -> None:
    hands = opened()
    hands.key("g")
    assert isinstance(hands.app.screen, SessionStart)
    hands.key("tab", "tab")
    hands.type("mine")
    hands.key("tab")
    hands.type("4")
    hands.key("return")
    screen = hands.app.screen
    assert isinstance(screen, SessionScreen)
    assert screen.run.path == tmp_path / "runs" / "mine"
    runs = tmp_path / "runs"
    assert starts.calls == [(f"--out={runs}", "--name=mine", "--preset=first", "--generations=4")]
    hands.key("escape", "g")
    assert hands.widget("generations").value == "4"
    assert hands.widget("name").value == ""


def test_mistakes_stand_beside_their_fields(opened: Opened, starts: Starts) -> None:
    hands = opened()
    hands.key("g")
    hands.click("generations")
    hands.type("many")
    hands.click("fold")
    hands.click("value")
    hands.type("1")
    hands.key("ctrl+return")
    assert starts.calls == []
    assert "whole number" in hands.widget("generations.said").text
    assert "2 to 256" in hands.widget("population.parents.said").text
    assert hands.widget("value").wrong
    assert hands.app.screen.ui.focus == "generations"
    hands.key("ctrl+a")
    hands.type("3")
    assert not hands.widget("generations").wrong
    assert hands.widget("value").wrong


def test_a_picture_of_the_form_reads_no_preset_again(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    hands = opened()
    hands.key("g", "ctrl+k")
    hands.click("value")
    hands.type("8")
    loaded: list[str] = []
    monkeypatch.setattr(toml, "load", lambda *arguments: loaded.append(arguments[0]))
    for _ in range(3):
        hands.app.redraw()
        hands.app.draw()
    assert loaded == []


def test_values_are_searched_and_changed(opened: Opened, starts: Starts) -> None:
    hands = opened()
    hands.key("g")
    assert "settings" not in hands.keys
    hands.key("ctrl+k")
    table = hands.widget("settings")
    keys = [table.cells(row)[0].text for row in range(table.count)]
    hands.click("settings")
    hands.key("home", *["down"] * keys.index("optimiser.rate"), "return")
    assert hands.widget("value").ghost == "1.0"
    hands.type("0.2")
    assert hands.widget("settings").cells(keys.index("optimiser.rate"))[1].text == "0.2"
    hands.key("return")
    assert starts.calls[0][-1] == "--set=optimiser.rate=0.2"


def test_a_session_that_was_just_started_is_starting(opened: Opened, starts: Starts, tmp_path: Path) -> None:
    starts.process.running = True
    hands = opened()
    hands.key("g", "ctrl+return")
    hands.wait(0.5)
    assert hands.words[0] == "Starting"
    assert "do.resume" not in {widget.key for widget in hands.app.view()}
    SessionFolder(tmp_path / "runs" / "first-1", 1).say(State.RUNNING)
    hands.wait(1.0)
    assert hands.words[0] == "Running"


def test_immediate_failure_of_a_session_is_shown(opened: Opened, starts: Starts, tmp_path: Path) -> None:
    starts.process.trouble = "the disk is full"
    hands = opened()
    hands.key("g", "ctrl+return")
    hands.wait(0.5)
    assert "the disk is full" in hands.words[1]
    assert "the disk is full" in hands.app.said


def test_description_of_a_preset_fits_large_letters(opened: Opened) -> None:
    hands = opened(scale=1.75)
    hands.key("g", "ctrl+k")
    hands.wait(0.5)
    about = hands.widget("about")
    fonts, small = hands.app.look.fonts, hands.app.look.px(12)
    lines = fonts.wrap(about.text, about.rect.w, small)
    assert len(lines) > 1 and len(lines) * fonts.height(small) <= about.rect.h
