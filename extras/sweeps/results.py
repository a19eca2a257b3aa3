"""Results of a sweep: the ratings of its settings in one generation, and how small a difference it can detect."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from evolve.config import anchors
from evolve.config.model import Config
from evolve.strength import means
from extras.sweeps import comparing
from extras.sweeps.sweep import Sweep, common_generation, ratings_of, read_ratings
from game.installation import COMMAND
from game.number_text import count_text, signed_text

SMALL = 50
"""The smallest Elo difference worth detecting."""


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
    rating: means.SampleMean | None
    beside: means.SampleMean | None


@dataclass(frozen=True)
class SweepResults:
    """Results of a sweep.

    Attributes:
        generation: the generation of the ratings; None if there is none in which all runs are rated.
        reference: the setting with which the others are compared.
        settings: the results, in the order of the settings.
        detects: a sentence on the differences that the sweep can detect; empty if it compares no settings.
    """

    generation: int | None
    reference: str
    settings: tuple[SettingResult, ...]
    detects: str

    @property
    def comparisons(self) -> int:
        return sum(one.beside is not None for one in self.settings)


def results(sweep: Sweep) -> SweepResults:
    """Compare the settings of a sweep in the last generation in which all runs that have ratings are rated."""
    known = {setting: ratings_of(sweep, setting) for setting in sweep.settings}
    begun = [run for runs in known.values() for run in runs.values() if run]
    generation = common_generation(begun)
    rated = {
        setting: {seed: run[generation] for seed, run in runs.items() if generation in run}
        for setting, runs in known.items()
        if generation is not None
    }
    reference = next((setting for setting, of_seed in rated.items() if of_seed), sweep.settings[0])
    rows = []
    for setting in sweep.settings:
        mine, theirs = rated.get(setting, {}), rated.get(reference, {})
        common = sorted(mine.keys() & theirs.keys()) if setting != reference else []
        rows.append(
            SettingResult(
                setting,
                tuple(run.manifest().newest for run in sweep.runs(setting).values()),
                means.mean([pair[0] for pair in mine.values()], [pair[1] for pair in mine.values()]) if mine else None,
                means.mean(
                    [mine[seed][0] - theirs[seed][0] for seed in common],
                    [math.hypot(mine[seed][1], theirs[seed][1]) for seed in common],
                )
                if common
                else None,
            )
        )
    compared = [at for at, one in enumerate(rows) if one.beside is not None]
    probabilities = comparing.holm([one.beside.probability for one in rows if one.beside is not None])
    deviations = []
    for at, probability in zip(compared, probabilities, strict=True):
        beside = rows[at].beside
        assert beside is not None
        if beside.count > 1:
            error = (beside.high - beside.value) / means.quantile(beside.count - 1)
            deviations.append(error * math.sqrt(beside.count))
        rows[at] = replace(rows[at], beside=comparing.corrected(beside, probability))
    measured = math.sqrt(math.fsum(number**2 for number in deviations) / len(deviations)) if deviations else None
    config = sweep.run(sweep.members[0]).config()
    seeds = len(sweep.runs(sweep.settings[0]))
    detects = detects_text(config, seeds, len(rows) - 1, measured) if len(rows) > 1 else ""
    return SweepResults(generation, reference, tuple(rows), detects)


def detects_text(config: Config, seeds: int, comparisons: int, deviation: float | None = None) -> str:
    """Describe the smallest difference that a sweep detects, and the number of seeds needed to detect `SMALL` Elo.

    Args:
        config: the configuration of one of its runs, for the number of games in a rating.
        seeds: number of seeds of each setting.
        comparisons: number of comparisons for which p is corrected.
        deviation: measured standard deviation of the difference of two runs with the same seed; None if unknown.
    """
    games = config.rating.games * len(anchors.parse_session_anchors(config.rating.anchors))
    scatter = comparing.difference_deviation(games) if deviation is None else deviation
    known = "usually scatter" if deviation is None else "scatter"
    wanted = comparing.seeds_to_detect(SMALL, scatter, comparisons)
    able = comparing.detected(seeds, scatter, comparisons)
    now = f"{count_text(seeds, 'seed')} of {games:,} games a rating"
    first = f"{now} detect {able:.0f} Elo" if math.isfinite(able) else f"{now} detects no difference"
    corrected = f"p below {comparing.LEVEL} corrected for {count_text(comparisons, 'comparison')}"
    return (
        f"{first}; detecting {SMALL} Elo takes {wanted:,} seeds of {games:,} games (in {100 * comparing.POWER:.0f} % "
        f"of sweeps, {corrected}; differences of two runs {known} by {scatter:.0f} Elo)."
    )


def as_json(sweep: Sweep) -> dict[str, Any]:
    compared = results(sweep)

    def plain(mean: means.SampleMean | None, more: dict[str, float]) -> dict[str, Any] | None:
        if mean is None:
            return None
        values = {"value": mean.value, "low": mean.low, "high": mean.high} | more
        return {name: value if math.isfinite(value) else None for name, value in values.items()} | {"seeds": mean.count}

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
                "rating": plain(one.rating, {}),
                "beside": plain(one.beside, {"p": one.beside.probability} if one.beside else {}),
            }
            for one in compared.settings
        ],
        "detects": compared.detects,
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
    difference = f"difference from {outcome.reference}" if several else ""
    rows = [("setting" if several else "", "seeds", "rating", difference, "")]
    for one in outcome.settings:
        beside = _difference(one.beside) if one.beside else "-" if several else ""
        to = min(one.generations)
        note = f"to generation {to}" if to < newest else ""
        rows.append(
            (
                one.setting,
                str(len(one.generations)),
                _interval(one.rating, anchors.shown_text) if one.rating else "-",
                beside,
                note,
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    if outcome.generation is None:
        lines += ["", "There is no generation yet in which all runs are rated."]
    else:
        lines += [
            "",
            f"Ratings of generation {outcome.generation}, the last in which all these runs are rated: means over seeds "
            "with 95 % intervals (Student's t), at least as wide as the number of games implies.",
        ]
    if outcome.comparisons:
        lines.append(
            "Differences are taken seed by seed; p is the probability of at least such a difference by chance alone. p "
            f"and its interval are corrected for {count_text(outcome.comparisons, 'comparison')} (Holm): the interval "
            f"excludes 0 exactly if p is below {comparing.LEVEL}."
        )
    if outcome.detects:
        lines.append(outcome.detects)
    return lines


def _difference(found: means.SampleMean) -> str:
    """Format a difference with its interval and p, with the digits that show on which side of its bound p is."""
    p, digits, places = found.probability, 0, 3
    if p < comparing.LEVEL:
        nearest = min(abs(found.low), abs(found.high))
        digits = next((more for more in range(3) if round(nearest, more)), 3)
        places = next((more for more in range(3, 9) if round(p, more) < comparing.LEVEL), 9)
    text = _interval(found, partial(signed_text, digits=digits))
    if math.isfinite(p):
        text += f", p = {p:.{places}f}" if p >= 0.0005 else ", p < 0.001"
    return text


def _interval(mean: means.SampleMean, text: Callable[[float], str] = signed_text) -> str:
    if not math.isfinite(mean.low):
        return text(mean.value)
    return f"{text(mean.value)} ({text(mean.low)} to {text(mean.high)})"
