"""The real window under a virtual X server, driven by a real mouse and keyboard, against a real opponent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gui.geometry import Point
from gui.look.canvas import scale_of
from gui.screens.play.game_layout import game_layout
from gui.widgets.board_geometry import BoardGeometry
from gui.window import fitting_size
from tests.gui import x_server
from tests.processes import running

ROOT = Path(__file__).parents[2]
SIZE = (1000, 700)
"""Of the screen, and of the window as it was kept: with a frame it would not fit, so it opens smaller."""
OPENED = fitting_size(SIZE, SIZE)
PATIENCE = 300.0
"""Seconds; at the first start the opponent's code is compiled."""

pytestmark = pytest.mark.skipif(bool(x_server.missing()), reason=x_server.missing() or "all is there")


def px(length: float) -> int:
    return max(round(length * scale_of(OPENED)), 1)


def square(number: int) -> Point:
    layout = game_layout(OPENED, px, 0, rows=3, tools=True)
    return BoardGeometry.within(layout.board, True).rect(number).centre


def until(happened: Callable[[], Any], process: subprocess.Popen[str]) -> Any:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        assert process.poll() is None, process.communicate()
        found = happened()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError("it has not happened")


@pytest.fixture
def display() -> Iterator[str]:
    with x_server.virtual_display(SIZE) as name:
        yield name


def moves(folder: Path) -> list[str]:
    """The moves of the game that the window keeps."""
    files = sorted((folder / "games").glob("*.json"))
    if not files:
        return []
    kept = json.loads(files[-1].read_text())
    return [str(move) for move in kept["moves"]]


def extra(folder: Path) -> dict[str, Any]:
    """What the window keeps beside the game."""
    files = sorted((folder / "games").glob("*.json"))
    return dict(json.loads(files[-1].read_text())["extra"]) if files else {}


def test_a_game_by_mouse_and_keyboard(tmp_path: Path, display: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SDL_")}
    environment |= {"DISPLAY": display, "CROWNHEAD_DATA_DIR": str(tmp_path), "SDL_AUDIODRIVER": "dummy"}
    environment["SDL_VIDEO_WINDOW_POS"] = "0,0"
    (tmp_path / "settings.json").write_text(json.dumps({"width": SIZE[0], "height": SIZE[1]}))
    command = [sys.executable, "main.py", "play", "material,depth=2", "--colour", "black"]
    hands = x_server.XHands(display)
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            until(hands.windows, process)
            time.sleep(1.0)  # it is there; let it draw
            hands.click(square(11))
            hands.click(square(15))
            first = until(lambda: len(found := moves(tmp_path)) == 2 and found, process)
            assert first[0] == "11-15"
            hands.drag(square(12), square(16))
            until(lambda: len(moves(tmp_path)) == 4, process)
            hands.key("u")
            until(lambda: moves(tmp_path) == first, process)
            for key in ("shift+r", "return", "w"):  # resign, and see what went wrong
                hands.key(key)
                time.sleep(1.0)
            review = until(lambda: extra(tmp_path).get("review"), process)
            assert review["moves"].split() == first
            assert len([each for each in review["chances"] if each is not None]) == 3
            for key in ("escape", "escape"):  # the review, the banner
                hands.key(key)
                time.sleep(1.0)
            for key in ("k", "escape", "a"):  # the explorer; then the list of all games
                hands.key(key)
                time.sleep(1.0)
            hands.key("delete")
            hands.key("return")
            until(lambda: not list((tmp_path / "games").glob("*.json")), process)
            hands.key("ctrl+q")
            process.wait(PATIENCE)
        finally:
            process.kill()
            out, err = process.communicate()
            hands.close()
    assert process.returncode == 0, (out, err)
    assert err == ""
    kept = json.loads((tmp_path / "settings.json").read_text())
    assert (kept["width"], kept["height"]) == SIZE
    assert kept["explorer"]


CLIPBOARD = """
import sys, time
import pygame
from gui.system import SystemClipboard
pygame.display.init()
pygame.display.set_mode((64, 64))
clipboard = SystemClipboard()
if sys.argv[1:]:
    print(clipboard.copy(sys.argv[1]) or "copied", flush=True)
    while True:
        pygame.event.pump()
        time.sleep(0.01)
print(clipboard.paste(), flush=True)
"""


def test_what_one_window_copies_another_one_pastes(display: str) -> None:
    quiet = {"DISPLAY": display, "PYGAME_HIDE_SUPPORT_PROMPT": "1", "PYTHONIOENCODING": "utf-8"}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SDL_")} | quiet
    command, how = [sys.executable, "-c", CLIPBOARD], {"cwd": ROOT, "env": environment, "encoding": "utf-8"}
    with running([*command, "1. 11-15 Grüße"], stdout=subprocess.PIPE, **how) as one:
        assert one.stdout is not None and one.stdout.readline() == "copied\n"
        other = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=True, **how)
        assert other.stdout == "1. 11-15 Grüße\n"
