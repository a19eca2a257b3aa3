"""The moving parts of a run on the screen, between frames: the arena, and the moment in which a level is beaten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui.evolving.arena import LiveArena
from gui.evolving.race import AGO, Race, RaceLine, count_beaten, moment_text, race_of
from gui.runs.live_run import LiveRun

if TYPE_CHECKING:
    from gui.thinking.thinker import Thinker

FLASH_SECONDS = 1.6
"""Duration of the flash of a level that has just been beaten."""

MOMENT_SECONDS = 6.0
"""Seconds for which the sentence about it stays."""

QUICK = 1 / 30
"""Seconds between two looks while a level flashes."""

PASSED = "level"
"""The sound of a level that is beaten."""


@dataclass(frozen=True)
class Moment:
    """A level that has just been beaten, since a time of the window's clock."""

    line: RaceLine
    since: float


class Spectacle:
    """The state of the panel of a run that evolves.

    The screen calls `tick`, draws if that returns true, and asks for `news` then: sentences about levels that have just
    been beaten, which it may say or accompany with the sound `PASSED`. It calls `rest` when the panel is not visible.

    Args:
        thinker: computes the games of the arena; None for a panel without it.
        still: whether nothing moves by itself, and no level flashes.

    Attributes:
        generation: the generation on display.
        now: seconds of the window's clock at the last tick.
        past: the number of generations to which the sentence looks back, and the words for that moment if any.
        moment: the last level that was beaten while the panel was visible, for some seconds; None otherwise.
    """

    def __init__(self, run: LiveRun, thinker: Thinker | None = None, *, still: bool = False) -> None:
        self.run = run
        self.arena = LiveArena(run, thinker, still=still)
        self.generation = -1
        self.now = 0.0
        self.moment: Moment | None = None
        self.news: list[str] = []
        self.past = AGO, ""
        self._beaten = -1  # number of levels at the last tick; -1 before the first one

    @property
    def race(self) -> Race | None:
        return race_of(self.run)

    def tick(self, now: float, generation: int | None = None) -> bool:
        """Let time pass; return whether anything changed.

        Args:
            now: seconds of a clock that does not go back.
            generation: the generation to display; None for the newest.
        """
        self.now = now
        newest = self.run.newest
        number = newest if generation is None else generation
        changed, self.generation = number != self.generation, number
        changed = self._look_for_moment(now) or changed
        changed = self.arena.tick(now, number, chosen=number != newest) or changed
        return changed or self.flash > 0

    def _look_for_moment(self, now: float) -> bool:
        race = self.race
        if self.moment is not None and now - self.moment.since > MOMENT_SECONDS:
            self.moment = None
            return True
        if race is None or self.run.newest < 0 or self.run.busy:
            return False
        number, before = count_beaten(race, self.run.newest), self._beaten
        self._beaten = number
        if not 0 <= before < number:
            return False
        self.moment = Moment(race.lines[number - 1], now)
        self.news += [moment_text(line) for line in race.lines[before:number]]
        return True

    @property
    def flash(self) -> float:
        """The brightness with which the level flashes that was just beaten, from 1 down to 0."""
        if self.moment is None or self.arena.still:
            return 0.0
        return max(1.0 - (self.now - self.moment.since) / FLASH_SECONDS, 0.0)

    @property
    def pace(self) -> float:
        """Seconds until `tick` is to be called again."""
        return QUICK if self.flash > 0 else self.arena.pace

    def rest(self) -> None:
        """Ask for nothing and show no moment while the panel is not visible."""
        self.moment = None
        self.arena.rest()
