"""The estimate of time and size in the form, before a session begins."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from extras.form.foresight import QUIET_SECONDS
from gui.look.canvas import Canvas
from gui.sessions import launch
from gui.toolkit import pygame
from gui.widgets.base import Label
from tests.gui.hands import Opened
from tests.gui.scenes.scenes import picture
from tests.gui.session_folder import Foreseen, Starts

ASK = launch.foresee


def test_estimate_begins_after_typing_ends(opened: Opened, foreseen: Foreseen) -> None:
    hands = opened()
    hands.key("g", "<everything>")
    hands.wait(QUIET_SECONDS + 0.3)
    assert foreseen.asked == [("evolve", "--preset=first", "--estimate", "--json")]
    assert "About 12 min on this machine" in hands.widget("foreseen").hint
    assert "85 MB of memory." in hands.widget("foreseen").hint
    hands.click("section.run")
    hands.click("generations")
    for letter in "123":
        hands.type(letter)
        hands.wait(QUIET_SECONDS / 3)
    assert len(foreseen.asked) == 1
    assert "12 min" not in hands.widget("foreseen").text  # the estimate for other values
    hands.wait(QUIET_SECONDS)
    assert foreseen.asked[1:] == [("evolve", "--preset=first", "--generations=123", "--estimate", "--json")]


def test_earlier_estimates_are_dropped(opened: Opened, foreseen: Foreseen) -> None:
    foreseen.running = True
    hands = opened()
    hands.key("g", "<everything>")
    hands.wait(QUIET_SECONDS + 0.3)
    assert "Playing a few games" in hands.widget("foreseen").text
    hands.click("section.run")
    hands.click("generations")
    hands.type("8")
    hands.wait(0.2)
    assert foreseen.ended == 1
    hands.wait(QUIET_SECONDS)
    assert foreseen.asked[-1][2] == "--generations=8"
    hands.key("escape", "escape")
    assert foreseen.ended == 2


def test_a_time_is_estimated_with_its_last_generation(opened: Opened, foreseen: Foreseen, starts: Starts) -> None:
    hands = opened()
    hands.key("g", "<everything>")
    hands.click("section.run")
    hands.click("minutes")
    hands.type("30")
    hands.wait(QUIET_SECONDS + 0.3)
    assert foreseen.asked == [("evolve", "--preset=first", "--minutes=30", "--estimate", "--json")]
    assert "about 30 minutes" in hands.widget("run.words").text
    hands.key("ctrl+return")
    assert starts.calls[0][2:] == ("--preset=first", "--minutes=30")


def test_a_time_is_refused_where_it_cannot_be_estimated(opened: Opened, starts: Starts) -> None:
    hands = opened()
    hands.key("g", "<everything>")
    hands.app.screen.section.form.values |= {"preset": "cowan-deep", "minutes": "30"}
    hands.key("ctrl+return")
    assert starts.calls == []
    assert "choose the last generation" in hands.widget("minutes.note").text


@pytest.mark.check
def test_a_real_process_answers(opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = ASK(["--preset=cowan", "--generations=1", f"--out={tmp_path}", "--estimate", "--json"], "evolve")
    end = time.monotonic() + 240
    while asked.running:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert asked.trouble == ""
    assert json.loads(asked.output)["words"]


@pytest.mark.parametrize("size", [(640, 480), (800, 600)])
def test_it_is_read_to_its_end_in_a_small_window(size: tuple[int, int], display: None) -> None:
    """It has fewer words there, and the tooltip has all of them."""
    app = picture("session-find", size)
    result = {widget.key: widget for widget in app.view()}
    canvas = Canvas(pygame.Surface(size), app.look)
    for key in ("section.run", "foreseen"):
        result[key].draw(canvas, app.screen.ui)
    assert canvas.elided == []
    foreseen = result["foreseen"]
    assert isinstance(foreseen, Label)
    assert "3.2 ms each" in foreseen.hint
    assert "3.2" not in foreseen.text
    assert foreseen.text.startswith(foreseen.hint[:11])
