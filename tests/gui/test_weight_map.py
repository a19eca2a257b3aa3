"""Weights as pictures: every weight in its place, one scale, champions side by side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evolve.config import toml
from evolve.run.runs import SHIPPED_RUNS
from game.networks.first_layer import Picture, first_layer
from game.networks.kinds import square_place
from game.networks.named import CNN_247, SHIPPED
from game.networks.spec import Layer, Spec
from gui.geometry import Rect
from gui.look.canvas import Canvas, Fonts, Look
from gui.look.theme import LIGHT, THEMES, contrast
from gui.screens.sessions.session import SessionScreen
from gui.screens.weights import steps
from gui.toolkit import pygame
from gui.widgets.base import Ui
from gui.widgets.weight_map import WeightMap, colour_of, places
from tests.game.networks.network_samples import BY_MOVER
from tests.gui.hands import Hands, Opened
from tests.runs import make_run


def test_kernels_of_a_convolution_stand_with_the_own_side_below() -> None:
    weights = np.arange(CNN_247.weights, dtype=np.float32)
    part = CNN_247.parts[0].of(weights)
    shown = first_layer(weights, CNN_247)
    rows, columns, _, filters = part.shape
    assert len(shown) == filters
    for number, picture in enumerate(shown):
        assert picture.size == (columns, rows)
        assert picture.rows[rows - 1] == tuple(part[0, :, 0, number].tolist())
        assert picture.rows[0] == tuple(part[-1, :, 0, number].tolist())


def test_parts_of_the_board_show_means_on_dark_squares() -> None:
    spec = next(each for each in SHIPPED.values() if each.layers[0].kind == "subsquares")
    board = first_layer(np.full(spec.weights, 0.25), spec)[0].rows
    dark = {(7 - row, column) for row, column in map(square_place, range(32))}
    for row in range(8):
        for column in range(8):
            assert board[row][column] == (0.25 if (row, column) in dark else None)


@pytest.mark.parametrize("spec", BY_MOVER, ids=[spec.name for spec in BY_MOVER])
def test_tables_and_kinds_of_pieces_are_pictures_of_one_size(spec: Spec) -> None:
    weights = np.arange(spec.weights, dtype=np.float32)
    shown = first_layer(weights, spec)
    assert len({picture.size for picture in shown}) == 1
    assert len(shown) >= 1 + spec.tables
    if spec.tables:
        assert [shown[0].title, shown[-1].title] == (
            ["men", "kings"]
            if spec.phases == 1
            else ["men in the opening", "kings in the endgame"]
            if spec.phases == 2
            else ["men, 24 pieces", "kings, 0 pieces"]
        )
        assert shown[1].rows[7] == (None, 32.0, None, 33.0, None, 34.0, None, 35.0)


def test_kinds_of_pieces_have_pictures_of_their_own() -> None:
    shown = first_layer(np.arange(586.0 - 65), replace(BY_MOVER[1], tables=False))
    assert [picture.title for picture in shown][:4] == [
        f"unit 1, {kind}" for kind in ("men", "kings", "their men", "their kings")
    ]
    assert shown[6].rows[7][1] == 64 * 4 + 1  # unit 2, square 1 of the third kind
    spec = Spec("planes", "planes", (Layer("convolution", 2, 3), Layer("dense", 1)))
    shown = first_layer(np.arange(float(spec.weights)), spec)
    assert (len(shown), shown[7].title, shown[7].rows[2][0]) == (8, "filter 2, their kings", 7.0)


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_the_scale_is_symmetric_and_its_ends_are_seen(theme: object) -> None:
    assert colour_of(0.0, theme) == theme.panel  # type: ignore[arg-type, attr-defined]
    for end in (-1.0, 1.0):
        assert contrast(colour_of(end, theme), theme.panel) >= 3  # type: ignore[arg-type, attr-defined]
        assert colour_of(7 * end, theme) == colour_of(end, theme)  # type: ignore[arg-type]
    assert colour_of(-0.5, theme) != colour_of(0.5, theme)  # type: ignore[arg-type]


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
    assert numbers == [0, 64, 100]
    maps = [hands.widget(f"weights.{number}.map") for number in numbers[:-1]] + [hands.widget("kernels")]
    assert len({one.scale for one in maps}) == 1
    assert maps[-1].pictures != maps[0].pictures
    assert hands.widget("weights.100").bold and not hands.widget("weights.64").bold
    hands.app.screen.pick(64)
    hands.wait(0.2)
    assert hands.widget("kernels").pictures == maps[1].pictures
    assert numbers_shown(hands)[-1] == 64


def test_a_run_of_one_network_has_them_on_a_tab(opened: Opened) -> None:
    hands = show(opened, SHIPPED_RUNS / "zero")
    hands.until(lambda: hands.widget("kernels").pictures)


def test_a_run_whose_weights_cannot_be_read(opened: Opened, tmp_path: Path) -> None:
    hands = show(opened, make_run(tmp_path, "none", 0).path)
    assert numbers_shown(hands) == []
    assert hands.widget("kernels").empty == "The champion's weights appear here."


@pytest.mark.parametrize(
    ("generation", "most", "expected"),
    [
        (0, 5, [0]), (1, 5, [0, 1]), (4, 5, [0, 1, 2, 3, 4]), (5, 5, [0, 2, 4, 5]), (64, 5, [0, 16, 32, 48, 64]),
        (65, 5, [0, 32, 64, 65]), (65, 3, [0, 64, 65]), (65, 2, [0, 65]), (65, 1, [65]), (65, 0, [65]),
    ],
)  # fmt: skip
def test_generations_stay_while_a_run_grows(generation: int, most: int, expected: list[int]) -> None:
    assert steps(generation, most) == expected
