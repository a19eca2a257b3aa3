"""A table of any number of rows; only visible rows are computed and drawn."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from game.networks.emblem import Emblem
from gui.events import Event, Press, Wheel
from gui.geometry import Point, Rect
from gui.look.canvas import Align, Canvas, Look
from gui.look.theme import BODY, SMALL, TIGHT, Colour, Theme
from gui.widgets.base import ListWidget, Scrolling, Ui
from gui.widgets.emblem import draw_emblem

T = TypeVar("T")

ROW, HEAD, LEAST_STRETCHED = 28, 30, 3
FAR = 1000
"""A row is recognised if it has moved by at most this number of rows."""


@dataclass(frozen=True)
class Column:
    """A column.

    Attributes:
        width: in pixels of the design; None for an equal share of the remaining width.
        sort: the argument of `Table.sort`; empty if the rows cannot be sorted by it.
    """

    title: str
    width: float | None = None
    align: Align = "left"
    sort: str = ""


@dataclass(frozen=True)
class Cell:
    """A cell that is more than plain text.

    Attributes:
        draw: draws the cell instead of the text, which still describes it.
        emblems: shields in place of the icon, plain ones until they are known.
    """

    text: str
    colour: Colour | None = None
    icon: str = ""
    bold: bool = False
    draw: Callable[[Canvas, Rect], object] | None = None
    emblems: tuple[Emblem | None, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ListColumn(Column, Generic[T]):
    """A column of a list, with everything that the list needs to know about it.

    Attributes:
        order: returns the value by which rows are sorted; None if they cannot be sorted by this column.
        room: width below which a list leaves the column out.
        entry: returns whether a row has something in this column; None if each row does.
    """

    cell: Callable[[T, Theme], Cell]
    order: Callable[[T], Any] | None = None
    largest_first: bool = False
    room: float = 0
    entry: Callable[[T], object] | None = None


NONE = "–"
"""The text of a cell without a value."""


def without_entry(columns: Iterable[ListColumn[T]], rows: Sequence[T]) -> list[ListColumn[T]]:
    """Return the columns in which no row has anything, which a list hides."""
    return [column for column in columns if column.entry is not None and not any(map(column.entry, rows))]


class ListOrder(Generic[T]):
    """The columns of a list, and the order of its rows.

    Args:
        update: called when another order has been chosen.

    Attributes:
        by: `Column.sort` of the column by which it is sorted.
    """

    def __init__(self, columns: Sequence[ListColumn[T]], by: str, update: Callable[[], object]) -> None:
        self._columns, self.by, self._update = columns, by, update
        self.descending = self._by.largest_first

    @property
    def _by(self) -> ListColumn[T]:
        return next(column for column in self._columns if column.sort == self.by)

    def choose(self, name: str) -> None:
        """Sort by a column; reverse the order if the rows are already sorted by it."""
        again, self.by = name == self.by, name
        self.descending = not self.descending if again else self._by.largest_first
        self._update()

    def choose_next(self) -> None:
        names = [column.sort for column in self._columns if column.order is not None]
        self.choose(names[(names.index(self.by) + 1) % len(names)])

    def sort(self, rows: list[T]) -> None:
        rows.sort(key=self._by.order, reverse=self.descending)

    def fitting(self, width: float, look: Look) -> list[ListColumn[T]]:
        return [column for column in self._columns if width >= look.px(column.room)]


@dataclass
class Scroll(Scrolling):
    """The scroll position of a table.

    Attributes:
        seen: identity of the row that was last scrolled to.
        arranged: `Table.arranged` and the order at that time.
        anchor: identity and number of a row that keeps its place on the screen: the one under the mouse, or the first
            visible one.
        drift: height in pixels of the rows inserted above it while it was under the mouse.
        needed: width by title that a column needs for all rows that have been visible since the list was arranged.
        measured: height of a row and number of rows when `needed` was measured.
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


@dataclass(frozen=True, kw_only=True)
class Table(ListWidget[Scroll]):
    """Rows and columns with a selection.

    Attributes:
        cells: returns the cells of a row by its number; called for visible rows only.
        of: returns the identity of a row, by default its number. By it the table recognises rows whose numbers have
            changed, so that nothing moves under the mouse, and it scrolls to the chosen row only once.
        choose: if not None, called on a click with row and column, instead of `select`.
        row: height of a row in pixels of the screen; 0 for one that fits the letters.
        follows: whether the selection, or the start if there is none, stays visible when the table changes its size.
    """

    kept: ClassVar[type[Any]] = Scroll
    wheel_rows: ClassVar[float] = 3.0

    columns: Sequence[Column]
    cells: Callable[[int], Sequence[str | Cell]]
    of: Callable[[int], Hashable] | None = None
    sort: Callable[[str], object] = lambda name: None
    sorted_by: str = ""
    descending: bool = False
    choose: Callable[[int, int], object] | None = None
    keys: bool = True
    framed: bool = True
    headed: bool = True
    size: float = BODY
    row: int = 0
    follows: bool = False

    @property
    def takes_focus(self) -> bool:
        return self.enabled and self.keys

    def body(self, scroll: Scroll) -> Rect:
        """Return the area of the rows, which are whole ones if they do not all fit."""
        head = scroll.head if self.headed else 0
        room = max(self.rect.h - head, 0)
        if scroll.row <= room < self.count * scroll.row:
            room -= room % scroll.row
        return Rect(self.rect.x, self.rect.y + head, self.rect.w, room)

    def item_at(self, point: Point, scroll: Scroll) -> int | None:
        number = int((point[1] - self.body(scroll).y + scroll.top) // scroll.row)
        return number if 0 <= number < self.count else None

    def heads(self, scroll: Scroll, scale_px: Callable[[float], int]) -> list[Rect]:
        bar = scroll.bar if self.thumb(scroll) else 0
        line = Rect(self.rect.x, self.rect.y, self.rect.w - bar, scroll.head)
        return line.columns(*[None if c.width is None else scale_px(c.width) for c in self.columns])

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        theme, scroll = canvas.theme, ui.recall(self, Scroll)
        scroll.row = self.row or canvas.px(ROW + (self.size - BODY) * 1.5)
        scroll.head, scroll.bar = canvas.px(HEAD), canvas.px(10)
        room = self.rect.h - scroll.head * self.headed - canvas.px(TIGHT)
        if LEAST_STRETCHED <= (whole := room // scroll.row) < self.count:
            scroll.row = room // whole  # so that no part of a row is left empty below them
        if self.framed:
            canvas.box(self.rect, theme.panel, theme.line)
        self._settle(scroll, pointed=ui.hot(self) and scroll.hover is not None and scroll.grip < 0)
        body = self.body(scroll)
        first = max(int(scroll.top // scroll.row), 0)
        last = min(int((scroll.top + body.h) // scroll.row) + 1, self.count)
        rows = {number: self._row(number) for number in range(first, last)}
        scroll.columns = self._fit(canvas, scroll, rows.values())
        with canvas.clip(body.inset(1, 0) if self.framed else body):
            for number, cells in rows.items():
                y = body.y + number * scroll.row - int(scroll.top)
                self._draw_row(canvas, ui, scroll, number, Rect(body.x, y, body.w, scroll.row), cells)
            if not self.count and self.empty:
                canvas.paragraph(self.empty, body.inset(canvas.px(14)), theme.muted)
        if self.headed:
            self._draw_heads(canvas, ui, scroll)
        self.draw_bar(scroll, canvas, ui)
        ui.ring(canvas, self)

    def _row(self, number: int) -> list[Cell]:
        return [cell if isinstance(cell, Cell) else Cell(cell) for cell in self.cells(number)]

    def _fit(self, canvas: Canvas, scroll: Scroll, rows: Iterable[Sequence[Cell]]) -> list[Rect]:
        """Return the areas of the columns; a column whose text would be cut takes room that others do not need."""
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
                icon = (px(self.size + 4) + px(5)) * (len(cell.emblems) or bool(cell.icon))
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

    def _draw_row(self, canvas: Canvas, ui: Ui, scroll: Scroll, number: int, row: Rect, cells: Sequence[Cell]) -> None:
        theme = canvas.theme
        if number == self.selected:
            canvas.box(row.inset(canvas.px(3), 0), theme.selection, None, 5)
            canvas.fill(
                Rect(row.x + canvas.px(3), row.y + canvas.px(5), canvas.px(3), row.h - canvas.px(10)), theme.accent
            )
        elif ui.hot(self) and number == scroll.hover and scroll.grip < 0:
            canvas.box(row.inset(canvas.px(3), 0), theme.control_hover, None, 5)
        elif number % 2:
            canvas.fill(row.inset(canvas.px(3), 0), theme.stripe)
        for column, place, cell in zip(self.columns, scroll.columns, cells, strict=True):
            at = Rect(place.x + canvas.px(10), row.y, place.w - canvas.px(20), row.h)
            if cell.draw is not None:
                cell.draw(canvas, at)
                continue
            for sign in cell.emblems or (cell.icon,) * bool(cell.icon):
                side = canvas.px(self.size + 4)
                place, at = at.columns(side, None, gap=canvas.px(5))
                if isinstance(sign, str):
                    canvas.icon(sign, place, cell.colour or theme.text, self.size + 1)
                else:
                    draw_emblem(canvas, place.inset(0, canvas.px(3)), sign)
            colour, align = cell.colour or theme.text, column.align
            canvas.text(cell.text, at, colour, self.size, bold=cell.bold, align=align, tabular=align == "right",
                        may_cut=True)  # fmt: skip

    def _draw_heads(self, canvas: Canvas, ui: Ui, scroll: Scroll) -> None:
        theme = canvas.theme
        bottom = self.rect.y + scroll.head
        canvas.fill(Rect(self.rect.x + 1, bottom - 1, self.rect.w - 2, 1), theme.line)
        for column, place in zip(self.columns, scroll.columns, strict=True):
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
            canvas.text(column.title, at, colour, SMALL, bold=True, align=column.align)

    def _is(self, number: int) -> Hashable:
        return number if self.of is None or not 0 <= number < self.count else self.of(number)

    def _settle(self, scroll: Scroll, *, pointed: bool) -> None:
        """Scroll to a new choice; otherwise keep visible rows in place even if others were inserted above."""
        arranged = self.arranged, self.sorted_by, self.descending
        if arranged != scroll.arranged:
            scroll.arranged, scroll.anchor, scroll.top, scroll.drift = arranged, None, 0.0, 0.0
            scroll.needed.clear()
        moved = self._moved(scroll)
        scroll.top += moved * scroll.row
        if scroll.hover is not None:
            scroll.hover = min(scroll.hover + moved, self.count - 1)
        if pointed:
            scroll.drift += moved * scroll.row
        elif scroll.drift:  # the mouse has left: return to the top if the list was there
            scroll.top, scroll.drift = 0.0 if scroll.top <= scroll.drift else scroll.top, 0.0
        if not scroll.drift:
            scroll.top = min(max(scroll.top, 0.0), self.furthest(scroll))
        chosen, shape = self._is(self.selected), (self.body(scroll).h, scroll.row)
        if chosen != scroll.seen or (self.follows and shape != scroll.shape):
            scroll.seen, scroll.shape = chosen, shape
            shown = max(self.selected, 0) if self.follows else self.selected
            if not (pointed and moved) and 0 <= shown < self.count:
                self.show_row(scroll, shown, scroll.row)
        first = int(scroll.top // scroll.row) if scroll.top > 0 else -1
        number: int = scroll.hover if pointed and scroll.hover is not None else first
        scroll.anchor = (self._is(number), number) if self.of is not None and 0 <= number < self.count else None

    def _moved(self, scroll: Scroll) -> int:
        if scroll.anchor is None:
            return 0
        known, number = scroll.anchor
        for away in range(FAR):
            for moved in (away, -away):
                if 0 <= number + moved < self.count and self._is(number + moved) == known:
                    return moved
        return 0

    def handle(self, event: Event, ui: Ui) -> bool:
        used = super().handle(event, ui)
        if isinstance(event, Wheel):
            scroll = ui.recall(self, Scroll)
            scroll.hover, scroll.drift, scroll.anchor = self.item_at(event.at, scroll), 0.0, None
        return used

    def press(self, event: Press, scroll: Scroll) -> None:
        if not self.body(scroll).holds(event.at):
            column = self.columns[self._column_at(event.at[0], scroll)]
            if column.sort:
                self.sort(column.sort)
            return
        number = self.item_at(event.at, scroll)
        if number is not None:
            scroll.seen = self._is(number)  # it is visible already
        if number is None or self.choose is None:
            super().press(event, scroll)
        else:
            self.choose(number, self._column_at(event.at[0], scroll))

    def _column_at(self, x: int, scroll: Scroll) -> int:
        places = scroll.columns
        return next((number for number, place in enumerate(places) if x < place.right), len(places) - 1)
