"""Founders: the individuals of generation 0."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from deap import base
from numpy.typing import NDArray

from evolve.breeding.founder import founder_of
from evolve.breeding.inheritance import individual_name
from evolve.config.model import Config
from evolve.kinds.individual import Individual
from evolve.streams import Draw, stream
from evolve.tournament.arena import TournamentArena
from extras import missing, modules
from game.errors import InputError

MAX_DUELS = 1000


def founders(config: Config, arena: TournamentArena, toolbox: base.Toolbox) -> list[Individual]:
    """Return generation 0 by `founders.method`.

    With ``bred``, only the parents are random, and the others are their children, as in every later generation; in runs
    with a mean, only one genome is random, since the mean of many random ones would be close to zero. With
    ``predicted``, the first genome learns to predict the results of games, and the other parents are drawn around it.

    Raises:
        InputError: too few duels have winners, the player is missing or has changed, or nothing can predict.

    Source: David Cowan, CheckersAI (2022), for the duels; Chellapilla and Fogel (1999), for founders with children.
    """
    method, size = config.founders.method, config.population.size
    steps = np.full(config.network.weights, config.founders.step, np.float32) if config.has_steps else None

    def individuals_of(genomes: Iterable[Any]) -> list[Individual]:
        king = config.network.king
        return [Individual(one, individual_name(0, at), king=king, steps=steps) for at, one in enumerate(genomes)]

    if method == "duel":
        return individuals_of(_winners_of_duels(config, arena))
    if method == "player":
        return _around(founder_of(config), toolbox)
    # The other methods begin with the same random genomes, so runs with one seed differ by their method alone.
    drawn = _draw_genomes(config, 0)
    if method == "uniform":
        return individuals_of(drawn[:size])
    parents = individuals_of(drawn[: 1 if config.population.mean else config.population.parents])
    if config.predicts:
        parents[0] = _predicting().predict(config, parents[0], toolbox)
        # Random genomes are small changes of the first, so as founders they lie around what it has learnt.
        for other in parents[1:]:
            other += np.asarray(parents[0])
            other.king = parents[0].king
    if config.population.mean:
        return _around(parents[0], toolbox)
    made: list[Individual] = toolbox.vary(parents, 0)
    for one in made:
        one.parents = ()  # they are not in an earlier generation
    for one in made[: len(parents)]:
        one.origin = "founder"
    return made


def _predicting() -> Any:
    if added := modules("founders"):
        return added[0]
    raise InputError(missing("predicted", "founders.") or "founders.method=predicted: no extra makes such founders")


def _around(founder: Individual, toolbox: base.Toolbox) -> list[Individual]:
    toolbox.begin(founder)
    made: list[Individual] = toolbox.generate(0)
    return made


def _draw_genomes(config: Config, batch: int) -> NDArray[np.float32]:
    generator = stream(config.seed, 0, Draw.FOUNDERS, batch)
    shape = (2 * config.population.size, config.network.weights)
    return generator.uniform(config.founders.low, config.founders.high, shape).astype(np.float32)


def _winners_of_duels(config: Config, arena: TournamentArena) -> list[Any]:
    size = config.population.size
    genomes: list[Any] = []
    for batch in range(MAX_DUELS):
        drawn = _draw_genomes(config, batch)
        arena.shared.put(drawn, np.full(len(drawn), config.network.king, np.float32))
        pairs = np.arange(2 * size).reshape(-1, 2)
        margin = arena.play(pairs, (0, Draw.FOUNDER_GAMES, (batch,))).margin
        # A draw says nothing, so neither player joins.
        genomes.extend(drawn[np.where(margin > 0, pairs[:, 0], pairs[:, 1])[margin != 0]])
        if len(genomes) >= size:
            return genomes[:size]
    raise InputError(
        f"founders: {MAX_DUELS * size:,} duels gave only {len(genomes)} of {size} winners; "
        "set founders.method=uniform, or other founders.low and founders.high"
    )
