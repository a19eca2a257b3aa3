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

from evolve.run import status
from evolve.run.folder import Run
from evolve.run.status import State
from gui.geometry import Point
from gui.look.canvas import scale_of
from gui.screens.play.layout import game_layout
from gui.screens.play.play import Play
from gui.storage.drills import NAME
from gui.widgets.board import BoardGeometry
from gui.window import fitting_size
from tests.gui import x_server
from tests.gui.hands import Hands
from tests.gui.review_helpers import game, think
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
    layout = game_layout(OPENED, px, 0, rows=3, tools=True)
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
            for key in ("b", "shift+h", "v"):  # chances, expected moves, scores of moves: the board stays where it is
                hands.key(key)
                settle(process.pid)
            hands.drag(square(12), square(16))
            until(lambda: len(moves(tmp_path)) == 4, process)
            hands.key("u")
            until(lambda: moves(tmp_path) == first, process)
            for key in ("shift+r", "return", "w"):  # resign, and see what went wrong
                hands.key(key)
                settle(process.pid)
            review = until(lambda: extra(tmp_path).get("review"), process)
            assert review["moves"].split() == first
            assert len([each for each in review["chances"] if each is not None]) == 3
            for key in ("escape",):  # the review
                hands.key(key)
                settle(process.pid)
            for key in ("k", "escape", "a"):  # the explorer; then the list of all games
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
    assert (kept["panel"], kept["evaluation_bar"], kept["see_thinking"]) == ("explorer", True, True)


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


SESSIONS = {
    "policy": "learning.samples=256\nlearning.batch=64\nlearning.validation=0.2\nlearning.test=0.2\nrating.every=0",
    "q-learning": "learning.games=6\nlearning.steps=8\nlearning.window=1\nlearning.look_ahead=1\nrating.every=0",
}


@pytest.mark.check
@pytest.mark.parametrize("preset", SESSIONS)
def test_a_network_learns_and_is_played_against(tmp_path: Path, display: str, preset: str) -> None:
    """Fill in the form, start, pause, stop and resume its session, and play against the network."""
    pytest.importorskip("optax")
    from extras.learning.tests.own_games import write_own_games

    runs, data = tmp_path / "runs", tmp_path / "data"
    data.mkdir()
    runs.mkdir()
    form = {"preset": preset, "generations": "400", "workers": "1", "settings": SESSIONS[preset]}
    if preset == "policy":
        form["games"] = str(write_own_games(tmp_path / "games.pdn", 40))
    kept = {"width": SIZE[0], "height": SIZE[1], "colour": "black"}
    kept |= {f"session_{name}": value for name, value in form.items()}
    (data / "settings.json").write_text(json.dumps(kept))
    (data / "keys.toml").write_text('stop = "f8"\n')
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SDL_")}
    environment |= {"DISPLAY": display, "CROWNHEAD_DATA_DIR": str(data), "SDL_AUDIODRIVER": "dummy"}
    environment["SDL_VIDEO_WINDOW_POS"] = "0,0"
    run = Run(runs / f"{preset}-1")
    hands = x_server.XHands(display)

    def press(*keys: str) -> None:
        for key in keys:
            hands.key(key)
            settle(process.pid)

    def resumed() -> bool:
        """Return whether the session goes on; the key works only once the window knows that it is paused."""
        if run.state()[0] is State.PAUSED:
            press("ctrl+p")
        return run.state()[0] is not State.PAUSED

    def stop(*keys: str) -> int:
        press(*keys)
        until(lambda: run.state()[0] is State.STOPPED, process)
        outcome = status.read(run.path)
        until(
            lambda: outcome is not None and not status.alive(outcome.pid), process
        )  # the window knows that it has ended
        return run.manifest().newest

    command = [sys.executable, "main.py", "play", "material,depth=1", "--colour", "black", "--runs", str(runs)]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            until(hands.windows, process)
            settle(process.pid)
            press("escape", "g", "ctrl+return")
            until(lambda: run.manifest().newest >= 1, process)
            press("ctrl+p")
            until(lambda: run.state()[0] is State.PAUSED, process)
            press("shift+q", "shift+l")  # the numbers, another curve, and on
            there = run.manifest().newest
            until(resumed, process)
            until(lambda: run.manifest().newest > there, process)
            stopped = stop("ctrl+e")
            press("c", "return")
            until(lambda: run.manifest().newest > stopped, process)
            stopped = stop("f8", "return")
            press("return")  # play against the newest
            settle(process.pid)
            hands.click(square(11))
            hands.click(square(15))
            result = until(lambda: len(result := moves(data)) == 2 and result, process)
            press("ctrl+q")
            process.wait(PATIENCE)
        finally:
            process.kill()
            out, err = process.communicate()
            hands.close()
    assert (process.returncode, err) == (0, ""), out
    assert result[0] == "11-15"
    (game,) = (json.loads(path.read_text()) for path in (data / "games").glob("*.json"))
    assert f"{preset}-1" in json.dumps(game)
    known = run.manifest()
    run.check(known)
    assert known.newest == stopped < 400
    assert run.config().learning.method.kind == preset
    log = run.log()
    assert len(log) == known.newest + 1
    assert log["loss"][1:].notna().all()


@pytest.mark.check
def test_the_family_of_an_opponent(tmp_path: Path, display: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SDL_")}
    environment |= {"DISPLAY": display, "CROWNHEAD_DATA_DIR": str(tmp_path), "SDL_AUDIODRIVER": "dummy"}
    environment["SDL_VIDEO_WINDOW_POS"] = "0,0"
    (tmp_path / "settings.json").write_text(json.dumps({"width": SIZE[0], "height": SIZE[1]}))
    command = [sys.executable, "main.py", "play", "crownhead-1", "--colour", "black"]
    hands, strip = x_server.XHands(display), game_layout(OPENED, px, 0, rows=3, tools=True)

    def plays(player: str) -> bool:
        """Return whether a game against a player has begun; the key works only once its weights have been read."""
        hands.key("p")
        settle(one.pid)
        return bool(json.loads((tmp_path / "settings.json").read_text()).get("opponent") == player)

    with running(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as one:
        try:
            until(hands.windows, one)
            settle(one.pid)
            family = strip.below if strip.below.y < strip.above.y else strip.above  # a person sits at the bottom
            hands.click((family.right - px(15), family.centre[1]))
            until(lambda: plays("crownhead-1@100:Gen100_0000"), one)
            for key in ("escape", "down", "down"):  # back to the family
                hands.key(key)
                settle(one.pid)
            until(lambda: plays("crownhead-1@98"), one)
            hands.key("ctrl+q")
            assert one.wait(PATIENCE) == 0
        finally:
            hands.close()
        assert one.stderr is not None and one.stderr.read() == ""


@pytest.mark.check
def test_all_runs(tmp_path: Path, display: str) -> None:
    """Tag runs, draw a chart, archive and delete by keyboard alone, and check the disk."""
    from evolve.run import notes
    from tests.logged_runs import make_logged_run

    runs, data = tmp_path / "runs", tmp_path / "data"
    made = [make_logged_run(runs, name, 20, seed) for seed, name in enumerate(("first", "second", "third"))]
    data.mkdir()
    (data / "settings.json").write_text(json.dumps({"width": SIZE[0], "height": SIZE[1]}))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SDL_")}
    environment |= {"DISPLAY": display, "CROWNHEAD_DATA_DIR": str(data), "SDL_AUDIODRIVER": "dummy"}
    environment["SDL_VIDEO_WINDOW_POS"] = "0,0"
    code = f"from pathlib import Path; from gui import entry_points; entry_points.home(Path({str(runs)!r}))"
    command = [sys.executable, "-c", code]
    hands = x_server.XHands(display)

    def press(*keys: str) -> None:
        for key in keys:
            hands.key(key)
            settle(one.pid)

    with running(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as one:
        try:
            until(hands.windows, one)
            settle(one.pid)
            press("shift+g")
            settle(one.pid)
            press("z", "home", "shift+#", "w", "return")  # by name, the first of them
            until(lambda: notes.read_of_run(made[0]).tags == ("w",), one)
            press("ctrl+a", "shift+x", "]", "ctrl+g", "ctrl+i", "escape", "escape")  # a chart
            press("down", "down", "ctrl+h")  # the last run
            until(lambda: notes.read_of_run(made[2]).archived, one)
            press("home", "delete")
            settle(one.pid)
            press("ctrl+return")
            until(lambda: not made[0].path.exists(), one)
            press("ctrl+q")
            assert one.wait(PATIENCE) == 0
        finally:
            hands.close()
        assert one.stderr is not None and one.stderr.read() == ""
    assert sorted(path.name for path in runs.iterdir()) == ["second", "third"]


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


@pytest.mark.check
def test_drill_ladder_opening_and_variation_in_a_small_window_with_large_text(tmp_path: Path, display: str) -> None:
    """Find the better move of a drill, lose a rated game, begin with an opening by name, and play a variation."""
    small, wanted = (640, 480), 1.5
    ready = Hands(tmp_path, small, colour="black", scale=wanted)
    ready.app.open(Play(ready.app, game()))
    ready.app.screen.key("w")
    think(ready)
    ready.app.go_home()
    ready.wait(3.0)
    data = ready.app.services.kept.data
    ready.app.services.close()
    settings = json.loads((data / "settings.json").read_text())
    (data / "settings.json").write_text(json.dumps(settings | {"width": small[0], "height": small[1]}))
    (data / "keys.toml").write_text('drills = "ctrl+j"\n')
    opened = fitting_size(small, SIZE)

    def scaled(length: float) -> int:
        return max(round(length * scale_of(opened, wanted)), 1)

    def at(number: int) -> Point:
        layout = game_layout(opened, scaled, 0, rows=3, tools=True)
        return BoardGeometry.within(layout.board, True).rect(number).centre

    def press(*keys: str) -> None:
        for key in keys:
            hands.key(key)
            settle(one.pid)

    def drills() -> Any:
        path = data / NAME
        return path.exists() and [right for right, _ in json.loads(path.read_text())["results"].values()]

    def begins() -> bool:
        """Return whether a rated game has begun; the key works only once the ladder has been read."""
        press("p")
        return rated.exists()

    rated = data / "rated_games.jsonl"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SDL_")}
    environment |= {"DISPLAY": display, "CROWNHEAD_DATA_DIR": str(data), "SDL_AUDIODRIVER": "dummy"}
    environment["SDL_VIDEO_WINDOW_POS"] = "0,0"
    hands, command = x_server.XHands(display), [sys.executable, "main.py"]
    with running(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as one:
        try:
            until(hands.windows, one)
            settle(one.pid)
            press("ctrl+j")  # a key of the user's own
            hands.click(at(9))
            hands.click(at(14))
            until(lambda: drills() == [1], one)
            press("space", "l")
            until(begins, one)
            press("shift+r", "return")
            until(lambda: '"points"' in rated.read_text(), one)
            press("escape", "escape", "n")
            settle(one.pid)
            press("shift+n")
            for letter in "fourteenth":
                hands.key(letter)
            press("return", "p")
            first = until(lambda: len(result := moves(data)) == 6 and result, one)
            assert first[:5] == ["11-15", "23-19", "8-11", "22-17", "4-8"]
            press("left", "left", "p")  # another move from here makes the later ones a variation
            hands.click(at(9))
            hands.click(at(14))
            until(lambda: len(result := moves(data)) == 6 and result[4] == "9-14", one)
            newest = sorted((data / "games").glob("*.json"))[-1].read_text()
            assert "variation" in newest and "4-8" in newest
            hands.key("ctrl+q")
            assert one.wait(PATIENCE) == 0
        finally:
            hands.close()
        assert one.stderr is not None and one.stderr.read() == ""
