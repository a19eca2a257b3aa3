"""The forms that begin and resume a session, and finding a key in them, by posted events."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.config import toml
from evolve.run.status import State
from gui.screens.home import Home
from gui.screens.sessions.new import NewSession
from gui.screens.sessions.session import SessionScreen
from gui.screens.sessions.start import SessionStart
from gui.widgets.button import Button
from tests.gui.hands import Hands, Opened
from tests.gui.session_folder import SessionFolder, Starts


def test_a_minute_begins_by_two_keys(opened: Opened, tmp_path: Path, starts: Starts) -> None:
    hands = opened()
    hands.key("g")
    assert isinstance(hands.app.screen, NewSession)
    hands.key("return")
    assert isinstance(hands.app.screen, SessionScreen)
    assert starts.calls == [(f"--out={tmp_path / 'runs'}", "--name=first-1", "--preset=first", "--minutes=1")]


def test_an_evening_begins_by_the_keyboard(opened: Opened, starts: Starts) -> None:
    hands = opened()
    hands.key("g")
    while hands.app.screen.ui.focus != "do.evening":
        hands.key("tab")
    hands.key("return")
    assert starts.calls[0][1:] == ("--name=plain-1", "--preset=plain", "--minutes=120")


def test_a_published_system_is_found_by_its_author(opened: Opened, starts: Starts) -> None:
    hands = opened()
    hands.key("g", "<published>")
    hands.type("kendall")
    hands.key("return")
    assert isinstance(hands.app.screen, SessionStart)
    assert hands.widget("preset").names[hands.widget("preset").chosen].startswith("league: Blondie24 in a league")
    hands.key("ctrl+return")
    assert starts.calls[0][2:] == ("--preset=league",)


def test_the_first_view_of_a_new_session_is_short(opened: Opened) -> None:
    hands = opened()
    hands.key("g")
    widgets = [widget for widget in hands.app.view() if not widget.key.startswith(("header", "back"))]
    assert len([widget for widget in widgets if isinstance(widget, Button)]) <= 8
    texts = [getattr(widget, "text", "") for widget in widgets]
    assert len(" ".join(texts).split()) <= 60


def test_a_session_is_begun_by_the_keyboard_alone(opened: Opened, tmp_path: Path, starts: Starts) -> None:
    hands = opened()
    hands.key("g", "<everything>")
    assert isinstance(hands.app.screen, SessionStart)
    while hands.app.screen.ui.focus != "name":
        hands.key("tab")
    hands.type("mine")
    hands.key("tab")
    hands.type("4")
    hands.key("return")
    screen = hands.app.screen
    assert isinstance(screen, SessionScreen)
    assert screen.run.path == tmp_path / "runs" / "mine"
    runs = tmp_path / "runs"
    assert starts.calls == [(f"--out={runs}", "--name=mine", "--preset=first", "--generations=4")]
    hands.key("escape", "g", "<everything>")
    assert hands.widget("generations").value == "4"
    assert hands.widget("name").value == ""


def test_mistakes_stand_beside_their_fields(opened: Opened, starts: Starts) -> None:
    hands = opened()
    hands.key("g", "<everything>")
    hands.click("generations")
    hands.type("many")
    hands.click("fold")
    hands.click("value")
    hands.type("1")
    hands.key("ctrl+return")
    assert starts.calls == []
    assert "whole number" in hands.widget("generations.note").text
    assert "2 to 65536" in hands.widget("population.parents.note").text
    assert hands.widget("value").wrong
    assert hands.app.screen.ui.focus == "generations"
    hands.key("ctrl+a")
    hands.type("3")
    assert not hands.widget("generations").wrong
    assert hands.widget("value").wrong


def test_a_picture_of_the_form_reads_no_preset_again(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    hands = opened()
    hands.key("g", "<everything>", "<values>")
    hands.click("value")
    hands.type("8")
    loaded: list[str] = []
    monkeypatch.setattr(toml, "load", lambda *arguments: loaded.append(arguments[0]))
    for _ in range(3):
        hands.app.redraw()
        hands.app.draw()
    assert loaded == []


def test_a_session_that_was_just_started_is_starting(opened: Opened, starts: Starts, tmp_path: Path) -> None:
    starts.process.running = True
    hands = opened()
    hands.key("g", "return")
    hands.wait(0.5)
    assert hands.words[0] == "Starting"
    assert "do.resume" not in {widget.key for widget in hands.app.view()}
    SessionFolder(tmp_path / "runs" / "first-1", 1).say(State.RUNNING)
    hands.wait(1.0)
    assert hands.words[0] == "Generation 0 of 9"


@pytest.fixture
def form(opened: Opened) -> Hands:
    hands = opened()
    hands.key("g", "<everything>", "<values>")
    return hands


def rows(hands: Hands) -> list[str]:
    table = hands.widget("settings")
    return [table.cells(row)[0].text for row in range(table.count)]


def test_keys_are_offered_while_typing_and_one_is_changed(form: Hands, starts: Starts) -> None:
    every = rows(form)
    form.key("ctrl+f")
    form.type("optimiser.ra")
    assert rows(form) == ["optimiser.rate"]
    assert "a number from" in form.widget("meaning").text
    form.key("return")
    assert form.app.screen.ui.focus == "value"
    assert rows(form) == every  # back in their order
    form.type("0.3")
    form.key("return")
    assert starts.calls[0][-1] == "--set=optimiser.rate=0.3"


def test_nearest_name_is_suggested_and_accepted(form: Hands) -> None:
    form.key("ctrl+f")
    form.type("optimiser.raet")
    assert rows(form) == []
    assert "The nearest is optimiser.rate" in form.widget("settings").empty
    form.key("return")
    assert form.widget("value.label").text == "optimiser.rate"
    form.key("ctrl+f")
    form.type("zzzzzz")
    assert form.widget("settings").empty == "There is no key “zzzzzz”."


def test_inactive_key_explains_when_it_applies(form: Hands) -> None:
    form.key("ctrl+f")
    form.type("variation.step")
    table = form.widget("settings")
    assert table.cells(0)[1].text == "–"
    assert "inactive: only with" in form.widget("meaning").text


def test_arrows_choose_among_matches_and_escape_clears_them(form: Hands) -> None:
    form.key("ctrl+f")
    form.type("games.")
    first, second = rows(form)[:2]
    assert form.widget("value.label").text == first
    form.key("down")
    assert form.widget("value.label").text == second
    form.key("up", "up")
    assert form.widget("value.label").text == first
    form.key("escape")
    assert isinstance(form.app.screen, SessionStart) and form.widget("find").value == ""
    form.key("escape")
    assert isinstance(form.app.screen, Home)


def test_a_session_that_has_stopped_is_not_starting_while_its_process_ends(
    opened: Opened, starts: Starts, tmp_path: Path
) -> None:
    starts.process.running, starts.process.pid = True, 77
    hands = opened()
    hands.key("g", "return")
    folder = SessionFolder(tmp_path / "runs" / "first-1", 2)
    folder.say(State.RUNNING, pid=77)
    hands.wait(1.0)
    with folder.locked():
        folder.say(State.STOPPED, pid=77)
        hands.wait(1.0)
        assert hands.words[0] == "Stopped"
        assert not hands.widget("do.resume").enabled
    starts.process.running = False
    hands.wait(1.0)
    assert hands.words[0] == "Stopped"
    assert hands.widget("do.resume").enabled


def test_every_key_has_words_about_its_meaning(form: Hands) -> None:
    table = form.widget("settings")
    assert [column.title for column in table.columns] == ["Key", "Value", "Meaning"]
    assert all(table.cells(row)[2].text for row in range(table.count))
