"""How generations come from each other, with DEAP's toolbox: founders, survivors, recombined children, mutants."""

from __future__ import annotations

import copy
from itertools import combinations
from typing import Any

import numpy as np
from deap import base, tools

from evolve import variation
from evolve.arena import Arena
from evolve.config import Config
from evolve.individual import Individual, individual_name
from evolve.randomness import Draw, stream
from evolve.workers import Workers
from game.errors import InputError

MAX_DUELS = 1000


def make_toolbox(config: Config, workers: Workers) -> base.Toolbox:
    """The operators under the names that DEAP's users know; each takes its generator as an argument.

    ``select(individuals, k)`` takes the best by fitness, which is the rank in the tournament. ``evaluate`` is
    registered by the session, since it needs an arena.
    """
    toolbox = base.Toolbox()
    toolbox.register("map", workers.map)
    toolbox.register("clone", copy.deepcopy)
    toolbox.register("select", tools.selBest)
    toolbox.register("mate", variation.one_point)
    toolbox.register("mutate_king", variation.step_king)
    toolbox.register("mutate", variation.uniform_noise, low=config.variation.low, high=config.variation.high)
    return toolbox


def founders(config: Config, arena: Arena) -> list[Individual]:
    """Generation 0: genomes drawn uniformly; by ``duel`` the winners of games between two of them, until full.

    Raises:
        InputError: the duels never have winners.

    Source: David Cowan, CheckersAI (2022), for the duels.
    """
    size, rules, rules_king = config.population.size, config.founders, config.network.king
    genomes: list[Any] = []
    for batch in range(MAX_DUELS):
        generator = stream(config.seed, 0, Draw.FOUNDERS, batch)
        drawn = generator.uniform(rules.low, rules.high, (2 * size, config.network.weights)).astype(np.float32)
        if rules.method == "uniform":
            genomes.extend(drawn[:size])
        else:
            arena.put(drawn, np.full(len(drawn), rules_king, np.float32))
            pairs = np.arange(2 * size).reshape(-1, 2)
            margin = arena.play(pairs, (0, Draw.FOUNDER_GAMES, (batch,))).margin
            genomes.extend(drawn[np.where(margin > 0, pairs[:, 0], pairs[:, 1])[margin != 0]])
        if len(genomes) >= size:
            king = config.network.king
            return [Individual(genome, individual_name(0, i), king=king) for i, genome in enumerate(genomes[:size])]
    raise InputError(
        f"founders: {MAX_DUELS * size:,} duels gave only {len(genomes)} winners of {size}; "
        "set founders.method=uniform, or another founders.low and founders.high"
    )


def next_generation(
    parents: list[Individual], generation: int, config: Config, toolbox: base.Toolbox
) -> list[Individual]:
    """The parents themselves, two children of every pair of them, and mutants of all of these.

    Args:
        parents: best first.
        generation: number of the generation to make.
        config: sizes and seed.
        toolbox: as `make_toolbox` makes it.
    """
    made: list[Individual] = []

    def join(genome: Individual, origin: str, *names: str) -> None:
        made.append(Individual(genome, individual_name(generation, len(made)), origin, names, genome.king))

    for parent in parents:
        join(parent, "survivor", parent.name)
    if config.population.recombine:
        for index, (first, second) in enumerate(combinations(parents, 2)):
            generator = stream(config.seed, generation, Draw.RECOMBINATION, index)
            for child in toolbox.mate(toolbox.clone(first), toolbox.clone(second), generator):
                join(child, "recombined", first.name, second.name)
    # A mutant's parents are names of the generation before: those of the parent or child that it changes.
    for index, source in enumerate(made.copy()):
        for turn in range(config.population.mutants):
            generator = stream(config.seed, generation, Draw.MUTATION, index, turn)
            (mutant,) = toolbox.mutate(toolbox.clone(source), generator)
            if config.network.evolving_king:
                (mutant,) = toolbox.mutate_king(mutant, generator)
            join(mutant, "mutated", *source.parents)
    return made
