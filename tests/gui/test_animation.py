"""Animated pictures of games: their frames, texts and times, and the errors of ``pdn gif``."""

from __future__ import annotations

import importlib.util
import io
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from game.pdn.check import load_record
from game.pdn.game import Game
from gui import animation
from gui.look.canvas import Canvas
from tests.called import Call, call_program

Image = pytest.importorskip("PIL.Image")

GAME = """[Event "?"]
[Black "Ada"]
[White "A name that is much longer than a strip of a picture this small has room for"]
[Result "0-1"]

1. 11-15 23-19 2. 8-11 22-17 3. 15-18 19-15 4. 10x19 24x8 0-1
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "games.pdn").write_text(f'{GAME}\n[Event "?"]\n[FEN "W:W18:BK1"]\n\n1. 18-15 *\n', encoding="utf-8")
    return tmp_path / "games.pdn"


@pytest.fixture
def game(file: Path) -> Game:
    game = load_record(file).game
    assert game is not None
    return game


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, file: Path) -> Call:
    monkeypatch.chdir(file.parent)
    return partial(call_program, capfd, "pdn", "gif")


def opened(data: bytes) -> Any:
    return Image.open(io.BytesIO(data))


def frames(data: bytes) -> list[tuple[Any, int]]:
    picture = opened(data)
    pictures = []
    for number in range(picture.n_frames):
        picture.seek(number)
        pictures.append((picture.convert("RGB"), picture.info["duration"]))
    return pictures


def test_each_position_is_a_frame_and_the_last_stays(game: Game) -> None:
    data = animation.gif(game, 200, 0.5)
    drawn = frames(data)
    assert [milliseconds for _, milliseconds in drawn] == [500] * 8 + [2000]
    assert {picture.size for picture, _ in drawn} == {(200, 234)}
    assert len({picture.tobytes() for picture, _ in drawn}) == 9
    assert opened(data).info["loop"] == 0
    assert data == animation.gif(game, 200, 0.5)


def test_a_flipped_board_has_white_at_the_top(game: Game) -> None:
    def brightness(picture: Any, top: int, bottom: int) -> float:
        part = picture.convert("L").crop((20, top, 380, bottom))
        return sum(part.tobytes()) / (part.width * part.height)

    for flip in (False, True):
        picture = frames(animation.gif(game, 400, flip=flip))[0][0]
        assert (brightness(picture, 40, 180) > brightness(picture, 290, 430)) is flip


def test_the_strips_have_names_moves_and_the_result(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = []
    draw = Canvas.text

    def noted(canvas: Canvas, text: str, *given: Any, **named: Any) -> Any:
        texts.append(text)
        return draw(canvas, text, *given, **named)

    monkeypatch.setattr(Canvas, "text", noted)
    animation.gif(game, 120)
    names = {"Ada", dict(game.tags)["White"], ""}
    assert [text for text in texts if text not in names] == [
        *("1. 11-15", "1... 23-19", "2. 8-11", "2... 22-17", "3. 15-18", "3... 19-15", "4. 10x19", "White wins")
    ]
    assert texts.count("Ada") == 9


def test_unfinished_game_begun_by_white(call: Call) -> None:
    done = call("games.pdn", "--game", "2", "--out", "second.GIF", "--size", "120")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("second.GIF: 1 ply, ")
    assert len(frames(Path("second.GIF").read_bytes())) == 2


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("games.pdn", "-o", "x.png"), "x.png: expected a name that ends in .gif"),
        (("none.pdn", "-o", "x.gif"), "none.pdn: there is no such file"),
        (("games.pdn", "-o", "x.gif", "--game", "3"), "games.pdn: there is no game 3, the file has 2"),
        (("games.pdn", "-o", "x.gif", "--size", "10"), "--size: expected 120 to 1600 pixels, got 10"),
        (("games.pdn", "-o", "x.gif", "--delay", "nan"), "--delay: expected 0.02 to 60 seconds, got nan"),
        (("games.pdn", "-o", "none/x.gif"), "none/"),
        (("games.pdn",), "the following arguments are required: -o/--out"),
    ],
)
def test_mistakes_are_one_line(arguments: tuple[str, ...], error: str, call: Call) -> None:
    done = call(*arguments)
    assert (done.code in (2, 74), done.out, done.err.count("\n")) == (True, "", 1)
    assert error in done.err
    assert [path.name for path in Path().iterdir()] == ["games.pdn"]


def test_missing_pillow_is_reported_in_one_line(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "PIL" else find(name))
    done = call("games.pdn", "-o", "x.gif")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "a GIF needs Pillow: python -m pip install --require-hashes -r requirements/figures.txt" in done.err
