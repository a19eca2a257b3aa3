"""The real window under a virtual X server, driven by a real mouse and keyboard, against a real opponent."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from evolve.run import status
from evolve.run.folder import Run
from evolve.run.runs import SHIPPED_RUNS
from game import plain
from game.board import Position
from game.moves import Move
from gui.display import fitting_size
from gui.geometry import Point
from gui.look.canvas import scale_of
from gui.rating.rating import level_opponents
from gui.screens.play.layout import game_layout
from gui.screens.play.play import Play
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
def real_display() -> Iterator[str]:
    with x_server.virtual_display(SIZE) as name:
        yield name


def kept_game(folder: Path) -> dict[str, Any]:
    """Return the game that the window saved last."""
    files = sorted((folder / "games").glob("*.json"))
    return dict(json.loads(files[-1].read_text())) if files else {}


def moves(folder: Path) -> list[str]:
    return [str(move) for move in kept_game(folder).get("moves", [])]


def first_path(game: dict[str, Any]) -> tuple[int, ...]:
    """Return the squares of the first legal move in the last position of a game."""
    position = Position.from_fen(game["start"]) if game else Position.start()
    for text in game.get("moves", []):
        position = next(after for move, after in plain.successors(position) if str(move) == text)
    return plain.legal_moves(position)[0].path


def environment_of(data: Path, display: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SDL_")}
    own = {"DISPLAY": display, "CROWNHEAD_DATA_DIR": str(data)}
    return kept | own | {"SDL_AUDIODRIVER": "dummy", "SDL_VIDEO_WINDOW_POS": "0,0"}


@dataclass
class Person:
    """A person at a real window, with a mouse and a keyboard."""

    hands: x_server.XHands
    process: subprocess.Popen[str]
    data: Path

    def keys(self, *names: str) -> None:
        """Press keys, each once the window rests; a name that begins with ``=`` is a text to type."""
        for name in names:
            for key in name[1:] if name[0] == "=" else [name]:
                self.hands.key("space" if key == " " else key)
            settle(self.process.pid)

    def click(self, widget: str, *way: str) -> None:
        """Click where a window without a display has a widget, after the keys of the same way to it."""
        mirror = Hands(self.data.with_name("mirror"), OPENED, SHIPPED_RUNS)
        mirror.key(*way)
        mirror.wait(0.5)
        self.hands.click(mirror.widget(widget).rect.centre)
        settle(self.process.pid)

    def touch(self, *squares: int) -> None:
        for number in squares:
            self.hands.click(square(number))
        settle(self.process.pid)

    def first_move(self) -> dict[str, Any]:
        """Make a move in the game on the board, wait for an answer, and return what was saved."""
        self.touch(11, 15)
        until(lambda: len(moves(self.data)) == 2, self.process)
        return kept_game(self.data)


@pytest.fixture
def sit(tmp_path: Path, display: None, real_display: str) -> Any:
    """Return a context in which a person sits at a window, which closes without a message afterwards."""

    @contextlib.contextmanager
    def sit_down(*arguments: str, **more: str) -> Iterator[Person]:
        data = tmp_path / "data"
        data.mkdir(exist_ok=True)
        settings = data / "settings.json"
        known = json.loads(settings.read_text()) if settings.exists() else {}
        settings.write_text(json.dumps(known | {"width": SIZE[0], "height": SIZE[1]}))
        hands, command = x_server.XHands(real_display), [sys.executable, "main.py", *arguments]
        environment = environment_of(data, real_display) | more
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        with running(command, cwd=ROOT, env=environment, **pipes) as process:
            try:
                until(hands.windows, process)
                settle(process.pid)
                yield Person(hands, process, data)
                hands.key("ctrl+q")
                assert process.wait(PATIENCE) == 0
            finally:
                hands.close()
            assert process.stderr is not None and process.stderr.read() == ""

    return sit_down


@pytest.mark.check
def test_a_game_by_mouse_and_keyboard(sit: Any) -> None:
    with sit("play", "material,depth=2", "--colour", "black") as person:
        data, process = person.data, person.process
        first = person.first_move()["moves"]
        assert first[0] == "11-15"
        person.keys("b", "i", "v")  # chances, worth of pieces, scores of moves: the board stays where it is
        person.hands.drag(square(12), square(16))
        until(lambda: len(moves(data)) == 4, process)
        person.keys("u")
        until(lambda: moves(data) == first, process)
        person.keys("ctrl+p", "=resign", "return", "return", "w")  # resign by the palette, and see what went wrong
        review = until(lambda: kept_game(data)["extra"].get("review"), process)
        assert review["moves"].split() == first
        assert len([each for each in review["chances"] if each is not None]) == 3
        person.keys("escape", "m", "e")  # no sounds; a picture of the end
        if not any(shutil.which(program) for program, *_ in PICTURE_PROGRAMS):
            until(lambda: list((data / "pictures").glob("board-*.png")), process)
        person.keys("escape", "a", "delete", "return")  # from the list of all games
        until(lambda: not list((data / "games").glob("*.json")), process)
    kept = json.loads((data / "settings.json").read_text())
    assert (kept["width"], kept["height"]) == SIZE
    assert not kept["sounds"]
    assert (kept["panel"], kept["evaluation_bar"], kept["worth"]) == ("analysis", True, True)


@pytest.mark.check
def test_a_character_is_chosen_from_its_cards_and_has_its_name_at_the_board(sit: Any) -> None:
    with sit() as person:
        person.keys("n", "3", "home")
        person.click("play", "n", "3")  # the characters
        person.keys("down", "p")
        seats = person.first_move()["seats"]
    assert seats[1][0].startswith("cast@162:Gen162_") and seats[1][3].startswith("The ")


@pytest.mark.check
def test_opponents_are_found_by_any_name_that_is_displayed(sit: Any) -> None:
    with sit() as person:
        person.keys("n", "/", "=generation 40", "return", "p")
        seats = person.first_move()["seats"]
    assert seats[1][3].startswith("Generation 40 of ")


@pytest.mark.check
def test_a_session_begins_with_one_click(sit: Any, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    with sit("play", "material,depth=1", "--runs", str(runs)) as person:
        person.keys("escape", "g")
        person.click("do.minute", "g")
        (run,) = until(lambda: [one for one in runs.glob("first*") if status.read(one)], person.process)
        os.kill(until(lambda: status.read(run), person.process).pid, signal.SIGTERM)
        until(lambda: not status.is_locked(run), person.process)


def test_a_game_is_played_with_the_mouse_alone(sit: Any) -> None:
    with sit() as person:
        flipped = person.first_move()["extra"]["flipped"]
        person.click("do.undo", "p")
        until(lambda: not moves(person.data), person.process)
        person.click("do.flip", "p")
        person.touch(33 - 11, 33 - 15)  # the board has turned around
        until(lambda: len(moves(person.data)) == 2, person.process)
        assert kept_game(person.data)["extra"]["flipped"] != flipped


@pytest.mark.check
def test_the_end_of_a_rated_game_is_counted_and_leads_to_the_next_rung(sit: Any, tmp_path: Path) -> None:
    before, (_, beginner, casual, *_) = Hands(tmp_path, OPENED, SHIPPED_RUNS), level_opponents()
    career = before.app.services.career
    career.finish(career.game_of(career.begin(beginner)), 1)
    before.wait(0.5)
    model = career.begin(beginner)
    winning = _played_until_the_last_move(model)
    before.app.open(Play(before.app, model))
    before.wait(1.0)
    before.app.quit()
    before.app.services.close()
    with sit() as person:
        person.keys("c")
        person.touch(*winning)
        until(lambda: kept_game(person.data).get("ending"), person.process)
        person.keys("l", "p")  # the next rung
    *_, counted, next_one = map(json.loads, (person.data / "rated_games.jsonl").read_text().splitlines())
    assert counted["event"] == "rating" and next_one["opponent"]["player"] == casual.player


def _played_until_the_last_move(model: Any) -> tuple[int, ...]:
    """Play moves by chance until the person can win at once, and return the squares of that move."""
    for seed in range(1000):
        draw, position, played, side = random.Random(seed), model.last, list[Move](), len(model.plies) % 2
        while len(played) < 150 and (choices := plain.successors(position)):
            wins = [move for move, after in choices if not plain.legal_moves(after)]
            if wins and model.seats[side].human:
                for move in played:
                    model.play(move)
                return tuple(33 - number if side else number for number in wins[0].path)
            move, position = draw.choice(choices)
            played.append(move)
            side = 1 - side
    raise AssertionError("no game was won")


@pytest.mark.check
def test_the_family_of_an_opponent_leads_to_a_game_against_an_ancestor(sit: Any) -> None:
    with sit("play", "cowan-deep,depth=1", "--colour", "black") as person:
        person.keys("ctrl+p", "=family", "return", "end", "p")
        seats = person.first_move()["seats"]
    assert seats[1][0] == "cowan-deep@0"


@pytest.mark.check
def test_recorded_games_are_found_by_their_opening_and_played_on(sit: Any, tmp_path: Path) -> None:
    games = tmp_path / "games.pdn"
    names = '[White "{}"]\n\n1. {} *\n\n'
    games.write_text(names.format("Anna", "11-15 23-19") + names.format("Bert", "10-15 21-17"))
    with sit("play", "--open", str(games)) as person:
        person.keys("/", "=kelso", "down", "p", "p")
        until(lambda: moves(person.data)[:2] == ["10-15", "21-17"], person.process)


@pytest.mark.check
def test_sounds_are_heard_until_they_are_switched_off(sit: Any, tmp_path: Path) -> None:
    heard = tmp_path / "heard.raw"
    with sit(SDL_AUDIODRIVER="disk", SDL_DISKAUDIOFILE=str(heard)) as person:
        game = person.first_move()
        until(lambda: any(heard.read_bytes()), person.process)
        person.keys("m")
        size = heard.stat().st_size
        person.touch(*first_path(game))
        until(lambda: len(moves(person.data)) == 4, person.process)
        assert not any(heard.read_bytes()[size + 50_000 :])


@pytest.mark.check
def test_an_evolving_opponent_survives_kills_of_its_session_and_of_the_window(
    tmp_path: Path, real_display: str
) -> None:
    """Play a whole game by mouse; kill the session, then the window, and end the game in another one."""
    environment = environment_of(tmp_path, real_display)
    settings = {"width": SIZE[0], "height": SIZE[1], "animation": "off", "evolving_pace": 2}
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    runs = tmp_path / "runs"
    runs.mkdir()
    run = runs / "living-1"
    hands = x_server.XHands(real_display)

    def session() -> int:
        there = status.read(run)
        return there.pid if there is not None and there.state not in status.ENDED else 0

    def play_a_move(one: subprocess.Popen[str]) -> None:
        """Drag the piece of the first legal move to where it lands, and wait for the answer."""
        values = {} if over() else kept_game(tmp_path)  # a new game is saved with its first move
        path = first_path(values)
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


def test_text_copied_in_one_window_is_pasted_in_another(real_display: str) -> None:
    quiet = {"DISPLAY": real_display, "PYGAME_HIDE_SUPPORT_PROMPT": "1", "PYTHONIOENCODING": "utf-8"}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SDL_")} | quiet
    command, how = [sys.executable, "-c", CLIPBOARD], {"cwd": ROOT, "env": environment, "encoding": "utf-8"}
    with running([*command, "1. 11-15 Grüße"], stdout=subprocess.PIPE, **how) as one:
        assert one.stdout is not None and one.stdout.readline() == "copied\n"
        other = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=True, **how)
        assert other.stdout == "1. 11-15 Grüße\n"
