"""Making a generation from the previous one with DEAP's toolbox: founders, survivors, recombined children, mutants."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
from deap import base
from numpy.typing import NDArray

from evolve.breeding.founder import founder_of
from evolve.breeding.inheritance import individual_name, recombination_streams
from evolve.config.model import Config
from evolve.kinds import plugins, variation
from evolve.kinds.individual import Individual
from evolve.kinds.optimisers.optimiser import RankedGeneration
from evolve.run.columns import whole_number
from evolve.streams import Draw, stream, streams
from evolve.tournament.arena import TournamentArena
from evolve.workers.processes import Workers
from game.errors import InputError

MAX_DUELS = 1000


def make_toolbox(config: Config, workers: Workers) -> base.Toolbox:
    """Return the operators of a session under DEAP's usual names.

    ``mate(first, second, generator)`` and ``mutate(individual, generator, generation)`` call the kinds that the
    configuration names, which may come from plugins (docs/operators.md).
    """
    toolbox = base.Toolbox()
    toolbox.register("map", workers.stream)
    toolbox.register("follow", follow)
    toolbox.register("clone", copy.deepcopy)
    select, rules = config.population.selection, config.variation
    toolbox.register("select", plugins.named(select, "population.selection", select.select, config.population.parents))
    mate, mutate = rules.recombination, rules.mutation
    toolbox.register("mate", plugins.named(mate, "variation.recombination", mate.recombine, 2))
    toolbox.register("mutate", plugins.named(mutate, "variation.mutation", mutate.mutate, 1))
    toolbox.register("mutate_king", variation.lognormal_king if rules.king == "lognormal" else variation.step_king)
    optimiser = config.optimiser.kind
    toolbox.register("tell", plugins.named(optimiser, "optimiser.kind", optimiser.tell))
    toolbox.register("ask", plugins.named(optimiser, "optimiser.kind", optimiser.ask), mutate=toolbox.mutate)
    toolbox.register("mirror", variation.mirror)
    return toolbox


def follow(
    results: Iterable[Any],
    sizes: Sequence[int],
    what: str,
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Iterator[Any]:
    """Yield results as they come, and report progress."""
    done, total = 0, sum(sizes)
    progress(what, 0, total)
    for result, size in zip(results, sizes, strict=True):
        done += size
        progress(what, done, total)
        yield result


def founders(config: Config, arena: TournamentArena, toolbox: base.Toolbox) -> list[Individual]:
    """Return generation 0 by `founders.method`.

    With ``bred``, only the parents are random, and the others are their children, as in every later generation; in runs
    with a mean, only one genome is random, since the mean of many random ones would be close to zero. With
    ``predicted``, the first genome learns to predict the results of games, and the other parents are drawn around it.

    Raises:
        InputError: too few duels have winners, or the player is missing or has changed.

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
        return _around(config.optimiser.kind.begin(founder_of(config)), (), 0, config, toolbox)
    # The other methods begin with the same random genomes, so runs with one seed differ by their method alone.
    drawn = _draw_genomes(config, 0)
    if method == "uniform":
        return individuals_of(drawn[:size])
    parents = individuals_of(drawn[: 1 if config.population.mean else config.population.parents])
    if config.predicts:
        from evolve.breeding.prediction import predict

        parents[0] = predict(config, parents[0], toolbox)
        # Random genomes are small changes of the first, so as founders they lie around what it has learnt.
        for other in parents[1:]:
            other += np.asarray(parents[0])
            other.king = parents[0].king
    if config.population.mean:
        return _around(config.optimiser.kind.begin(parents[0]), (), 0, config, toolbox)
    children = next_generation(parents, 0, config, toolbox)[len(parents) :]
    for child in children:
        child.parents = ()  # they are not in an earlier generation
    return parents + children


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


def parents_of(
    individuals: list[Individual], generation: int, config: Config, toolbox: base.Toolbox
) -> list[Individual]:
    """Return the parents of a generation, best first; for a mean, all individuals of the previous generation."""
    if config.population.mean:
        return individuals
    generator = stream(config.seed, generation, Draw.SELECTION)
    chosen: list[Individual] = toolbox.select(individuals, config.population.parents, generator)
    return chosen


def next_generation(
    parents: list[Individual], generation: int, config: Config, toolbox: base.Toolbox
) -> list[Individual]:
    """Return the parents, two children of each pair, and mutants of all of these; or a mean and its mutants."""
    if config.population.mean:
        count = config.population.parents
        # The place in a generation is a part of the name. Ranking mixes the mirror images, whose places the optimiser
        # needs.
        ranked = RankedGeneration(
            parents,
            np.array([whole_number(one.name.rpartition("_")[2]) for one in parents], np.int64),
            np.array([one.points for one in parents], np.int64),
            count,
            config.population.stride,
        )
        names = tuple(parent.name for parent in ranked.ranked[:count])
        return _around(toolbox.tell(ranked), names, generation, config, toolbox)
    made: list[Individual] = []

    def join(genome: Individual, origin: str, *names: str) -> None:
        name = individual_name(generation, len(made))
        made.append(Individual(genome, name, origin, names, genome.king, genome.steps))

    # The order is part of the results: survivors, children by pairs of parents, then mutants of both. A name has the
    # index in this order, from which `inheritance` finds the random numbers again.
    for parent in parents:
        join(parent, "survivor", parent.name)
    if config.population.recombine:
        pairs = [*combinations(parents, 2)]
        generators = recombination_streams(config, generation, range(len(pairs)))
        for (first, second), generator in zip(pairs, generators, strict=True):
            for child in toolbox.mate(toolbox.clone(first), toolbox.clone(second), generator):
                join(child, "recombined", first.name, second.name)
    # Parents are names in the previous generation, so a mutant has the parents of the individual that was mutated.
    mutants = config.population.mutants
    sources = [source for source in made for _ in range(mutants)]
    indexes = product(range(len(made)), range(mutants))
    for source, generator in zip(sources, streams(config.seed, generation, Draw.MUTATION, indexes), strict=True):
        (mutant,) = toolbox.mutate(toolbox.clone(source), generator, generation)
        if config.network.evolving_king:
            (mutant,) = toolbox.mutate_king(mutant, generator)
        join(mutant, "mutated", *source.parents)
    return made


def _around(
    centre: Individual, parents: tuple[str, ...], generation: int, config: Config, toolbox: base.Toolbox
) -> list[Individual]:
    """Return a mean followed by pairs of mirrored mutants."""
    name, origin = individual_name(generation, 0), "recombined" if parents else "founder"
    made = [Individual(centre, name, origin, parents, centre.king, centre.steps, centre.state)]
    # Each random change is tried in both directions, so two results that are equal cancel out.
    pairs = product([0], range(config.population.mutants // 2))
    for generator in streams(config.seed, generation, Draw.MUTATION, pairs):
        mutant = toolbox.ask(centre, generator, generation)
        if config.network.evolving_king:
            (mutant,) = toolbox.mutate_king(mutant, generator)
        for one in (mutant, toolbox.mirror(mutant, centre)):
            name = individual_name(generation, len(made))
            # Only one parent is named here: the previous mean. The new mean names all of them.
            made.append(Individual(one, name, "mutated", parents[:1], one.king, one.steps))
    return made
