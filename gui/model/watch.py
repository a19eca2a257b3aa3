"""Watching two programs: play, pause, step, speed."""

from __future__ import annotations

from gui.model.table import GameTable, Moved, TableEvent

SPEEDS = (4.0, 2.0, 1.0, 0.5, 0.25, 0.0)
"""Seconds that a move takes at least, slowest first."""

USUAL = 2


class Watch:
    """Controls a table at which programs play.

    Attributes:
        table: what is watched.
        speed: index into `SPEEDS`.
    """

    def __init__(self, table: GameTable, *, playing: bool = True) -> None:
        self.table = table
        self.speed = USUAL
        self._stepping = False
        self.playing = playing

    @property
    def playing(self) -> bool:
        """Whether moves follow one another by themselves."""
        return self._playing

    @playing.setter
    def playing(self, on: bool) -> None:
        self._playing, self._stepping = on, False
        self._set()

    @property
    def seconds(self) -> float:
        """How long a move takes at least."""
        return SPEEDS[self.speed]

    def toggle(self) -> None:
        """Play if paused, pause if playing."""
        self.playing = not self.playing

    def step(self) -> None:
        """Pause after one more move; in an earlier position show the next one."""
        self.playing = False
        if not self.table.model.at_end:
            self.table.model.go_to(self.table.model.cursor + 1)
        elif not self.table.redo():
            self._stepping = True
            self._set()

    def back(self) -> None:
        """Pause and show the position before."""
        self.playing = False
        self.table.model.go_to(self.table.model.cursor - 1)

    def faster(self) -> None:
        """Less time per move."""
        self.speed = min(self.speed + 1, len(SPEEDS) - 1)
        self._set()

    def slower(self) -> None:
        """More time per move."""
        self.speed = max(self.speed - 1, 0)
        self._set()

    def update(self, now: float) -> list[TableEvent]:
        """As `GameTable.update`, which it calls."""
        events = self.table.update(now)
        if self._stepping and any(isinstance(event, Moved) for event in events):
            self.playing = False
        return events

    def _set(self) -> None:
        self.table.paused = not (self._playing or self._stepping)
        self.table.least = 0.0 if self._stepping else self.seconds
