"""The climb on the first screen: its button, and the person's progress."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from extras.climb.card import progress
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.screens import entries
from gui.widgets.base import Command, Widget


class ClimbEntry(entries.Entry):
    """Commands that open the climb, and the rating with its curve and past opponents."""

    def commands(self) -> Sequence[Command]:
        return [
            Command(id="climb", name="Climb", keys=("l",), run=self._climb, icon="ladder",
                    about="Play rated games: climb the generations of a run, and get a rating"),
            Command(id="equal", name="As strong as you", keys=("=",), run=partial(self._climb, equal=True),
                    about="Play a rated game against an opponent about as strong as you", icon="equal"),
        ]  # fmt: skip

    def panel(self, rect: Rect, look: Look) -> list[Widget]:
        career = self.app.services.career
        return progress(career, rect, look, lambda one: self._climb(one.opponent.key)) if career.results else []

    def _climb(self, opponent: str = "", *, equal: bool = False) -> None:
        from extras.climb.screen import Climb

        self.app.open(Climb(self.app, opponent, equal=equal))
