"""The section of new sessions with the presets of published systems, each with what it is and what it reaches."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evolve.config.anchors import shown
from evolve.strength.levels import KNOWN
from extras.form.plan import about_preset, preset_purpose, published_names
from extras.form.screen import FormSection
from game.errors import capital, sentence
from gui.evolving.race import Race, RaceLine
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import BODY, CONTROL, EDGE, GAP, HEADING, LARGE_CONTROL
from gui.screens.entries import SectionEntry
from gui.screens.evolution import levels_plot
from gui.screens.screen import with_pane
from gui.screens.sessions.new import NewSession
from gui.widgets.base import Command, Label, Panel, Widget, by_id
from gui.widgets.button import button
from gui.widgets.plot import Curve
from gui.widgets.table import NONE, Column, Table

WIDTH, PANE, LOW_PANE, LEAST_CURVE, ROW = 1200, 480, 400, 130, 50
"""Widths of all and of the pane, its height below the list, and the least height of a curve; and that of a row."""
NAME, YEAR, TIME, REACHED = 230, 60, 70, 116
OWN = "Crownhead’s own"
MEANT = "Ratings of champions at some generations, the mean of up to three runs"
LINES = tuple(RaceLine(capital(name), shown(rating)) for rating, name in KNOWN.items())


class Measured(NamedTuple):
    """The time of a system on two cores, and the ratings that it reached (docs/published.md).

    Attributes:
        ratings: those of champions by generation, as people see them.
        reached: in place of a rating.
    """

    time: str
    ratings: Mapping[int, int] = {}
    reached: str = NONE


MEASURED = {
    "blondie24-1999": Measured("3 min", {0: 1373, 10: 1411, 50: 1386, 250: 1256}),
    "blondie24": Measured("10 min", {0: 1447, 10: 1443, 50: 1433, 840: 1322}),
    "league": Measured("11 min", {0: 1379, 10: 1459, 50: 1495, 144: 1477}),
    "alphago": Measured("4 min", {0: 865, 30: 918, 40: 898}),
    "zero-published": Measured("> 1 day"),
    "cowan": Measured("2 s", {0: 501, 5: 531, 10: 559, 15: 570}),
    "q-learning-published": Measured("1 h", {0: 483, 500: 555}),
    "endgame": Measured("7 min", reached="97 % right"),
    "cowan-ballots": Measured("4 s", {0: 521, 5: 563, 10: 582, 15: 615}),
    "crownhead-1": Measured("4 min", {0: 1318, 10: 1429, 50: 1497, 100: 1527}),
    "endgame-diagonal": Measured("13 min", reached="96 % right"),
}
"""Means of the seeds in docs/log/results.md, and figures of extras/learning/learning.md."""


def race_of_system(name: str) -> Race | None:
    """Return the race to the levels of a system; None if it was not rated."""
    ratings = MEASURED[name].ratings
    values = tuple(map(ratings.get, range(max(ratings, default=0) + 1)))
    return Race(values, values, values, False, LINES, tested=False) if ratings else None


def reached_by(name: str) -> str:
    """Return the strongest level that the last champion of a system is rated above."""
    ratings = [*MEASURED[name].ratings.values()]
    return [line.name for line in LINES if line.rating < ratings[-1]][-1] if ratings else MEASURED[name].reached


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
        names, px = self._names, look.px
        area = area.centre_within(min(area.w, px(WIDTH)), area.h)
        left, pane = with_pane(area, look, PANE, LOW_PANE)
        search, body = left.rows(px(CONTROL), None, gap=px(GAP))
        years = left.w >= px(NAME + YEAR + TIME + REACHED)

        def cells(row: int) -> list[str]:
            system, _, who = preset_purpose(names[row]).partition(" (")
            return [system, *[who[-5:-1] or NONE] * years, MEASURED[names[row]].time, reached_by(names[row])]

        return [
            self.screen.search_field(search, self._words, self._search, "A name or a year", enter=self._take,
                                     below="systems"),
            Table(
                key="systems", rect=body, row=px(ROW), count=len(names), cells=cells,
                columns=[Column("System"), *[Column("Year", YEAR)] * years, Column("Time", TIME, "right"),
                         Column("Reached", REACHED)],
                arranged=self._words, selected=self._row if names else -1,
                select=self._select, activate=lambda row: self._take(), empty="Nothing matches.",
            ),
            *(self._pane(names[self._row], pane, look) if names else []),
        ]  # fmt: skip

    def _pane(self, name: str, pane: Rect, look: Look) -> list[Widget]:
        px, inner, race = look.px, pane.inset(look.px(EDGE)), race_of_system(name)
        system, _, who = preset_purpose(name).partition(" (")
        words = sentence(capital(about_preset(name).partition(": ")[2]))
        head, by, text, plot, take = inner.rows(
            px(HEADING + GAP), px(BODY + GAP), look.tall(words, inner.w), None, px(LARGE_CONTROL), gap=px(GAP)
        )
        plotted = list[Widget]()
        if race is not None and plot.h >= px(LEAST_CURVE):
            curve, place = Curve(race.values, sparse=True), plot.rows(min(plot.h, plot.w), None)[0]
            plotted = [levels_plot(race, (curve,), key="system.reached", rect=place, title="Rating", hint=MEANT)]
        return [
            Panel(key="system.card", rect=pane, radius=12),
            Label(key="system", rect=head, text=system, size=HEADING, bold=True, may_cut=True),
            Label(key="system.by", rect=by, text=who.removesuffix(")") or OWN, colour=look.theme.muted, may_cut=True),
            Label(key="system.text", rect=text, text=words, wrap=True, may_cut=True, hint=words),
            *plotted,
            button(by_id(self.commands())["take"], "take", take, kind="main", icon="evolution"),
        ]


def _order(title: str) -> tuple[object, ...]:
    """Return the key by which systems are sorted: by year, and below them Crownhead's own."""
    return " (" not in title, *re.findall(r"\d{4}", title)[-1:]
