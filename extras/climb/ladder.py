"""The ladder: levels and the champions of a run as opponents, and their ratings. No pygame."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from evolve.strength.levels import LEVELS, RANDOM
from game.number_text import count_text
from gui.model.seats import individual
from gui.rating.measuring import Measuring
from gui.rating.rating import PRIOR, RANDOM_MOVES, Opponent, RatedResult, is_climbed, points_against
from gui.runs.live_run import LiveRun

LEAST_RATED = 2
"""Number of generations with ratings in the log from which a ladder takes only such generations."""


def rungs_of(measuring: Measuring, run: LiveRun) -> list[Opponent]:
    """Return the champions of a run that are rungs of its ladder, the earliest first."""

    def make() -> list[Opponent]:
        numbers = rung_numbers(run.newest)
        rated = [number for number in range(run.newest + 1) if run.rating(number) is not None]
        if len(rated) >= LEAST_RATED:  # generations with a rating nearby, so that each has its place on the ladder
            numbers = [min(rated, key=lambda each: abs(each - number)) for number in numbers]
            numbers = sorted({*numbers, run.newest})
        return [measuring.champion(run, number) for number in numbers if run.has_champion(number)]

    return run.kept(f"rungs {measuring.stamp}", make)


def find_players(measuring: Measuring, run: str, numbers: Iterable[int]) -> None:
    """Look up how champions of a run played when they were rated, to save `rungs_of` this work."""
    for number in numbers:
        measuring.as_rated(individual(f"{run}@{number}"))


def rung_numbers(newest: int) -> list[int]:
    """Return the generations of a ladder: 0, 1, 2, 5, 10, 20, 50, ... and the newest; none if `newest` is -1."""
    numbers, power = {0, newest}, 1
    while power <= newest:
        numbers |= {power * step for step in (1, 2, 5) if power * step <= newest}
        power *= 10
    return sorted(numbers) if newest >= 0 else []


def merge_ladder(levels: Sequence[Opponent], champions: Sequence[Opponent]) -> list[Opponent]:
    """Return levels and the champions of a run as one ladder, from weak to strong.

    A champion that is also a level is listed once, by the name of the level. Those without a rating come
    first, as nobody knows their places.
    """
    taken = {level.rung for level in levels}
    rungs = [*levels, *(champion for champion in champions if champion.rung not in taken)]
    return sorted(rungs, key=lambda each: (-math.inf if each.rating is None else each.rating, each.generation))


def next_rung(results: Sequence[RatedResult], ladder: Sequence[Opponent]) -> Opponent | None:
    """Return the rung above the highest climbed one, or the highest rung; None if the ladder is empty.

    The first rung is the one nearest to the rating with which a person begins, where the first screen has the piece.
    """
    climbed = [at for at, rung in enumerate(ladder) if is_climbed(points_against(results, rung))]
    rated = [(at, rung.rating) for at, rung in enumerate(ladder) if rung.rating is not None and rung.rating > RANDOM]
    at, _ = min(rated, key=lambda each: abs(each[1] - PRIOR), default=(0, 0.0))
    if climbed:
        at = max([climbed[-1] + 1, *(at for at, _ in rated[:1])])  # after one without a rating, too
    return ladder[min(at, len(ladder) - 1)] if ladder else None


def play_text(opponent: Opponent, newest: int) -> str:
    """Return how an opponent plays, in words; `newest` is the last generation of its run."""
    if not opponent.run:
        play = {level.name: level.play for level in LEVELS} | {RANDOM_MOVES.name: "plays any legal move"}
        return play.get(opponent.name, "")
    fewer = newest - opponent.generation
    if fewer <= 0:
        return f"the newest generation, depth {opponent.depth} without tablebases, as it evolved"
    before = f"{count_text(fewer, 'generation')} before the newest"
    return f"{before}, depth {opponent.depth} without tablebases, as it evolved"
