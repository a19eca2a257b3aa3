"""The real window under a virtual X server, driven by a real mouse and keyboard, against a real opponent."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evolve.run import status
from evolve.run.folder import Run
from game import plain
from game.board import Position
from gui.display import fitting_size
from gui.geometry import Point
from gui.look.canvas import scale_of
from gui.screens.play.layout import game_layout
from gui.system import PICTURE_PROGRAMS
from gui.widgets.board_parts import BoardGeometry
from tests.gui import x_server
from tests.gui.hands import Hands
from tests.processes import running, settle

ROOT = Path(__file__).parents[2]
SIZE = (1000, 700)
"""Size of the screen, and of the window as saved: it would not fit with its frame, so it opens smaller."""
OPENED = fitting_size(SIZE, SIZE)
PATIENCE = 300.0
"""Seconds to wait; at the first start the opponent's code is compiled."""

pytestmark = pytest.mark.skipif(bool(x_server.missing()), reason=x_server.missing() or "all is there")


def px(length: float) -> int:
    return max(round(length * scale_of(OPENED)), 1)


def square(number: int) -> Point:
    layout = game_layout(OPENED, px)
    return BoardGeometry.within(layout.board, True).rect(number).centre


def until(happened: Callable[[], Any], process: subprocess.Popen[str]) -> Any:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        assert process.poll() is None, process.communicate()
        result = happened()
        if result:
            return result
        time.sleep(0.1)
    raise AssertionError("it has not happened")


@pytest.fixture
def display() -> Iterator[str]:
    with x_server.virtual_display(SIZE) as name:
        yield name


def moves(folder: Path) -> list[str]:
    """Return the moves of the game that the window has saved."""
    files = sorted((folder / "games").glob("*.json"))
    if not files:
        return []
    kept = json.loads(files[-1].read_text())
    return [str(move) for move in kept["moves"]]


def extra(folder: Path) -> dict[str, Any]:
    """Return the other values that the window has saved with the game."""
    files = sorted((folder / "games").glob("*.json"))
    return dict(json.loads(files[-1].read_text())["extra"]) if files else {}


@pytest.mark.check
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
            settle(process.pid)
            hands.click(square(11))
            hands.click(square(15))
            first = until(lambda: len(result := moves(tmp_path)) == 2 and result, process)
            assert first[0] == "11-15"
            for key in ("b", "i", "v"):  # chances, worth of pieces, scores of moves: the board stays where it is
                hands.key(key)
                settle(process.pid)
            hands.drag(square(12), square(16))
            until(lambda: len(moves(tmp_path)) == 4, process)
            hands.key("u")
            until(lambda: moves(tmp_path) == first, process)
            for key in ("ctrl+p", *"resign", "return", "return", "w"):  # resign by the palette, and see what went wrong
                hands.key(key)
                settle(process.pid)
            review = until(lambda: extra(tmp_path).get("review"), process)
            assert review["moves"].split() == first
            assert len([each for each in review["chances"] if each is not None]) == 3
            hands.key("escape")  # the review
            settle(process.pid)
            for key in ("m", "e"):  # no sounds; a picture of the end
                hands.key(key)
                settle(process.pid)
            if not any(shutil.which(program) for program, *_ in PICTURE_PROGRAMS):
                until(lambda: list((tmp_path / "pictures").glob("board-*.png")), process)
            for key in ("escape", "a"):  # the list of all games
                hands.key(key)
                settle(process.pid)
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
    assert not kept["sounds"]
    assert (kept["panel"], kept["evaluation_bar"], kept["worth"]) == ("analysis", True, True)


def test_the_first_move_on_the_first_screen(tmp_path: Path, display: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SDL_")}
    environment |= {"DISPLAY": display, "CROWNHEAD_DATA_DIR": str(tmp_path), "SDL_AUDIODRIVER": "dummy"}
    environment["SDL_VIDEO_WINDOW_POS"] = "0,0"
    (tmp_path / "settings.json").write_text(json.dumps({"width": SIZE[0], "height": SIZE[1]}))
    hands = x_server.XHands(display)
    rect = Hands(tmp_path / "apart", OPENED).widget("board").rect
    squares = BoardGeometry.within(rect, True)
    command = [sys.executable, "main.py"]
    with running(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as one:
        try:
            until(hands.windows, one)
            settle(one.pid)
            hands.drag(squares.rect(11).centre, squares.rect(15).centre)
            until(lambda: len(result := moves(tmp_path)) == 2 and result[0] == "11-15", one)  # Casual has answered
            hands.key("ctrl+q")
            assert one.wait(PATIENCE) == 0
        finally:
            hands.close()
        assert one.stderr is not None and one.stderr.read() == ""


def kept_game(folder: Path) -> dict[str, Any]:
    """Return the game that the window saved last."""
    files = sorted((folder / "games").glob("*.json"))
    return dict(json.loads(files[-1].read_text())) if files else {}


@pytest.mark.check
def test_an_evolving_opponent_survives_kills_of_its_session_and_of_the_window(tmp_path: Path, display: str) -> None:
    """Play a whole game by mouse; kill the session, then the window, and end the game in another one."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SDL_")}
    environment |= {"DISPLAY": display, "CROWNHEAD_DATA_DIR": str(tmp_path), "SDL_AUDIODRIVER": "dummy"}
    environment["SDL_VIDEO_WINDOW_POS"] = "0,0"
    settings = {"width": SIZE[0], "height": SIZE[1], "animation": "off", "evolving_pace": 2}
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    runs = tmp_path / "runs"
    runs.mkdir()
    run = runs / "living-1"
    hands = x_server.XHands(display)

    def session() -> int:
        there = status.read(run)
        return there.pid if there is not None and there.state not in status.ENDED else 0

    def play_a_move(one: subprocess.Popen[str]) -> None:
        """Drag the piece of the first legal move to where it lands, and wait for the answer."""
        values = {} if over() else kept_game(tmp_path)  # a new game is saved with its first move
        position = Position.from_fen(values["start"]) if values else Position.start()
        for text in values.get("moves", []):
            position = next(after for move, after in plain.successors(position) if str(move) == text)
        path = plain.legal_moves(position)[0].path
        hands.click(square(path[0]))
        for place in path[1:]:
            hands.click(square(place))
        count = len(values.get("moves", [])) + 2
        until(lambda: (values and over()) or (len(kept_game(tmp_path).get("moves", [])) >= count and not over()), one)

    def over() -> bool:
        return bool(kept_game(tmp_path).get("ending"))

    def generations() -> list[int]:
        notes = kept_game(tmp_path)["notes"]
        return [int(text.removeprefix("Gen ")) for ply in notes for kind, text in ply if text.startswith("Gen ")]

    play = [sys.executable, "main.py", "play", "--evolving", "--colour", "black", "--seed", "5", "--runs", str(runs)]
    with running(play, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as one:
        until(hands.windows, one)
        settle(one.pid)
        play_a_move(one)
        os.kill(until(session, one), signal.SIGKILL)
        for _ in range(2):
            play_a_move(one)
        until(lambda: Run(run).manifest().newest >= 4, one)
        play_a_move(one)
        last = session()
        one.send_signal(signal.SIGKILL)
        one.wait()
    before = generations()
    assert len(before) == 4 and before == sorted(before) and before[-1] > 0
    end = time.monotonic() + PATIENCE
    while status.is_locked(run) or session() == last:  # it makes what it owes, and ends
        assert time.monotonic() < end
        time.sleep(0.1)
    newest = Run(run).manifest().newest
    assert newest >= before[-1]

    home = [sys.executable, "main.py"]
    with running(home, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as two:
        try:
            until(hands.windows, two)
            settle(two.pid)
            hands.key("c")
            settle(two.pid)
            while not over():
                play_a_move(two)
            whole = generations()
            hands.key("r")  # a rematch, against what it has become
            settle(two.pid)
            play_a_move(two)
            hands.key("ctrl+q")
            assert two.wait(PATIENCE) == 0
        finally:
            hands.close()
        assert two.stderr is not None and two.stderr.read() == ""
    assert whole[:4] == before and whole[4] >= newest and whole == sorted(whole) and len(whole) > 8
    assert generations()[0] >= whole[-1]


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


def test_text_copied_in_one_window_is_pasted_in_another(display: str) -> None:
    quiet = {"DISPLAY": display, "PYGAME_HIDE_SUPPORT_PROMPT": "1", "PYTHONIOENCODING": "utf-8"}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SDL_")} | quiet
    command, how = [sys.executable, "-c", CLIPBOARD], {"cwd": ROOT, "env": environment, "encoding": "utf-8"}
    with running([*command, "1. 11-15 Grüße"], stdout=subprocess.PIPE, **how) as one:
        assert one.stdout is not None and one.stdout.readline() == "copied\n"
        other = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=True, **how)
        assert other.stdout == "1. 11-15 Grüße\n"
