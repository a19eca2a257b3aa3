"""Warnings about runs, given only if the data are evidence of a problem.

Every check takes plain numbers and returns a `Finding`, or None. The constants are thresholds, with reasons for their
values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evolve.config.anchors import shown_text
from evolve.report.genomes import NEAR, SHARED, Diversity
from evolve.run.champions import Repeats
from evolve.strength.elo import Estimate, RatingEstimate
from game.number_text import signed_text

FEW, MOST = 5, 0.9
"""A population has converged if at least a share `MOST` of it are near copies of `FEW` individuals. In a population of
fewer than 20, a quarter of its individuals takes the place of `FEW`. A healthy generation of ``cowan`` has a few
hundred groups, of which the largest has under 3 % of the population."""

DIVERSITY_LEFT = 0.1
"""A run has converged if less than this share of the diversity of generation 0 is left in its log. Long runs of
``cowan`` settle at a quarter, where mutation balances selection."""

LONG, LEAST = 0.1, 8
"""A shared stretch is long if it has at least this share of the genome and this number of weights. If every weight is
mutated, no shared stretch is longer than three."""

RECENT = 5
"""Number of generations whose survivors are checked for their origin."""

CHANCE = 0.001
"""Warn of survivors that all have the same origin if this would be less probable than `CHANCE` in random selection."""

EVEN = 0.5
"""Points per game between equal players."""

FEWEST_GAMES = 8
"""Minimum number of games for a check of repetition."""

HALF = 0.5
"""Games are repetitive if at least this share of them are the same game, or if at most this share are different."""


OVERFIT = 0.05
"""A network is overfitted if its validation loss exceeds the minimum by more than this share. In sound runs the loss
fluctuates by 1 %."""


class FindingKind(StrEnum):
    CONVERGED = "converged"
    SHARED_STRETCH = "shared-stretch"
    ONE_ORIGIN = "one-origin"
    RANDOM_LEVEL = "random-level"
    REPEATED_GAME = "repeated-game"
    CYCLE = "cycle"
    DECLINED = "declined"
    NOT_RISEN = "not-risen"
    OVERFITTED = "overfitted"


@dataclass(frozen=True)
class Finding:
    """One warning.

    Attributes:
        text: the observation, its meaning, and a possible remedy.
    """

    kind: FindingKind
    text: str


def check_near_copies(diversity: Diversity, subjects: str = "individuals") -> Finding | None:
    """Warn of a population that consists of a few genomes and their near copies."""
    few = min(FEW, diversity.measured // 4)
    covered = sum(diversity.groups[:few])
    if few < 1 or covered < MOST * diversity.measured:
        return None
    for count in range(1, few + 1):
        if sum(diversity.groups[:count]) >= MOST * diversity.measured:
            covered, few = sum(diversity.groups[:count]), count
            break
    near = f"nearer than {100 * NEAR:.0f} % of a genome's length"
    return Finding(
        FindingKind.CONVERGED,
        f"Converged: {100 * covered / diversity.measured:.0f} % of the {subjects} are near copies of "
        f"{'one of them' if few == 1 else f'{few} of them'} ({near}), and {diversity.distinct:,} of "
        f"{diversity.individuals:,} genomes are different. Recombination no longer adds anything new; larger "
        "or more mutations, or a new run with another seed, would.",
    )


def check_diversity(diversity: Sequence[float] | NDArray[np.float64]) -> Finding | None:
    """Warn of a log in which little of the first generation's diversity is left."""
    if len(diversity) < 2 or not diversity[-1] < DIVERSITY_LEFT * diversity[0]:
        return None
    share = 100 * diversity[-1] / diversity[0]
    return Finding(
        FindingKind.CONVERGED,
        f"Converged: individuals are {diversity[-1]:.3g} apart; in generation 0 they were {diversity[0]:.3g} apart, so "
        f"{share:.1f} % of the diversity is left. From here on there are only variations of one player; larger "
        "mutations or a new run with another seed would bring others.",
    )


def check_shared_stretches(
    stretches: Sequence[tuple[int, int]],
    width: int,
    parts: Sequence[tuple[str, int, int]] = (),
    subjects: str = "individuals",
) -> Finding | None:
    """Warn of long stretches of the genome that are the same in all individuals.

    Args:
        stretches: the first weight of each stretch and one past its last, from
            `evolve.report.genomes.find_shared_stretches`.
        parts: name, first weight and one past the last of each part of the network; empty if unknown.
        subjects: a plural noun for the individuals.
    """
    long = [(a, b) for a, b in stretches if b - a >= least_stretch(width)]
    if not long:
        return None
    total = sum(b - a for a, b in long)
    named = [_stretch(a, b, parts) for a, b in sorted(long, key=lambda ends: ends[0] - ends[1])[:3]]
    more = f", and {len(long) - 3} more" if len(long) > 3 else ""
    return Finding(
        FindingKind.SHARED_STRETCH,
        f"All {subjects} share {total:,} of {width:,} weights in long stretches: {', '.join(named)}{more} (standard "
        f"deviation at most {100 * SHARED:.0f} % of a typical weight). Recombination cannot change them; only mutation "
        "can.",
    )


def least_stretch(width: int) -> int:
    """Return the length from which a stretch counts as long in a genome of `width` weights."""
    return max(LEAST, math.ceil(LONG * width))


def _stretch(start: int, stop: int, parts: Sequence[tuple[str, int, int]]) -> str:
    text = f"w{start} to w{stop - 1}"
    within = [name for name, a, b in parts if a < stop and b > start]
    return text + (f" ({within[0]}{' and on' if len(within) > 1 else ''})" if within else "")


def check_origins(survivors: Sequence[Sequence[str]], population: Mapping[str, int]) -> Finding | None:
    """Warn of survivors that all have the same origin, although the population has others.

    Args:
        survivors: origins of the survivors of each of the last generations, without generation 0.
        population: number of individuals of a whole generation by origin.
    """
    recent = [list(generation) for generation in survivors[-RECENT:]]
    origins = {origin for generation in recent for origin in generation}
    total = sum(population.values())
    if len(origins) != 1 or not total:
        return None
    (origin,) = origins
    count = sum(map(len, recent))
    share = population.get(origin, 0) / total
    if share**count >= CHANCE:
        return None
    useful = {origin, *origin.split(" and ")}  # "recombined and mutated" shows that both ways work
    others = " or ".join(sorted(name for name in population if not useful >= {*name.split(" and ")}))
    if not others:
        return None
    meaning = (
        "No new individual is among them: parents only keep their places."
        if origin == "survivor"
        else f"No {others} individual is among them, so this way of making children contributes nothing."
    )
    return Finding(
        FindingKind.ONE_ORIGIN,
        f"All {count} survivors of the last {len(recent)} generation{'s' if len(recent) > 1 else ''} are of one "
        f"origin, {origin}, as are {100 * share:.0f} % of a generation. {meaning} Look at the sizes "
        "and ranges of recombination and mutation.",
    )


def check_random_level(
    name: str, estimate: Estimate, games: int, how: str, *, as_evolved: bool = True, learnt: bool = False
) -> Finding | None:
    """Warn of a champion that is not significantly better than a random player.

    Args:
        games: number of games in this match.
        how: its search, such as ``at one ply``.
        as_evolved: whether it evolved with this search; False if unknown.
        learnt: whether it learnt without a population.
    """
    if estimate.low > EVEN:
        return None
    score = f"{100 * estimate.score:.1f} % ({100 * estimate.low:.1f} to {100 * estimate.high:.1f})"
    verdict = (
        "It is worse than a random player."
        if estimate.high < EVEN
        else "Nothing shows that it is better than a random player; more games could."
    )
    meaning = (
        "Success within its own population does not contradict this: there it only met similar players."
        if as_evolved
        else "Look-ahead may change that: a network that evolved with a search needs it. Try a match at depth=4."
    )
    text = f"{name} scores {score} against random in {games:,} games {how}. {verdict}"
    return Finding(FindingKind.RANDOM_LEVEL, text if learnt and as_evolved else f"{text} {meaning}")


def check_overfitting(
    run: str, validation: Sequence[float] | NDArray[np.float64], training: Sequence[float] | NDArray[np.float64]
) -> Finding | None:
    """Warn of a network whose validation loss rises while its training loss falls.

    Args:
        validation: loss on held-out games, by generation; NaN for missing values.
        training: loss on training games, by generation.
    """
    known = np.flatnonzero(np.isfinite(validation))
    learnt = np.flatnonzero(np.isfinite(training))
    if len(known) < 2:
        return None
    best, last = int(known[np.argmin(np.asarray(validation)[known])]), int(known[-1])
    if validation[last] <= (1 + OVERFIT) * validation[best]:
        return None
    # The training losses from the best generation on; if it has none, from the last earlier one, or else the first.
    begun = learnt[max(int(np.searchsorted(learnt, best, "right")) - 1, 0) :]
    fell = ""
    if len(begun) > 1:
        first, now = training[begun[0]], training[begun[-1]]
        if now >= first:
            return None
        fell = f", while the loss on its training games fell from {first:.3g} to {now:.3g}"
    when = "generation 0, before it learnt anything" if best == 0 else f"generation {best}"
    return Finding(
        FindingKind.OVERFITTED,
        f"Overfitted: the loss on games outside its training was lowest in {when}, {validation[best]:.3g}, and "
        f"is {validation[last]:.3g} in generation {last}{fell}. It memorises its games. {run}@{best} predicts "
        "new games best; more games, fewer samples a generation or a larger decay of weights may help.",
    )


def check_repeats(repeats: Repeats) -> Finding | None:
    """Warn of a ranking of the champion that is based on one or a few games, played repeatedly."""
    games, different, most = repeats.games, repeats.different, repeats.most
    if games < FEWEST_GAMES or (most < HALF * games and different > HALF * games):
        return None
    seen = "one game" if different == 1 else f"{different:,} different games, one of them {most:,} times"
    return Finding(
        FindingKind.REPEATED_GAME,
        f"The {games:,} games of the champion's ranking are {seen}. Two deterministic players repeat their game from "
        "the same opening, and one win counted many times is still one win: play on ballots, with both colours "
        "(games.openings=three-move).",
    )


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
