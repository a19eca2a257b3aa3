"""After any fault, the window reports and logs it, keeps the game and goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evolve.run import weights_file
from evolve.run.folder import Run
from game.board import Position
from gui.geometry import Rect, Size
from gui.individuals.shelves import YOURS
from gui.look.canvas import Canvas, Look
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.screens.dialogs.dialog import FaultDialog
from gui.screens.home import Home
from gui.screens.individuals.chooser import Chooser
from gui.screens.play.play import Play
from gui.screens.screen import Screen
from gui.screens.sessions.session import SessionScreen
from gui.system import SystemClipboard
from gui.toolkit import pygame
from gui.widgets.base import Command, Ui, Widget
from gui.widgets.button import Button
from gui.widgets.field import LONGEST
from tests.evolve.run.hostile_weights_helpers import LAST, hostile_files, with_weights
from tests.gui.hands import Hands, Opened
from tests.learnt_run import LARGE, make_learnt_run


class Bad(Screen):
    """Fails where a test tells it to."""

    title = "Bad"
    where = ""

    def fail(self, here: str) -> None:
        if self.where == here:
            raise RuntimeError(f"fault in {here}")

    def view(self, size: Size, look: Look) -> list[Widget]:
        self.fail("view")
        return [
            BadWidget(key="bad", rect=Rect(10, 10, 50, 50), screen=self),
            Button(key="button", rect=Rect(100, 10, 50, 50), text="x", run=lambda: self.fail("button")),
        ]

    def tick(self, now: float, dt: float) -> bool:
        self.fail("tick")
        return False

    @property
    def pace(self) -> float:
        self.fail("pace")
        return 0.05

    def commands(self) -> list[Command]:
        self.fail("commands")
        return [Command(id="go", name="Go", keys=("g",), run=lambda: self.fail("command"))]  # fmt: skip

    def handle(self, event: object) -> bool:
        self.fail("handle")
        return False

    def on_open(self) -> None:
        self.fail("opened")

    def on_close(self) -> None:
        self.fail("closed")


class BadWidget(Widget):
    screen: Bad

    def __init__(self, *, key: str, rect: Rect, screen: Bad) -> None:
        super().__init__(key=key, rect=rect)
        object.__setattr__(self, "screen", screen)

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        self.screen.fail("draw")


PLACES = ("view", "draw", "tick", "pace", "commands", "command", "button", "handle")


@pytest.mark.parametrize("where", PLACES)
def test_a_fault_is_shown_and_the_game_is_kept(opened: Opened, tmp_path: Path, where: str) -> None:
    hands = opened()
    hands.app.open(Play(hands.app, GameModel((HUMAN, Seat("material")))))
    hands.touch(11, 15)
    bad = Bad(hands.app)
    hands.app.open(bad)
    hands.wait(0.2)
    hands.may_fail = True
    bad.where = where
    hands.app.redraw()
    hands.wait(0.2)
    if where in ("command", "button", "handle", "commands"):
        hands.key("g")
        hands.click((120, 30)) if not isinstance(hands.app.screen, FaultDialog) else None
        hands.send(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=1)) if where == "handle" else None
    assert isinstance(hands.app.screen, FaultDialog)
    text = hands.widget("text").text
    assert f"fault in {where}" in text
    assert "saved" in text
    (kept,) = (tmp_path / "data" / "games").glob("*.json")
    assert json.loads(kept.read_text())["moves"] == ["11-15"]
    hands.wait(1)
    hands.resize((900, 700))
    bad.where = ""
    hands.key("return")
    assert hands.app.screen is bad
    bad.where = where
    hands.app.redraw()
    hands.wait(0.2)
    if not isinstance(hands.app.screen, FaultDialog):
        hands.key("g")
        hands.click((120, 30))
        hands.send(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=1))
    hands.key("escape")
    assert isinstance(hands.app.screen, Home)
    hands.wait(0.5)  # kept games are read in steps
    hands.key("c")
    assert isinstance(hands.app.screen, Play)


def test_a_fault_while_the_window_closes_does_not_keep_it_open(opened: Opened) -> None:
    hands = opened()
    bad = Bad(hands.app)
    hands.app.open(bad)
    hands.may_fail = True
    bad.where = "closed"
    hands.key("ctrl+q")
    assert not hands.app.running


def test_faults_are_logged(opened: Opened, caplog: pytest.LogCaptureFixture) -> None:
    hands = opened()
    bad = Bad(hands.app)
    hands.app.open(bad)
    hands.may_fail = True
    bad.where = "command"
    hands.key("g")
    assert "fault in command" in caplog.text
    assert "Bad" in caplog.text


@pytest.mark.usefixtures("ordinary_rights")
def test_a_data_folder_that_cannot_be_written(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data").chmod(0o500)
    unwritable(opened())


def unwritable(hands: Hands) -> None:
    """The game goes on, what cannot be saved is reported once, and settings hold until the window closes."""
    hands.key("p")
    hands.touch(11, 15)
    hands.wait(1.5)
    assert "cannot be saved" in hands.app.notice
    hands.answer()
    assert len(hands.game.model.plies) == 2
    hands.key("<theme>")
    assert hands.app.look.theme.name == "dark"
    hands.key("ctrl+,")
    assert "cannot be saved" in hands.widget("trouble").text
    hands.key("ctrl+q")
    assert not hands.app.running


def test_the_clipboard_of_the_system_or_our_own(display: None) -> None:
    clipboard = SystemClipboard()
    for text in ("1. 11-15 23-19", "Grüße, 日本語", ""):
        trouble = clipboard.copy(text)  # the dummy driver of some versions has none
        assert trouble == "" or trouble.startswith("Only this window can paste it")
        assert clipboard.paste() == text


def test_failed_clipboard_is_reported(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    def put(*arguments: object) -> None:
        raise pygame.error("no room")

    hands = opened()
    hands.app.services.clipboard = SystemClipboard()
    hands.app.open(Play(hands.app, GameModel()))
    for name in ("put", "put_text"):
        monkeypatch.setattr(pygame.scrap, name, put, raising=False)
    for key in ("ctrl+c", "<copy-position>"):
        hands.key(key)
        assert "the clipboard of the system cannot be used (no room)" in hands.app.notice
    assert hands.app.services.clipboard.paste() == Position.start().fen()
    hands.app.go_home()
    hands.key("n", "/")
    hands.type("gen")
    hands.key("ctrl+a", "ctrl+c")
    assert "no room" in hands.app.notice
    hands.type("!")
    assert hands.app.notice == ""
    assert hands.app.services.clipboard.paste() == "gen"
    hands.app.services.clipboard.copy("a" * 1_000_000)
    hands.key("ctrl+v")
    assert len(hands.widget("search").value) == LONGEST


@pytest.mark.parametrize("size", [(1, 1), (60, 40), (300, 200), (200, 1000), (3000, 300)])
def test_a_window_of_any_size_lives(opened: Opened, size: Size) -> None:
    hands = opened(size=size)
    for key in ("p", "n", "<watch>", "o", "ctrl+,", "?"):
        hands.key(key)
        hands.wait(0.1)
        hands.key("escape")
        hands.wait(0.1)


KINDS = ("too many columns", "objects", "not a number", "no rows")
"""What reads them is tried with more in `tests/evolve/run/test_hostile_weights.py`."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("sound")
    return make_learnt_run(folder, "sound", LAST, ["learning={method='shown'}", *LARGE], {})


@pytest.mark.parametrize("kind", KINDS)
def test_no_screen_fails_over_a_file_of_weights(kind: str, sound: Run, opened: Opened, tmp_path: Path) -> None:
    good = weights_file.weights_path(sound.generation_path(LAST)).read_bytes()
    run = with_weights(sound, tmp_path / "runs" / "hostile", hostile_files(good)[kind])
    hands = opened()
    hands.app.open(SessionScreen(hands.app, run.path))
    hands.wait(1.0)
    chooser = Chooser(hands.app, shelf=YOURS)
    hands.app.open(chooser)
    hands.until(lambda: not chooser.shelves.busy, 3000.0)
    hands.wait(0.5)
