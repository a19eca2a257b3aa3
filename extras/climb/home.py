"""The climb on the first screen: its buttons."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from gui.screens import entries
from gui.widgets.base import Command


class ClimbEntry(entries.Entry):
    def commands(self) -> Sequence[Command]:
        return [
            Command(id="climb", name="Climb", keys=("l",), run=self._climb, icon="ladder",
                    about="Play rated games: climb the generations of a run, and get a rating"),
            Command(id="equal", name="As strong as you", keys=("=",), run=partial(self._climb, equal=True),
                    about="Play a rated game against an opponent about as strong as you", icon="equal"),
        ]  # fmt: skip

    def _climb(self, *, equal: bool = False) -> None:
        from extras.climb.screen import Climb

        self.app.open(Climb(self.app, equal=equal))
