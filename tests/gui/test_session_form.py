"""The beginning of a session, by posted events."""

from __future__ import annotations

from pathlib import Path

from evolve.run.status import State
from gui.screens.sessions.new import NewSession
from gui.screens.sessions.session import SessionScreen
from gui.widgets.button import Button
from tests.gui.hands import Opened
from tests.gui.session_folder import SessionFolder, Starts


def test_a_minute_begins_by_two_keys(opened: Opened, tmp_path: Path, starts: Starts) -> None:
    hands = opened()
    hands.key("g")
    assert isinstance(hands.app.screen, NewSession)
    hands.key("return")
    assert isinstance(hands.app.screen, SessionScreen)
    assert starts.calls == [(f"--out={tmp_path / 'runs'}", "--name=first-1", "--preset=first", "--minutes=1")]


def test_sessions_that_two_windows_begin_at_once_have_two_names(opened: Opened, tmp_path: Path, starts: Starts) -> None:
    for _ in range(2):  # neither has a folder when the second one begins
        opened().key("g", "return")
    assert [call[1] for call in starts.calls] == ["--name=first-1", "--name=first-2"]


def test_an_evening_begins_by_the_keyboard(opened: Opened, starts: Starts) -> None:
    hands = opened()
    hands.key("g")
    while hands.app.screen.ui.focus != "do.evening":
        hands.key("tab")
    hands.key("return")
    assert starts.calls[0][1:] == ("--name=plain-1", "--preset=plain", "--minutes=120")


def test_the_first_view_of_a_new_session_is_short(opened: Opened) -> None:
    hands = opened()
    hands.key("g")
    widgets = [widget for widget in hands.app.view() if not widget.key.startswith(("header", "back"))]
    assert len([widget for widget in widgets if isinstance(widget, Button)]) <= 8
    texts = [getattr(widget, "text", "") for widget in widgets]
    assert len(" ".join(texts).split()) <= 60


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
