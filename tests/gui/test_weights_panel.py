"""The weights of champions side by side: which generations, what they mean, and the choice of one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.run.runs import SHIPPED_RUNS
from game.networks.first_layer import Picture
from gui.screens.sessions.session import SessionScreen
from gui.screens.weights import MEANINGS, OTHER, meaning, steps
from tests.gui.hands import Hands, Opened
from tests.runs import make_run


def show(opened: Opened, path: Path, **more: object) -> Hands:
    hands = opened(**more)
    screen = SessionScreen(hands.app, path)
    hands.app.open(screen)
    hands.until(lambda: screen.newest >= 0 or not screen.run.busy)
    hands.wait(0.3)
    return hands


def shown(hands: Hands) -> list[int]:
    return [int(key.split(".")[1]) for key in hands.keys if key.startswith("weights.") and key.count(".") == 1]


def test_generations_side_by_side_share_a_scale(opened: Opened) -> None:
    hands = show(opened, SHIPPED_RUNS / "crownhead-1")
    numbers = shown(hands)
    assert numbers == [0, 32, 64, 96, 100]
    maps = [hands.widget(f"weights.{number}.map") for number in numbers[:-1]] + [hands.widget("kernels")]
    assert len({one.scale for one in maps}) == 1
    assert maps[-1].pictures != maps[0].pictures
    assert hands.widget("weights.100").chosen and not hands.widget("weights.32").chosen
    hands.click("weights.32")
    assert hands.widget("slider").value == 32
    assert hands.widget("kernels").pictures == maps[1].pictures
    assert shown(hands)[-1] == 32


def test_a_small_window_has_fewer(opened: Opened) -> None:
    hands = show(opened, SHIPPED_RUNS / "crownhead-1", size=(800, 600))
    assert shown(hands) == [0, 64, 100]


def test_a_run_of_one_network_has_them_on_a_tab(opened: Opened) -> None:
    hands = show(opened, SHIPPED_RUNS / "zero")
    assert shown(hands) == []
    screen = hands.app.screen
    assert isinstance(screen, SessionScreen)
    screen.show_tab(screen.tabs.index("Weights"))
    hands.app.redraw()
    hands.until(lambda: hands.widget("kernels").pictures)


def test_a_run_whose_weights_cannot_be_read(opened: Opened, tmp_path: Path) -> None:
    hands = show(opened, make_run(tmp_path, "none", 0).path)
    assert shown(hands) == []
    assert hands.widget("kernels").empty == "The champion's weights appear here."


def test_pictures_have_a_meaning_in_plain_words() -> None:
    rows = ((1.0,),)
    assert meaning([Picture("filter 3", rows)]) == MEANINGS["filter"]
    assert meaning([Picture("men in the opening", rows)]) == MEANINGS["men"]
    assert meaning([Picture("all weights", rows)]) == OTHER


@pytest.mark.parametrize(
    ("generation", "most", "expected"),
    [
        (0, 5, [0]), (1, 5, [0, 1]), (4, 5, [0, 1, 2, 3, 4]), (5, 5, [0, 2, 4, 5]), (64, 5, [0, 16, 32, 48, 64]),
        (65, 5, [0, 32, 64, 65]), (65, 3, [0, 64, 65]), (65, 2, [0, 65]), (65, 1, [65]), (65, 0, [65]),
    ],
)  # fmt: skip
def test_generations_stay_while_a_run_grows(generation: int, most: int, expected: list[int]) -> None:
    assert steps(generation, most) == expected
