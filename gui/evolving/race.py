"""The race of a run to the levels: its ratings as a curve, the levels that were beaten, and sentences about them.

A session may rate champions by a few games only. Such estimates are noisy, and infinite if all games were won or lost,
so the curve is their mean over the last generations. Where the log has estimates by shallow searches, too, these give
the curve its shape between ratings, which give it its level. "Beaten" is said only of an opponent that lost games to a
champion in a test (`evolve.strength.verdict`).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolve.config.anchors import shown
from evolve.run.log import ESTIMATE
from evolve.strength.levels import KNOWN, LEVELS, RANDOM
from evolve.strength.verdict import OPPONENTS
from game.errors import capital
from game.number_text import count_text

if TYPE_CHECKING:
    from gui.runs.live_run import LiveRun

LOW, HIGH = shown(RANDOM) - 130, shown(LEVELS[-1].rating) + 90
"""The ends of the axis of ratings as people see them, which never move."""

FEW_GAMES = 16
"""A rating by so many games or fewer is called an estimate."""

SMOOTHED = 24
"""Number of generations whose ratings by few games the curve is the mean of."""

SHALLOW = 8
"""Number of generations whose estimates by shallow searches the curve is the mean of: these are cheaper and more."""

AGO = 8
"""Number of generations that the headline looks back."""

GROWTH = 16
"""The axis of generations grows by so many at once, so that the curve does not shrink with each of them."""


@dataclass(frozen=True)
class RaceLine:
    """A level, or random moves, as a line that is to be reached.

    Attributes:
        rating: its rating as people see it.
        beaten: the first generation whose champion was shown to beat it; -1 for none.
    """

    name: str
    rating: float
    beaten: int = -1


@dataclass(frozen=True)
class Race:
    """The race of a run.

    Attributes:
        values, low, high: rating and interval by generation, as people see them; None if unknown. Estimates have no
            interval. A rating without an upper bound has only a `low`.
        estimated: whether the values are means of estimates.
        lines: random moves and the levels, from weak to strong.
        tested: whether the run tests its champions against them; runs of old programs do not.
        tests: whether each generation was tested.
    """

    values: tuple[float | None, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    estimated: bool
    lines: tuple[RaceLine, ...]
    tested: bool = True
    tests: tuple[bool, ...] = ()

    @property
    def length(self) -> int:
        return GROWTH * (len(self.values) // GROWTH + 1)

    def value_text(self, generation: int) -> str:
        """Return the value of a generation as text, which is the same everywhere; empty if it has none."""
        value, low = (column[generation] if generation < len(column) else None for column in (self.values, self.low))
        return f"{value:.0f}" if value is not None else f"> {low:.0f}" if low is not None else ""

    def passed(self, line: RaceLine) -> int:
        """Return the first generation that beat a level, or without tests was surely rated above it; -1 for none."""
        above = (at for at, low in enumerate(self.low) if low is not None and low > line.rating)
        return line.beaten if self.tested else next(above, -1)

    def lost(self, line: RaceLine) -> bool:
        """Return whether a level was passed, but is not any more by the newest rating."""
        newest = _known(self.values if self.tested else self.low, len(self.values))
        return self.passed(line) >= 0 and newest is not None and newest <= line.rating

    def standing(self, generation: int) -> str:
        """Return which levels a champion without tests is rated above; empty if it is not above any."""
        low, value = _known(self.low, generation), self.value_at(generation)
        above = [name_in_text(line.name) for line in self.lines if low is not None and line.rating < low]
        if self.tested or not above:
            return ""
        later = self.lines[len(above) :]
        near = [line.name for line in later if value is not None and line.rating <= value]
        best = [line for line in later if 0 <= self.passed(line) <= generation]
        once = f"; generation {self.passed(best[-1]):,} was above {name_in_text(best[-1].name)}" if best else ""
        return f"above {above[-1]}{f', about {near[-1]}' if near else ''}{once}"

    def value_at(self, generation: int) -> float | None:
        """Return the value of a generation, or else of the last one before it that has a value."""
        return _known(self.values, generation)


def _known(column: Sequence[float | None], generation: int) -> float | None:
    return next((value for value in reversed(column[: generation + 1]) if value is not None), None)


def race_of(run: LiveRun) -> Race | None:
    """Return the race of a run; None if its champions are not rated."""
    if run.newest >= 0 and run.interval("rating") is None:
        return None
    return run.kept("race", lambda: _race(run))


def _race(run: LiveRun) -> Race:
    values, low, high = run.interval("rating") or ([], [], [])
    lines = tuple(
        RaceLine(capital(name), shown(rating), beaten)
        for (rating, name), beaten in zip(KNOWN.items(), beaten_by(run.column("beaten")), strict=True)
    )
    every, games = run.rating_plan
    beaten = run.column("beaten")
    tests = tuple(not math.isnan(each) for each in beaten)
    tested = any(tests) or run.newest < 0 or (bool(beaten) and run.kind.breeds)
    if games > FEW_GAMES or (not every and any(map(math.isnan, values))):
        value, least, most = (
            tuple(shown(each) if math.isfinite(each) else None for each in column) for column in (values, low, high)
        )
        return Race(value, least, most, False, lines, tested, tests)
    nothing = (None,) * len(values)
    means = smoothed(values, low, high)
    if estimates := run.column(ESTIMATE):
        means = filled(means, estimates)
    smooth = tuple(None if value is None else shown(value) for value in means)
    return Race(smooth, nothing, nothing, True, lines, tested, tests)


def smoothed(values: Sequence[float], low: Sequence[float], high: Sequence[float]) -> list[float | None]:
    """Return for each generation with an estimate the mean of the last ones up to it; None for other generations.

    An infinite estimate counts as the end of its interval that is known, but at most as random moves if all games were
    lost, and at least as the mean so far if all were won.
    """
    recent: deque[tuple[int, float]] = deque()
    means: list[float | None] = []
    mean = float(RANDOM)
    for generation, (value, least, most) in enumerate(zip(values, low, high, strict=True)):
        if math.isnan(value):
            means.append(None)
            continue
        if value == math.inf:
            value = max(least if math.isfinite(least) else RANDOM, mean)
        elif value == -math.inf:
            value = min(most, float(RANDOM))
        recent.append((generation, value))
        while recent[0][0] <= generation - SMOOTHED:
            recent.popleft()
        means.append(mean := math.fsum(each for _, each in recent) / len(recent))
    return means


def filled(means: Sequence[float | None], estimates: Sequence[float]) -> list[float | None]:
    """Return the curve for all generations: the mean of the last estimates, raised to the level of the ratings.

    A search of few plies plays more weakly by an amount that grows as the networks improve, so the difference is taken
    from the last generations that were rated.

    Args:
        means: the mean rating of each generation that was rated, None for others.
        estimates: the estimate of each generation, NaN where there is none.
    """
    shallow = [*_means(estimates, SHALLOW)]
    differences = [math.nan if mean is None else mean - low for mean, low in zip(means, shallow, strict=True)]
    raised = [low + by for low, by in zip(shallow, _means(differences, SMOOTHED), strict=True)]
    return [mean if math.isnan(value) else value for mean, value in zip(means, raised, strict=True)]


def _means(values: Sequence[float], count: int) -> Iterator[float]:
    """Yield for each generation the mean of what is known of the last ones; NaN if nothing is."""
    recent: deque[tuple[int, float]] = deque()
    for generation, value in enumerate(values):
        if not math.isnan(value):
            recent.append((generation, value))
        while recent and recent[0][0] <= generation - count:
            recent.popleft()
        yield math.fsum(each for _, each in recent) / len(recent) if recent else math.nan


def beaten_by(beaten: Sequence[float]) -> list[int]:
    """Return for each opponent the first generation after which it counts as beaten; -1 for none.

    Args:
        beaten: the column of the log: the number of opponents beaten so far, by generation; NaN where it is unknown.
    """
    first = [-1] * len(OPPONENTS)
    for generation, number in enumerate(beaten):
        for opponent in range(0 if math.isnan(number) else min(int(number), len(first))):
            if first[opponent] < 0:
                first[opponent] = generation
    return first


def count_beaten(race: Race, generation: int) -> int:
    return sum(0 <= line.beaten <= generation for line in race.lines)


def headline(race: Race, generation: int, ago: int = AGO, moment: str = "") -> str:
    """Return in a sentence or two what the champions of a run beat, and what they did not beat some time ago.

    Args:
        ago: number of generations to look back.
        moment: the words for that time; by default the number of generations.
    """
    if generation < 0:
        return "The first generation is about to play."
    start = f"Generation {generation:,}."
    if not race.tested:
        standing = capital(race.standing(generation))
        return f"{start} {standing}." if standing else start
    number, before = count_beaten(race, generation), count_beaten(race, generation - ago)
    if not number:
        has = f"beaten {OPPONENTS[0]}" if any(race.tests[generation : generation + 1]) else "met a level"
        return f"{start} It has not {has} yet."
    line = race.lines[number - 1]
    name = name_in_text(line.name)
    now = f"It beats {name}" if line.beaten == generation else f"Generation {line.beaten:,} beat {name}"
    if before < number and generation >= ago:
        moment = moment or f"{count_text(ago, 'generation')} ago"
        return f"{start} {now}; {moment}, none had beaten {name_in_text(race.lines[before].name)}."
    if number == len(race.lines):
        return f"{start} {now}, the strongest level."
    return f"{start} {now}; the next level is {name_in_text(race.lines[number].name)}."


def name_in_text(name: str) -> str:
    return name.lower() if name.lower() == OPPONENTS[0] else name


def moment_text(line: RaceLine) -> str:
    return f"Generation {line.beaten:,} beats {name_in_text(line.name)}"
