"""Weights as pictures: every weight in its place, one scale, champions side by side."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evolve.config import toml
from evolve.run.runs import SHIPPED_RUNS
from extras.weights.tab import pictures_of, steps
from extras.weights.weight_map import WeightMap, places
from game.networks.first_layer import Picture, first_layer
from gui.geometry import Rect
from gui.look.canvas import Canvas, Fonts, Look
from gui.look.theme import LIGHT
from gui.runs.live_run import LiveRun
from gui.screens.sessions.session import SessionScreen
from gui.toolkit import pygame
from gui.widgets.base import Ui
from tests.gui.hands import Hands, Opened
from tests.gui.session_folder import SessionFolder
from tests.runs import make_run


def test_pictures_are_as_large_as_they_fit_and_apart() -> None:
    pictures = [Picture(str(n), ((0.0,) * 3,) * 3) for n in range(10)]
    room = Rect(5, 7, 300, 200)
    cell, areas = places(room, pictures, 6, 12)
    assert cell > 10
    assert all(area.inside(room) for area in areas)
    assert not any(a.meets(b) for a in areas for b in areas if a is not b)
    assert places(room, [], 6, 12) == (0, [])
    wide = places(Rect(5, 7, 300, 60), pictures[:2], 6, 12)[1]
    assert (wide[0].x, wide[1].x) == (5, 158)  # spread over the width, so that titles have room


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ((300, 140), {"men", "kings", "their men", "their kings", *"12345678"}),
        ((340, 600), {"men", "kings", "their men", "their kings", *(f"filter {n}" for n in range(1, 9))}),
        ((900, 300), {"men", "kings", "their men", "their kings", *(f"filter {n}" for n in range(1, 9))}),
    ],
)
def test_pictures_of_a_grid_share_their_words_where_titles_have_no_room(
    display: None, size: tuple[int, int], words: set[str]
) -> None:
    spec = toml.load("cowan-deep").network
    pictures = first_layer(np.arange(spec.weights), spec)
    canvas, ui = Canvas(pygame.Surface(size), Look(LIGHT, 1.0, Fonts())), Ui()
    widget = WeightMap(key="map", rect=Rect(0, 0, *size), pictures=pictures)
    widget.draw(canvas, ui)
    assert canvas.elided == []
    arranged = widget._arrange(Rect(0, 0, *size), canvas)
    assert {text for text, _ in arranged.titles} == words
    where = {picture.title: area for picture, area in zip(pictures, arranged.areas, strict=True)}
    assert all(area.inside(Rect(0, 0, *size)) for area in arranged.areas)
    assert not any(a.meets(b) for a in arranged.areas for b in arranged.areas if a is not b)
    one, beside, below = where["filter 2, kings"], where["filter 3, kings"], where["filter 2, their men"]
    if size == (340, 600):  # with filters from top to bottom, pictures are larger
        beside, below = below, beside
    assert one.y == beside.y and one.x < beside.x and one.x == below.x and one.y < below.y


def looked(followed: LiveRun, now: float = 0.0) -> LiveRun:
    followed.look_now()
    while followed.step(now) and followed.busy:
        pass
    return followed


def show(opened: Opened, path: Path, **more: object) -> Hands:
    hands = opened(**more)
    screen = SessionScreen(hands.app, path)
    hands.app.open(screen)
    hands.until(lambda: screen.newest >= 0 or not screen.run.busy)
    hands.wait(0.3)
    if "Weights" in screen.tabs:
        screen.show_tab(screen.tabs.index("Weights"))
        hands.app.redraw()
    return hands


def numbers_shown(hands: Hands) -> list[int]:
    return [int(key.split(".")[1]) for key in hands.keys if key.startswith("weights.") and key.count(".") == 1]


def test_generations_side_by_side_share_a_scale(opened: Opened) -> None:
    hands = show(opened, SHIPPED_RUNS / "crownhead-1")
    numbers = numbers_shown(hands)
    assert numbers == [0, 100]
    maps = [hands.widget(f"weights.{number}.map") for number in numbers[:-1]] + [hands.widget("kernels")]
    assert len({one.scale for one in maps}) == 1
    assert maps[-1].pictures != maps[0].pictures
    assert hands.widget("weights.100").bold and not hands.widget("weights.0").bold
    hands.app.screen.pick(64)
    hands.wait(0.2)
    assert numbers_shown(hands) == [0, 64] and hands.widget("kernels").pictures != maps[1].pictures
    assert numbers_shown(hands)[-1] == 64


def test_a_run_of_one_network_has_them_on_a_tab(opened: Opened) -> None:
    hands = show(opened, SHIPPED_RUNS / "zero")
    hands.until(lambda: hands.widget("kernels").pictures)


def test_a_run_whose_weights_cannot_be_read(opened: Opened, tmp_path: Path) -> None:
    hands = show(opened, make_run(tmp_path, "none", 0).path)
    assert numbers_shown(hands) == []
    assert hands.widget("kernels").empty == "The champion's weights appear here."


def test_weights_that_are_not_finite_are_reported_in_their_place(opened: Opened, tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "run", 3)
    path = folder.path / "hall_of_fame.csv"
    path.write_bytes(path.read_bytes().replace(b",8,1,0,26,", b",8,1,0,26,nothing"))
    hands = show(opened, folder.path)
    hands.app.screen.pick(1)
    hands.app.redraw()
    hands.wait(0.1)
    assert "hall_of_fame.csv: line 3: damaged" in hands.widget("kernels").empty
    assert len(pictures_of(hands.app.screen.run, 2)[0]) == 3


def test_pictures_of_a_run_that_was_taken_back_are_gone(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "run", 5)
    run = looked(LiveRun(folder.path))
    assert len(pictures_of(run, 3)[0]) == 3
    for name in ("log.csv", "hall_of_fame.csv", "champions.pdn"):
        (folder.path / name).unlink()
    folder.newest = -1
    folder.complete()
    assert pictures_of(looked(run, 1.0), 3) == ([], "")


@pytest.mark.parametrize(
    ("generation", "most", "expected"),
    [
        (0, 5, [0]), (1, 5, [0, 1]), (4, 5, [0, 1, 2, 3, 4]), (5, 5, [0, 2, 4, 5]), (64, 5, [0, 16, 32, 48, 64]),
        (65, 5, [0, 32, 64, 65]), (65, 3, [0, 64, 65]), (65, 2, [0, 65]), (65, 1, [65]), (65, 0, [65]),
    ],
)  # fmt: skip
def test_generations_stay_while_a_run_grows(generation: int, most: int, expected: list[int]) -> None:
    assert steps(generation, most) == expected
