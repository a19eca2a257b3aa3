"""The climb on the first screen: its buttons."""

from __future__ import annotations

from collections.abc import Sequence

from gui.screens import entries
from gui.widgets.base import Command


class ClimbEntry(entries.Entry):
    def commands(self) -> Sequence[Command]:
        return [
            Command(id="climb", name="Climb", keys=("l",), run=self._climb, icon="ladder",
                    about="Play rated games: climb the generations of a run, and get a rating"),
        ]  # fmt: skip

    def _climb(self) -> None:
        from extras.climb.screen import Climb

        self.app.open(Climb(self.app))
