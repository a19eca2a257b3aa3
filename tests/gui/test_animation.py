"""Animated pictures of games: their frames, texts and times."""

from __future__ import annotations

import io
from typing import Any

import pytest

from game.pdn.game import Game
from gui import animation
from gui.look.canvas import Canvas
from gui.model import pdn

Image = pytest.importorskip("PIL.Image")

GAME = """[Event "?"]
[Black "Ada"]
[White "A name that is much longer than a strip of a picture this small has room for"]
[Result "0-1"]

1. 11-15 23-19 2. 8-11 22-17 3. 15-18 19-15 4. 10x19 24x8 0-1
"""


@pytest.fixture
def game() -> Game:
    return pdn.to_game(pdn.read(GAME).model)


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
