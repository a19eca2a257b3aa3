"""Plots: axes, bands, values under the pointer, and horizontal lines."""

from __future__ import annotations

from typing import Any

import pytest

from gui.geometry import Rect
from gui.look.canvas import Canvas, Fonts, Look
from gui.look.theme import BODY, LIGHT, SMALL
from gui.toolkit import pygame
from gui.widgets.plot import Curve, Plot, RacePlot, ReferenceLine, tick_text, ticks
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


def test_narrow_plot_shortens_values_and_keeps_its_title(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    hands, title, says, brief = opened(), "Loss of new games", "9: results 0.672, moves 1.001", "9: 0.672, 1.001"
    canvas, texts = Canvas(hands.app.surface, hands.app.look), list[str]()
    head = canvas.width(title, BODY, bold=True)
    long, short = (canvas.width(text, SMALL, tabular=True) + canvas.px(12) for text in (says, brief))
    monkeypatch.setattr(Canvas, "text", lambda _, text, room, *args, **options: texts.append(text) or room)
    for wide, expected in (
        (head + long, [title, says]),
        (head + long - 1, [title, brief]),
        (canvas.width("Loss", BODY, bold=True) + short, ["Loss", brief]),
        (canvas.width("Loss", BODY, bold=True) + short - 1, [title, ""]),
    ):
        texts.clear()
        curve, place = Curve([1.0] * 10), Rect(0, 0, wide, 200)
        Plot(key="x", rect=place, curves=(curve,), title=title, says=lambda _: says, brief=lambda _: brief)._draw_title(
            canvas, 9
        )
        assert texts == expected


@pytest.mark.parametrize(("high", "named"), [(300, "ABCDE"), (90, "CDE")])
def test_a_low_race_names_the_last_level_that_was_beaten_and_those_above(high: int, named: str, display: None) -> None:
    levels = tuple(ReferenceLine(100.0 * (number + 1), name) for number, name in enumerate("ABCDE"))
    race = RacePlot(key="race", rect=Rect(0, 0, 300, high), curves=(), low=0.0, high=600.0, levels=levels,
                    beaten=(1, 2, 3, -1, -1), lost=(False,) * 5)  # fmt: skip
    canvas = Canvas(pygame.Surface((300, 300)), Look(LIGHT, 1.0, Fonts()))
    assert "".join(name for name, _ in race.level_names(canvas)) == named
