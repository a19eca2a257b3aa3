"""Widgets one by one, on a screen of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gui.app import App
from gui.clipboard import OwnClipboard
from gui.geometry import Rect, Size
from gui.look.canvas import Canvas, Look
from gui.look.fonts import ELLIPSIS, Fonts, printable
from gui.screens.screen import Screen
from gui.widgets.base import Label, Widget
from gui.widgets.button import Button, Segments, Slider, Toggle
from gui.widgets.dropdown import Dropdown
from gui.widgets.field import Caret, Field
from gui.widgets.plot import Curve, Plot, ProgressBar, tick_text, ticks
from gui.widgets.table import Column, Scroll, Table
from tests.gui.hands import Hands

Opened = Callable[..., Hands]
PLACE = Rect(40, 60, 400, 240)


class Bench(Screen):
    """Shows one widget, and remembers what it said."""

    title = "Bench"

    def __init__(self, app: App, make: Callable[[Bench], Widget]) -> None:
        super().__init__(app)
        self.make = make
        self.value: Any = None
        self.said: list[Any] = []

    def take(self, value: Any) -> None:
        self.value = value
        self.said.append(value)

    def view(self, size: Size, look: Look) -> list[Widget]:
        return [self.make(self), Button(key="other", rect=Rect(40, 400, 100, 30), text="Other", run=lambda: None)]


def bench(hands: Hands, make: Callable[[Bench], Widget], value: Any = None) -> Bench:
    screen = Bench(hands.app, make)
    screen.value = value
    hands.app.open(screen)
    hands.wait(0.05)
    return screen


# Buttons ----------------------------------------------------------------------------------------------------------


def test_a_button_runs_where_it_was_pressed(opened: Opened) -> None:
    hands = opened()
    screen = bench(hands, lambda b: Button(key="x", rect=PLACE, text="Go", run=lambda: b.take(1)))
    hands.click("x")
    assert screen.said == [1]
    hands.press(PLACE.centre)
    hands.release((600, 500))  # thought better of it
    assert screen.said == [1]
    hands.press((600, 500))
    hands.release(PLACE.centre)  # came from elsewhere
    assert screen.said == [1]
    hands.key("tab")
    hands.app.screen.ui.focus = "x"
    hands.key("return", "space")
    assert screen.said == [1, 1, 1]


def test_a_button_that_is_not_possible_does_nothing(opened: Opened) -> None:
    hands = opened()
    screen = bench(hands, lambda b: Button(key="x", rect=PLACE, text="Go", run=lambda: b.take(1), enabled=False))
    hands.click("x")
    hands.key("tab", "return")
    assert screen.said == []
    assert hands.app.screen.ui.focus == "other"


def test_toggle_and_choice(opened: Opened) -> None:
    hands = opened()
    screen = bench(
        hands, lambda b: Toggle(key="x", rect=PLACE, text="On", on=bool(b.value), run=lambda: b.take(not b.value))
    )
    hands.click("x")
    hands.click("x")
    assert screen.said == [True, False]
    screen = bench(
        hands, lambda b: Segments(key="x", rect=PLACE, names=("A", "B", "C"), chosen=b.value, pick=b.take), value=0
    )
    hands.click((PLACE.right - 10, PLACE.centre[1]))
    assert screen.value == 2
    hands.key("left", "left", "left")
    assert screen.value == 0
    hands.key("end")
    assert screen.value == 2


def test_slider_by_mouse_and_keys(opened: Opened) -> None:
    hands = opened()
    screen = bench(
        hands,
        lambda b: Slider(key="x", rect=PLACE, text="Depth", value=b.value, low=1, high=12, change=b.take),
        value=4,
    )
    low = PLACE.y + PLACE.h * 3 // 4
    hands.drag((PLACE.x + 5, low), (PLACE.right - 2, low))
    assert screen.value == 12
    assert screen.said[0] == 1
    hands.key("left", "pagedown", "home")
    assert screen.said[-3:] == [11, 9, 1]
    hands.key("left")
    assert screen.value == 1


# Text -------------------------------------------------------------------------------------------------------------


def field(b: Bench) -> Field:
    return Field(
        key="x", rect=Rect(40, 60, 200, 36), value=b.value, change=b.take, enter=lambda: b.said.append("entered"),
        clipboard=b.app.services.clipboard, longest=40,
    )  # fmt: skip


def test_typing_selecting_cutting_and_pasting(opened: Opened) -> None:
    hands = opened()
    assert isinstance(hands.app.services.clipboard, OwnClipboard)
    screen = bench(hands, field, value="")
    hands.click("x")
    hands.type("Hello world")
    assert screen.value == "Hello world"
    hands.key("ctrl+backspace")
    assert screen.value == "Hello "
    hands.key("home", "delete")
    hands.type("J")
    assert screen.value == "Jello "
    hands.key("ctrl+a", "ctrl+c", "end", "ctrl+v", "ctrl+v")
    assert screen.value == "Jello Jello Jello "
    hands.key("shift+home", "ctrl+x")
    assert screen.value == ""
    hands.key("ctrl+v", "left", "backspace", "ctrl+left")
    assert screen.value == "Jello Jello Jell "
    hands.key("return")
    assert screen.said[-1] == "entered"


def test_a_field_takes_no_more_than_its_length_and_no_line_breaks(opened: Opened) -> None:
    hands = opened()
    hands.app.services.clipboard.copy("a\nb\tc\x00" + "d" * 100)
    screen = bench(hands, field, value="")
    hands.click("x")
    hands.key("ctrl+v")
    assert screen.value.startswith("a b c")
    assert len(screen.value) == 40
    assert screen.value.isprintable()


def test_clicking_into_a_text_puts_the_caret_there(opened: Opened) -> None:
    hands = opened()
    screen = bench(hands, field, value="wwwwwiiiii")
    hands.click("x")
    caret = hands.app.screen.ui.memory["x"]
    assert isinstance(caret, Caret)
    hands.click((caret.left + caret.places[5] + 1, 78))
    hands.type("-")
    assert screen.value == "wwwww-iiiii"
    hands.drag((caret.left + 1, 78), (caret.left + caret.places[3], 78))
    hands.key("backspace")
    assert screen.value == "ww-iiiii"


def test_letters_that_a_field_takes_are_no_commands(opened: Opened) -> None:
    hands = opened()
    bench(hands, field, value="")
    hands.click("x")
    hands.key("?")
    assert isinstance(hands.app.screen, Bench)


def test_fonts_shorten_wrap_and_survive_any_text(display: None) -> None:
    fonts = Fonts()
    text = "A line that is much too long for the place it has"
    short = fonts.shorten(text, 120, 14)
    assert short.endswith(ELLIPSIS)
    assert fonts.size(short, 14)[0] <= 120 < fonts.size(short[:-1] + "xxx" + ELLIPSIS, 14)[0] + 20
    assert fonts.shorten(text, 10_000, 14) == text
    assert fonts.shorten(text, 1, 14) == ""
    lines = fonts.wrap(text, 120, 14)
    assert " ".join(lines) == text
    assert all(fonts.size(line, 14)[0] <= 120 for line in lines)
    assert "".join(fonts.wrap("w" * 100, 50, 14)) == "w" * 100
    for strange in ("\x00\x1b", "\ud800", "日本語", "a" * 100_000, "é" * 10, ""):
        assert printable(strange).isprintable()
        fonts.render(strange, 14, (0, 0, 0))
        fonts.render(strange, 14, (0, 0, 0), tabular=True)
    widths = {fonts.size(digit * 6, 14, tabular=True)[0] for digit in "0123456789"}
    assert len(widths) == 1
    assert len({fonts.size(digit * 6, 14)[0] for digit in "0123456789"}) > 1


# Drop-down lists --------------------------------------------------------------------------------------------------

NAMES = tuple(f"Name {number}" for number in range(30))


def dropdown(b: Bench) -> Dropdown:
    return Dropdown(key="x", rect=Rect(40, 60, 200, 36), names=NAMES, chosen=b.value, pick=b.take)


def test_a_drop_down_by_the_mouse(opened: Opened) -> None:
    hands = opened()
    screen = bench(hands, dropdown, value=0)
    hands.click("x")
    assert hands.app.screen.ui.opened == "x"
    box = hands.app.screen.ui.memory["x"].box
    assert box.inside(Rect(0, 0, 1280, 800))
    hands.click((box.x + 50, box.y + 4 + 30 * 3 + 15))
    assert screen.value == 3
    assert hands.app.screen.ui.opened == ""
    hands.click("x")
    hands.click((900, 700))
    assert (screen.value, hands.app.screen.ui.opened) == (3, "")


def test_a_drop_down_by_keys_and_wheel(opened: Opened) -> None:
    hands = opened()
    screen = bench(hands, dropdown, value=2)
    hands.key("tab", "return", "down", "down", "return")
    assert screen.value == 4
    hands.key("down")
    assert screen.value == 5
    hands.key("space", "end", "escape")
    assert screen.value == 5
    assert isinstance(hands.app.screen, Bench)  # Esc closed the list, not the screen
    hands.key("return", "end", "return")
    assert screen.value == 29
    hands.key("return", "home")
    hands.wheel("x", -7)
    hands.key("return")
    assert screen.value == 7


# Tables -----------------------------------------------------------------------------------------------------------

COLUMNS = (Column("Name", sort="name"), Column("Number", 90, "right", sort="number"))


def table(count: int) -> Callable[[Bench], Table]:
    def make(b: Bench) -> Table:
        def cells(row: int) -> tuple[str, str]:
            b.asked.append(row)  # type: ignore[attr-defined]
            return f"Row {row}", str(row)

        return Table(
            key="x", rect=PLACE, columns=COLUMNS, count=count, cells=cells, selected=-1 if b.value is None else b.value,
            select=b.take, activate=lambda row: b.said.append(("activated", row)), sort=b.said.append,
        )  # fmt: skip

    return make


def a_table(hands: Hands, count: int) -> Bench:
    Bench.asked = []  # type: ignore[attr-defined]
    return bench(hands, table(count))


def test_a_table_asks_only_for_rows_in_sight(opened: Opened) -> None:
    hands = opened()
    screen = a_table(hands, 1_000_000)
    assert max(screen.asked) < 20  # type: ignore[attr-defined]
    hands.key("tab", "end")
    assert screen.value == 999_999
    screen.asked.clear()  # type: ignore[attr-defined]
    hands.wait(0.1)
    hands.picture()
    assert min(screen.asked) > 999_980  # type: ignore[attr-defined]


def test_a_table_by_keys(opened: Opened) -> None:
    hands = opened()
    screen = a_table(hands, 100)
    hands.key("tab", "down", "down", "up")
    assert screen.value == 0
    hands.key("pagedown")
    assert 3 < screen.value < 9
    hands.key("end", "return")
    assert screen.said[-1] == ("activated", 99)
    hands.key("home")
    assert screen.value == 0
    assert hands.app.screen.ui.memory["x"].top == 0


def test_a_table_by_the_mouse(opened: Opened) -> None:
    hands = opened()
    screen = a_table(hands, 100)
    hands.click((PLACE.x + 50, PLACE.y + 30 + 28 * 2 + 14))
    assert screen.value == 2
    hands.wait(1)
    hands.click((PLACE.x + 50, PLACE.y + 30 + 28 * 3 + 14))
    hands.click((PLACE.x + 50, PLACE.y + 30 + 28 * 3 + 14))
    assert screen.said[-1] == ("activated", 3)
    hands.click((PLACE.x + 50, PLACE.y + 10))
    assert screen.said[-1] == "name"
    hands.click((PLACE.right - 50, PLACE.y + 10))
    assert screen.said[-1] == "number"
    hands.wheel("x", -3)
    scroll = hands.app.screen.ui.memory["x"]
    assert isinstance(scroll, Scroll)
    assert scroll.top == 3 * 3 * 28
    thumb = hands.widget("x").thumb(scroll)
    assert thumb is not None
    hands.drag(thumb.centre, (thumb.x, PLACE.bottom + 200))
    assert scroll.top == hands.widget("x").furthest(scroll)
    hands.click((PLACE.right - 4, PLACE.y + 40))  # above the thumb: a page up
    assert scroll.top < hands.widget("x").furthest(scroll)


def test_a_table_without_rows_says_so(opened: Opened) -> None:
    hands = opened()
    screen = a_table(hands, 0)
    hands.key("tab", "down", "end", "return")
    hands.click(PLACE.centre)
    hands.wheel("x", 3)
    assert screen.said == []


# Plots ------------------------------------------------------------------------------------------------------------


def test_ticks_are_round_and_not_many() -> None:
    assert ticks(0, 10) == [0, 2, 4, 6, 8, 10]
    assert ticks(0, 1, 4) == [0, 0.25, 0.5, 0.75, 1.0]
    assert ticks(-1, 1, 4) == [-1, -0.5, 0, 0.5, 1]
    assert ticks(3, 3) == [3]
    assert len(ticks(0, 999_999, 6)) <= 8
    assert [tick_text(value) for value in (1000, 0.25, -3)] == ["1,000", "0.25", "−3"]


def test_a_plot_is_picked_by_mouse_and_keys(opened: Opened) -> None:
    hands = opened()
    curve = Curve("A", [float(n) for n in range(11)], low=[0.0] * 11, high=[20.0] * 11)

    def make(b: Bench) -> Plot:
        return Plot(key="x", rect=PLACE, curves=(curve,), mark=b.value, pick=b.take, legend=True, title="Points")

    screen = bench(hands, make, value=0)
    area = hands.app.screen.ui.memory["x.field"]
    hands.click((area.x + area.w // 2, area.centre[1]))
    assert screen.value == 5
    hands.drag((area.x, area.centre[1]), (area.right + 50, area.centre[1]))
    assert screen.value == 10
    hands.key("left", "home")
    assert screen.said[-2:] == [9, 0]


@pytest.mark.parametrize(
    "values", [(), (None,), (1.0,), (None, 1.0, None, 2.0), (float("nan"), 1.0, float("inf")), (0.0,) * 5000]
)
def test_a_plot_of_any_values(opened: Opened, values: tuple[float | None, ...]) -> None:
    hands = opened()
    bench(hands, lambda b: Plot(key="x", rect=PLACE, curves=(Curve("A", values),), empty="Nothing", zero=True))
    hands.picture()


def test_no_line_strikes_words_through(opened: Opened) -> None:
    hands = opened()

    def colours(values: tuple[float | None, ...]) -> int:
        make = Plot(
            key="x", rect=PLACE, curves=(Curve("A", values),), low=-1.0, high=1.0, axes=False, empty=" ", zero=True
        )
        bench(hands, lambda b: make)
        picture, y = hands.picture(), hands.app.screen.ui.memory["x.field"].centre[1]
        return len({tuple(picture.get_at((PLACE.x + 5, y + step))) for step in (-2, -1, 0, 1)})

    assert colours((None, None)) == 1
    assert colours((None, 0.5)) == 2


def test_values_that_stand_apart_are_dots_with_their_intervals(opened: Opened) -> None:
    """Where there is only a lower end, a line leads to the top of the plot."""
    hands = opened()
    low, high = (None, -50.0, None, 0.0, -50.0), (None, 50.0, None, None, None)
    curve = Curve("A", (None, 20.0, None, None, None), low=low, high=high, sparse=True)
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


def test_progress_and_labels_are_drawn(opened: Opened) -> None:
    hands = opened()
    for share in (None, 0.0, 0.5, 1.0, 2.0):
        bench(hands, lambda b, s=share: ProgressBar(key="x", rect=PLACE, share=s, text="so far"))  # type: ignore[misc]
        hands.wait(0.1)
    canvas = Canvas(hands.app.surface, hands.app.look)
    Label(key="y", rect=Rect(0, 0, 30, 20), text="Much too long for this").draw(canvas, hands.app.screen.ui)
    assert canvas.cut == ["Much too long for this"]


# Tooltips and sentences -------------------------------------------------------------------------------------------


def test_a_tooltip_comes_after_a_while_and_goes(opened: Opened) -> None:
    hands = opened()
    bench(hands, lambda b: Button(key="x", rect=PLACE, text="Go", hint="What it does  (G)", run=lambda: None))
    hands.move(PLACE.centre)
    before = hands.picture()
    frames = hands.app.frames
    hands.wait(0.7)
    assert hands.app.frames == frames + 1  # drawn once, when it came
    assert hands.app.surface.get_buffer().raw != before.get_buffer().raw
    hands.move((700, 600))
    assert hands.app.frames == frames + 2


def test_no_tooltip_comes_over_what_one_types(opened: Opened) -> None:
    hands = opened()
    hands.key("o", "/")
    x, y = hands.middle("sort")
    notices = hands.app._notices
    hands.move((x, y))
    hands.wait(0.1)
    assert notices.hinted is not None
    hands.type("ge")
    hands.wait(1.0)
    assert notices.hinted is None
    hands.move((x + 3, y))
    hands.wait(0.1)
    assert notices.hinted is not None


def test_what_is_said_goes_away(opened: Opened) -> None:
    hands = opened()
    hands.app.say("Something happened.")
    hands.wait(1)
    assert hands.app.said == "Something happened."
    hands.wait(5)
    assert hands.app.said == ""


def test_nothing_is_drawn_while_nothing_happens(opened: Opened) -> None:
    hands = opened()
    hands.wait(3)
    frames = hands.app.frames
    hands.wait(10)
    assert hands.app.frames == frames
    hands.move((5, 300))
    hands.move((6, 300))
    assert hands.app.frames <= frames + 1
