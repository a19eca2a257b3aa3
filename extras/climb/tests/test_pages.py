"""The climb as a page, which needs the extra for exports, and as an animation: data and errors."""

from __future__ import annotations

import io
import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import extras
from extras.climb.screen import Climb
from gui.rating.record import TITLE
from tests.called import Call, call_program
from tests.gui.hands import Opened
from tests.gui.rated_helpers import climbed
from tests.gui.sharing_helpers import shared

page = pytest.mark.skipif("html" not in extras.formats("game"), reason="no extra writes pages")


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return partial(call_program, capfd, "pdn")


def data_of(page: str) -> Any:
    (text,) = re.findall(r'<script type="application/json" id="game">(.*?)</script>', page, re.S)
    return json.loads(text)


@page
def test_the_climb_is_written_as_a_page(opened: Opened, tmp_path: Path) -> None:
    hands = opened()
    hands.app.services.store.set("folder", str(tmp_path))
    hands.app.open(Climb(hands.app))
    hands.wait(0.1)
    hands.key("<share>")
    assert isinstance(hands.app.screen, Climb)  # there are no rated games yet
    climbed(hands.app.services.kept.data)
    hands.until(lambda: len(hands.app.services.career.results) == 2)
    assert shared(hands, "climb.html").startswith("Saved as")
    data = data_of((tmp_path / "climb.html").read_text(encoding="utf-8"))
    assert len(data["climb"]["games"]) == 2 and len(data["games"]) == 1


@page
def test_a_climb(tmp_path: Path, call: Call) -> None:
    climbed(tmp_path / "data" / "crownhead")
    done = call("html", "--climb", "-o", "climb.html")
    assert (done.code, done.err) == (0, "") and done.out.startswith("climb.html: 2 rated games, ")
    data = data_of(Path("climb.html").read_text(encoding="utf-8"))
    (game,) = data["games"]
    assert (data["title"], game["rated"], len(data["climb"]["values"])) == (TITLE, 0, 3)
    won, lost = (each["text"] for each in data["climb"]["games"])
    assert won.startswith("Won against Beginner; rating ") and lost.startswith("Lost against Beginner; rating ")
    before, first, second = data["climb"]["values"]
    assert first > second and first > before
    assert data["climb"]["low"][1] < first < data["climb"]["high"][1]


def test_an_animated_climb(tmp_path: Path, call: Call) -> None:
    image = pytest.importorskip("PIL.Image")
    climbed(tmp_path / "data" / "crownhead")
    assert call("gif", "--climb", "-o", "climb.gif", "--size", "240").code == 0
    assert image.open(io.BytesIO(Path("climb.gif").read_bytes())).n_frames == 3


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("gif", "--climb", "-o", "x.gif"), "there are no rated games"),
        (("gif", "games.pdn", "--climb", "-o", "x.gif"), "FILE: not with --climb"),
        (("gif", "--climb", "--review", "-o", "x.gif"), "--review: not with --climb"),
        (("gif", "--climb", "--game", "0", "-o", "x.gif"), "--game: not with --climb"),
        (("gif", "--climb", "--flip", "-o", "x.gif"), "--flip: a climb has no board"),
        (("gif", "--climb", "-o", "x.png"), "x.png: expected a name that ends in .gif"),
    ],
)
def test_mistakes_are_one_line(arguments: tuple[str, ...], error: str, call: Call) -> None:
    done = call(*arguments)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert error in done.err
    assert list(Path().glob("*.*")) == []
