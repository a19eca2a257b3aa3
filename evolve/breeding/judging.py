"""The fitness of a generation: its tournament, and the numbers that `[fitness]` makes of the games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.config.model import Config
from evolve.kinds import plugins
from evolve.kinds.individual import Individual, fitness_of
from evolve.kinds.objectives import GenerationGames, Rank
from evolve.streams import Draw, stream
from evolve.tournament import tournament
from evolve.tournament.arena import PlayedPairings, TournamentArena, join_outcomes
from evolve.tournament.tournament import Ranking
from game.traits import measure


def evaluate(
    population: list[Individual],
    generation: int,
    champions: Sequence[Individual] = (),
    *,
    config: Config,
    arena: TournamentArena,
    toolbox: Any = None,
) -> Ranking:
    """Play the tournament of a generation, which judges its individuals together, and set their fitness."""
    by_rank = isinstance(config.fitness.kind, Rank)
    players = [*population, *champions]
    kings = np.array([individual.king for individual in players], np.float32)
    arena.shared.put(players, kings)

    def play(pairs: Any, key: tuple[int, ...], keep: bool) -> Any:
        return arena.play(pairs, (generation, Draw.BALLOTS, key), keep=keep or not by_rank)

    generator = stream(config.seed, generation, Draw.TOURNAMENT)
    ranking = tournament.run(config, generator, play, len(champions))
    for one, points in zip(population, ranking.tally.points.tolist(), strict=True):
        one.points = points
    if by_rank:
        for rank, index in enumerate(ranking.order, 1):
            population[index].fitness.values = (float(rank),)
        return ranking
    values = judged(config, population, _games(ranking, arena.kept, lambda: toolbox.rate(population, generation)))
    made = fitness_of(config.fitness.numbers)
    for one, numbers in zip(population, values.tolist(), strict=True):
        one.fitness = made(tuple(numbers))
    # Equal individuals stay in the order of the tournament.
    order = sorted(ranking.order.tolist(), key=lambda index: population[index].fitness, reverse=True)
    return replace(ranking, order=np.array(order, np.int64))


def judged(config: Config, population: Sequence[Individual], games: GenerationGames) -> NDArray[np.float64]:
    """Return the numbers of the fitness of each individual; float64 of shape (individuals, weights).

    Raises:
        PluginError: they are not finite, or not one for each weight.
    """
    kind, count = config.fitness.kind, len(config.fitness.numbers)
    values = np.asarray(plugins.named(kind, "fitness.kind", kind.values)(population, games), np.float64)
    shape = (len(population), count)
    if values.shape != shape and (count > 1 or values.shape != shape[:1]):
        why = f"expected shape {shape}, a number for each of fitness.weights = {config.fitness.weights}"
        raise plugins.PluginError(f"fitness.kind = {kind.kind}: {why}, got {values.shape}")
    if not np.isfinite(values).all():
        worst = population[int(np.argwhere(~np.isfinite(values))[0][0])].name
        raise plugins.PluginError(f"fitness.kind = {kind.kind}: {worst} has a fitness that is not a finite number")
    return values.reshape(shape)


def _games(
    ranking: Ranking, played: Sequence[PlayedPairings], rate: Callable[[], NDArray[np.float64]]
) -> GenerationGames:
    outcomes = join_outcomes([part.outcomes for part in played])
    players = [np.stack([part.blacks, part.whites], axis=1) for part in played]
    codes = outcomes.codes or []
    return GenerationGames(
        ranking.order.argsort() + 1,
        ranking.tally.points,
        np.concatenate([np.empty((0, 2), np.int64), *players]),
        np.stack([outcomes.results, -outcomes.results], axis=1),
        np.stack([outcomes.plies, outcomes.plies], axis=1),
        np.concatenate([np.empty((0, 2), np.int64), *(part.pieces for part in played)]),
        lambda: np.array([measure(each) for each in codes]).reshape(len(codes), 2, -1),
        rate,
    )
