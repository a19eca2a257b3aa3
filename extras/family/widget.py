"""The picture of a family: rows of ancestors with bands as thick as their shares, or a path with its turning points."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

from extras.family.reading import Family, row_text
from extras.family.rows import FamilyMember, Place
from game.networks.emblem import Emblem
from gui.geometry import Point, Rect
from gui.look import shapes
from gui.look.canvas import Canvas
from gui.look.theme import BODY, GAP, ROOM, SMALL, Colour
from gui.widgets.base import ScrolledWidget, Scrolling, Ui
from gui.widgets.emblem import draw_emblem

LEAST_ROW, MOST_ROW = 42, 84
NUMBERS, CAPTIONS, BOX, LEAST_BOX, HIGH, CIRCLE, THICK = 70, 150, 104, 48, 26, 38, 40
"""Sizes in pixels of the design: the column of generations, and with what is new there; widths and height of a box; a
point of a path; thickness of the whole."""

WORDS, MOST_SWING = 130, 110
"""Least width of the sentences on the right; how far a path strays to either side at most."""

BENDS, FAINT = 12, 0.1
"""Number of pieces of a band, and the share below which it is faint."""


@dataclass
class Scrolled(Scrolling):
    """The scroll position of a family, and where its members are."""

    seen: object = None
    boxes: dict[Place, Rect] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class FamilyTree(ScrolledWidget[Scrolled]):
    """The ancestors of an individual, with one of them chosen.

    Attributes:
        emblem: returns the emblem of a member, once it is known.
    """

    kept: ClassVar[type[Any]] = Scrolled

    family: Family
    chosen: Place
    emblem: Callable[[FamilyMember], Emblem | None]

    @property
    def rows(self) -> int:
        return len(self.family.rows)

    @property
    def _high(self) -> int:
        """The height of a box; on a path it is a circle."""
        return CIRCLE if self.family.path else HIGH

    @cached_property
    def captions(self) -> list[str]:
        """Return what is new at each row of a tree, in few words; a path has sentences on the right."""
        changes = [row.change if not self.family.path else None for row in self.family.rows]
        return [f"now {change.words}" if change else "" for change in changes]

    def _numbers(self, canvas: Canvas) -> int:
        """Return the width of the column of generations."""
        return min(canvas.px(CAPTIONS), self.rect.w // 5) if any(self.captions) else canvas.px(NUMBERS)

    def _label(self, number: int) -> str:
        return "\n".join(filter(None, [f"gen {self.family.rows[number].generation:,}", self.captions[number]]))

    def _y(self, row: float, scroll: Scrolled) -> float:
        return self.rect.y + (row + 0.5) * scroll.row - scroll.top

    def _width(self, canvas: Canvas) -> int:
        px, most = canvas.px, max(len(row.members) for row in self.family.rows)
        whole = self.rect.w - self._numbers(canvas) - px(12)
        if self.family.path:
            return min(2 * px(MOST_SWING), (whole - px(ROOM + WORDS)) // 2) + px(CIRCLE)
        return most * min(px(BOX + GAP), whole // most)

    def _strays(self, generation: int, canvas: Canvas) -> int:
        path = self.family.path
        at = min(bisect_left(path, (generation, -2.0)), len(path) - 1)
        return round(path[at][1] * (self._width(canvas) - canvas.px(CIRCLE)) / 2) if path else 0

    def place_boxes(self, scroll: Scrolled, canvas: Canvas) -> dict[Place, Rect]:
        wide, middle, high = self._width(canvas), self.rect.x + self._numbers(canvas), canvas.px(self._high)
        if not self.family.path:
            middle += (self.rect.right - scroll.bar - middle - wide) // 2
        boxes, most = {}, max(len(row.members) for row in self.family.rows)
        step, gap = (high, 0) if self.family.path else (wide // most, canvas.px(2))
        for number, row in enumerate(self.family.rows):
            first = middle + (wide - step * len(row.members)) // 2 + self._strays(row.generation, canvas)
            y = round(self._y(number, scroll)) - high // 2
            for at, member in enumerate(row.members):
                boxes[member.place] = Rect(first + at * step, y, step, high).inset(gap, 0)
        return boxes

    def _words(self, scroll: Scrolled, canvas: Canvas) -> tuple[Rect, float, int]:
        """Return the place of the sentences beside a path, their size, and the height of a line.

        It has no width if there is no room, and for a tree, which has captions on the left.
        """
        left = self.rect.x + canvas.px(NUMBERS + ROOM) + self._width(canvas)
        wide = self.rect.right - scroll.bar - left
        has_room = self.family.path and wide >= canvas.px(WORDS)
        place = Rect(left, self.rect.y, wide if has_room else 0, self.rect.h)
        size = BODY if place.w > canvas.px(2 * WORDS) else SMALL
        return place, size, canvas.look.fonts.height(canvas.px(size))

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        scroll = ui.recall(self, Scrolled)
        scroll.bar = canvas.px(12)
        words, size, step = self._words(scroll, canvas)
        texts = (row_text(self.family, number) for number in range(self.rows))
        wrap = canvas.look.fonts.wrap
        most = max(len(wrap(text, words.w, canvas.px(size))) for text in texts) * step if words.w else 0
        left = self._numbers(canvas) - canvas.px(6)
        most = max(
            most, *(canvas.look.tall(self._label(number), left, SMALL, bold=True) for number in range(self.rows))
        )
        scroll.row = max(min(self.rect.h // self.rows, canvas.px(MOST_ROW)), canvas.px(LEAST_ROW), most + canvas.px(4))
        self._settle(scroll)
        scroll.boxes = self.place_boxes(scroll, canvas)
        with canvas.clip(self.rect):
            if self.family.path:
                self._draw_path(canvas, scroll)
            else:
                self._draw_bands(canvas, scroll)
            for number in range(self.rows):
                if -1 < self._y(number, scroll) - self.rect.y + scroll.row < self.rect.h + 2 * scroll.row:
                    self._draw_row(canvas, ui, scroll, number)
            thumb = self.thumb(scroll)
            if thumb is not None:
                colour = canvas.theme.control_line if scroll.grip >= 0 or ui.hot(self) else canvas.theme.line
                canvas.box(thumb.inset(canvas.px(3), 0), colour, None, 4)
        ui.ring(canvas, self, 6)

    def _draw_path(self, canvas: Canvas, scroll: Scrolled) -> None:
        """Draw a line through all generations; between two rows, generations are equally far apart."""
        rows, strayed = self.family.rows, dict(self.family.path)
        middle = self.rect.x + canvas.px(NUMBERS) + self._width(canvas) / 2
        points = []
        for at, row in enumerate(rows):
            after = rows[at + 1].generation if at + 1 < len(rows) else row.generation
            numbers = [row.generation, *(n for n in reversed(strayed) if after < n < row.generation)]
            for number in numbers:
                part = (row.generation - number) / max(row.generation - after, 1)
                x = middle + self._strays(number, canvas)
                points.append((x, self._y(at + part, scroll)))
        shapes.lines(
            canvas.surface, canvas.theme.mix(canvas.theme.panel, canvas.theme.accent, 0.5), points, canvas.px(5)
        )

    def _draw_bands(self, canvas: Canvas, scroll: Scrolled) -> None:
        """Join members with those they go back to; bands of the chosen member stand out."""
        theme, rows, bands = canvas.theme, self.family.rows, list[tuple[bool, float, Rect, Rect]]()
        for row, below in pairwise(rows):
            for member in row.members:
                for to, share in member.links:
                    strong = self.chosen in (member.place, below.members[to].place)
                    ends = scroll.boxes[member.place], scroll.boxes[below.members[to].place]
                    bands.append((strong, share, *ends))
        for strong, share, upper, lower in sorted(bands, key=lambda band: (band[0], -band[1])):
            colour = theme.mix(theme.panel, theme.accent, 0.75 if strong else 0.3 if share >= FAINT else 0.15)
            _draw_band(canvas, colour, upper, lower, max(share * canvas.px(THICK), canvas.px(1.5)))

    def _draw_row(self, canvas: Canvas, ui: Ui, scroll: Scrolled, number: int) -> None:
        row, theme, px = self.family.rows[number], canvas.theme, canvas.px
        y, strong = round(self._y(number, scroll)), row.generation == self.chosen[0]
        column = Rect(self.rect.x, y - scroll.row // 2, self._numbers(canvas) - px(6), scroll.row)
        label = self._label(number)
        column = column.centre_within(column.w, canvas.look.tall(label, column.w, SMALL, bold=strong))
        colour = theme.text if strong or self.captions[number] else theme.muted
        canvas.paragraph(label, column, colour, SMALL, bold=strong, may_cut=True)
        for member in row.members:
            self._draw_member(canvas, ui, member, scroll)
        words, size, step = self._words(scroll, canvas)
        text = row_text(self.family, number) if words.w else ""
        lines = len(canvas.look.fonts.wrap(text, words.w, px(size)))
        place = Rect(words.x, y - scroll.row // 2, words.w, scroll.row).centre_within(words.w, lines * step)
        canvas.paragraph(text, place, colour, size)

    def _draw_member(self, canvas: Canvas, ui: Ui, member: FamilyMember, scroll: Scrolled) -> None:
        theme, box, chosen = canvas.theme, scroll.boxes[member.place], member.place == self.chosen
        hot, champion = ui.hot(self) and scroll.hover == member.place, member.fact is not None and member.fact.rank == 1
        fill = theme.accent if chosen else theme.control_hover if hot else theme.panel
        colour = theme.on_accent if chosen else theme.text if member.fact else theme.muted
        canvas.box(box, fill, theme.accent if chosen or member.fact else theme.control_line, self._high // 2, 2)
        text = "" if self.family.path else f"{100 * member.share:.0f} %"
        emblem = self.emblem(member)
        if (champion or emblem is not None) and (not text or box.w > canvas.px(LEAST_BOX + 10)):
            sign = Rect(box.x + canvas.px(4), box.y, canvas.px(15), box.h) if text else box.inset(canvas.px(7))
            if emblem is None:
                canvas.icon("crown", sign, colour, 11 if text else 15)
            else:
                draw_emblem(canvas, sign.inset(0, canvas.px(4)) if text else sign, emblem)
            box = Rect(box.x + canvas.px(17), box.y, box.w - canvas.px(19), box.h)
        elif text and member.fact is not None:
            has_room = canvas.width("rank 88: 88 %", SMALL) < box.w - canvas.px(8)  # the same for all
            text = f"rank {member.fact.rank:,}: {text}" if has_room else text
        canvas.text(text, box, colour, SMALL, align="centre", may_cut=True)

    def _settle(self, scroll: Scrolled) -> None:
        seen, number = (self.family, self.chosen), self.family.row_of(self.chosen)
        if seen != scroll.seen and number >= 0:
            scroll.seen = seen
            self.show_row(scroll, number, scroll.row)
        scroll.top = min(max(scroll.top, 0.0), self.furthest(scroll))

    def item_at(self, point: Point, scroll: Scrolled) -> Place | None:
        """Return the member in a box, or else the one of its row that gave most."""
        number = int((point[1] - self.rect.y + scroll.top) // scroll.row)
        box = next((place for place, box in scroll.boxes.items() if box.holds(point)), None)
        if box is not None or not 0 <= number < self.rows:
            return box
        return max(self.family.rows[number].members, key=lambda member: member.share).place


def _draw_band(canvas: Canvas, colour: Colour, upper: Rect, lower: Rect, width: float) -> None:
    """Draw a bent band down from a box, from a picture if it is known."""
    (x, y), (u, v), edge = (upper.centre[0], upper.bottom), (lower.centre[0], lower.y), math.ceil(width)

    def paint(kept: Canvas, place: Rect) -> None:
        start, parts = edge + max(x - u, 0), [piece / BENDS for piece in range(BENDS + 1)]
        middle = [(start + (u - x) * part * part * (3 - 2 * part), edge + (v - y) * part) for part in parts]
        shapes.lines(kept.surface, colour, middle, width)

    place = Rect(min(x, u) - edge, y - edge, abs(u - x) + 2 * edge, v - y + 2 * edge)
    canvas.keep(("band", colour, width, u - x), place, paint)
