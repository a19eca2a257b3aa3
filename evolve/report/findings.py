"""Warnings in words, each when the data show it and not otherwise.

Every function takes plain numbers and returns a `Finding`, or None. The constants say from where on something is told,
and why there.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evolve.report.genomes import NEAR, SHARED, Diversity
from evolve.run.champions import Repeats
from evolve.strength.elo import Estimate, RatingEstimate

FEW, MOST = 5, 0.9
"""Converged: this share of a population is near copies of this many individuals (in small ones, of a quarter of it).

A healthy generation of ``cowan`` has a few hundred groups, the largest with under 3 % of all."""

DIVERSITY_LEFT = 0.1
"""Converged, as far as the log tells: less than this share of generation 0's diversity is left. Long runs of ``cowan``
settle at a quarter, where mutation replaces what selection takes away."""

LONG, LEAST = 0.1, 8
"""A shared stretch is long if it is this share of the genome, and so many weights. In runs with mutation of every
weight none is longer than three."""

RECENT = 5
"""Generations whose survivors are checked for their origin."""

CHANCE = 0.001
"""Warn of survivors of one origin if random choice would give them with a smaller probability than this."""

EVEN = 0.5
"""Points a game of a player that is no better and no worse."""

FEWEST_GAMES = 8
"""Below this, games are too few to say that they repeat each other."""

HALF = 0.5
"""Results rest on one game if this share of all games is that game, or if no more than this share differ at all."""


OVERFIT = 0.05
"""Overfitted: the validation loss is higher than at its lowest by more than this share of it. Where nothing is wrong it
goes up and down by 1 %."""


class FindingKind(StrEnum):
    """What a finding is about."""

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
        kind: what it is about.
        text: what was seen, what it means, and what may help.
    """

    kind: FindingKind
    text: str


def check_near_copies(diversity: Diversity, who: str = "individuals") -> Finding | None:
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
        f"Converged: {100 * covered / diversity.measured:.0f} % of the {who} are near copies of "
        f"{'one of them' if few == 1 else f'{few} of them'} ({near}), and {diversity.distinct:,} of "
        f"{diversity.individuals:,} genomes are different at all. Recombination brings nothing new any more; larger "
        "or more mutations, or a new run with another seed, would.",
    )


def check_diversity(diversity: Sequence[float] | NDArray[np.float64]) -> Finding | None:
    """Warn of a log in which little of the first generation's diversity is left."""
    if len(diversity) < 2 or not diversity[-1] < DIVERSITY_LEFT * diversity[0]:
        return None
    share = 100 * diversity[-1] / diversity[0]
    return Finding(
        FindingKind.CONVERGED,
        f"Converged: individuals are {diversity[-1]:.3g} apart, in generation 0 they were {diversity[0]:.3g} apart; "
        f"{share:.1f} % of the diversity is left. What comes now are variations of one player; larger mutations or a "
        "new run with another seed would bring others.",
    )


def check_shared_stretches(
    stretches: Sequence[tuple[int, int]],
    width: int,
    parts: Sequence[tuple[str, int, int]] = (),
    who: str = "individuals",
) -> Finding | None:
    """Warn of long stretches of the genome that all share.

    Args:
        stretches: first weight and one past the last, as `evolve.report.genomes.find_shared_stretches` gives them.
        width: weights of a genome.
        parts: name, first weight and one past the last of what the weights are, where that is known.
        who: was looked at.
    """
    long = [(a, b) for a, b in stretches if b - a >= least_stretch(width)]
    if not long:
        return None
    total = sum(b - a for a, b in long)
    named = [_stretch(a, b, parts) for a, b in sorted(long, key=lambda each: each[0] - each[1])[:3]]
    more = f", and {len(long) - 3} more" if len(long) > 3 else ""
    return Finding(
        FindingKind.SHARED_STRETCH,
        f"All {who} share {total:,} of {width:,} weights in long stretches: {', '.join(named)}{more} (standard "
        f"deviation at most {100 * SHARED:.0f} % of a typical weight). Recombination cannot change them; only mutation "
        "can.",
    )


def least_stretch(width: int) -> int:
    """The shortest stretch that counts as long in a genome of this many weights."""
    return max(LEAST, math.ceil(LONG * width))


def _stretch(start: int, stop: int, parts: Sequence[tuple[str, int, int]]) -> str:
    text = f"w{start} to w{stop - 1}"
    within = [name for name, a, b in parts if a < stop and b > start]
    return text + (f" ({within[0]}{' and on' if len(within) > 1 else ''})" if within else "")


RECOMBINED_MUTANT = "recombined and mutated"
"""Origin of a mutant of a recombined child, which files call mutated although it has two parents."""


def check_origins(survivors: Sequence[Sequence[str]], population: Mapping[str, int]) -> Finding | None:
    """Warn of survivors that are all of one origin, although the population has others.

    Args:
        survivors: how they were made, for each of the last generations (without generation 0, whose are all founders).
        population: number of individuals of a whole generation by how they were made.
    """
    recent = [list(each) for each in survivors[-RECENT:]]
    origins = {origin for each in recent for origin in each}
    total = sum(population.values())
    if len(origins) != 1 or not total:
        return None
    (origin,) = origins
    count = sum(map(len, recent))
    share = population.get(origin, 0) / total
    if share**count >= CHANCE:
        return None
    useful = {origin, *origin.split(" and ")}  # a recombined child that was mutated is work of both
    others = " or ".join(sorted(name for name in population if not useful >= {*name.split(" and ")}))
    if not others:
        return None
    meaning = (
        "Nobody new has come in: parents only keep their places."
        if origin == "survivor"
        else f"No {others} individual is among them, so that way of making children does no work."
    )
    return Finding(
        FindingKind.ONE_ORIGIN,
        f"All {count} survivors of the last {len(recent)} generation{'s' if len(recent) > 1 else ''} are of one "
        f"origin, {origin}, which is that of {100 * share:.0f} % of the individuals. {meaning} Look at the sizes "
        "and ranges of recombination and mutation.",
    )


def check_random_level(
    name: str, estimate: Estimate, games: int, how: str, *, as_evolved: bool = True, learnt: bool = False
) -> Finding | None:
    """Warn of a champion that is not shown to be better than a random player.

    Args:
        name: of the champion.
        estimate: its score against random.
        games: of that match.
        how: it looked in them, such as ``at one ply``.
        as_evolved: whether that is how it evolved; False if nothing tells.
        learnt: whether it has learnt alone, without a population.
    """
    if estimate.low > EVEN:
        return None
    score = f"{100 * estimate.score:.1f} % ({100 * estimate.low:.1f} to {100 * estimate.high:.1f})"
    verdict = (
        "It is worse than a player who draws lots."
        if estimate.high < EVEN
        else "Nothing shows that it is better than a player who draws lots; more games could."
    )
    meaning = (
        "Success within its own population does not speak against that: there it only met its like."
        if as_evolved
        else "Look-ahead may change that: who evolved with a search needs it. Try a match at depth=4."
    )
    text = f"{name} scores {score} against random in {games:,} games {how}. {verdict}"
    return Finding(FindingKind.RANDOM_LEVEL, text if learnt and as_evolved else f"{text} {meaning}")


def check_overfitting(
    run: str, validation: Sequence[float] | NDArray[np.float64], training: Sequence[float] | NDArray[np.float64]
) -> Finding | None:
    """Warn of a network whose loss rises on games that it does not learn from, while it falls on those that it does.

    Args:
        run: its name in commands.
        validation: loss on other games, by generation; NaN where there is none.
        training: loss on the games that it learns from.
    """
    known = np.flatnonzero(np.isfinite(validation))
    learnt = np.flatnonzero(np.isfinite(training))
    if len(known) < 2:
        return None
    best, last = int(known[np.argmin(np.asarray(validation)[known])]), int(known[-1])
    if validation[last] <= (1 + OVERFIT) * validation[best]:
        return None
    begun = learnt[max(int(np.searchsorted(learnt, best, "right")) - 1, 0) :]  # the last before the best, or the first
    fell = ""
    if len(begun) > 1:
        first, now = training[begun[0]], training[begun[-1]]
        if now >= first:
            return None
        fell = f", while that on the games it learns from fell from {first:.3g} to {now:.3g}"
    when = "generation 0, before it learnt anything" if best == 0 else f"generation {best}"
    return Finding(
        FindingKind.OVERFITTED,
        f"Overfitted: the loss on games that it does not learn from was lowest in {when}, {validation[best]:.3g}, and "
        f"is {validation[last]:.3g} in generation {last}{fell}. It learns these games by heart. {run}@{best} foretells "
        "new games best; more games, fewer samples a generation or a larger learning.decay may help.",
    )


def check_repeats(what: str, repeats: Repeats) -> Finding | None:
    """Warn of results that rest on one game, or a few, played repeatedly."""
    games, different, most = repeats.games, repeats.different, repeats.most
    if games < FEWEST_GAMES or (most < HALF * games and different > HALF * games):
        return None
    seen = "one game" if different == 1 else f"{different:,} different games, one of them {most:,} times"
    return Finding(
        FindingKind.REPEATED_GAME,
        f"The {games:,} games of {what} are {seen}. Two players without chance repeat their game from the same "
        "opening, and one win counted many times is still one win: play on ballots, with both colours (preset "
        "cowan-ballots, or games.openings=three-move).",
    )


def check_circles(names: Sequence[str], low: ArrayLike) -> Finding | None:
    """Warn of players who significantly beat each other in a cycle, so that no order of strength fits them.

    Args:
        names: of the players.
        low: lower end of the 95 % interval of row's score against column, of shape (players, players); NaN where they
            did not meet.
    """
    beats = np.asarray(low, np.float64) > EVEN
    circle = _shortest_circle(beats)
    if not circle:
        return None
    chain = " beats ".join(names[index] for index in [*circle, circle[0]])
    return Finding(
        FindingKind.CYCLE,
        f"Strength goes in circles: {chain}, each surely (95 %). No single rating can be right about them, and beating "
        f"the champions before is no progress by itself; measure against fixed opponents too.",
    )


def _shortest_circle(beats: NDArray[np.bool_]) -> list[int]:
    """Players of a shortest circle, each beating the next; empty if there is none."""
    best: list[int] = []
    for start in range(len(beats)):
        before: dict[int, int] = {}
        queue = deque([start])
        while queue and start not in before:
            player = queue.popleft()
            for other in np.flatnonzero(beats[player]).tolist():
                if other not in before:
                    before[other] = player
                    queue.append(other)
        if start in before:
            circle = [start]
            while (player := before[circle[-1]]) != start:
                circle.append(player)
            circle = [start, *reversed(circle[1:])]
            if not best or len(circle) < len(best):
                best = circle
    return best


def check_decline(names: Sequence[str], ratings: Sequence[RatingEstimate]) -> Finding | None:
    """Warn of a last champion that is significantly weaker than an earlier one, by games between them.

    Args:
        names: of the champions, in order of generation.
        ratings: of each, from the games between all of them.
    """
    if not ratings:
        return None
    best = max(range(len(ratings)), key=lambda index: ratings[index].low)
    if not ratings[best].low > ratings[-1].high:
        return None
    return Finding(
        FindingKind.DECLINED,
        f"Past its best: by the games between champions {names[best]} is rated {rating_words(ratings[best])}, but the "
        f"last one, {names[-1]}, {rating_words(ratings[-1])}. To play the strongest, choose {names[best]}.",
    )


def rating_words(rating: RatingEstimate) -> str:
    """A rating with its interval, such as ``47 (-56 to 116)``."""
    return f"{rating.value:.0f} ({rating.low:.0f} to {rating.high:.0f})"
