"""A cast as what one gets in a night, on the screen that begins a session, with the map of the shipped one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from evolve.run.runs import SHIPPED_RUNS
from extras.cast.characters import CharacterMap, read_map
from extras.cast.map_widget import CharacterMapWidget
from gui.background import Trouble
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.screens.entries import Entry
from gui.screens.screen import Screen
from gui.screens.sessions.new import TimedOffer
from gui.widgets.base import Command, Widget

NIGHT = TimedOffer(
    "night", "A night", "cast", 480, "Not one best player but a map of characters, each with its own style."
)


class NightEntry(Entry):
    def __init__(self, screen: Screen) -> None:
        super().__init__(screen)
        self._map: CharacterMap | None = None
        self._background = self.app.services.background
        self._background.ask(self, "map", partial(read_map, SHIPPED_RUNS / "cast", SHIPPED_RUNS), self._take)
        screen.to_close.append(partial(self._background.cancel, self))

    def _take(self, answer: CharacterMap | Trouble) -> None:
        self._map = answer if isinstance(answer, CharacterMap) and len(answer.traits) > 1 else None

    def step(self) -> bool:
        return self._background.deliver()

    def commands(self) -> Sequence[Command]:
        return [NIGHT.command(self.app)]

    def panel(self, rect: Rect, look: Look) -> list[Widget]:
        known = self._map
        if known is None:
            return []
        squares = {place: known.strength(numbers[0]) for place, numbers in known.stacks(1, 0).items()}
        return [
            CharacterMapWidget(
                key="night.map", rect=rect, size=(known.sizes[1], known.sizes[0]), squares=squares, chosen=None,
                choose=lambda place: None, activate=lambda place: None, across=known.traits[1], up=known.traits[0],
                range=known.range, text=known.strength_text, enabled=False,
            )
        ]  # fmt: skip
