"""The base of all widgets and their state; labels, panels, progress bars; the commands that keys and buttons run."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from gui.events import LEFT, Event, Key, Motion, Press, Release, Text, Wheel, key_text
from gui.geometry import Point, Rect
from gui.look.canvas import Canvas
from gui.look.theme import ROOM, SMALL, TIGHT, Colour

M = TypeVar("M")


@dataclass(frozen=True, kw_only=True)
class Widget:
    """The base of all widgets.

    Attributes:
        why: the reason why it is disabled, in one sentence; displayed in its tooltip and after a click.
    """

    focusable: ClassVar[bool] = False
    shows_focus: ClassVar[bool] = False
    """True if the widget draws its own focus."""

    key: str
    rect: Rect
    hint: str = ""
    enabled: bool = True
    why: str = ""

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """Draw the widget."""

    def draw_above(self, canvas: Canvas, ui: Ui) -> None:
        """Draw the part above all other widgets while this one is open."""

    def handle(self, event: Event, ui: Ui) -> bool:
        """React to an event; return whether it had an effect."""
        return False

    @property
    def takes_focus(self) -> bool:
        return self.focusable and self.enabled


@dataclass
class Ui:
    """The state of widgets between frames.

    Attributes:
        focus: key of the widget that has the keyboard; empty if none has it.
        opened: key of the widget that is open above all others, such as a drop-down list; empty if there is none.
        trouble: an error of a widget, in one sentence; the window displays it once.
        now: seconds since the start.
    """

    focus: str = ""
    focus_shown: bool = False
    hover: str = ""
    held: str = ""
    opened: str = ""
    trouble: str = ""
    mouse: Point = (-1, -1)
    now: float = 0.0
    memory: dict[str, Any] = field(default_factory=dict)

    def recall(self, widget: Widget, make: Callable[[], M]) -> M:
        """Return the state of a widget, made by `make` the first time."""
        kept = self.memory.get(widget.key)
        if kept is None:
            kept = self.memory[widget.key] = make()
        return kept

    def has_focus(self, widget: Widget) -> bool:
        return self.focus == widget.key

    def hot(self, widget: Widget) -> bool:
        return widget.enabled and self.hover == widget.key and self.held in ("", widget.key)

    def down(self, widget: Widget) -> bool:
        return widget.enabled and self.held == widget.key and self.hover == widget.key

    def close(self) -> None:
        self.opened = ""

    def ring(self, canvas: Canvas, widget: Widget, radius: float = 8, rect: Rect | None = None) -> None:
        if self.focus_shown and self.has_focus(widget):
            gap = canvas.px(2)
            canvas.box((rect or widget.rect).inset(-gap), None, canvas.theme.focus, radius + 2, 2)

    def dispatch(self, event: Event, widgets: list[Widget]) -> bool:
        """Pass an event to its widget; return whether anything may have changed."""
        there = {widget.key: widget for widget in widgets}
        if self.opened and self.opened not in there:
            self.close()
        if self.held and self.held not in there:
            self.held = ""
        if isinstance(event, (Press, Release, Motion, Wheel)):
            return self._pointer(event, widgets, there)
        if isinstance(event, (Key, Text)):
            return self._keyboard(event, widgets, there)
        return False

    def _pointer(
        self, event: Press | Release | Motion | Wheel, widgets: list[Widget], there: dict[str, Widget]
    ) -> bool:
        self.mouse = event.at
        before = self.hover
        under = next((w for w in reversed(widgets) if w.rect.holds(event.at) and (w.enabled or w.why)), None)
        self.hover = under.key if under else ""
        if self.opened:
            return there[self.opened].handle(event, self) or True
        if isinstance(event, Motion):
            target = there.get(self.held) or under
            used = target is not None and target.handle(event, self)
            return used or self.hover != before
        if isinstance(event, Press):
            if under is None:
                self.focus = ""
                return False
            if not under.enabled:
                self.trouble = under.why
                return True
            if event.button == 1:
                self.held = under.key
                if under.takes_focus:
                    self.focus, self.focus_shown = under.key, False
            return under.handle(event, self)
        if isinstance(event, Release):
            target = there.get(self.held) or under
            if target is None:
                return False
            used = target.handle(event, self)
            self.held = ""
            return used or True
        return under is not None and under.handle(event, self)

    def _keyboard(self, event: Key | Text, widgets: list[Widget], there: dict[str, Widget]) -> bool:
        target = there.get(self.opened or self.focus)
        if target is not None and target.enabled and target.handle(event, self):
            return True
        if isinstance(event, Key) and event.name in ("tab", "shift+tab") and not self.opened:
            return self.lead(widgets, -1 if event.name == "shift+tab" else 1)
        return False

    def lead(self, widgets: Iterable[Widget], step: int) -> bool:
        """Move the focus to the next widget, also from one that is disabled by now; make an invisible focus visible."""
        order = [widget for widget in widgets if widget.takes_focus or widget.key == self.focus]
        if not any(widget.takes_focus for widget in order):
            return False
        here = next((n for n, widget in enumerate(order) if widget.key == self.focus), -1 if step > 0 else 0)
        if not order[here].takes_focus:
            del order[here]
            here -= step > 0
        hidden = here >= 0 and order[here].key == self.focus and not self.focus_shown and not order[here].shows_focus
        self.focus, self.focus_shown = order[here if hidden else (here + step) % len(order)].key, True
        return True


@dataclass(frozen=True, kw_only=True)
class Panel(Widget):
    colour: Colour | None = None
    border: bool = True
    radius: float = 10

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        colour = self.colour or canvas.theme.panel
        canvas.box(self.rect, colour, canvas.theme.line if self.border else None, self.radius)


@dataclass(frozen=True, kw_only=True)
class Label(Widget):
    """A line of text, optionally with the key of a command; with `wrap`, as many lines as it needs."""

    text: str
    size: float = 14
    bold: bool = False
    colour: Colour | None = None
    align: Any = "left"
    wrap: bool = False
    may_cut: bool = False
    icon: str = ""
    shortcut: str = ""

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        rect = self.rect
        if self.icon:
            side = canvas.px(self.size + 4)
            height = canvas.line_height(self.size) if self.wrap else rect.h
            canvas.icon(self.icon, Rect(rect.x, rect.y, side, height), self.colour or canvas.theme.text, self.size + 3)
            used = side + canvas.px(6)
            rect = Rect(rect.x + used, rect.y, rect.w - used, rect.h)
        if self.wrap:
            canvas.paragraph(
                self.text, rect, self.colour, self.size, bold=self.bold, align=self.align, may_cut=self.may_cut
            )
        else:
            size, align = self.size, self.align
            placed = canvas.text(self.text, rect, self.colour, size, bold=self.bold, align=align, may_cut=self.may_cut)
            canvas.key_beside(self.shortcut, placed, rect)


@dataclass
class Scrolling:
    """The scroll position of rows.

    Attributes:
        top: pixels of the rows above the visible part.
        grip: distance of the mouse from the top of the thumb while dragging; -1 otherwise.
        row, bar: height of a row and width of the bar, as last drawn.
        hover: the item under the mouse; None for none.
    """

    top: float = 0.0
    grip: int = -1
    row: int = 1
    bar: int = 12
    hover: Any = None


S = TypeVar("S", bound=Scrolling)


@dataclass(frozen=True, kw_only=True)
class ScrolledWidget(Widget, Generic[S]):
    """A widget with items in rows of equal height, some of them out of sight.

    Attributes:
        kept: the class of its scroll position.
        wheel_rows: number of rows that a notch of the wheel scrolls.
        select, activate: called with an item on a click and on a double click.
    """

    focusable: ClassVar[bool] = True
    kept: ClassVar[type[Any]]
    wheel_rows: ClassVar[float] = 1.0

    select: Callable[[Any], object] = lambda item: None
    activate: Callable[[Any], object] = lambda item: None

    @property
    def rows(self) -> int:
        raise NotImplementedError

    def item_at(self, point: Point, scroll: S) -> Any:
        """Return the item at a point of the body; None if there is none."""
        raise NotImplementedError

    def body(self, scroll: S) -> Rect:
        return self.rect

    def furthest(self, scroll: S) -> float:
        return max(self.rows * scroll.row - self.body(scroll).h, 0)

    def thumb(self, scroll: S) -> Rect | None:
        body, furthest = self.body(scroll), self.furthest(scroll)
        if furthest <= 0 or body.h <= 0:
            return None
        height = max(body.h * body.h // (self.rows * scroll.row), min(scroll.row, body.h))
        y = body.y + round((body.h - height) * min(scroll.top, furthest) / furthest)
        return Rect(body.right - scroll.bar, y, scroll.bar, height)

    def draw_bar(self, scroll: S, canvas: Canvas, ui: Ui) -> None:
        theme, thumb = canvas.theme, self.thumb(scroll)
        if thumb is not None:
            active = scroll.grip >= 0 or (ui.hot(self) and thumb.holds(ui.mouse))
            colour = theme.muted if active else theme.mix(theme.panel, theme.control_line, 0.6)
            canvas.box(thumb.inset(canvas.px(2), canvas.px(2)), colour, None, 3)

    def show_row(self, scroll: S, row: int, height: int) -> None:
        """Scroll as little as possible until a row is visible with a height."""
        top = row * scroll.row
        scroll.top = min(max(scroll.top, top + height - self.body(scroll).h), top)

    def scroll_by(self, scroll: S, pixels: float) -> bool:
        """Scroll down, or up if negative, at most to the end; return whether anything moved."""
        before = scroll.top
        scroll.top = min(max(scroll.top + pixels, 0.0), self.furthest(scroll))
        return scroll.top != before

    def handle(self, event: Event, ui: Ui) -> bool:
        scroll = ui.recall(self, self.kept)
        if isinstance(event, Wheel):
            return self.scroll_by(scroll, -event.up * self.wheel_rows * scroll.row)
        if isinstance(event, Motion):
            if self._drag_bar(scroll, event):
                return True
            before, scroll.hover = scroll.hover, self._item_under(event.at, scroll)
            return scroll.hover != before or scroll.hover is None
        if isinstance(event, Press) and event.button == LEFT:
            if not self._take_bar(scroll, event):
                self.press(event, scroll)
            return True
        if isinstance(event, Release):
            scroll.grip = -1
            return True
        return False

    def press(self, event: Press, scroll: S) -> None:
        item = self._item_under(event.at, scroll)
        if item is not None:
            self.select(item)
            if event.clicks == 2:
                self.activate(item)

    def _item_under(self, point: Point, scroll: S) -> Any:
        return self.item_at(point, scroll) if self.body(scroll).holds(point) else None

    def _take_bar(self, scroll: S, event: Press) -> bool:
        """Begin to drag the thumb, or scroll by a page; return whether the press was on the scroll bar."""
        body, thumb = self.body(scroll), self.thumb(scroll)
        if thumb is None or event.at[0] < thumb.x or not body.holds(event.at):
            return False
        if thumb.holds(event.at):
            scroll.grip = event.at[1] - thumb.y
        else:
            self.scroll_by(scroll, body.h * (1 if event.at[1] > thumb.y else -1))
        return True

    def _drag_bar(self, scroll: S, event: Motion) -> bool:
        if scroll.grip < 0:
            return False
        body, thumb = self.body(scroll), self.thumb(scroll)
        if thumb is not None:
            share = (event.at[1] - scroll.grip - body.y) / max(body.h - thumb.h, 1)
            scroll.top = min(max(share, 0.0), 1.0) * self.furthest(scroll)
        return True


@dataclass(frozen=True, kw_only=True)
class ListWidget(ScrolledWidget[S]):
    """Numbered items, of which keys and clicks select one.

    Attributes:
        across: number of items in a row.
        arranged: identity of the list; if it changes, the list scrolls to the top.
        empty: the text without items.
    """

    count: int
    across: int = 1
    selected: int = -1
    arranged: Hashable = None
    empty: str = ""

    @property
    def rows(self) -> int:
        return -(-self.count // self.across)

    def handle(self, event: Event, ui: Ui) -> bool:
        if isinstance(event, Key):
            return self._key(event.name, ui.recall(self, self.kept))
        return super().handle(event, ui)

    def _key(self, name: str, scroll: S) -> bool:
        page = max(self.body(scroll).h // scroll.row - 1, 1) * self.across
        steps = {
            "up": -self.across, "down": self.across, "pageup": -page, "pagedown": page, "home": -self.count,
            "end": self.count,
        }  # fmt: skip
        steps |= {"left": -1, "right": 1} if self.across > 1 else {}
        if name in steps and self.count:
            start = self.selected if self.selected >= 0 else -1 if steps[name] > 0 else self.count
            self.select(min(max(start + steps[name], 0), self.count - 1))
            return True
        if name == "return" and 0 <= self.selected < self.count:
            self.activate(self.selected)
            return True
        return False


@dataclass(frozen=True, kw_only=True)
class ProgressBar(Widget):
    """The progress of a job; if the fraction done is unknown, part of the bar moves back and forth."""

    share: float | None
    text: str = ""

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        theme, rect = canvas.theme, self.rect
        canvas.box(rect, theme.mix(theme.panel, theme.control_line, 0.3), None, 4)
        if self.share is None:
            piece = max(rect.w // 4, 1)
            swing = (1 - math.cos(ui.now * 2.4)) / 2
            filled = Rect(rect.x + round((rect.w - piece) * swing), rect.y, piece, rect.h)
        else:
            filled = Rect(rect.x, rect.y, round(rect.w * min(max(self.share, 0.0), 1.0)), rect.h)
        if filled.w:
            canvas.box(filled, theme.accent, None, 4)
        if self.text and rect.h >= canvas.line_height(SMALL):
            canvas.text(self.text, rect, theme.text, SMALL, align="centre", may_cut=True)
            with canvas.clip(filled):  # letters over the filled part have another colour
                canvas.text(self.text, rect, theme.on_accent, SMALL, align="centre", may_cut=True)


def draw_share(canvas: Canvas, card: Rect, share: float | None) -> None:
    """Draw the progress of a job at the bottom of a card, unless it is unknown."""
    if share is not None:
        edge, high = canvas.px(ROOM), canvas.px(TIGHT)
        bar = Rect(card.x + edge, card.bottom - 2 * high, card.w - 2 * edge, high)
        ProgressBar(key="share", rect=bar, share=share).draw(canvas, Ui())


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command of a screen.

    Attributes:
        id: unique on its screen; stays the same if the label changes.
        keys: the first one is displayed.
        about: a sentence for tooltips and the list of keys; the name if empty.
    """

    id: str
    name: str
    keys: tuple[str, ...]
    run: Callable[[], object]
    about: str = ""
    icon: str = ""
    enabled: bool = True
    chosen: bool | None = None
    group: str = ""
    why: str = ""

    @property
    def key(self) -> str:
        return key_text(self.keys[0]) if self.keys else ""

    @property
    def reason(self) -> str:
        return "" if self.enabled else self.why or f"{self.name} is not possible now."

    @property
    def hint(self) -> str:
        text = self.about or self.name
        return f"{text}  ({self.key})" if self.keys else text


def by_id(commands: Iterable[Command]) -> dict[str, Command]:
    return {command.id: command for command in commands}


def find(commands: Iterable[Command], key: str) -> Command | None:
    return next((command for command in commands if key in command.keys), None)
