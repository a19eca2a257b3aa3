"""What the ratings of a run's champions show: that they cycle, that they fell, that they do not rise any more.

The constants say from where on something is told, and why there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evolve.report.findings import Finding, FindingKind, rating_words
from evolve.strength.elo import RatingEstimate

Ratings = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
"""Values, lower and upper ends of their 95 % intervals by generation; NaN where a champion was not rated."""

BLOCK, BLOCKS = 5, 20
"""Ratings over generations are averaged over at least so many of them, and into at most so many averages: champions
differ from one generation to the next by luck, and among a thousand some differ much."""

SURE = 3.0
"""Averages of ratings differ if they do by so many standard errors: with twenty of them, level ratings look like a fall
in two of a hundred runs, and like cycles in one."""

TURNS = 2
"""Ratings cycle if they surely turned at least so often, such as down after up and up again."""


Z = NormalDist().inv_cdf(0.975)
"""Standard errors to either end of a 95 % interval."""

ENOUGH_FOR_BLOCKS = 3 * BLOCK
"""Ratings below which averages of them say nothing about cycles and a lasting fall."""

ENOUGH_FOR_A_RISE = 8
"""Ratings below which "does not rise" would only mean that they are few. Those of a session are sure to some 100 Elo:
eight of them tell a rise of 90 from none, four would need 110, and one champion that was lucky in its games decides."""

CHANCE_OF_A_FALL = 0.05
"""A fall between two ratings is told if so many pairs as there are would show one like it with less than this
probability, and never while the two intervals overlap. Among many champions some differ that much by luck, and
averages tell more."""

SLOWED = 2.5
"""A standstill after a rise is told if it fits the ratings better than a straight rise does, by the square of so many
standard errors: fifteen ratings and more that rise steadily by 200 look like that in one or two of a hundred runs,
eight in three to eight."""


def check_course(ratings: Ratings) -> list[Finding]:
    """All warnings about ratings over generations; the more particular one where two would say the same."""
    return check_ratings(ratings[0]) or check_fall(ratings) or check_rise(ratings)


def looked_for(rated: int) -> list[str]:
    """What so many ratings can show, in words."""
    falls = ["cycles", "a fall"] if rated >= ENOUGH_FOR_BLOCKS else ["a fall between two ratings"] if rated > 1 else []
    return falls + (["ratings that do not rise"] if rated >= ENOUGH_FOR_A_RISE else [])


def not_looked_for(rated: int, *, played: bool = False) -> str:
    """What so many ratings cannot show, in one sentence; empty if they can show everything.

    Args:
        rated: champions that were rated.
        played: whether games between champions were looked at for cycles and a fall.
    """
    falls = "cycles" if rated > 1 else "cycles and a fall"  # a fall shows between two ratings, too
    needed = {falls: 0 if played else ENOUGH_FOR_BLOCKS, "whether they rise": ENOUGH_FOR_A_RISE}
    missed = [f"{what} ({rated} of {count})" for what, count in needed.items() if rated < count]
    return f"Too few ratings for {' and for '.join(missed)}." if missed else ""


def check_ratings(ratings: ArrayLike) -> list[Finding]:
    """Warn of ratings that cycle, or are past their best; nothing for less than 3 `BLOCK` generations.

    Args:
        ratings: of the champion of each generation, on one scale of fixed opponents; NaN where it was not measured.
    """
    values = np.asarray(ratings, np.float64)
    known = np.flatnonzero(np.isfinite(values))
    if len(known) < ENOUGH_FOR_BLOCKS:
        return []
    blocks = np.array_split(known, min(BLOCKS, len(known) // BLOCK))
    means = [float(values[each].mean()) for each in blocks]
    scatter = math.sqrt(np.mean([values[each].var(ddof=1) for each in blocks]))  # that of all: five alone say little

    def surely_less(one: int, other: int) -> bool:
        error = scatter * math.sqrt(1 / len(blocks[one]) + 1 / len(blocks[other]))
        return means[other] - means[one] > SURE * error

    found = []
    turns = _turns(means, surely_less)
    if turns >= TURNS:
        found.append(
            Finding(
                FindingKind.CYCLE,
                f"Ratings cycle: over {len(known):,} ratings the champions surely turned {turns} times between "
                "getting stronger and getting weaker. What was learnt is forgotten again; a hall of fame as opponents, "
                "or varied openings, holds against that.",
            )
        )
    best, last = int(np.argmax(means)), len(means) - 1
    if surely_less(last, best):
        span = f"{blocks[best][0]} to {blocks[best][-1]}"
        found.append(
            Finding(
                FindingKind.DECLINED,
                f"Past its best: champions of generations {span} are rated {means[best]:.0f} on average, the last "
                f"{len(blocks[last])} {means[last]:.0f}. To play the strongest, choose one from there.",
            )
        )
    return found


def _turns(means: Sequence[float], surely_less: Callable[[int, int], bool]) -> int:
    """How often a series of means significantly changed its direction."""
    high = low = direction = turns = 0
    for index in range(len(means)):
        if direction >= 0:
            high = index if means[index] > means[high] else high
            if surely_less(index, high):
                turns, direction, low = turns + (direction > 0), -1, index
        if direction <= 0:
            low = index if means[index] < means[low] else low
            if surely_less(low, index):
                turns, direction, high = turns + (direction < 0), 1, index
    return turns


def check_fall(ratings: Ratings) -> list[Finding]:
    """Warn of a rated champion that is surely weaker than an earlier one; nothing where averages can tell."""
    values, low, high = ratings
    known = np.flatnonzero(np.isfinite(ratings).all(axis=0)).tolist()
    if len(known) >= ENOUGH_FOR_BLOCKS:
        return []
    pairs = [(one, other) for index, one in enumerate(known) for other in known[index + 1 :] if low[one] > high[other]]
    if not pairs:
        return []
    errors = standard_errors(low, high)
    sure = {pair: (values[pair[0]] - values[pair[1]]) / math.hypot(*(errors[each] for each in pair)) for pair in pairs}
    one, other = max(pairs, key=lambda pair: sure[pair])
    if sure[one, other] < NormalDist().inv_cdf(1 - CHANCE_OF_A_FALL / math.comb(len(known), 2)):
        return []
    first, second = (rating_words(RatingEstimate(*(float(each[at]) for each in ratings))) for at in (one, other))
    best = max(known, key=lambda at: float(low[at]))
    return [
        Finding(
            FindingKind.DECLINED,
            f"The rating fell: the champion of generation {one} is rated {first}, that of generation {other} {second}, "
            f"and these intervals are apart. To play the strongest, choose generation {best}.",
        )
    ]


def check_rise(ratings: Ratings) -> list[Finding]:
    """Warn of ratings that have not surely risen for a while, or ever; nothing for less than `ENOUGH_FOR_A_RISE`.

    The standstill begins at the first rating from which on a straight line through all that follow does not surely
    rise (95 %, one-sided), if a rise up to there and none after it fits all ratings better than one steady rise.
    """
    known = np.flatnonzero(np.isfinite(ratings).all(axis=0))
    if len(known) < ENOUGH_FOR_A_RISE:
        return []
    values, errors = ratings[0][known], standard_errors(*ratings[1:])[known]
    starts = range(len(known) - ENOUGH_FOR_A_RISE + 1)
    misfits = [_fit(np.minimum(known, known[start]), values, errors)[2] for start in starts]
    steady = _fit(known, values, errors)[2]
    for start in starts:
        slope, error, misfit = _fit(known[start:], values[start:], errors[start:])
        # Champions differ by luck, too: where they scatter more than their games explain, everything is less sure.
        error *= math.sqrt(max(1.0, misfit / (len(known) - start - 2)))
        scale = max(1.0, min(misfits) / (len(known) - 2))
        slowed = start == 0 or steady - misfits[start] > SLOWED**2 * scale
        if slope <= NormalDist().inv_cdf(0.95) * error and slowed:
            first, span = int(known[start]), int(known[-1] - known[start])
            change = RatingEstimate(slope * span, (slope - Z * error) * span, (slope + Z * error) * span)
            return [
                Finding(
                    FindingKind.NOT_RISEN,
                    f"The rating has not risen for {span:,} generations: by the {len(known) - start} ratings from "
                    f"generation {first} on it changed by {rating_words(change)} in all, which is no sure rise. "
                    "Either nothing more is learnt, or less than so few games can show; progress plays more of them.",
                )
            ]
    return []


def standard_errors(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standard errors of values with 95 % intervals; of values that are as good as exact at least one Elo."""
    return np.maximum((high - low) / (2 * Z), 1.0)


def _fit(at: NDArray[np.int64], values: NDArray[np.float64], errors: NDArray[np.float64]) -> tuple[float, float, float]:
    """Slope of a weighted straight line, the slope's standard error, and the sum of squares that it leaves."""
    weights = 1 / errors**2
    aside = at - np.average(at, weights=weights)
    above = values - np.average(values, weights=weights)
    spread = float(weights @ aside**2)
    slope = float(weights @ (aside * above)) / spread if spread else 0.0
    left = float(weights @ (above - slope * aside) ** 2)
    return slope, 1 / math.sqrt(spread) if spread else math.inf, left
