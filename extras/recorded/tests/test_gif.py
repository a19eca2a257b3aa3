"""Animated pictures of games on the command line (``pdn gif``)."""

from __future__ import annotations

import importlib.util
from functools import partial
from pathlib import Path

import pytest

from tests.called import Call, call_program
from tests.gui.test_animation import GAME, frames

pytest.importorskip("PIL.Image")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "games.pdn").write_text(f'{GAME}\n[Event "?"]\n[FEN "W:W18:BK1"]\n\n1. 18-15 *\n', encoding="utf-8")
    return tmp_path / "games.pdn"


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, file: Path) -> Call:
    monkeypatch.chdir(file.parent)
    return partial(call_program, capfd, "pdn", "gif")


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
