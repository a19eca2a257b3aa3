"""Widgets one by one, each on a screen that contains nothing else."""

from __future__ import annotations

from collections.abc import Callable

from gui.geometry import Rect
from gui.look.canvas import ELLIPSIS, Fonts, printable
from gui.system import Clipboard
from gui.widgets.button import Button, Segments, Slider, Toggle
from gui.widgets.field import LONGEST, Dropdown, Field
from gui.widgets.table import ROW, Column, Table
from tests.gui.bench_screen import PLACE, Bench, bench
from tests.gui.chooser_helpers import titles
from tests.gui.hands import Hands, Opened


def test_a_button_runs_where_it_was_pressed(opened: Opened) -> None:
    hands = opened()
    screen = bench(hands, lambda b: Button(key="x", rect=PLACE, text="Go", run=lambda: b.take(1)))
    hands.click("x")
    assert screen.values == [1]
    hands.press(PLACE.centre)
    hands.release((600, 500))  # released outside
    assert screen.values == [1]
    hands.press((600, 500))
    hands.release(PLACE.centre)  # pressed elsewhere
    assert screen.values == [1]
    hands.key("tab")
    hands.app.screen.ui.focus = "x"
    hands.key("return", "space")
    assert screen.values == [1, 1, 1]


def test_a_button_shows_its_key_while_it_is_pointed_at_or_focused_by_keys(opened: Opened) -> None:
    hands = opened()

    def drawn(shortcut: str) -> list[bytes]:
        bench(hands, lambda b: Button(key="x", rect=PLACE, text="Go", shortcut=shortcut, run=lambda: None))
        pictures = [hands.picture().get_buffer().raw]
        hands.move(PLACE.centre)
        pictures.append(hands.picture().get_buffer().raw)
        hands.move((600, 500))
        hands.key("tab")
        return [*pictures, hands.picture().get_buffer().raw]

    assert [one == other for one, other in zip(drawn("G"), drawn(""), strict=True)] == [True, False, False]


def test_toggle_and_choice(opened: Opened) -> None:
    hands = opened()
    screen = bench(
        hands, lambda b: Toggle(key="x", rect=PLACE, text="On", on=bool(b.value), run=lambda: b.take(not b.value))
    )
    hands.click("x")
    hands.click("x")
    assert screen.values == [True, False]
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
    assert screen.values[0] == 1
    hands.key("left", "pagedown", "home")
    assert screen.values[-3:] == [11, 9, 1]
    hands.key("left")
    assert screen.value == 1


def field(b: Bench) -> Field:
    return Field(
        key="x", rect=Rect(40, 60, 200, 36), value=b.value, change=b.take, enter=lambda: b.values.append("entered"),
        clipboard=b.app.services.clipboard,
    )  # fmt: skip


def test_typing_selecting_cutting_and_pasting(opened: Opened) -> None:
    hands = opened()
    assert isinstance(hands.app.services.clipboard, Clipboard)
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
    assert screen.values[-1] == "entered"


def test_a_field_takes_no_more_than_its_length_and_no_line_breaks(opened: Opened) -> None:
    hands = opened()
    hands.app.services.clipboard.copy("a\nb\tc\x00" + "d" * LONGEST)
    screen = bench(hands, field, value="")
    hands.click("x")
    hands.key("ctrl+v")
    assert screen.value.startswith("a b c")
    assert len(screen.value) == LONGEST
    assert screen.value.isprintable()


def test_clicking_into_a_text_puts_the_caret_there(opened: Opened) -> None:
    hands = opened()
    screen = bench(hands, field, value="wwwwwiiiii")
    hands.click("x")
    caret = hands.app.screen.ui.memory["x"]
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
    assert fonts.font(14) is Fonts().font(14), "a window more opens no more files"
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


COLUMNS = (Column("Name", sort="name"), Column("Number", 90, "right", sort="number"))


def table(count: int) -> Callable[[Bench], Table]:
    def make(b: Bench) -> Table:
        def cells(row: int) -> tuple[str, str]:
            b.asked.append(row)  # type: ignore[attr-defined]
            return f"Row {row}", str(row)

        return Table(
            key="x", rect=PLACE, columns=COLUMNS, count=count, cells=cells, selected=-1 if b.value is None else b.value,
            select=b.take, activate=lambda row: b.values.append(("activated", row)), sort=b.values.append,
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


def test_a_table_by_the_mouse(opened: Opened) -> None:
    hands = opened()
    screen = a_table(hands, 100)
    hands.click((PLACE.x + 50, PLACE.y + 30 + 28 * 2 + 14))
    assert screen.value == 2
    hands.wait(1)
    hands.click((PLACE.x + 50, PLACE.y + 30 + 28 * 3 + 14))
    hands.click((PLACE.x + 50, PLACE.y + 30 + 28 * 3 + 14))
    assert screen.values[-1] == ("activated", 3)
    hands.click((PLACE.x + 50, PLACE.y + 10))
    assert screen.values[-1] == "name"
    hands.click((PLACE.right - 50, PLACE.y + 10))
    assert screen.values[-1] == "number"
    hands.wheel("x", -3)
    scroll = hands.app.screen.ui.memory["x"]
    assert scroll.top == 3 * 3 * scroll.row
    thumb = hands.widget("x").thumb(scroll)
    hands.drag(thumb.centre, (thumb.x, PLACE.bottom + 200))
    assert scroll.top == hands.widget("x").furthest(scroll)
    hands.click((PLACE.right - 4, PLACE.y + 40))  # above the thumb: a page up
    assert scroll.top < hands.widget("x").furthest(scroll)


def test_rows_do_not_move_under_the_mouse(opened: Opened) -> None:
    hands = opened(size=(1000, 700))
    seen = {"chosen": "d", "order": ""}
    b = bench(
        hands,
        lambda b: Table(
            key="table", rect=Rect(10, 10, 300, 6 * ROW), columns=(Column("Name"),), count=len(b.value),
            of=b.value.__getitem__, arranged=seen["order"], cells=lambda row: (b.value[row],),
            selected=b.value.index(seen["chosen"]),
            select=lambda row: seen.update(chosen=b.value[row]), headed=False,
        ),
        ["c", "d", "e"],
    )  # fmt: skip

    def come(*names: str) -> None:
        b.value = [*names, *b.value]
        hands.app.redraw()
        hands.wait(0.1)

    hands.wait(0.1)
    row = b.ui.memory["table"].row
    middle = (60, 10 + row + row // 2)  # of the second row
    hands.move(middle)
    hands.press(middle)
    hands.release(middle)
    assert seen["chosen"] == "d"
    come("b")  # all have room, so nothing moves
    hands.press(middle)
    hands.release(middle)
    assert seen["chosen"] == "d"
    come(*(f"{n:02d}" for n in range(30)))
    hands.press(middle)
    hands.release(middle)
    assert seen["chosen"] == "d"
    hands.move((600, 600))  # the mouse has left: the list displays its newest rows
    scroll = b.ui.memory["table"]
    assert scroll.top == 0
    hands.wheel("table", -2)
    top = scroll.top
    hands.move((600, 600))
    come("x", "y")  # a row to which the user has scrolled stays, too
    assert scroll.top == top + 2 * scroll.row > 0
    seen["order"] = "another"
    come()
    assert scroll.top == 0, "another order begins with its first, wherever the chosen one stands"
    hands.key("tab", "down")
    assert scroll.top > 0, "but a new choice is shown"


def test_a_tooltip_comes_after_a_while_and_goes(opened: Opened) -> None:
    hands = opened()
    hands.drawn = 1
    bench(hands, lambda b: Button(key="x", rect=PLACE, text="Go", hint="What it does  (G)", run=lambda: None))
    hands.move(PLACE.centre)
    before = hands.picture()
    frames = hands.app.frames
    hands.wait(0.7)
    assert hands.app.frames == frames + 1  # drawn once, when it appeared
    assert hands.picture().get_buffer().raw != before.get_buffer().raw
    frames = hands.app.frames
    hands.move((700, 600))
    assert hands.app.frames == frames + 1


def test_no_tooltip_covers_typed_text(opened: Opened) -> None:
    hands = opened()
    hands.key("n", "/")
    x, y = hands.middle("colour")
    notices = hands.app._notices
    hands.move((x, y))
    hands.wait(0.1)
    assert notices.hinted is not None
    hands.type(titles(hands)[0][:2].lower())  # what is typed must leave an opponent, whose panel has the colour
    hands.wait(1.0)
    assert notices.hinted is None
    hands.move((x + 3, y))
    hands.wait(0.1)
    assert notices.hinted is not None


def test_a_long_path_is_read_for_longer(opened: Opened) -> None:
    hands = opened()
    for text, stays in (("Saved as a.pdn", False), (f"Saved as {'/folder' * 10}/a.pdn", True)):
        hands.app.say(text)
        hands.wait(5.0)
        assert (hands.app.notice == text) == stays


def test_a_tooltip_is_gone_after_a_press(opened: Opened) -> None:
    hands = opened()
    hands.key("n")
    notices = hands.app._notices
    hands.click("colour")
    hands.wait(1.0)
    assert notices.hinted is None
    hands.move(hands.middle("play"))
    hands.move(hands.middle("colour"))
    hands.wait(1.0)
    assert notices.hinted is not None
