"""Warnings about the course of ratings: cycles, a fall, and no rise."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evolve.config.anchors import shown_text
from evolve.report.checked import Finding
from evolve.strength.elo import RatingEstimate
from extras.warnings.findings import FindingKind
from game.number_text import signed_text


def rating_words(rating: RatingEstimate, text: Callable[[float], str] = shown_text) -> str:
    """Format a rating with its interval, such as ``1547 (1444 to 1616)``; a difference with `signed_text`."""
    return f"{text(rating.value)} ({text(rating.low)} to {text(rating.high)})"


Ratings = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
"""Ratings, and lower and upper ends of their 95 % intervals, by generation; NaN if a champion was not rated."""

BLOCK, BLOCKS = 5, 20
"""Ratings are averaged in at most `BLOCKS` blocks of at least `BLOCK` ratings: successive champions differ by luck, and
among a thousand some differ a lot."""

SURE = 3.0
"""Averages differ significantly if they differ by this number of standard errors. With twenty averages and constant
ratings, two runs in a hundred seem to fall, and one seems to cycle."""

TURNS = 2
"""Ratings cycle if they changed direction significantly at least this often, for example by going up, down and up."""


Z = NormalDist().inv_cdf(0.975)
"""Half the width of a 95 % interval, in standard errors."""

ENOUGH_FOR_BLOCKS = 3 * BLOCK
"""Minimum number of ratings for a check of cycles and a lasting fall."""

ENOUGH_FOR_A_RISE = 8
"""Minimum number of ratings for a check of a rise. Ratings of a session have intervals of about 100 Elo: eight ratings
can distinguish a rise of 90 from none; four would need a rise of 110, and a single lucky champion could decide."""

CHANCE_OF_A_FALL = 0.05
"""A fall between two ratings is reported if its probability by chance, corrected for the number of pairs, is less than
this and the two intervals do not overlap. If there are many ratings, averages are compared instead."""

SLOWED = 2.5
"""A standstill after a rise is reported if it fits the ratings better than a steady rise: the weighted sum of squared
residuals must be smaller by more than the square of this number. Ratings that rise steadily by 200 look like a
standstill in one or two of a hundred runs if there are fifteen or more ratings, and in three to eight if there are
eight."""


def check_course(ratings: Ratings) -> list[Finding]:
    """Return the warnings about ratings over generations; a more specific one replaces a more general one."""
    return check_ratings(ratings[0]) or check_fall(ratings) or check_rise(ratings)


def looked_for(rated: int) -> list[str]:
    """Describe the warnings that can be given with this number of ratings."""
    falls = ["cycles", "a fall"] if rated >= ENOUGH_FOR_BLOCKS else ["a fall between two ratings"] if rated > 1 else []
    return falls + (["ratings that do not rise"] if rated >= ENOUGH_FOR_A_RISE else [])


def not_looked_for(rated: int) -> str:
    """Describe the warnings that need more than `rated` ratings, in one sentence; empty if there are none."""
    falls = "cycles" if rated > 1 else "cycles and a fall"  # two ratings are enough to see a fall
    needed = {falls: ENOUGH_FOR_BLOCKS, "progress": ENOUGH_FOR_A_RISE}
    missed = [f"{what} ({rated} of {count})" for what, count in needed.items() if rated < count]
    return f"Too few ratings to check for {' and for '.join(missed)}." if missed else ""


def check_ratings(ratings: ArrayLike) -> list[Finding]:
    """Warn of ratings that cycle or are past their best, if there are at least `ENOUGH_FOR_BLOCKS` ratings."""
    values = np.asarray(ratings, np.float64)
    known = np.flatnonzero(np.isfinite(values))
    if len(known) < ENOUGH_FOR_BLOCKS:
        return []
    blocks = np.array_split(known, min(BLOCKS, len(known) // BLOCK))
    means = [float(values[block].mean()) for block in blocks]
    # Pool the scatter within all blocks, since the five ratings of a single block are too few to estimate it.
    scatter = math.sqrt(np.mean([values[block].var(ddof=1) for block in blocks]))

    def surely_less(one: int, other: int) -> bool:
        error = scatter * math.sqrt(1 / len(blocks[one]) + 1 / len(blocks[other]))
        return means[other] - means[one] > SURE * error

    warnings = []
    turns = _turns(means, surely_less)
    if turns >= TURNS:
        warnings.append(
            Finding(
                FindingKind.CYCLE,
                f"Ratings cycle: over {len(known):,} ratings the champions changed {turns} times between "
                "getting stronger and getting weaker. What was learnt is forgotten again; a hall of fame as opponents, "
                "or varied openings, prevents that.",
            )
        )
    best, last = int(np.argmax(means)), len(means) - 1
    if surely_less(last, best):
        span = f"{blocks[best][0]} to {blocks[best][-1]}"
        warnings.append(
            Finding(
                FindingKind.DECLINED,
                f"Past its best: champions of generations {span} are rated {shown_text(means[best])} on average, the "
                f"last {len(blocks[last])} {shown_text(means[last])}. To play the strongest, choose one from there.",
            )
        )
    return warnings


def _turns(means: Sequence[float], surely_less: Callable[[int, int], bool]) -> int:
    """Count significant changes of direction in a series of means."""
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
    first, second = (RatingEstimate(*(float(each[at]) for each in ratings)) for at in (one, other))
    best = max(known, key=lambda at: float(low[at]))
    return [
        Finding(
            FindingKind.DECLINED,
            f"The rating fell: the champion of generation {one} is rated {rating_words(first)}, the champion of "
            f"generation {other} {rating_words(second)}, and these intervals do not overlap. To play the strongest, "
            f"choose generation {best}.",
        )
    ]


def check_rise(ratings: Ratings) -> list[Finding]:
    """Warn of ratings that have not risen significantly for a while, if there are at least `ENOUGH_FOR_A_RISE`.

    The standstill begins at the first rating that meets two conditions. A straight line through it and all later
    ratings does not rise significantly (95 %, one-sided). And a line that rises up to it and is constant after it fits
    all ratings better than a steady rise.
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
        # Champions also differ by luck. If ratings scatter more than their games explain, errors are larger.
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
                    f"generation {first} on it changed by {rating_words(change, signed_text)} in all, which is no "
                    "significant rise. Either nothing more is learnt, or less than these games can show; "
                    "inspect with --earlier plays more.",
                )
            ]
    return []


def standard_errors(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard errors of values with these 95 % intervals, at least 1 Elo each."""
    return np.maximum((high - low) / (2 * Z), 1.0)


def _fit(at: NDArray[np.int64], values: NDArray[np.float64], errors: NDArray[np.float64]) -> tuple[float, float, float]:
    weights = 1 / errors**2
    aside = at - np.average(at, weights=weights)
    above = values - np.average(values, weights=weights)
    spread = float(weights @ aside**2)
    slope = float(weights @ (aside * above)) / spread if spread else 0.0
    left = float(weights @ (above - slope * aside) ** 2)
    return slope, 1 / math.sqrt(spread) if spread else math.inf, left
