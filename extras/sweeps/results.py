"""Results of a sweep: the ratings of its settings in one generation, compared with those of the first."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evolve.config import anchors
from evolve.inspection.results import json_number
from evolve.strength import means
from evolve.strength.means import SampleMean
from extras.sweeps.sweep import Sweep, read_ratings
from game.installation import COMMAND
from game.number_text import count_text, signed_text

LEVEL = 0.05
"""Probability below which a difference counts as one."""


@dataclass(frozen=True)
class SettingResult:
    """Results of a setting.

    Attributes:
        generations: the newest generation of each of its runs.
        rating: mean over seeds; None if its runs are not rated in the compared generation.
        beside: mean difference from the reference, paired by seed, with p and interval corrected for the number of
            comparisons; None for the reference itself, or if they have no seed in common.
    """

    setting: str
    generations: tuple[int, ...]
    rating: SampleMean | None
    beside: SampleMean | None = None


@dataclass(frozen=True)
class SweepResults:
    """Results of a sweep.

    Attributes:
        generation: the generation of the ratings; None if there is none in which all runs are rated.
        reference: the setting with which the others are compared.
    """

    generation: int | None
    reference: str
    settings: tuple[SettingResult, ...]

    @property
    def comparisons(self) -> int:
        return sum(one.beside is not None for one in self.settings)


def results(sweep: Sweep) -> SweepResults:
    """Compare the settings of a sweep in the last generation in which all runs that have ratings are rated."""
    known = {member: read_ratings(sweep.run(member)) for member in sweep.members}
    begun = [set(ratings) for ratings in known.values() if ratings]
    generation = max(set.intersection(*begun), default=None) if begun else None
    rated: dict[str, dict[int, tuple[float, float]]] = {setting: {} for setting in sweep.settings}
    for member, ratings in known.items():
        if generation in ratings:
            rated[member.setting][member.seed] = ratings[generation]
    reference = next((setting for setting, of_seed in rated.items() if of_seed), sweep.settings[0])
    rows = []
    for setting, of_seed in rated.items():
        newest = tuple(run.manifest().newest for run in sweep.runs(setting).values())
        theirs, differences = rated[reference], None
        common = sorted(of_seed.keys() & theirs.keys())
        if common and setting != reference:
            differences = means.mean(
                [of_seed[seed][0] - theirs[seed][0] for seed in common],
                [math.hypot(of_seed[seed][1], theirs[seed][1]) for seed in common],
            )
        mean = means.mean(*zip(*of_seed.values(), strict=True)) if of_seed else None
        rows.append(SettingResult(setting, newest, mean, differences))
    probabilities = iter(holm([one.beside.probability for one in rows if one.beside is not None]))
    rows = [
        one if one.beside is None else replace(one, beside=corrected(one.beside, next(probabilities))) for one in rows
    ]
    return SweepResults(generation, reference, tuple(rows))


def holm(probabilities: Sequence[float]) -> list[float]:
    """Correct p values for multiple comparisons; a NaN stays NaN but counts as a comparison."""
    result, largest = [math.nan] * len(probabilities), 0.0
    # The smallest p is multiplied by the number of all comparisons, the next by one less, and so on; none may end up
    # below a smaller one.
    order = sorted((one, at) for at, one in enumerate(probabilities) if not math.isnan(one))
    for rank, (probability, at) in enumerate(order):
        largest = max(largest, min(1.0, probability * (len(probabilities) - rank)))
        result[at] = largest
    return result


def corrected(estimate: SampleMean, probability: float) -> SampleMean:
    """Return a mean with a corrected p value, and with the interval that is wider by the same correction.

    The interval excludes 0 exactly if the corrected p value is below 1 - 95 %: both then say the same about the mean.
    """
    if not 0 < estimate.probability < probability:  # also NaN, if the scatter is unknown
        return replace(estimate, probability=probability)
    degrees = estimate.count - 1
    error = (estimate.high - estimate.value) / means.quantile(degrees)
    half = error * means.quantile(degrees, means.TAIL * estimate.probability / probability)
    return replace(estimate, low=estimate.value - half, high=estimate.value + half, probability=probability)


def as_json(sweep: Sweep) -> dict[str, Any]:
    compared = results(sweep)

    def plain(mean: SampleMean | None) -> dict[str, Any] | None:
        if mean is None:
            return None
        return {name: json_number(getattr(mean, name)) for name in ("value", "low", "high")} | {"seeds": mean.count}

    runs = []
    for member in sweep.members:
        known, rated = sweep.run(member).manifest(), read_ratings(sweep.run(member))
        runs.append(
            {
                "name": member.name,
                "setting": member.setting,
                "seed": member.seed,
                "generations": known.newest,
                "rating": rated[max(rated)][0] if rated else None,
                "digest": known.digest(),
            }
        )
    return {
        "sweep": str(sweep.path),
        "scale": anchors.SCALE,
        "runs": runs,
        "generation": compared.generation,
        "reference": compared.reference,
        "comparisons": compared.comparisons,
        "settings": [
            {
                "setting": one.setting,
                "generations": list(one.generations),
                "rating": plain(one.rating),
                "beside": one.beside and (plain(one.beside) or {}) | {"p": json_number(one.beside.probability)},
            }
            for one in compared.settings
        ],
    }


def report(sweep: Sweep, finished: bool) -> str:
    newest = max(run.manifest().newest for run in map(sweep.run, sweep.members))
    lines = [f"sweep        {sweep.path}, {len(sweep.members)} runs, generations 0 to {newest}", "", *table(sweep)]
    if not finished:
        lines.append(f"continue     {COMMAND} {sweep.verb} --resume {sweep.path.name}")
    return "\n".join(lines)


def table(sweep: Sweep) -> list[str]:
    """Return the lines of a table of the settings, and those that explain it."""
    outcome = results(sweep)
    newest = max(max(one.generations) for one in outcome.settings)
    several = len(outcome.settings) > 1
    rows = [("setting", "seeds", "rating", f"difference from {outcome.reference}", "")]
    for one in outcome.settings:
        rating = "-" if one.rating is None else _interval(one.rating, anchors.shown_text)
        beside = "-" if one.beside is None else _interval(one.beside, signed_text)
        if one.beside is not None and math.isfinite(p := one.beside.probability):
            beside += f", p = {p:.3f}" if p >= 0.0005 else ", p < 0.001"
        to = min(one.generations)
        rows.append(
            (one.setting, str(len(one.generations)), rating, beside, f"to generation {to}" if to < newest else "")
        )
    if not several:
        rows = [("", seeds, rating, "", note) for _, seeds, rating, _, note in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    if outcome.generation is None:
        return [*lines, "", "There is no generation yet in which all runs are rated."]
    lines += [
        "",
        f"Ratings of generation {outcome.generation}, the last in which all these runs are rated: means over seeds "
        "with 95 % intervals (Student's t), at least as wide as the number of games implies.",
    ]
    if outcome.comparisons:
        lines.append(
            "Differences are taken seed by seed; p is the probability of at least such a difference by chance alone. p "
            f"and its interval are corrected for {count_text(outcome.comparisons, 'comparison')} (Holm): the interval "
            f"excludes 0 exactly if p is below {LEVEL}."
        )
    return lines


def _interval(mean: SampleMean, text: Callable[[float], str]) -> str:
    if not math.isfinite(mean.low):
        return text(mean.value)
    return f"{text(mean.value)} ({text(mean.low)} to {text(mean.high)})"
