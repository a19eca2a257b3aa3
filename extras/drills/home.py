"""Drills on the first screen: their command, under “Study”, once the kept games are read."""

from __future__ import annotations

from collections.abc import Sequence

from extras.drills.drills import Drills
from gui.screens import entries
from gui.screens.home import READING, STEP_SECONDS, STUDY_GROUP
from gui.screens.screen import Screen
from gui.widgets.base import Command


class DrillsEntry(entries.Entry):
    def __init__(self, screen: Screen) -> None:
        super().__init__(screen)
        self._drills = Drills(self.app.services.kept)

    @property
    def busy(self) -> bool:
        return not self._drills.complete

    def step(self) -> bool:
        return self._drills.step(STEP_SECONDS)

    def commands(self) -> Sequence[Command]:
        return [
            Command(id="drills", name="Drills", keys=("d",), run=self._open, icon="review", group=STUDY_GROUP,
                    about="Find better moves for the mistakes of your reviewed games",
                    enabled=bool(self._drills.due), why=self._why_none),
        ]  # fmt: skip

    @property
    def _why_none(self) -> str:
        if not self._drills.complete:
            return READING
        none = "Review a lost game first (W at its end)."
        return "All drills are done for today." if self._drills.all else none

    def _open(self) -> None:
        from extras.drills.screen import Round

        screen = Round(self.app, self._drills).next_screen()
        if screen is None:
            self.app.say("These games can no longer be read.", "warning")
        else:
            self.app.say(self._drills.trouble, "warning")
            self.app.open(screen)
