"""Buttons, the large button of a screen, toggles, segments and sliders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from gui.events import LEFT, Event, Key, Press, Release
from gui.geometry import Rect
from gui.look.canvas import Canvas
from gui.look.theme import BODY, EDGE, GAP, HEADING, ROOM, SMALL, TIGHT, Colour
from gui.widgets.base import Command, Ui, Widget

ButtonKind = Literal["plain", "main", "quiet", "danger"]
PRESSING = ("return", "space")
EQUAL_TABS, LONG_TAB = 4, 20
"""Maximum number of tabs that have the same width, and maximum length of their names."""
FADED = 0.2
"""Share of the background colour in the colour of a button's key."""


@dataclass(frozen=True, kw_only=True)
class Pressed(Widget):
    """A widget that runs a command when it is pressed with the mouse, Enter or Space."""

    focusable: ClassVar[bool] = True

    run: Callable[[], object]

    def handle(self, event: Event, ui: Ui) -> bool:
        if isinstance(event, Release) and event.button == LEFT and ui.down(self) and self.rect.holds(event.at):
            self.run()
            return True
        if isinstance(event, Key) and event.name in PRESSING and ui.focus_shown:  # focused by keys, not by a click
            self.run()
            return True
        return isinstance(event, (Press, Release))


@dataclass(frozen=True, kw_only=True)
class Button(Pressed):
    """A button with a label, an icon or both, and its key if there is room while it is pointed at or focused by keys.

    Attributes:
        kind: main button of a screen, plain, quiet (without a box), or danger (the command ends or deletes something).
        listed: whether it is an entry of a menu, which always shows its key.
        stacked: whether the label stands below the icon.
        opens: whether it opens a choice, to which an arrow points.
    """

    text: str = ""
    icon: str = ""
    shortcut: str = ""
    kind: ButtonKind = "plain"
    chosen: bool | None = None
    size: float = BODY
    align: Any = "centre"
    listed: bool = False
    stacked: bool = False
    opens: bool = False

    def colours(self, canvas: Canvas, ui: Ui) -> tuple[Colour | None, Colour | None, Colour]:
        theme = canvas.theme
        hot, down = ui.hot(self), ui.down(self)
        if not (self.enabled or self.chosen):
            faint = theme.mix(theme.muted, theme.panel, 0.45)
            return None, None if self.kind == "quiet" else theme.mix(theme.line, theme.panel, 0.4), faint
        if self.kind == "main":
            return theme.accent_hover if hot else theme.accent, None, theme.on_accent
        if self.chosen:
            return theme.selection, theme.accent, theme.text
        if self.kind == "quiet" and not hot:
            return None, None, theme.text
        fill = theme.mix(theme.control_hover, theme.control_line, 0.18) if down else theme.control_hover
        text = theme.danger if self.kind == "danger" else theme.text
        border = theme.mix(theme.control_line, theme.control, 0.5)
        return fill if hot else theme.control, None if self.kind == "quiet" else border, text

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        ui.ring(canvas, self)
        shortcut = self.named_key(ui)
        labels = self.text, self.icon, shortcut, self.size, self.align, self.stacked, self.opens
        key = "button", *labels, self.kind, self.chosen, self.enabled, ui.hot(self), ui.down(self)
        canvas.keep(key, self.rect, partial(self._paint, ui, shortcut))

    def named_key(self, ui: Ui) -> str:
        pointed = self.listed or ui.hot(self) or (ui.focus_shown and ui.has_focus(self))
        return self.shortcut if pointed else ""

    def _paint(self, ui: Ui, shortcut: str, canvas: Canvas, rect: Rect) -> None:
        fill, border, colour = self.colours(canvas, ui)
        canvas.box(rect, fill, border)
        self._content(canvas, rect, colour, shortcut)

    def _content(self, canvas: Canvas, rect: Rect, colour: Colour, shortcut: str) -> None:
        inner = rect.inset(canvas.px(10 if self.text else 2), 0)
        side = canvas.px(self.size + 6) if self.icon else 0
        if not self.text:
            canvas.icon(self.icon, rect, colour, self.size + 5)
            return
        if self.stacked:
            above, below = rect.inset(0, canvas.px(TIGHT)).rows(None, canvas.line_height(SMALL))
            canvas.icon(self.icon, above, colour, self.size + 4)
            canvas.text(self.text, below, colour, canvas.fitting(self.text, below.w, SMALL), align="centre")
            return
        if self.opens:
            inner, arrow = inner.columns(None, canvas.px(18), gap=canvas.px(TIGHT))
            canvas.icon("down", arrow, canvas.theme.muted, 14)
        bold = self.kind == "main"
        gap = canvas.px(8) if self.icon else 0
        label = canvas.width(self.text, self.size, bold=bold)
        if side + gap + label > inner.w:
            inner = rect.inset(canvas.px(TIGHT), 0)
            gap = canvas.px(TIGHT) if self.icon else 0
        if side + gap + canvas.width(self.text, SMALL, bold=bold) > inner.w:  # the label says more than the icon
            side = gap = 0
        start = inner.x
        if self.align == "centre":
            start += max((inner.w - side - gap - label) // 2, 0)
        if side:
            canvas.icon(self.icon, Rect(start, inner.y, side, inner.h), colour, self.size + 4)
        room = Rect(start + side + gap, inner.y, inner.right - start - side - gap, inner.h)
        canvas.text(self.text, room, colour, canvas.fitting(self.text, room.w, self.size, bold=bold), bold=bold)
        if label + canvas.px(14) + canvas.width(shortcut, SMALL) <= room.w:
            behind = canvas.theme.accent if self.kind == "main" else canvas.theme.control
            canvas.text(shortcut, inner, canvas.theme.mix(colour, behind, FADED), SMALL, align="right")


def button(
    command: Command, key: str, rect: Rect, *, kind: ButtonKind = "plain", icon_only: bool = False, **other: Any
) -> Button:
    """Return the button of a command, with `other` values in place of those of the command."""
    values: dict[str, Any] = {
        "run": command.run, "enabled": command.enabled, "hint": command.hint, "why": command.reason,
        "text": "" if icon_only else command.name, "icon": command.icon,
        "shortcut": "" if icon_only else command.key, "chosen": command.chosen,
    }  # fmt: skip
    return Button(key=key, rect=rect, kind=kind, **values | other)


def button_row(
    commands: Mapping[str, Command],
    names: Iterable[str],
    places: Iterable[Rect],
    *,
    main: str = "",
    short: Mapping[str, str] = MappingProxyType({}),
    **other: Any,
) -> list[Widget]:
    """Return the buttons of commands, given by their ids, in as many places.

    Args:
        main: the id of the main command of the screen.
        short: names that are shorter than those of the commands.
    """
    texts: dict[str, dict[str, Any]] = {name: {"text": text} for name, text in short.items()}
    kinds: dict[str, dict[str, Any]] = {main: {"kind": "main"}}
    return [
        button(commands[name], f"do.{name}", place, **texts.get(name, {}), **kinds.get(name, {}), **other)
        for name, place in zip(names, places, strict=True)
    ]


@dataclass(frozen=True, kw_only=True)
class Toggle(Pressed):
    """A switch with its label; the knob, its colour and a check mark say whether it is on."""

    text: str
    on: bool

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        theme, rect = canvas.theme, self.rect
        height, width = canvas.px(20), canvas.px(36)
        track = Rect(rect.x, rect.y + (rect.h - height) // 2, width, height)
        off = theme.control_hover if ui.hot(self) else theme.control
        fill = (theme.accent_hover if ui.hot(self) else theme.accent) if self.on else off
        canvas.box(track, fill, None if self.on else theme.control_line, 10)
        knob = height - canvas.px(6)
        x = track.right - knob - canvas.px(3) if self.on else track.x + canvas.px(3)
        colour = theme.on_accent if self.on else theme.control_line
        spot = Rect(x, track.y + canvas.px(3), knob, knob)
        canvas.box(spot, colour, None, 10)
        if self.on:
            canvas.icon("check", spot, fill, 11)
        ui.ring(canvas, self, 10, track)
        text = Rect(track.right + canvas.px(10), rect.y, rect.right - track.right - canvas.px(10), rect.h)
        faint = theme.mix(theme.muted, theme.panel, 0.45)
        canvas.text(self.text, text, theme.text if self.enabled else faint)


@dataclass(frozen=True, kw_only=True)
class Segments(Widget):
    """A choice between a few items side by side, as segments or tabs. Left and Right move the choice."""

    focusable: ClassVar[bool] = True

    names: Sequence[str]
    chosen: int
    pick: Callable[[int], object]
    tabs: bool = False

    def parts(self) -> list[Rect]:
        """Return equal parts; many tabs, or one with a long name, have widths by the lengths of their names."""
        if not self.tabs or (len(self.names) <= EQUAL_TABS and max(map(len, self.names)) <= LONG_TAB):
            return self.rect.columns(*[None] * len(self.names))
        lengths = [len(name) + 3 for name in self.names]
        return self.rect.columns(*[self.rect.w * length // sum(lengths) for length in lengths])

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        theme = canvas.theme
        if not self.tabs:
            canvas.box(self.rect, theme.control, theme.control_line)
        rooms = [part.w - canvas.px(2 * TIGHT) for part in self.parts()]
        fitting = (canvas.fitting(*each, BODY, bold=True) for each in zip(self.names, rooms, strict=True))
        size = min(fitting)  # the same for all
        for number, (name, part) in enumerate(zip(self.names, self.parts(), strict=True)):
            chosen = number == self.chosen
            hot = ui.hot(self) and part.holds(ui.mouse)
            colour = theme.text if chosen or hot else theme.muted
            if self.tabs:
                if hot and not chosen:
                    canvas.box(part.inset(canvas.px(2)), theme.control_hover, None, 6)
                thick = canvas.px(3 if chosen else 1)
                canvas.fill(Rect(part.x, part.bottom - thick, part.w, thick), theme.accent if chosen else theme.line)
            elif chosen:
                canvas.box(part, theme.selection, theme.accent)
            elif hot:
                canvas.box(part.inset(canvas.px(2)), theme.control_hover, None, 6)
            canvas.text(name, part.inset(canvas.px(2), 0), colour, size, bold=chosen, align="centre")
        ui.ring(canvas, self, 6 if self.tabs else 8)

    def handle(self, event: Event, ui: Ui) -> bool:
        if isinstance(event, Release) and event.button == LEFT and ui.down(self):
            for number, part in enumerate(self.parts()):
                if part.holds(event.at):
                    self.pick(number)
            return True
        if isinstance(event, Key) and event.name in ("left", "right", "home", "end"):
            last = len(self.names) - 1
            to = {"left": self.chosen - 1, "right": self.chosen + 1, "home": 0, "end": last}[event.name]
            self.pick(min(max(to, 0), last))
            return True
        return not isinstance(event, Key)


@dataclass(frozen=True, kw_only=True)
class Slider(Widget):
    focusable: ClassVar[bool] = True

    text: str
    value: int
    low: int
    high: int
    change: Callable[[int], object]
    shown: str = ""
    page: int = 0
    bold: bool = False

    def track(self) -> Rect:
        half = self.rect.h // 2
        return Rect(self.rect.x, self.rect.y + half, self.rect.w, self.rect.h - half)

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        theme, rect = canvas.theme, self.rect
        top = Rect(rect.x, rect.y, rect.w, rect.h // 2)
        value = self.shown or str(self.value)
        wide = canvas.width(value, bold=True) + canvas.px(8)
        label = Rect(top.x, top.y, top.w - wide, top.h)
        canvas.text(self.text, label, theme.text if self.enabled else theme.muted, bold=self.bold)
        canvas.text(value, top, theme.text if self.enabled else theme.muted, bold=True, align="right")
        track, thick = self.track(), canvas.px(4)
        knob = min(canvas.px(16), track.h)
        line = Rect(track.x, track.y + (track.h - thick) // 2, track.w, thick)
        share = (self.value - self.low) / max(self.high - self.low, 1)
        x = track.x + round((track.w - knob) * share)
        canvas.box(line, theme.mix(theme.panel, theme.control_line, 0.45), None, 2)
        if x > line.x:
            canvas.box(Rect(line.x, line.y, x - line.x + knob // 2, line.h), theme.accent, None, 2)
        spot = Rect(x, track.y + (track.h - knob) // 2, knob, knob)
        fill = theme.accent_hover if ui.hot(self) or ui.held == self.key else theme.accent
        canvas.box(spot, fill if self.enabled else theme.muted, None, 8)
        ui.ring(canvas, self, 8, spot)

    def _at(self, x: int) -> int:
        track = self.track()
        knob = min(track.h, max(track.w // 20, 8))
        share = (x - track.x - knob / 2) / max(track.w - knob, 1)
        return min(max(self.low + round(share * (self.high - self.low)), self.low), self.high)

    def handle(self, event: Event, ui: Ui) -> bool:
        to = self.value
        if isinstance(event, Key):
            page = self.page or max((self.high - self.low) // 5, 1)
            steps = {"left": -1, "down": -1, "right": 1, "up": 1, "pagedown": -page, "pageup": page}
            if event.name in steps:
                to += steps[event.name]
            elif event.name in ("home", "end"):
                to = self.low if event.name == "home" else self.high
            else:
                return False
            to = min(max(to, self.low), self.high)
        elif ui.held == self.key and not isinstance(event, Release) and hasattr(event, "at"):
            to = self._at(event.at[0])
        if to != self.value:
            self.change(to)
            return True
        return isinstance(event, (Key, Press, Release))


class MainButton(Button):
    def draw(self, canvas: Canvas, ui: Ui) -> None:
        fill, border, colour = self.colours(canvas, ui)
        canvas.box(self.rect, fill, border, 12)
        ui.ring(canvas, self, 12)
        inner = self.rect.inset(canvas.px(EDGE), canvas.px(GAP))
        side = canvas.px(40)
        canvas.icon(self.icon, Rect(inner.x, inner.y, side, inner.h), colour, 30)
        room = Rect(inner.x + side + canvas.px(ROOM), inner.y, inner.w - side - canvas.px(ROOM), inner.h)
        head_text, _, line_text = self.text.partition("\n")
        size = BODY if canvas.width(line_text) <= room.w else SMALL  # two small lines fit
        lines = min(len(canvas.look.fonts.wrap(line_text, room.w, canvas.px(size))), 2)
        head, line = room.rows(None, lines * canvas.line_height(size))
        canvas.text(head_text, head, colour, HEADING, bold=True)
        canvas.paragraph(line_text, line, colour, size, may_cut=True)
        canvas.text(self.named_key(ui), head, colour, SMALL, align="right")
