"""The moving parts of a run on the screen, between frames: small boards, and the moment in which a level is beaten.

The boards play the games of a generation at speed, all at the same pace. When a newer generation is there, its
games slide in from the boards of their parents, or, where no parent is on display, from those of the winners in turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from game.bitboard import SQUARE_BIT
from gui.evolving.games import LOOK_BACK, ShownGames, SmallGame, generation_games
from gui.evolving.race import AGO, Race, RaceLine, count_beaten, moment_text, race_of
from gui.thinking.messages import SideWork

if TYPE_CHECKING:
    from gui.runs.live_run import LiveRun
    from gui.thinking.thinker import Thinker


STEP = 0.1
"""Seconds of a ply."""

HURRY, FASTER = 80, 4
"""After so many plies, the games that are left go faster, by this factor."""

SLIDE_SECONDS, SLIDE_STEP = 0.8, 1 / 30
HOLD_SECONDS = 1.6
"""Seconds that the last position of a generation stays."""

SETTLE_SECONDS = 0.5
"""Seconds before a newly chosen generation is asked for, so that dragging the slider asks for none."""

FIRST, MEN = 12, 12
"""Number of boards before the first generation is complete, and of the steps in which their men are set up."""

LOOK_SECONDS, IDLE = 0.25, 1.0
LONGEST_TICK = 0.25


@dataclass(frozen=True, slots=True)
class ArenaBoard:
    """A small board as it is to be drawn.

    Attributes:
        position: black pieces, white pieces and kings.
        result: the result of a game that is over, as in `SmallGame`; None before.
        origin: index of the board from which it slides.
    """

    position: tuple[int, int, int]
    result: int | None
    origin: int


class LiveArena:
    """The games of a generation, as time passes.

    Attributes:
        shown: the games on display; None while there are none.
        champion: the side of the champion in the first of these games; None if it does not play in them.
        still: whether the games are shown as they ended, for people who want no animation.
        trouble: why no game can be displayed; empty if one can.
    """

    def __init__(self, run: LiveRun, thinker: Thinker | None, *, still: bool = False) -> None:
        self.run, self._thinker, self.still = run, thinker, still
        self.shown: ShownGames | None = None
        self.champion: int | None = None
        self.trouble = ""
        self._next: ShownGames | None = None
        self._asked: SideWork | None = None
        self._wanted, self._since = -1, 0.0
        self._before: list[ArenaBoard] = []
        self._origins: list[int] = []
        self._clock, self._last = 0.0, 0.0  # seconds that the games have been going on; last tick
        self._length = 0  # number of steps until all games have faded
        self._awaited = False  # whether the first generation was not complete at a tick
        self._games, self._set_up = 0, [*range(FIRST)]  # the steps at which boards are set up
        self._drawn: tuple[object, ...] = ()

    def tick(self, now: float, generation: int, *, chosen: bool) -> bool:
        """Let time pass; return whether the boards have changed.

        Args:
            generation: the generation whose games are wanted.
            chosen: whether the user chose it, so that its games replace others at once.
        """
        passed, self._last = min(max(now - self._last, 0.0), LONGEST_TICK), now
        self._clock += passed
        self._awaited = self._awaited or generation < 0
        if self._begins:
            self._set_up_anew()
        if generation != self._wanted:
            self._wanted, self._since = generation, now
        self._ask(now, chosen=chosen)
        if self._next is not None and (self.shown is None or chosen or self._is_over):
            self._show(self._next)
        slid = int(self.sliding * SLIDE_SECONDS / SLIDE_STEP)
        drawn = (id(self.shown), self.trouble, self._steps, slid)
        changed, self._drawn = drawn != self._drawn, drawn
        return changed

    def _set_up_anew(self) -> None:
        """Set up the men of boards, one after the other, for each game of the first generation that is over."""
        games = 0 if self.run.status is None else self.run.status.games
        for number, game in enumerate(range(max(self._games, games - FIRST), games)):
            self._set_up[game % FIRST] = int(self._clock / STEP) + number
        self._games, self._length = games, max(self._set_up) + MEN
        if self.still:
            self._clock = self._length * STEP

    def _ask(self, now: float, *, chosen: bool) -> None:
        if self._thinker is None:
            return
        there = {each.generation for each in (self.shown, self._next) if each is not None}
        if self._asked is not None:
            answer = self._thinker.work(self._asked)
            if answer is not None:
                self._asked = None
                self._take(answer.value, answer.trouble)
        elif self._wanted < 0 or self._wanted in there or now - self._since < SETTLE_SECONDS * chosen:
            return
        elif self.shown is None or chosen or self._is_late:
            self._asked = _request(self.run, self._wanted, newest=not chosen)
            self._thinker.work(self._asked)

    def _take(self, games: ShownGames | None, trouble: str) -> None:
        if games is None or not games.games:
            self.trouble = trouble or "This generation has no games that can be shown."
            self.shown = self.shown or ShownGames(self._wanted, (), True, "")
        else:
            self._next, self.trouble = games, ""

    def _show(self, games: ShownGames) -> None:
        self._before = [] if self.still else self.boards
        champions, number = self.run.champions, games.generation
        name = champions[number] if number < len(champions) else ""
        order = sorted(games.games, key=lambda game: (name not in game.players, game.winner != name))
        games = replace(games, games=tuple(order))
        self.champion = order[0].players.index(name) if name in order[0].players else None
        self._origins = origins(() if self.shown is None else self.shown.games, games.games)
        self.shown, self._next, self._clock = games, None, 0.0
        self._length = max(steps_to(len(game) - 1) for game in games.games)
        if self.still:
            self._clock = self._length * STEP

    @property
    def sliding(self) -> float:
        """The share of the way to their places that the boards have come, from 0 to 1."""
        return min(self._clock / SLIDE_SECONDS, 1.0) if self._before else 1.0

    @property
    def _steps(self) -> int:
        time = self._clock - (SLIDE_SECONDS if self._before else 0.0)
        return min(max(int(time / STEP + 1e-9), 0), self._length)

    @property
    def _is_late(self) -> bool:
        return self._steps >= self._length - 14

    @property
    def _is_over(self) -> bool:
        ended = self._length * STEP + HOLD_SECONDS + (SLIDE_SECONDS if self._before else 0.0)
        return self._clock >= ended or (self.shown is not None and not self.shown.games)

    @property
    def _begins(self) -> bool:
        return self.shown is None and self._awaited

    @property
    def boards(self) -> list[ArenaBoard]:
        steps, boards = self._steps, []
        if self._begins:
            for at, since in enumerate(self._set_up):
                men = min(max(steps - since, 0), MEN)
                sides = range(1, men + 1), range(33 - men, 33)
                black, white = (sum(1 << SQUARE_BIT[square] for square in side) for side in sides)
                boards.append(ArenaBoard((black, white, 0), None, at))
            return boards
        for number, game in enumerate(self.shown.games if self.shown is not None else ()):
            end = steps_to(len(game) - 1)
            result = game.result if steps >= end else None
            boards.append(ArenaBoard(game.at(ply_at(steps)), result, self._origins[number]))
        return boards

    @property
    def before(self) -> list[ArenaBoard]:
        """The boards of the earlier generation, while those of the newer one slide in."""
        return self._before if self.sliding < 1.0 else []

    @property
    def pace(self) -> float:
        """Seconds until the next tick."""
        missing = (
            self._thinker is not None
            and self._wanted >= 0
            and (self.shown is None or self.shown.generation != self._wanted)
        )
        waits = LOOK_SECONDS if self._asked is not None or missing else IDLE
        if not self.moves:
            return waits
        return min(waits, SLIDE_STEP if self.sliding < 1.0 else STEP)

    @property
    def moves(self) -> bool:
        """True while games are being played."""
        return (self._begins or self.shown is not None) and self._steps < self._length

    def rest(self) -> None:
        """Ask for nothing more; what was asked for is asked again when the boards are visible."""
        self._asked = None


def _request(run: LiveRun, generation: int, *, newest: bool) -> SideWork:
    first = max(generation - 2 * LOOK_BACK + 1, 0)
    start = next((begin for number in range(first, generation + 1) if (begin := run.span_of(number)[1])), 0)
    span = start, max((run.span_of(number)[2] for number in range(first, generation + 1)), default=0)
    return SideWork(
        generation_games, (run.path, generation, tuple(run.champions[first : generation + 1]), span, newest)
    )


def origins(before: Sequence[SmallGame], games: Sequence[SmallGame]) -> list[int]:
    """Return for each game the index of the earlier one from whose board it slides; its own index if there is none."""
    winners = [number for number, game in enumerate(before) if game.winner]
    by_name = {before[number].winner: number for number in reversed(winners)}
    chosen = []
    for number, game in enumerate(games):
        parent = next((by_name[name] for name in sorted(game.parents) if name in by_name), None)
        if parent is None:
            parent = winners[number % len(winners)] if winners else number
        chosen.append(parent)
    return chosen


def ply_at(steps: int) -> int:
    return steps if steps <= HURRY else HURRY + FASTER * (steps - HURRY)


def steps_to(ply: int) -> int:
    return ply if ply <= HURRY else HURRY - (-(ply - HURRY) // FASTER)


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
