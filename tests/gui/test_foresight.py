"""The estimate of time and size in the form, before a session begins."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from gui.look.canvas import Canvas
from gui.sessions import launch
from gui.sessions.launch import QUIET_SECONDS
from gui.toolkit import pygame
from gui.widgets.base import Label
from tests.gui.hands import Opened
from tests.gui.scenes.scenes import picture
from tests.gui.session_folder import Foreseen, Starts

ASK = launch.foresee


def test_estimate_begins_after_typing_ends(opened: Opened, foreseen: Foreseen) -> None:
    hands = opened()
    hands.key("g")
    hands.wait(QUIET_SECONDS + 0.3)
    assert foreseen.asked == [("evolve", "--preset=first", "--estimate", "--json")]
    assert "About 12 min on this machine" in hands.widget("foreseen").text
    assert "85 MB of memory." in hands.widget("foreseen").text
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
    hands.key("g")
    hands.wait(QUIET_SECONDS + 0.3)
    assert "Playing a few games" in hands.widget("foreseen").text
    hands.click("generations")
    hands.type("8")
    hands.wait(0.2)
    assert foreseen.ended == 1
    hands.wait(QUIET_SECONDS)
    assert foreseen.asked[-1][2] == "--generations=8"
    hands.key("escape", "escape")
    assert foreseen.ended == 2


def takes(foreseen: Foreseen, seconds: float | None, generations: int = 112) -> None:
    answer = {"seconds": seconds, "generations": generations, "words": ["about"], "brief": ["about"]}
    foreseen.output = json.dumps(answer)


def test_a_chosen_time_sets_preset_and_last_generation(opened: Opened, foreseen: Foreseen, starts: Starts) -> None:
    """The field is written once, by one estimate, which the words belong to."""
    hands = opened()
    hands.key("g")
    assert hands.widget("duration").chosen == -1
    takes(foreseen, 7150.0, 3991)
    hands.widget("duration").pick(1)
    hands.key("ctrl+return")
    assert starts.calls == []
    assert "as soon as the last generation is estimated" in hands.app.said
    hands.wait(QUIET_SECONDS + 0.2)
    assert starts.calls[0][2:] == ("--preset=blondie24", "--generations=3991", "--minutes=120")
    assert foreseen.asked == [("evolve", "--preset=blondie24", "--minutes=120", "--estimate", "--json")]


def test_the_last_generation_follows_other_values_of_a_chosen_time(opened: Opened, foreseen: Foreseen) -> None:
    hands = opened()
    hands.key("g")
    takes(foreseen, 61.0, 97)
    hands.widget("duration").pick(0)
    hands.wait(QUIET_SECONDS + 0.3)
    assert hands.widget("generations").value == "97"
    takes(foreseen, 59.0, 60)
    hands.click("workers")
    hands.type("1")
    hands.wait(QUIET_SECONDS + 0.3)
    assert hands.widget("generations").value == "60"
    assert foreseen.asked[-1] == ("evolve", "--preset=first", "--workers=1", "--minutes=1", "--estimate", "--json")
    hands.wait(2 * QUIET_SECONDS)
    assert len(foreseen.asked) == 2  # the field that was written changes nothing


def test_generations_of_a_chosen_time_are_shown(opened: Opened, foreseen: Foreseen, starts: Starts) -> None:
    hands = opened()
    hands.key("g")
    takes(foreseen, 6900.0)
    hands.widget("duration").pick(1)
    hands.key("ctrl+return")
    hands.click("name")
    hands.type("mine")  # a change of the form takes the wish back
    hands.wait(2 * QUIET_SECONDS + 0.5)
    assert hands.widget("duration.said").text == "Expected: about 1 h 55 min. You can change every value below."
    assert starts.calls == []


def test_an_own_last_generation_or_an_unknown_time_ends_the_choice(opened: Opened, foreseen: Foreseen) -> None:
    hands = opened()
    hands.key("g")
    takes(foreseen, 60.0)
    hands.widget("duration").pick(0)
    hands.wait(QUIET_SECONDS + 0.3)
    hands.click("generations")
    hands.key("ctrl+a")
    hands.type("7")
    assert hands.widget("duration").chosen == -1
    hands.wait(QUIET_SECONDS + 0.3)
    assert hands.widget("generations").value == "7"
    takes(foreseen, None)
    hands.widget("duration").pick(2)
    hands.wait(QUIET_SECONDS + 0.3)
    assert hands.widget("duration").chosen == -1
    assert "choose the last generation yourself" in hands.app.said


@pytest.mark.check
def test_a_real_process_answers(opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = ASK(["--preset=cowan", "--generations=1", f"--out={tmp_path}", "--estimate", "--json"], "evolve")
    end = time.monotonic() + 240
    while asked.running:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert asked.trouble == ""
    assert json.loads(asked.output)["words"]


@pytest.mark.parametrize(("scene", "size"), [("session-find", (640, 480)), ("session-time", (800, 600))])
def test_it_is_read_to_its_end_in_a_small_window(scene: str, size: tuple[int, int], display: None) -> None:
    app = picture(scene, size)
    result = {widget.key: widget for widget in app.view()}
    canvas = Canvas(pygame.Surface(size), app.look)
    for key in ("about", "foreseen"):
        result[key].draw(canvas, app.screen.ui)
    assert canvas.elided == []
    foreseen = result["foreseen"]
    assert isinstance(foreseen, Label)
    assert "3.2 ms each" in foreseen.hint
    assert foreseen.text == foreseen.hint or "3.2" not in foreseen.text
    assert foreseen.text.startswith(foreseen.hint[:11])
