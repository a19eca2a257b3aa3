"""A cast as what one gets in a night, on the screen that begins a session, with emblems of the shipped one."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.run.runs import SHIPPED_RUNS, Runs
from extras.cast.characters_file import read_characters
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import GAP
from gui.screens.entries import Entry
from gui.screens.sessions.new import TimedOffer
from gui.widgets.base import Command, Widget
from gui.widgets.emblem import EmblemWidget

NIGHT = TimedOffer("night", "A night", "cast", 480, "Characters, each with its own style")
CAST = SHIPPED_RUNS / "cast"
ACROSS, DOWN = 5, 4


class NightEntry(Entry):
    def commands(self) -> Sequence[Command]:
        return [NIGHT.command(self.app)]

    def panel(self, rect: Rect, look: Look) -> list[Widget]:
        services, gap = self.app.services, look.px(GAP)
        name, personas = Runs(services.runs).player_name(CAST), services.personas
        places = rect.grid(ACROSS, DOWN, gap)
        return [
            EmblemWidget(key=f"night.{at}", rect=place, emblem=personas.persona(row.player(CAST, name).player).emblem)
            for at, (row, place) in enumerate(zip(read_characters(CAST), places, strict=False))
        ]
