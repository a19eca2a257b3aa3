"""The screen with curves of many runs, by mouse and by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest

from gui.geometry import Rect
from gui.key_table import with_keys
from gui.look.canvas import Canvas
from gui.look.theme import LIGHT
from gui.screens.runs.all_runs import MARK, RunsScreen
from gui.screens.runs.curves import RunCurves
from gui.toolkit import pygame
from gui.widgets.many_curves import BESIDE, FINER, ManyCurves, dashes_of
from gui.widgets.plot import Curve
from tests.gui.hands import Hands, Opened
from tests.logged_runs import add_lines, make_logged_run

WIDE = "variation.high=0.2"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make runs with two settings and two seeds each."""
    runs = tmp_path / "runs"
    for seed in (1, 2):
        make_logged_run(runs, f"narrow-{seed}", 12, seed)
        make_logged_run(runs, f"wide-{seed}", 10, seed, WIDE, best=500)
    return runs


def screen_of(hands: Hands) -> RunCurves:
    screen = hands.app.screen
    assert isinstance(screen, RunCurves)
    return screen


def settle(hands: Hands) -> None:
    screen = screen_of(hands)
    hands.until(lambda: screen.comparing.read and not screen.comparing.busy, 3.0)
    hands.wait(0.1)


def shown(hands: Hands) -> list[list[str]]:
    table = hands.widget("legend")
    return [[getattr(cell, "text", cell) for cell in table.cells(row)] for row in range(table.count)]


def open_all(hands: Hands, runs: Path, **more: Path) -> None:
    hands.app.open(RunCurves(hands.app, {path.name: path for path in sorted(runs.iterdir())} | more))
    settle(hands)


@pytest.fixture
def compared(opened: Opened, folder: Path) -> Hands:
    hands = opened()
    open_all(hands, folder)
    return hands


def test_marked_runs_are_compared(opened: Opened, folder: Path) -> None:
    hands = opened()
    hands.key("shift+g")
    runs = hands.app.screen
    assert isinstance(runs, RunsScreen)
    hands.until(lambda: len(runs.runs.shown) == 4 and not runs.runs.busy, 3.0)
    hands.key("shift+x")
    assert hands.app.said == with_keys(MARK)
    hands.key("ctrl+a", "shift+x")
    assert screen_of(hands).title == "Compare 4 runs"
    settle(hands)
    hands.key("escape")
    hands.click("do.compare-runs")
    assert isinstance(hands.app.screen, RunCurves)


def test_by_setting_and_by_run(compared: Hands) -> None:
    assert [row[1] for row in shown(compared)] == ["high=0.1 (2 seeds)", "high=0.2 (2 seeds)"]
    assert len(compared.widget("curves").curves) == 2
    compared.key("ctrl+g")
    settle(compared)
    names = ["narrow-1", "narrow-2", "wide-1", "wide-2"]
    assert [row[1] for row in shown(compared)] == names
    group = compared.widget("group").rect
    compared.click((group.right - 20, group.centre[1]))
    settle(compared)
    assert len(shown(compared)) == 2


def test_any_column_of_the_log(compared: Hands) -> None:
    assert compared.widget("curves").title == "Rating"
    compared.key("]")
    settle(compared)
    assert compared.widget("curves").title == "Diversity (root mean square distance)"
    compared.key("[", "[")
    settle(compared)
    names = compared.widget("column").names
    assert compared.widget("curves").title == "Seconds (s)" and names[-1] == "Seconds"
    assert {"Draws", "Evaluations", "Best points"} < set(names) and "Rating low" not in names
    compared.key("shift+l", "home", "return")
    settle(compared)
    assert compared.widget("curves").title == "Rating"


def test_a_click_or_space_hides_a_curve_and_shows_it(compared: Hands) -> None:
    compared.click_row("legend", 1)
    assert [row[0] for row in shown(compared)] == ["shown", "hidden"]
    assert [curve.colour for curve in compared.widget("curves").curves] == [0]
    compared.key("space")
    assert [row[0] for row in shown(compared)] == ["shown", "shown"]
    compared.key("return")
    assert [row[0] for row in shown(compared)] == ["hidden", "shown"]
    assert [curve.colour for curve in compared.widget("curves").curves] == [1]  # each curve keeps its colour
    compared.key("space")
    assert "hidden" in compared.widget("curves").empty and not compared.widget("curves").curves
    compared.key("escape")
    assert [row[0] for row in shown(compared)] == ["shown", "shown"]


def test_values_under_the_pointer_and_at_a_mark(compared: Hands) -> None:
    compared.key("ctrl+g")
    settle(compared)
    heading = compared.widget("legend").columns[2].title
    newest = [row[2] for row in shown(compared)]
    assert heading == "Newest"
    field = compared.app.screen.ui.memory["curves.field"]
    compared.move((field.x + 2, field.centre[1]))
    assert compared.widget("legend").columns[2].title == "Gen. 0"
    assert [row[2] for row in shown(compared)] != newest
    compared.move((field.x + round(field.w * 4 / 12), field.centre[1]))  # between rated generations: the nearest one
    assert compared.widget("legend").columns[2].title == "Gen. 5"
    compared.move((2, 2))
    assert [row[2] for row in shown(compared)] == newest
    compared.key("left")
    assert compared.widget("legend").columns[2].title == "Gen. 10"
    compared.key("left", "left", "left")
    assert compared.widget("legend").columns[2].title == "Gen. 0"
    compared.click((field.right - 2, field.centre[1]))
    assert compared.widget("curves").mark == 12
    compared.move((2, 2))
    assert compared.widget("legend").columns[2].title == "Gen. 10"
    compared.key("left")  # also with the keyboard at the chart
    assert compared.widget("curves").mark == 10
    compared.key("right", "escape")
    assert compared.widget("legend").columns[2].title == "Newest"


def test_the_interval_is_that_of_the_report(compared: Hands, folder: Path) -> None:
    from evolve.config.anchors import shown_text
    from evolve.report.many_runs import group_runs
    from evolve.report.overview import read_run
    from evolve.run.folder import Run

    many = group_runs([read_run(Run(path), path.name) for path in sorted(folder.iterdir())])
    band = many.groups[1].band("rating")
    assert band is not None
    row = shown(compared)[1]
    assert row[2:] == [shown_text(band.mean[-1]), f"{shown_text(band.low[-1])} to {shown_text(band.high[-1])}"]
    assert compared.widget("curves").curves[1].low is not None
    compared.key("ctrl+i")
    assert compared.widget("curves").curves[1].low is None
    compared.click("intervals")
    assert compared.widget("curves").curves[1].low is not None


def test_differences_of_runs_are_listed(compared: Hands) -> None:
    table = compared.widget("differences")
    assert [column.title for column in table.columns] == ["Value", "high=0.1", "high=0.2"]
    assert [cell if isinstance(cell, str) else cell.text for cell in table.cells(0)] == ["variation.high", "0.1", "0.2"]
    compared.key("ctrl+g")
    settle(compared)
    table = compared.widget("differences")
    rows = [[cell if isinstance(cell, str) else cell.text for cell in table.cells(row)] for row in range(table.count)]
    assert rows == [["seed", "1", "2", "1", "2"], ["variation.high", "0.1", "0.1", "0.2", "0.2"]]


def test_more_columns_than_have_room(opened: Opened, folder: Path) -> None:
    for seed in range(3, 9):
        make_logged_run(folder, f"narrow-{seed}", 2, seed)
    hands = opened(size=(800, 600))
    open_all(hands, folder)
    hands.key("ctrl+g")
    settle(hands)
    assert hands.widget("differences.told").text == "1 to 6 of 10"
    hands.click("do.next")
    assert hands.widget("differences.told").text == "5 to 10 of 10"
    assert [column.title for column in hands.widget("differences").columns[-2:]] == ["wide-1", "wide-2"]
    hands.key("ctrl+right")
    assert hands.app.said == "These are the last columns."
    hands.key("ctrl+left")
    assert hands.widget("differences.told").text == "1 to 6 of 10"


def test_runs_that_go_on_are_followed(compared: Hands, folder: Path) -> None:
    from evolve.run.folder import Run

    compared.key("ctrl+g", "]")
    settle(compared)
    assert len(compared.widget("curves").curves[2].values) == 11
    add_lines(Run(folder / "wide-1"), range(11, 14), 1)
    compared.until(lambda: len(compared.widget("curves").curves[2].values) == 14, 5.0)
    assert screen_of(compared).comparing.column == "diversity" and not screen_of(compared).comparing.grouped


def test_runs_that_cannot_be_read_are_named(opened: Opened, folder: Path, tmp_path: Path) -> None:
    (folder / "wide-2" / "log.csv").write_text("nonsense\n")
    hands = opened()
    open_all(hands, folder, gone=tmp_path / "gone")
    assert [row[1] for row in shown(hands)] == ["high=0.1 (2 seeds)", "wide-1"]
    text = hands.widget("trouble").text
    assert "wide-2" in text and "column" in text and "gone" in text
    (folder / "narrow-1" / "config.toml").unlink()


def test_unreadable_runs_have_no_curves(opened: Opened, tmp_path: Path) -> None:
    hands = opened()
    hands.app.open(RunCurves(hands.app, {"gone": tmp_path / "gone", "away": tmp_path / "away"}))
    settle(hands)
    assert shown(hands) == [] and "not a run" in hands.widget("trouble").text
    for key in ("]", "ctrl+g", "ctrl+i", "space", "return", "left", "ctrl+right", "shift+l"):
        hands.key(key)
    assert isinstance(hands.app.screen, RunCurves)


def test_more_curves_than_colours_are_dashed(opened: Opened, folder: Path) -> None:
    for seed in range(3, 9):
        make_logged_run(folder, f"narrow-{seed}", 6, seed)
    hands = opened()
    open_all(hands, folder)
    hands.key("ctrl+g")
    settle(hands)
    plot = hands.widget("curves")
    assert isinstance(plot, ManyCurves) and len(plot.curves) == 10
    looks = [(LIGHT.plots[curve.colour % len(LIGHT.plots)], dashes_of(LIGHT, curve.colour)) for curve in plot.curves]
    assert len(set(looks)) == 10
    assert plot.curves[0].low is None  # this many intervals would hide one another
    hands.key("ctrl+i")
    assert hands.widget("curves").curves[0].low is not None


def test_bars_of_several_settings_stand_beside_each_other(compared: Hands) -> None:
    """At the same generation they would hide each other; curves without bars do not move."""
    known = [-400.0, None, 20.0]
    bars = [Curve(known, number, [-500.0, None, 0.0], [-300.0, None, 50.0], sparse=True) for number in range(3)]
    plot = ManyCurves(key="curves", rect=Rect(0, 0, 600, 300), curves=(*bars, Curve(known, 3)), title="Rating (Elo)")
    canvas = Canvas(pygame.Surface((600, 300)), compared.app.look)
    first, second, third, plain = plot._shifts(canvas)
    assert first < second < third and second == plain == 0.0
    assert third - second == BESIDE * FINER
    assert plot.field(canvas).y == canvas.px(22 + 8)  # with room for the highest number below the title
