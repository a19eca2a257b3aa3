"""Warnings about genomes and games, given only if the data are evidence of a problem.

Every check takes plain numbers and returns a `Finding`, or None. The constants are thresholds, with reasons for their
values.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evolve.config.anchors import shown_text
from evolve.report.checked import Checked, Finding
from evolve.report.genomes import NEAR, Diversity
from evolve.report.overview import GenerationOverview, RunOverview
from evolve.run.append_only import round_generation
from evolve.run.champions import ChampionGames
from evolve.strength import effort
from evolve.strength.elo import Estimate, standard_error

if TYPE_CHECKING:
    from evolve.inspection.games import Strength
    from evolve.report.overview import Subject

FEW, MOST = 5, 0.9
"""A population has converged if at least a share `MOST` of it are near copies of `FEW` individuals. In a population of
fewer than 20, a quarter of its individuals takes the place of `FEW`. A healthy generation of ``cowan`` has a few
hundred groups, of which the largest has under 3 % of the population."""

DIVERSITY_LEFT = 0.1
"""A run has converged if less than this share of the diversity of generation 0 is left in its log. Long runs of
``cowan`` settle at a quarter, where mutation balances selection."""

EVEN = 0.5
"""Points per game between equal players."""

FEWEST_GAMES = 8
"""Minimum number of games for a check of repetition."""

HALF = 0.5
"""Games are repetitive if at least this share of them are the same game, or if at most this share are different."""


OVERFIT = 0.05
"""A network is overfitted if its validation loss exceeds the minimum by more than this share. In sound runs the loss
fluctuates by 1 %."""

Ratings = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
"""Ratings, and lower and upper ends of their 95 % intervals, by generation; NaN if a champion was not rated."""

CHANCE_OF_A_FALL = 0.05
"""A fall is reported if its probability by chance, corrected for the number of earlier ratings, is less than this and
the two intervals do not overlap."""


class FindingKind(StrEnum):
    CONVERGED = "converged"
    RANDOM_LEVEL = "random-level"
    REPEATED_GAME = "repeated-game"
    DECLINED = "declined"
    OVERFITTED = "overfitted"


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


def check_random_level(
    name: str, estimate: Estimate, games: int, how: str, *, as_evolved: bool = True, learnt: bool = False
) -> Finding | None:
    """Warn of a champion that is not significantly better than a random player.

    Args:
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


def check_fall(ratings: Ratings) -> Finding | None:
    """Warn of a last champion that is rated significantly below an earlier one."""
    values, low, high = ratings
    *earlier, last = np.flatnonzero(np.isfinite(ratings).all(axis=0)).tolist() or [0]
    apart = [one for one in earlier if low[one] > high[last]]
    if not apart:
        return None
    best = max(apart, key=lambda one: float(low[one]))
    error = math.hypot(*(standard_error(low[one], high[one]) for one in (best, last)))
    if values[best] - values[last] < NormalDist().inv_cdf(1 - CHANCE_OF_A_FALL / len(earlier)) * error:
        return None
    first, second = (" to ".join(shown_text(float(each[one])) for each in ratings[1:]) for one in (best, last))
    return Finding(
        FindingKind.DECLINED,
        f"The rating fell: the champion of generation {best} is rated {shown_text(float(values[best]))} ({first}), the "
        f"champion of generation {last} {shown_text(float(values[last]))} ({second}), and these intervals do not "
        f"overlap. To play the strongest, choose generation {best}.",
    )


@dataclass(frozen=True)
class Repeats:
    """The variety of the games behind a result.

    Attributes:
        different: number of different games, by their moves.
        most: how often the most frequent game was played.
    """

    games: int
    different: int
    most: int


def count_repeats(run: Path, generation: int) -> Repeats | None:
    """Count the different recorded games of a generation's champion; None if no games are on record."""
    played = ChampionGames(run)
    while played.step().more:
        pass
    moves: Counter[str] = Counter()
    for game in played.games_of(generation).split("[Event ")[1:]:
        tags, _, movetext = game.partition("\n\n")
        if any(round_generation(tag.encode()) == generation for tag in tags.split("\n")):
            moves[" ".join(movetext.split()[:-1])] += 1  # without the result
    return Repeats(moves.total(), len(moves), max(moves.values())) if moves else None


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


def check(subject: Subject, strength: Strength | None = None) -> Checked:
    """Check a subject, and the games that it played if there are any."""
    checked = Checked()
    if isinstance(subject, RunOverview):
        checked = _of_run(subject)
    elif isinstance(subject, GenerationOverview):
        checked = _of_generation(subject)
    if strength is None:
        return Checked(checked.findings, checked.looked, "No games were played, so strength was not checked.")
    warning = _of_strength(strength)
    results = [*checked.findings, *([warning] if warning else [])]
    return Checked(results, [*checked.looked, "random level"])


def _of_run(run: RunOverview) -> Checked:
    numbers, rated = run.history.numbers, run.history.interval("rating")
    warnings, looked = list[Finding | None](), list[str]()
    if "diversity" in numbers:
        looked.append("convergence")
        warnings.append(check_diversity(numbers["diversity"]))
    if "validation_loss" in numbers:
        looked.append("overfitting")
        warnings.append(check_overfitting(run.run.cli_name, numbers["validation_loss"], numbers["loss"]))
    if run.diversity is not None:
        warnings[0] = warnings[0] or check_near_copies(run.diversity, "survivors")
    if run.kind.breeds and (repeats := count_repeats(run.run.path, run.newest)) is not None:
        looked.append("repeated games")
        warnings.append(check_repeats(repeats))
    if rated and run.history.rated > 1:
        looked.append("a fall")
        warnings.append(check_fall(rated))
    return Checked([warning for warning in warnings if warning], looked)


def _of_generation(one: GenerationOverview) -> Checked:
    warnings, looked = list[Finding | None](), list[str]()
    if one.diversity is not None:
        looked.append("convergence")
        warnings.append(check_near_copies(one.diversity))
    repeats = None
    if one.run is not None and one.generation is not None and one.kind.breeds:
        repeats = count_repeats(one.run.path, one.generation)
    if repeats is not None:
        looked.append("repeated games")
        warnings.append(check_repeats(repeats))
    return Checked([warning for warning in warnings if warning], looked)


def _of_strength(strength: Strength) -> Finding | None:
    played, how = strength.random, effort.describe(strength.how)
    known, learnt = strength.as_evolved, strength.learnt
    return check_random_level(strength.player, played.estimate, played.games, how, as_evolved=known, learnt=learnt)
