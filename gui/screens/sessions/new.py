"""The screen that begins a session: what one gets in a minute, an evening or a night, and what extras add."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from evolve.run.runs import SHIPPED_RUNS
from game.number_text import span_text
from gui.evolving.arena import Spectacle
from gui.evolving.race import HIGH, LOW
from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.look.theme import BODY, CONTROL, EDGE, GAP, HEADING, ROOM, SMALL
from gui.runs.live_run import LiveRun
from gui.screens.entries import Entry, SectionEntry, entries
from gui.screens.evolution import race_plot, small_plot
from gui.screens.screen import Screen, below_header
from gui.screens.sessions.start import begin_session
from gui.sessions.form import Form
from gui.widgets.base import Command, Label, Panel, Widget, by_id
from gui.widgets.button import Segments, button

if TYPE_CHECKING:
    from gui.app import App
    from gui.events import Event


class TimedOffer(NamedTuple):
    """A session that begins with one click.

    Attributes:
        minutes: the time in which it is to end.
        text: what it leads to, without a full stop.
    """

    id: str
    name: str
    preset: str
    minutes: int
    text: str

    def command(self, app: App) -> Command:
        form = Form(Form().values | {"preset": self.preset, "minutes": str(self.minutes)})
        return Command(id=self.id, name=self.name, keys=(), icon="evolution",
                       about=f"{self.text}, {span_text(60 * self.minutes)}.",
                       run=partial(begin_session, app, form))  # fmt: skip


OFFERS = (
    TimedOffer("minute", "A minute", "first", 1, "From random moves to near Strong"),
    TimedOffer("evening", "An evening", "plain", 120, "From counting pieces to above Expert"),
)
"""The ratings behind these words are in docs/log/results.md; extras add offers of their own."""

LOW_CARD, WORDS, TABS = 150, 146, 500
"""Height of a card below which it has no picture, least height of the words below one, and width of the tabs."""


class NewSession(Screen):
    """Offers of sessions by their time, which begin at once, each with the curve of a shipped run of its preset.

    Attributes:
        sections: further sections that extras add.
        section: the visible one; None for the offers.
    """

    title = "New session"
    browses = True

    def __init__(self, app: App) -> None:
        super().__init__(app)
        added: list[Entry] = entries("new-session", self)
        self.sections = [entry for entry in added if isinstance(entry, SectionEntry)]
        self.section: SectionEntry | None = None
        self._entries = [entry for entry in added if not isinstance(entry, SectionEntry)]
        self._races = {offer.id: Spectacle(LiveRun(SHIPPED_RUNS / offer.preset)) for offer in OFFERS}
        self.ui.focus = "do.minute"

    def show(self, section: SectionEntry | None) -> None:
        self.section, self.ui.focus = section, "do.minute"
        if section is not None:
            section.begin()

    @property
    def pace(self) -> float:
        return super().pace if self.section is None else self.section.pace

    def handle(self, event: Event) -> bool:
        return self.section is not None and self.section.handle(event)

    def escape(self) -> bool:
        return self.section is not None and self.section.escape()

    def tick(self, now: float, dt: float) -> bool:
        """Read the curves, a part of a file at a time, and what extras show."""
        if self.section is not None:
            return self.section.tick(now)
        changed = [bool(race.run.read_log().lines) or race.tick(now) for race in self._races.values()]
        return any([*changed, *(entry.step() for entry in self._entries)])

    def commands(self) -> Sequence[Command]:
        return [*(self._offers() if self.section is None else self.section.commands()), *self._tabs()]

    def _tabs(self) -> list[Command]:
        ways = [("by-time", "By time", None), *((each.id, each.name, each) for each in self.sections)]
        return [
            Command(id=id_, name=name, keys=(str(number),), run=partial(self.show, section), group="Sections",
                    about=f"Show this section: {name.lower()}", chosen=section is self.section)
            for number, (id_, name, section) in enumerate(ways, 1)
        ]  # fmt: skip

    from_elsewhere = commands

    def _offers(self) -> list[Command]:
        added = [command for entry in self._entries for command in entry.commands()]
        return [*(offer.command(self.app) for offer in OFFERS), *added]

    def key(self, name: str) -> bool:
        if name == "return" and self.section is None and not self.ui.focus_shown:
            self._offers()[0].run()
            return True
        return super().key(name)

    def view(self, size: Size, look: Look) -> list[Widget]:
        px, offers, area, tabs = look.px, self._offers(), below_header(size, look), self._tabs()
        widgets = self.header(size, look)
        if self.sections:
            line, area = area.rows(px(CONTROL), None, gap=px(EDGE))
            widgets.append(
                Segments(key="sections", rect=line.centre_within(min(line.w, px(TABS)), line.h), tabs=True,
                         names=[tab.name for tab in tabs], pick=lambda at: tabs[at].run(),
                         chosen=next(at for at, tab in enumerate(tabs) if tab.chosen))
            )  # fmt: skip
        if self.section is not None:
            return [*widgets, *self.section.view(area, look)]
        beside = area.w >= px(900)
        body = area.centre_within(min(area.w, px(1200)), min(area.h, px(560 if beside else 300 * len(offers))))
        cut = body.columns if beside else body.rows
        for number, (command, card) in enumerate(zip(offers, cut(*[None] * len(offers), gap=px(ROOM)), strict=True)):
            widgets += self._card(command, card, look, beside=beside, main=not number)
        return widgets

    def _card(self, command: Command, card: Rect, look: Look, *, beside: bool, main: bool) -> list[Widget]:
        """Return an offer with its curve, which is above the words on cards beside each other, and else beside them."""
        px, low = look.px, card.h < look.px(LOW_CARD)
        inner = card.inset(px(GAP if low else EDGE))
        cut, share = (inner.rows, inner.h) if beside else (inner.columns, inner.w)
        drawn = share - px(WORDS) if beside else share * 40 // 100
        picture, words = cut(0 if low else drawn, None, gap=px(ROOM))
        if low:
            words, begin = inner.columns(None, px(96), gap=px(GAP))
            begin = begin.centre_within(begin.w, px(CONTROL))
        else:
            words, begin = words.rows(None, px(CONTROL), gap=px(GAP))
        head, text = words.rows(px(HEADING + GAP), None)
        spectacle = None if low else self._races.get(command.id)
        race = None if spectacle is None else spectacle.race
        added = [entry for entry in self._entries if command.id in by_id(entry.commands()) and not low]
        widgets: list[Widget] = [Panel(key=f"{command.id}.card", rect=card, radius=12)]
        widgets += [widget for entry in added for widget in entry.panel(picture, look)]
        if spectacle is not None and race is not None:
            large = replace(race_plot(spectacle, race, picture), title="Rating")
            plot = large if beside else small_plot(spectacle.run)
            if plot is not None:  # all on one scale, so that one can compare them
                plot = replace(plot, key=f"{command.id}.plot", rect=picture, says=None, mark=-1, low=LOW, high=HIGH)
                widgets.append(plot)
        return [
            *widgets,
            Label(key=f"{command.id}.head", rect=head, text=command.name, size=HEADING, bold=True),
            Label(key=f"{command.id}.text", rect=text, text=command.about, size=SMALL if low else BODY, wrap=True),
            button(command, f"do.{command.id}", begin, kind="main" if main else "plain", text="Begin"),
        ]
