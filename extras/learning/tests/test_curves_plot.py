"""Plots of several curves: their legend, and dashes that differ."""

from __future__ import annotations

import itertools

from extras.learning.curves_plot import CurvesPlot
from gui.geometry import Rect
from gui.look.canvas import Canvas
from gui.widgets.plot import Curve
from tests.gui.bench_screen import Bench, bench
from tests.gui.hands import Opened


def test_lines_have_a_legend_and_differ_without_colours(opened: Opened) -> None:
    hands = opened()
    names = ("all", "with a choice", "seen in training", "new positions")

    def make(b: Bench) -> CurvesPlot:
        place = Rect(40, 60, 200, 200)
        curves = tuple(Curve([0.2 * number] * 60, number, name=name) for number, name in enumerate(b.value))
        return CurvesPlot(key="x", rect=place, curves=curves, low=-0.1, high=1.0, axes=False, title="Top-1 in %")

    screen = bench(hands, make, names)
    picture = hands.picture()
    plot = hands.widget("x")
    field = plot.field(Canvas(hands.app.surface, hands.app.look))
    ground = tuple(hands.app.look.theme.background)
    patterns = []
    for number in range(len(names)):
        y = round(plot._y(0.2 * number, field))
        drawn = [tuple(picture.get_at((x, y)))[:3] != ground for x in range(field.x + 4, field.right - 4)]
        lengths = [len(list(run)) for on, run in itertools.groupby(drawn) if on]
        patterns.append(tuple(sorted(set(lengths[1:-1]))) if len(lengths) > 2 else ())
    assert len(set(patterns)) == len(names), patterns
    assert not {text for _, text in hands.app._elided} & set(names)
    screen.value = names[:1]  # a single line needs no legend and is not dashed
    hands.app.redraw()
    assert hands.widget("x").legend == []
