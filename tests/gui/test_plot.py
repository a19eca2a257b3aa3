"""Plots, and layouts as pure functions of the size."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.display import LEAST_SIZE, fitting_size
from gui.geometry import Rect, Size
from gui.look.canvas import Canvas, Fonts, Look, scale_of
from gui.look.theme import BODY, GAP, LIGHT, SMALL
from gui.screens.play.layout import GRAPH, LEAST_GRAPH, GameLayout, game_layout, with_graph
from gui.screens.play.review import LIST
from gui.toolkit import pygame
from gui.widgets.board_parts import BoardGeometry
from gui.widgets.plot import Curve, Plot, RacePlot, ReferenceLine, tick_text, ticks
from tests.cases import for_each
from tests.gui.bench_screen import PLACE, Bench, bench
from tests.gui.hands import Opened


def test_ticks_are_round_and_not_many() -> None:
    assert ticks(0, 10) == [0, 2, 4, 6, 8, 10]
    assert ticks(0, 1, 4) == [0, 0.25, 0.5, 0.75, 1.0]
    assert ticks(-1, 1, 4) == [-1, -0.5, 0, 0.5, 1]
    assert ticks(3, 3) == [3]
    assert len(ticks(0, 999_999, 6)) <= 8
    assert [tick_text(value) for value in (1000, 0.25, -3)] == ["1,000", "0.25", "−3"]


def test_a_plot_is_picked_by_mouse(opened: Opened) -> None:
    hands = opened()
    curve = Curve([float(n) for n in range(11)], low=[0.0] * 11, high=[20.0] * 11)

    def make(b: Bench) -> Plot:
        return Plot(key="x", rect=PLACE, curves=(curve,), mark=b.value, pick=b.take, title="Points")

    screen = bench(hands, make, value=0)
    area = hands.app.screen.ui.memory["x.field"]
    hands.click((area.x + area.w // 2, area.centre[1]))
    assert screen.value == 5
    hands.drag((area.x, area.centre[1]), (area.right + 50, area.centre[1]))
    assert screen.value == 10


@pytest.mark.parametrize(
    "values", [(), (None,), (1.0,), (None, 1.0, None, 2.0), (float("nan"), 1.0, float("inf")), (0.0,) * 5000]
)
def test_a_plot_of_any_values(opened: Opened, values: tuple[float | None, ...]) -> None:
    hands = opened()
    bench(hands, lambda b: Plot(key="x", rect=PLACE, curves=(Curve(values),), empty="Nothing", zero=True))
    hands.picture()


def test_values_that_stand_apart_are_dots_with_their_intervals(opened: Opened) -> None:
    """If there is only a lower end, a line goes up to the top of the plot."""
    hands = opened()
    low, high = (None, -50.0, None, 0.0, -50.0), (None, 50.0, None, None, None)
    curve = Curve((None, 20.0, None, None, None), low=low, high=high, sparse=True)
    bench(hands, lambda b: Plot(key="x", rect=PLACE, curves=(curve,), axes=False, low=-100.0, high=100.0))
    picture, area = hands.picture(), hands.app.screen.ui.memory["x.field"]
    theme = hands.app.look.theme
    line = theme.mix(theme.background, theme.plots[0], 0.5)

    def at(index: int, value: float) -> Any:
        x = area.x + (area.w - 1) * index / 4 - (index == 4)
        return tuple(picture.get_at((round(x), round(area.bottom - 1 - (area.h - 1) * (value + 100) / 200))))[:3]

    assert [at(1, value) for value in (60.0, 40.0, 20.0, -40.0, -60.0)] == [
        theme.background, line, theme.plots[0], line, theme.background,
    ]  # fmt: skip
    assert [at(3, value) for value in (80.0, 10.0, -10.0)] == [line, line, theme.background]
    assert at(3, 97.0) == theme.plots[0]
    assert {at(2, value) for value in (-90.0, 0.0, 90.0)} == {theme.background}


def test_intervals_become_a_band_where_they_are_dense(opened: Opened) -> None:
    hands = opened()

    def shades(count: int) -> int:
        values, low, high = [0.0] * count, [-50.0] * count, [50.0] * count
        curve = Curve(values, low=low, high=high, sparse=True)
        bench(hands, lambda b: Plot(key="x", rect=PLACE, curves=(curve,), axes=False, low=-100.0, high=100.0))
        picture, area = hands.picture(), hands.app.screen.ui.memory["x.field"]
        y = area.bottom - 1 - (area.h - 1) * 130 // 200
        return len({tuple(picture.get_at((x, y))) for x in range(area.x + 1, area.right - 1)})

    assert shades(9) == 2  # lines, and what is between them
    assert shades(400) == 1


def test_values_under_the_pointer_are_shown(opened: Opened) -> None:
    hands = opened()
    curve = Curve([None, 10.0, None, None, 40.0], sparse=True)
    messages: list[int] = []

    def says(at: int) -> str:
        messages.append(at)
        return f"{at}: {curve.values[at]}"

    bench(hands, lambda b: Plot(key="x", rect=PLACE, curves=(curve,), mark=2, pick=b.take, title="Points", says=says))
    hands.picture()
    assert messages[-1] == 1  # at the mark: the nearest x with a value
    area, before = hands.app.screen.ui.memory["x.field"], hands.app.frames
    hands.move((area.x + area.w * 7 // 8, area.centre[1]))
    assert (messages[-1], hands.app.frames > before) == (4, True)
    before = hands.app.frames
    hands.move((area.x + area.w * 7 // 8 + 1, area.centre[1]))
    assert hands.app.frames == before  # the same x: no new picture
    hands.move((0, 0))
    assert messages[-1] == 1


def test_narrow_plot_shortens_or_keeps_its_title(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    hands, title, says = opened(), "Loss of new games", "9: results 0.672, moves 1.001"
    canvas, texts = Canvas(hands.app.surface, hands.app.look), list[str]()
    head = canvas.width(title, BODY, bold=True)
    long = canvas.width(says, SMALL, tabular=True) + canvas.px(12)
    monkeypatch.setattr(Canvas, "text", lambda _, text, room, *args, **options: texts.append(text) or room)
    for wide, expected in (
        (head + long, [title, says]),
        (head + long - 1, ["Loss", says]),
        (canvas.width("Loss", BODY, bold=True) + long - 1, [title, ""]),
    ):
        texts.clear()
        curve, place = Curve([1.0] * 10), Rect(0, 0, wide, 200)
        Plot(key="x", rect=place, curves=(curve,), title=title, says=lambda _: says)._draw_title(canvas, 9)
        assert texts == expected


@pytest.mark.parametrize(("high", "named"), [(300, "ABCDE"), (90, "CDE")])
def test_a_low_race_names_the_last_level_that_was_beaten_and_those_above(high: int, named: str, display: None) -> None:
    levels = tuple(ReferenceLine(100.0 * (number + 1), name) for number, name in enumerate("ABCDE"))
    race = RacePlot(key="race", rect=Rect(0, 0, 300, high), curves=(), low=0.0, high=600.0, levels=levels,
                    beaten=(1, 2, 3, -1, -1), lost=(False,) * 5)  # fmt: skip
    canvas = Canvas(pygame.Surface((300, 300)), Look(LIGHT, 1.0, Fonts()))
    assert "".join(name for name, _ in race.level_names(canvas)) == named


SIZES = ((800, 600), (1024, 768), (1280, 800), (1920, 1080), (3840, 2160), (600, 900), (1080, 1920))
RECTS = st.builds(Rect, st.integers(-50, 50), st.integers(-50, 50), st.integers(0, 300), st.integers(0, 300))


def parts(layout: GameLayout) -> list[Rect]:
    results = [getattr(layout, field.name) for field in fields(layout)]
    return [rect for rect in results if rect is not None]


@given(RECTS, st.lists(st.one_of(st.none(), st.integers(0, 120)), min_size=1, max_size=6), st.integers(0, 10))
def test_rows_lie_inside_in_order_and_share_the_rest(rect: Rect, heights: list[int | None], gap: int) -> None:
    rows = rect.rows(*heights, gap=gap)
    assert len(rows) == len(heights)
    for above, below in pairwise(rows):
        assert below.y >= above.bottom
    assert all(row.h == 0 or row.inside(rect) for row in rows)
    free = [row.h for row, height in zip(rows, heights, strict=True) if height is None]
    wanted = sum(height or 0 for height in heights) + gap * (len(heights) - 1)
    if free and wanted <= rect.h:
        assert max(free) - min(free) <= 1
        assert rows[-1].bottom == rect.bottom


@given(RECTS, RECTS)
def test_the_smallest_rectangle_around_two_covers_both(a: Rect, b: Rect) -> None:
    assert a.inside(a.around(b)) and b.inside(a.around(b))


@for_each("size", SIZES)
@for_each("wanted", [0.75, 1.0, 1.5])
def test_a_game_has_room_for_everything(size: Size, wanted: float) -> None:
    scale = scale_of(size, wanted)

    def px(length: float) -> int:
        return max(round(length * scale), 1)

    layout = game_layout(size, px, tabs=True)
    window = Rect(0, 0, *size)
    result = parts(layout)
    assert all(rect.inside(window) for rect in result)
    assert not [(a, b) for i, a in enumerate(result) for b in result[:i] if a.meets(b)]
    assert layout.bar is not None and layout.tabs is not None and layout.tools is not None
    if wanted == 1.0:
        assert layout.board.w >= min(size) * 0.5
        assert layout.body.h >= px(70)
        assert layout.status.w >= px(250)


@given(st.integers(1, 5000), st.integers(1, 5000), st.booleans())
def test_a_layout_of_any_size_is_a_layout(width: int, height: int, everything: bool) -> None:
    layout = game_layout((width, height), round, header=0 if everything else 50, tabs=everything)
    assert all(rect.w >= 0 and rect.h >= 0 for rect in parts(layout))


@given(st.integers(0, 900))
def test_a_graph_leaves_room_for_the_list_above_it(height: int) -> None:
    body = Rect(3, 5, 300, height)
    upper, curve = with_graph(body, round, LIST)
    if curve is None:
        assert upper == body and height < LIST + GAP + LEAST_GRAPH
    else:
        assert upper.h >= LIST and LEAST_GRAPH <= curve.h <= GRAPH and curve.bottom == body.bottom


@given(st.integers(40, 2500), st.integers(40, 2500), st.booleans())
def test_a_board_fits_and_finds_its_squares(width: int, height: int, flipped: bool) -> None:
    rect = Rect(7, 11, width, height)
    board = BoardGeometry.within(rect, flipped)
    assert board.outer.inside(rect)
    assert board.outer.w == board.outer.h
    assert BoardGeometry.within(board.outer, flipped) == board  # as large as it can be
    for square in range(1, 33):
        place = board.rect(square)
        assert place.inside(board.inner)
        assert board.square(place.centre) == square
        assert board.square((place.x, place.y)) == square
    light = board.place(0, 0)
    assert board.square(light.centre) == 0
    assert board.square((rect.x - 1, rect.y)) == 0


def test_a_flipped_board_is_the_same_from_the_other_side() -> None:
    rect = Rect(0, 0, 400, 400)
    plain, flipped = BoardGeometry.within(rect, False), BoardGeometry.within(rect, True)
    for square in range(1, 33):
        assert plain.rect(square) == flipped.rect(33 - square)
    assert plain.next_square(14, "up") == 10
    assert flipped.next_square(14, "up") == 18
    assert plain.next_square(1, "up") == 1
    assert plain.next_square(14, "right") == 15
    assert flipped.next_square(16, "left") == 16


@pytest.mark.parametrize("desktop", [(1280, 800), (1366, 768), (1024, 600), (1920, 1080)])
def test_a_window_fits_its_screen_with_its_frame(desktop: Size) -> None:
    width, height = fitting_size((1280, 800), desktop)
    assert width <= desktop[0] - 2 and height <= desktop[1] - 60
    assert fitting_size((1280, 800), (1920, 1080)) == (1280, 800)
    assert fitting_size((20_000, 20_000), (320, 200)) == LEAST_SIZE
