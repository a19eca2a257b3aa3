"""A table of any number of rows, of which only those in sight are asked for and drawn."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from gui.events import LEFT, Event, Key, Motion, Press, Release, Wheel
from gui.geometry import Rect
from gui.look.canvas import Align, Canvas
from gui.look.theme import BODY, SMALL, Colour
from gui.widgets.base import ScrolledWidget, Scrolling, Ui

ROW, HEAD = 28, 30
WHEEL_ROWS = 3
FAR = 1000
"""Rows up and down among which one is looked for that has moved."""


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes:
        title: its heading.
        width: pixels of the design; None takes a share of what is left.
        align: of its cells and its heading.
        sort: what `Table.sort` is told; empty if one cannot sort by it.
        hint: what the heading means.
        may_cut: whether the heading may be of any length, such as a name; a caption of the program has room.
    """

    title: str
    width: float | None = None
    align: Align = "left"
    sort: str = ""
    may_cut: bool = False


@dataclass(frozen=True)
class Cell:
    """The content of a cell, where plain text is not enough.

    Attributes:
        text: its words.
        colour: of text and icon.
        icon: in front of the text.
        bold: whether the text is.
        draw: draws the cell instead, if given; its text says the same.
    """

    text: str
    colour: Colour | None = None
    icon: str = ""
    bold: bool = False
    draw: Callable[[Canvas, Rect], object] | None = None


@dataclass
class Scroll(Scrolling):
    """Where the table is.

    Attributes:
        seen: the selection that was last scrolled to.
        shape: height of its body and of a row when it was.
        arranged: what was listed, and how.
        anchor: a row that stays where it is seen, and its number: the one under the mouse, or the first in sight.
        drift: pixels that rows came above it while the mouse was there.
        head: height of the headings, as last drawn.
        columns: where the columns were last drawn.
        needed: width that each column needs for what was in sight since it was arranged, by its title.
        measured: height of a row and number of rows for which that holds.
        hover: the row under the mouse, -1 for none.
    """

    seen: Hashable = None
    arranged: Hashable = None
    anchor: tuple[Hashable, int] | None = None
    drift: float = 0.0
    shape: tuple[int, int] = (0, 0)
    row: int = ROW
    head: int = HEAD
    columns: Sequence[Rect] = ()
    needed: dict[str, int] = field(default_factory=dict)
    measured: tuple[int, int] = (0, 0)
    hover: int = -1


@dataclass(frozen=True, kw_only=True)
class Table(ScrolledWidget[Scroll]):
    """Rows and columns with a selection.

    Attributes:
        columns: their headings.
        count: number of rows.
        cells: the cells of a row by its number; called for rows in sight only.
        of: what stands in a row, so that it is known where it has another number: nothing moves under the mouse, and
            the chosen one is scrolled to only once. Without it rows are their numbers.
        arranged: what is listed and how; another list begins at its top.
        selected: number of the chosen row; -1 for none.
        select: told another choice.
        activate: told a row that was double-clicked, or on which Enter was pressed.
        sort: told the `Column.sort` of a heading that was clicked.
        sorted_by, descending: how the rows are ordered now.
        empty: said where there are no rows.
        choose: told row and column of a click, if not None, instead of `select`.
        keys: whether the keyboard can be led here.
        framed: whether it has a border of its own.
        striped: whether every other row has a background of its own.
        headed: whether it has headings.
        size: of its text.
        follows: whether the selection stays in sight when the size of the list changes; without one its start does.
    """

    focusable: ClassVar[bool] = True

    columns: Sequence[Column]
    count: int
    cells: Callable[[int], Sequence[str | Cell]]
    of: Callable[[int], Hashable] | None = None
    arranged: Hashable = None
    selected: int = -1
    select: Callable[[int], object] = lambda row: None
    activate: Callable[[int], object] = lambda row: None
    sort: Callable[[str], object] = lambda name: None
    sorted_by: str = ""
    descending: bool = False
    empty: str = ""
    choose: Callable[[int, int], object] | None = None
    keys: bool = True
    framed: bool = True
    striped: bool = True
    headed: bool = True
    size: float = BODY
    follows: bool = False

    @property
    def takes_focus(self) -> bool:
        """Not where the keys mean something else."""
        return self.enabled and self.keys

    # Where things are ---------------------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.count

    def body(self, scroll: Scroll) -> Rect:
        """The part below the headings."""
        head = scroll.head if self.headed else 0
        return Rect(self.rect.x, self.rect.y + head, self.rect.w, max(self.rect.h - head, 0))

    def row_at(self, scroll: Scroll, y: int) -> int:
        """Number of the row at a height of the screen; -1 for none."""
        number = int((y - self.body(scroll).y + scroll.top) // scroll.row)
        return number if 0 <= number < self.count else -1

    def heads(self, scroll: Scroll, scale_px: Callable[[float], int]) -> list[Rect]:
        """Return the areas of the columns."""
        bar = scroll.bar if self.thumb(scroll) else 0
        line = Rect(self.rect.x, self.rect.y, self.rect.w - bar, scroll.head)
        return line.columns(*[None if c.width is None else scale_px(c.width) for c in self.columns])

    # Drawing ------------------------------------------------------------------------------------------------------

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """Headings, the rows in sight, the scroll bar."""
        theme, scroll = canvas.theme, ui.recall(self, Scroll)
        scroll.row = canvas.px(ROW + (self.size - BODY) * 1.5)
        scroll.head, scroll.bar = canvas.px(HEAD), canvas.px(10)
        if self.framed:
            canvas.box(self.rect, theme.panel, theme.line)
        self._settle(scroll, pointed=ui.hot(self) and scroll.hover >= 0 and scroll.grip < 0)
        body = self.body(scroll)
        first = max(int(scroll.top // scroll.row), 0)
        last = min(int((scroll.top + body.h) // scroll.row) + 1, self.count)
        rows = {number: self._row(number) for number in range(first, last)}
        columns = scroll.columns = self._fit(canvas, scroll, rows.values())
        with canvas.clip(body.inset(1, 0) if self.framed else body):
            for number, cells in rows.items():
                y = body.y + number * scroll.row - int(scroll.top)
                self._draw_row(canvas, ui, scroll, number, Rect(body.x, y, body.w, scroll.row), columns, cells)
            if not self.count and self.empty:
                canvas.paragraph(self.empty, body.inset(canvas.px(14)), theme.muted)
        if self.headed:
            self._draw_heads(canvas, ui, columns, scroll)
        thumb = self.thumb(scroll)
        if thumb is not None:
            active = scroll.grip >= 0 or (ui.hot(self) and thumb.holds(ui.mouse))
            colour = theme.muted if active else theme.mix(theme.panel, theme.control_line, 0.6)
            canvas.box(thumb.inset(canvas.px(2), canvas.px(2)), colour, None, 3)
        ui.ring(canvas, self)

    def _row(self, number: int) -> list[Cell]:
        return [cell if isinstance(cell, Cell) else Cell(cell) for cell in self.cells(number)]

    def _fit(self, canvas: Canvas, scroll: Scroll, rows: Iterable[Sequence[Cell]]) -> list[Rect]:
        """Return where the columns are; one whose texts would be cut takes room that others do not need.

        A column that has grown stays as wide while the list is arranged as it is: nothing jumps while one scrolls.
        """
        px, places = canvas.px, self.heads(scroll, canvas.px)
        if scroll.measured != (scroll.row, self.count):
            scroll.measured, scroll.needed = (scroll.row, self.count), {}
        needed = scroll.needed
        for column in self.columns:
            sign = px(16) if column.sort else 0
            head = canvas.width(column.title, SMALL, bold=True) + sign + px(20) if self.headed else 0
            needed[column.title] = max(needed.get(column.title, 0), head)
        for cells in rows:
            for column, place, cell in zip(self.columns, places, cells, strict=True):
                icon = px(self.size + 4) + px(5) if cell.icon else 0
                text = canvas.width(cell.text, self.size, bold=cell.bold, tabular=column.align == "right")
                wide = place.w if cell.draw is not None else text + icon + px(20)
                needed[column.title] = max(needed[column.title], wide)
        lacking = [max(needed[column.title] - place.w, 0) for column, place in zip(self.columns, places, strict=True)]
        spare = [max(place.w - needed[column.title], 0) for column, place in zip(self.columns, places, strict=True)]
        moved = min(sum(lacking), sum(spare))
        if not moved:
            return places
        widths = [
            place.w + lack * moved // sum(lacking) - (free * moved + sum(spare) - 1) // sum(spare)
            for place, lack, free in zip(places, lacking, spare, strict=True)
        ]
        return Rect(places[0].x, places[0].y, places[-1].right - places[0].x, places[0].h).columns(*widths)

    def _draw_row(
        self,
        canvas: Canvas,
        ui: Ui,
        scroll: Scroll,
        number: int,
        row: Rect,
        columns: Sequence[Rect],
        cells: Sequence[Cell],
    ) -> None:
        theme = canvas.theme
        if number == self.selected:
            canvas.box(row.inset(canvas.px(3), 0), theme.selection, None, 5)
            canvas.fill(
                Rect(row.x + canvas.px(3), row.y + canvas.px(5), canvas.px(3), row.h - canvas.px(10)), theme.accent
            )
        elif ui.hot(self) and number == scroll.hover and scroll.grip < 0:
            canvas.box(row.inset(canvas.px(3), 0), theme.control_hover, None, 5)
        elif number % 2 and self.striped:
            canvas.fill(row.inset(canvas.px(3), 0), theme.stripe)
        for column, place, shown in zip(self.columns, columns, cells, strict=True):
            at = Rect(place.x + canvas.px(10), row.y, place.w - canvas.px(20), row.h)
            if shown.draw is not None:
                shown.draw(canvas, at)
                continue
            if shown.icon:
                side = canvas.px(self.size + 4)
                canvas.icon(shown.icon, Rect(at.x, at.y, side, at.h), shown.colour or theme.text, self.size + 1)
                at = Rect(at.x + side + canvas.px(5), at.y, at.w - side - canvas.px(5), at.h)
            canvas.text(
                shown.text,
                at,
                shown.colour or theme.text,
                self.size,
                bold=shown.bold,
                align=column.align,
                tabular=column.align == "right",
                may_cut=True,
            )

    def _draw_heads(self, canvas: Canvas, ui: Ui, columns: Sequence[Rect], scroll: Scroll) -> None:
        theme = canvas.theme
        bottom = self.rect.y + scroll.head
        canvas.fill(Rect(self.rect.x + 1, bottom - 1, self.rect.w - 2, 1), theme.line)
        for column, place in zip(self.columns, columns, strict=True):
            by_this = bool(column.sort) and column.sort == self.sorted_by
            hot = bool(column.sort) and ui.hot(self) and place.holds(ui.mouse)
            at = Rect(place.x + canvas.px(10), place.y, place.w - canvas.px(20), place.h)
            if by_this:
                side, wide = canvas.px(13), canvas.width(column.title, SMALL, bold=True)
                x = min(at.x + wide + canvas.px(3), at.right - side)
                if column.align == "right":
                    x = max(at.right - wide - side - canvas.px(2), place.x)
                spot = Rect(x, at.y, side, at.h)
                canvas.icon("sort-down" if self.descending else "sort-up", spot, theme.text, 11)
                if column.align != "right":
                    at = Rect(at.x, at.y, at.w - side, at.h)
            colour = theme.text if by_this or hot else theme.muted
            canvas.text(column.title, at, colour, SMALL, bold=True, align=column.align, may_cut=column.may_cut)

    # Reacting -----------------------------------------------------------------------------------------------------

    def _is(self, number: int) -> Hashable:
        """Return the cells of a row."""
        return number if self.of is None or not 0 <= number < self.count else self.of(number)

    def _settle(self, scroll: Scroll, *, pointed: bool) -> None:
        """Scroll to a new choice; otherwise rows stay where they are seen, whatever has come above them."""
        arranged = self.arranged, self.sorted_by, self.descending
        if arranged != scroll.arranged:
            scroll.arranged, scroll.anchor, scroll.top, scroll.drift = arranged, None, 0.0, 0.0
            scroll.needed.clear()
        moved = self._moved(scroll)
        scroll.top += moved * scroll.row
        if scroll.hover >= 0:
            scroll.hover = min(scroll.hover + moved, self.count - 1)
        if pointed:
            scroll.drift += moved * scroll.row
        elif scroll.drift:  # the mouse has gone: what stood at its top does so again
            scroll.top, scroll.drift = 0.0 if scroll.top <= scroll.drift else scroll.top, 0.0
        if not scroll.drift:
            scroll.top = min(max(scroll.top, 0.0), self.furthest(scroll))
        chosen, shape = self._is(self.selected), (self.body(scroll).h, scroll.row)
        if chosen != scroll.seen or (self.follows and shape != scroll.shape):
            scroll.seen, scroll.shape = chosen, shape
            if not (pointed and moved):
                self._show(scroll, max(self.selected, 0) if self.follows else self.selected)
        number = scroll.hover if pointed else int(scroll.top // scroll.row) if scroll.top > 0 else -1
        scroll.anchor = (self._is(number), number) if self.of is not None and 0 <= number < self.count else None

    def _moved(self, scroll: Scroll) -> int:
        """By how many rows the anchor is further down than it was."""
        if scroll.anchor is None:
            return 0
        known, number = scroll.anchor
        for away in range(FAR):
            for moved in (away, -away):
                if 0 <= number + moved < self.count and self._is(number + moved) == known:
                    return moved
        return 0

    def _show(self, scroll: Scroll, number: int) -> None:
        """Scroll so that a row is in sight."""
        if 0 <= number < self.count:
            top, height = number * scroll.row, self.body(scroll).h
            scroll.top = min(max(scroll.top, top + scroll.row - height), top)

    def handle(self, event: Event, ui: Ui) -> bool:
        """Scrolls, selects, sorts."""
        scroll = ui.recall(self, Scroll)
        if isinstance(event, Wheel):
            moved = self.scroll_by(scroll, -event.up * WHEEL_ROWS * scroll.row)
            scroll.hover, scroll.drift, scroll.anchor = self.row_at(scroll, event.at[1]), 0.0, None
            return moved
        if isinstance(event, Motion):
            return self._motion(event, scroll)
        if isinstance(event, Press) and event.button == LEFT:
            return self._press(event, scroll)
        if isinstance(event, Release):
            scroll.grip = -1
            return True
        return isinstance(event, Key) and self._key(event.name, scroll)

    def _motion(self, event: Motion, scroll: Scroll) -> bool:
        if self.drag_bar(scroll, event):
            return True
        before = scroll.hover
        scroll.hover = self.row_at(scroll, event.at[1]) if self.body(scroll).holds(event.at) else -1
        return scroll.hover != before or scroll.hover == -1

    def _press(self, event: Press, scroll: Scroll) -> bool:
        if self.take_bar(scroll, event):
            return True
        if not self.body(scroll).holds(event.at):
            column = self.columns[self._column_at(event.at[0], scroll)]
            if column.sort:
                self.sort(column.sort)
        else:
            number = self.row_at(scroll, event.at[1])
            if number >= 0:
                scroll.seen = self._is(number)  # where it is, it is in sight
                if self.choose is None:
                    self.select(number)
                else:
                    self.choose(number, self._column_at(event.at[0], scroll))
                if event.clicks == 2:
                    self.activate(number)
        return True

    def _column_at(self, x: int, scroll: Scroll) -> int:
        places = scroll.columns
        return next((number for number, place in enumerate(places) if x < place.right), len(places) - 1)

    def _key(self, name: str, scroll: Scroll) -> bool:
        page = max(self.body(scroll).h // scroll.row - 1, 1)
        steps = {"up": -1, "down": 1, "pageup": -page, "pagedown": page, "home": -self.count, "end": self.count}
        if name in steps and self.count:
            start = self.selected if self.selected >= 0 else (-1 if steps[name] > 0 else self.count)
            self.select(min(max(start + steps[name], 0), self.count - 1))
            return True
        if name == "return" and 0 <= self.selected < self.count:
            self.activate(self.selected)
            return True
        return False
