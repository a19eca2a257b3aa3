"""A family tree: one line for each generation, the newest first; children are joined with their parents below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from evolve.report.ancestry import Ancestor
from extras.family.tree import LineKind, Place, Tree, TreeLine
from gui.events import LEFT, Event, Key, Motion, Press, Release, Wheel
from gui.geometry import Rect, Size
from gui.look.canvas import Canvas, Look
from gui.look.theme import SMALL, Colour
from gui.toolkit import pygame
from gui.widgets.base import ScrolledWidget, Scrolling, Ui

LINE, BOX, GAP = 50, 28, 6
"""Pixels of the design: distance of lines, height of a box, gap between boxes."""

WIDE, CROWNED, NUMBERS, COUNTS = 114, 60, 62, 42
"""Widths in pixels of the design: a box whose name is short; the minimum for a crown; the column of generations; the
count of hidden members."""

WHEEL_LINES = 2
MOST_FACES = 2000
KEYS = ("up", "down", "left", "right", "home", "end", "pageup", "pagedown")


@dataclass
class Scrolled(Scrolling):
    """The scroll position of a tree; its lines are the rows.

    Attributes:
        edge: the margin beside a share, in pixels.
        look, faces, empty: the current look, and pictures made with it: of members, and of boxes without text.
    """

    seen: object = None
    row: int = LINE
    edge: int = 6
    hover: Place | None = None
    boxes: dict[Place, Rect] = field(default_factory=dict)
    look: Look | None = None
    faces: dict[Face, Any] = field(default_factory=dict)
    empty: dict[object, Any] = field(default_factory=dict)


class Placed(NamedTuple):
    """The places of the members of a line.

    Attributes:
        more: for each side with hidden members, their count as text, the nearest of them, and the place of the text.
    """

    boxes: dict[str, Rect]
    more: tuple[tuple[str, str, Rect], ...]


class Face(NamedTuple):
    """The appearance of a member; its picture is cached, since a screen may contain two hundred.

    Attributes:
        bar: width of its share in pixels.
    """

    name: str
    size: Size
    chosen: bool
    hot: bool
    framed: bool
    known: bool
    faint: bool
    crowned: bool
    bar: int
    shared: bool

    def make(self, look: Look, boxes: dict[object, Any]) -> Any:
        """Return the picture, on the colour of a panel; `boxes` caches pictures without text."""
        theme, px, fills = look.theme, look.px, self.known or self.chosen
        rect = Rect(0, 0, *self.size)
        colour = theme.on_accent if self.chosen else theme.muted if self.faint or not self.known else theme.text
        fill = theme.accent if self.chosen else theme.control_hover if self.hot else theme.control
        border = theme.accent if self.chosen or self.framed else theme.control_line if self.known else theme.line
        key = self.size, fill if fills else theme.panel, border, self.framed
        if key not in boxes:
            empty = Canvas(pygame.Surface(self.size), look)
            empty.fill(rect, theme.panel)
            empty.box(rect, key[1], border, 6, 2 if self.framed else 1)
            boxes[key] = empty.surface
        canvas = Canvas(boxes[key].copy(), look)
        crown = px(12) if self.crowned and rect.w >= px(CROWNED) else 0
        room = Rect(px(3) + crown, 0, rect.w - px(6) - crown, rect.h - px(4))
        text = self.name if self.known else f"{self.name} ?"
        canvas.text(text, room, colour, SMALL, bold=self.framed, align="centre", may_cut=True)
        if crown:
            canvas.icon("crown", Rect(px(4), 0, crown, rect.h - px(4)), colour, 10)
        if self.shared:
            bar = Rect(px(6), rect.h - px(6), max(self.bar, px(2)), px(3))
            canvas.fill(bar, theme.on_accent if self.chosen else theme.accent)
        return canvas.surface


@dataclass(frozen=True, kw_only=True)
class FamilyTree(ScrolledWidget[Scrolled]):
    """The ancestors and children of an individual, with one of them chosen."""

    focusable: ClassVar[bool] = True
    least_thumb: ClassVar[float] = 0.5

    tree: Tree
    chosen: Place
    choose: Callable[[Place], object]
    activate: Callable[[Place], object]

    # Where things are ---------------------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        return len(self.tree.lines)

    def places(self, number: int, scroll: Scrolled, canvas: Canvas) -> Placed:
        """Return the places of a line's members; if not all fit, of the mean and members near the chosen one."""
        line, px = self.tree.lines[number], canvas.px
        y = self.rect.y + number * scroll.row - round(scroll.top) + px(4)
        x, gap, end = self.rect.x + px(NUMBERS), px(GAP), self.rect.right - scroll.bar - px(4)
        boxes: dict[str, Rect] = {}
        rest = line.members
        if line.around_mean:
            boxes[rest[0].name] = Rect(x, y, px(WIDE), px(BOX))
            x, rest = x + px(WIDE) + gap, rest[1:]
        least = self._least(line, canvas)
        counts, fits = px(COUNTS) + gap, max((end - x + gap) // (least + gap), 1)
        first, left, right = 0, 0, 0
        if fits < len(rest):
            fits = max((end - x - 2 * counts + gap) // (least + gap), 1)
            names = [member.name for member in rest]
            at = names.index(self.chosen[1]) if line.generation == self.chosen[0] and self.chosen[1] in names else 0
            first = min(max(at - fits // 2, 0), len(rest) - fits)
            left, right = first, len(rest) - first - fits
            x, end = x + counts * (left > 0), end - counts
        members = rest[first : first + fits]
        wide = min(max(px(WIDE), least), (end - x - gap * (len(members) - 1)) // max(len(members), 1))
        if not line.around_mean:
            x += max((end - x - len(members) * (wide + gap) + gap) // 2, 0)
        boxes |= {member.name: Rect(x + at * (wide + gap), y, wide, px(BOX)) for at, member in enumerate(members)}
        more = []
        if left:
            more.append((f"+{left:,}", rest[first - 1].name, Rect(x - counts, y, px(COUNTS), px(BOX))))
        if right:
            after = x + len(members) * (wide + gap)
            more.append((f"+{right:,}", rest[first + fits].name, Rect(after, y, px(COUNTS), px(BOX))))
        return Placed(boxes, tuple(more))

    def _name(self, line: TreeLine, member: Ancestor) -> str:
        return f"Generation {line.generation}" if self._is_champion(member) else member.name

    def _is_champion(self, member: Ancestor) -> bool:
        return member.fact is not None and member.fact.rank == 1 and not member.is_mean and self.tree.ranked

    def _least(self, line: TreeLine, canvas: Canvas) -> int:
        """Return the width of a box in which each name of a line is whole."""
        names = (self._name(line, member) for member in line.members)
        return canvas.width(max(names, key=len, default=""), SMALL, bold=True) + canvas.px(24)

    # Drawing ------------------------------------------------------------------------------------------------------

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        scroll = ui.recall(self, Scrolled)
        scroll.row, scroll.bar, scroll.edge = map(canvas.px, (LINE, 12, 6))
        self._settle(scroll)
        lines = self.tree.lines
        first = max(int(scroll.top // scroll.row) - 1, 0)
        last = min(int((scroll.top + self.rect.h) // scroll.row) + 2, len(lines))
        shown = {number: self.places(number, scroll, canvas) for number in range(first, last)}
        scroll.boxes = {}
        with canvas.clip(self.rect):
            for number in shown:
                self._draw_links(canvas, number, shown)
            for number, placed in shown.items():
                self._draw_line(canvas, ui, scroll, number, placed)
            thumb = self.thumb(scroll)
            if thumb is not None:
                colour = canvas.theme.control_line if scroll.grip >= 0 or ui.hot(self) else canvas.theme.line
                canvas.box(thumb.inset(canvas.px(3), 0), colour, None, 4)
        ui.ring(canvas, self, 6)

    def _draw_links(self, canvas: Canvas, number: int, shown: dict[int, Placed]) -> None:
        """Join the members of a line with their parents below; links of the chosen member stand out."""
        line, theme = self.tree.lines[number], canvas.theme
        after = next((at for at in range(number + 1, len(self.tree.lines)) if self.tree.lines[at].members), -1)
        if not line.members or after not in shown:
            return
        below, width = shown[after], max(canvas.px(1), 1)
        faint = theme.mix(theme.panel, theme.control_line, 0.55)
        next_line = self.tree.lines[after]
        if line.around_mean:
            near = {(line.generation, line.members[0].name), (next_line.generation, next_line.members[0].name)}
            strong = self.chosen in near
            self._draw_rail(canvas, shown[number], below, theme.accent if strong else faint, width * (1 + strong))
            return
        joined = [
            (self.chosen in ((line.generation, name), (next_line.generation, parent)), box, below.boxes[parent])
            for name, box in shown[number].boxes.items()
            for parent in line.links.get(name, ())
            if parent in below.boxes
        ]
        reach = canvas.px(LINE - BOX)
        for strong, upper, lower in sorted(joined, key=lambda link: link[0]):
            self._join(canvas, theme.accent if strong else faint, upper, lower, width * (1 + strong), reach)

    @staticmethod
    def _draw_rail(canvas: Canvas, upper: Placed, lower: Placed, colour: Colour, width: int) -> None:
        """Join a mean with the line below by a rail above the members of that line."""
        mean = next(iter(upper.boxes.values()))
        places = [*lower.boxes.values(), *(place for _, _, place in lower.more)]
        y, surface = places[0].y - canvas.px(9), canvas.surface
        pygame.draw.line(surface, colour, (mean.centre[0], mean.bottom), (mean.centre[0], places[0].y), width)
        if len(places) > 1:
            pygame.draw.line(surface, colour, (mean.centre[0], y), (max(place.centre[0] for place in places), y), width)
        for place in places[1:]:
            pygame.draw.line(surface, colour, (place.centre[0], y), (place.centre[0], place.y), width)

    @staticmethod
    def _join(canvas: Canvas, colour: Colour, upper: Rect, lower: Rect, width: int, reach: int) -> None:
        """Draw a slanting line down from a box; below the next line of the tree it is vertical."""
        start, end = (upper.centre[0], upper.bottom), (lower.centre[0], lower.y)
        turn = (end[0], min(start[1] + reach, end[1]))
        pygame.draw.line(canvas.surface, colour, start, turn, width)
        if turn != end:
            pygame.draw.line(canvas.surface, colour, turn, end, width)

    def _draw_line(self, canvas: Canvas, ui: Ui, scroll: Scrolled, number: int, placed: Placed) -> None:
        line, theme, px = self.tree.lines[number], canvas.theme, canvas.px
        y = self.rect.y + number * scroll.row - round(scroll.top) + px(4)
        x = self.rect.x + px(NUMBERS)
        if not line.members:
            rest = Rect(x, y, self.rect.right - scroll.bar - px(4) - x, px(BOX))
            wide = min(canvas.width(line.text, SMALL) + px(24), rest.w)
            if line.kind is LineKind.SAME:
                rest = rest.centre_within(wide, px(BOX - 6))
                canvas.box(rest, theme.background, theme.line, 12)
            canvas.text(line.text, rest.inset(px(4), 0), theme.muted, SMALL, align="centre", may_cut=True)
            return
        strong = line.generation == self.chosen[0]
        column = Rect(self.rect.x, y, px(NUMBERS - 8), px(BOX))
        colour = theme.text if strong else theme.muted
        canvas.text(f"gen {line.generation:,}", column, colour, SMALL, bold=strong, may_cut=True)
        for member in line.members:
            if member.name in placed.boxes:
                self._draw_member(canvas, ui, scroll, line, member, placed.boxes[member.name])
        if len(line.members) == 1 and line.members[0].fact is not None:
            box, fact = placed.boxes[line.members[0].name], line.members[0].fact
            ranked = fact.rank and fact.origin and self.tree.ranked
            text = f"{fact.origin}, rank {fact.rank:,}" if ranked else fact.origin
            room = Rect(box.right + px(10), y, self.rect.right - scroll.bar - box.right - px(14), px(BOX))
            canvas.text(text, room, theme.muted, SMALL, may_cut=True)
        for text, name, place in placed.more:
            scroll.boxes[line.generation, name] = place
            hot = ui.hot(self) and scroll.hover == (line.generation, name)
            canvas.text(text, place, theme.text if hot else theme.muted, SMALL, align="centre", tabular=True)

    def _draw_member(
        self, canvas: Canvas, ui: Ui, scroll: Scrolled, line: TreeLine, member: Ancestor, box: Rect
    ) -> None:
        place = line.generation, member.name
        scroll.boxes[place] = box
        root = place == self.tree.root
        face = Face(
            name=self._name(line, member),
            size=(box.w, box.h),
            chosen=place == self.chosen,
            hot=ui.hot(self) and scroll.hover == place,
            framed=root or member.is_mean,
            known=member.fact is not None,
            faint=not member.share and not member.is_mean and line.kind is LineKind.MEMBERS,
            crowned=self._is_champion(member),
            bar=round((box.w - 2 * scroll.edge) * member.share) if self.tree.shared else 0,
            shared=self.tree.shared and member.share > 0,
        )
        if scroll.look != canvas.look or len(scroll.faces) > MOST_FACES:
            scroll.look, scroll.faces, scroll.empty = canvas.look, {}, {}
        if face not in scroll.faces:
            scroll.faces[face] = face.make(canvas.look, scroll.empty)
        canvas.surface.blit(scroll.faces[face], (box.x, box.y))

    # Reacting -----------------------------------------------------------------------------------------------------

    def _settle(self, scroll: Scrolled) -> None:
        seen = self.tree, self.chosen
        number = self.tree.line_of(self.chosen)
        if seen != scroll.seen and number >= 0:
            scroll.seen = seen
            top, edge = number * scroll.row, scroll.row // 2
            scroll.top = min(max(scroll.top, top + scroll.row + edge - self.rect.h), max(top - edge, 0))
        scroll.top = min(max(scroll.top, 0.0), self.furthest(scroll))

    def handle(self, event: Event, ui: Ui) -> bool:
        scroll = ui.recall(self, Scrolled)
        if isinstance(event, Wheel):
            return self.scroll_by(scroll, -event.up * WHEEL_LINES * scroll.row)
        if isinstance(event, Motion):
            return self._motion(event, scroll)
        if isinstance(event, Press) and event.button == LEFT:
            return self._press(event, scroll)
        if isinstance(event, Release):
            scroll.grip = -1
            return True
        if isinstance(event, Key) and event.name in KEYS:
            self.choose(self.tree.move(self.chosen, event.name, max(self.rect.h // scroll.row - 1, 1)))
            return True
        return False

    def _motion(self, event: Motion, scroll: Scrolled) -> bool:
        if self.drag_bar(scroll, event):
            return True
        before = scroll.hover
        scroll.hover = next((place for place, box in scroll.boxes.items() if box.holds(event.at)), None)
        return scroll.hover != before

    def _press(self, event: Press, scroll: Scrolled) -> bool:
        if self.take_bar(scroll, event):
            return True
        place = next((place for place, box in scroll.boxes.items() if box.holds(event.at)), None)
        if place is not None:
            scroll.seen = self.tree, place  # it is visible already
            self.choose(place)
            if event.clicks == 2:
                self.activate(place)
        return True
