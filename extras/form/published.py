"""The section of new sessions with the presets of published systems, each with what it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from extras.form.plan import about_preset, preset_purpose, published_names
from extras.form.screen import FormSection
from extras.form.values_panel import LINES, draw_meaning
from game.errors import capital
from gui.geometry import Rect
from gui.look.canvas import Canvas, Look
from gui.look.theme import BODY, CONTROL, GAP, LARGE_CONTROL, ROOM, SMALL
from gui.screens.entries import SectionEntry
from gui.screens.sessions.new import NewSession
from gui.widgets.base import Command, Widget, by_id
from gui.widgets.button import button
from gui.widgets.table import Cell, Column, Table

WIDTH = 820
OWN = "Crownhead’s own"
UNREAD = re.compile(r"`| \([^)]*\.(md|teacher)[^)]*\)")
"""Parts of a preset's comment that only readers of its file need."""


class PublishedSection(SectionEntry):
    """The presets of published systems, one of which is chosen for the form."""

    id, name = "published", "Published systems"
    screen: NewSession

    def __init__(self, screen: NewSession) -> None:
        super().__init__(screen)
        names = sorted(published_names(), key=lambda name: _order(preset_purpose(name)))
        self._texts = {name: f"{name} {about_preset(name)}".lower() for name in names}
        self._words, self._row = "", 0

    def begin(self) -> None:
        self.screen.ui.focus = "systems"

    @property
    def _names(self) -> list[str]:
        return [name for name, text in self._texts.items() if all(word in text for word in self._words.lower().split())]

    def commands(self) -> Sequence[Command]:
        return [
            Command(id="take", name="Evolve it", keys=("return",), run=self._take, icon="check",
                    about="Choose it in the form", enabled=bool(self._names), why="Nothing matches."),
            self.screen.search_command(),
        ]  # fmt: skip

    def _search(self, words: str) -> None:
        self._words, self._row = words, 0

    def _select(self, row: int) -> None:
        self._row = row

    def _take(self) -> None:
        form = next(section for section in self.screen.sections if isinstance(section, FormSection))
        preset = self._names[self._row]
        self.screen.show(form)
        form.choose(preset)

    def view(self, area: Rect, look: Look) -> list[Widget]:
        names, px, take = self._names, look.px, by_id(self.commands())["take"]
        area = area.centre_within(min(area.w, px(WIDTH)), area.h)
        search, body, place = area.rows(px(CONTROL), None, px(LARGE_CONTROL), gap=px(GAP))
        title, line = look.fonts.height(px(BODY), bold=True), look.fonts.height(px(SMALL))

        def draw(number: int, canvas: Canvas, at: Rect) -> None:
            system, _, who = preset_purpose(names[number]).partition(" (")
            words = capital(UNREAD.sub("", about_preset(names[number]).partition(": ")[2]))
            tall = min(look.tall(words, at.w, SMALL), LINES * line)
            head, below = at.centre_within(at.w, title + tall).rows(title, None)
            placed = canvas.text(system, head, bold=True, may_cut=True)
            by, muted = head.columns(placed.right - head.x, None)[1], canvas.theme.muted
            canvas.text(who.removesuffix(")") or OWN, by, muted, SMALL, align="right", may_cut=True)
            draw_meaning(words, canvas, below)

        return [
            self.screen.search_field(search, self._words, self._search, "A name or a year", enter=self._take,
                                     below="systems"),
            Table(
                key="systems", rect=body, headed=False, row=title + LINES * line + px(ROOM),
                columns=[Column("System")], count=len(names),
                cells=lambda number: [Cell(preset_purpose(names[number]), draw=partial(draw, number))],
                arranged=self._words, selected=self._row if names else -1,
                select=self._select, activate=lambda row: self._take(), empty="Nothing matches.",
            ),
            button(take, "take", place, kind="main", icon="evolution"),
        ]  # fmt: skip


def _order(title: str) -> tuple[object, ...]:
    """Return the key by which systems are sorted: by year, and below them Crownhead's own."""
    return " (" not in title, *re.findall(r"\d{4}", title)[-1:]
