"""The development of the first layer: pictures of rated generations in a tab of the session screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.run.runs import SHIPPED_RUNS
from gui.screens.sessions.pictures_panel import spread
from gui.screens.sessions.session import PICTURES, SessionScreen
from tests.gui.hands import Hands, Opened
from tests.runs import make_run


def show(opened: Opened, path: Path, **more: object) -> Hands:
    hands = opened(**more)
    screen = SessionScreen(hands.app, path)
    screen.show_tab(PICTURES)
    hands.app.open(screen)
    return hands


def shown(hands: Hands) -> list[int]:
    return [int(key.split(".")[1]) for key in hands.keys if key.startswith("pictures.") and key.endswith(".map")]


def test_rated_generations_side_by_side(opened: Opened) -> None:
    hands = show(opened, SHIPPED_RUNS / "crownhead-1")
    hands.until(lambda: shown(hands))
    assert shown(hands) == [0, 20, 50, 80, 100]
    assert [hands.widget(f"pictures.{number}.rating").text for number in (0, 100)] == ["1341", "1534"]
    maps = [hands.widget(f"pictures.{number}.map") for number in shown(hands)]
    assert len({one.scale for one in maps}) == 1
    assert maps[-1].pictures == hands.widget("kernels").pictures != maps[0].pictures
    assert hands.widget("pictures.100").chosen
    hands.click("pictures.20")
    assert hands.widget("slider").value == 20
    assert hands.widget("pictures.20").chosen and not hands.widget("pictures.100").chosen
    assert hands.widget("kernels").pictures == maps[1].pictures


def test_fewer_in_a_small_window(opened: Opened) -> None:
    hands = show(opened, SHIPPED_RUNS / "crownhead-1", size=(800, 600))
    hands.until(lambda: shown(hands))
    assert shown(hands) == [0, 50, 100]


def test_a_run_whose_weights_cannot_be_read(opened: Opened, tmp_path: Path) -> None:
    hands = show(opened, make_run(tmp_path, "none", 0).path)
    hands.wait(0.5)
    assert "pictures.none" in hands.keys and not shown(hands)


@pytest.mark.parametrize(
    ("count", "most", "expected"), [(0, 3, []), (1, 3, [0]), (3, 3, [0, 1, 2]), (8, 3, [0, 4, 7]), (8, 2, [0, 7])]
)
def test_spread(count: int, most: int, expected: list[int]) -> None:
    assert spread(list(range(count)), most) == expected
