"""The section of new sessions with the presets of published systems, each with what it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from extras.form.plan import about_preset, preset_purpose, published_names
from extras.form.screen import FormSection
from game.errors import sentence
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import CONTROL, GAP, LARGE_CONTROL
from gui.screens.entries import SectionEntry
from gui.screens.sessions.new import NewSession
from gui.widgets.base import Command, Label, Widget, by_id
from gui.widgets.button import button
from gui.widgets.table import Cell, Column, Table


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
        self.screen.ui.focus = "search"

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
        area = area.centre_within(min(area.w, px(900)), area.h)
        search, body, about, place = area.rows(px(CONTROL), None, px(60), px(LARGE_CONTROL), gap=px(GAP))
        chosen = names[self._row] if names else ""

        def cells(row: int) -> list[Cell]:
            system, _, who = preset_purpose(names[row]).partition(" (")
            return [Cell(system, bold=True), Cell(who.removesuffix(")") or "Crownhead’s own", look.theme.muted)]

        return [
            self.screen.search_field(search, self._words, self._search, "A name or a year", enter=self._take,
                                     below="systems"),
            Table(
                key="systems", rect=body, columns=[Column("System"), Column("By", 260, "right")], headed=False,
                count=len(names), cells=cells, arranged=self._words, selected=self._row if names else -1,
                select=self._select, activate=lambda row: self._take(), empty="Nothing matches.",
            ),
            Label(key="about", rect=about, text=sentence(about_preset(chosen)), wrap=True, may_cut=True),
            button(take, "take", place, kind="main", icon="evolution"),
        ]  # fmt: skip


def _order(title: str) -> tuple[object, ...]:
    """Return the key by which systems are sorted: by year, and below them Crownhead's own."""
    return " (" not in title, *re.findall(r"\d{4}", title)[-1:]
