"""The loop of evolution, as ask and tell over a toolbox of DEAP.

`Loop.ask` makes a generation and `Loop.tell` judges it; a session calls both in turn, and saves a generation while
the next one is played. A population is bred by ``select``, ``clone``, ``mate`` and ``mutate``, a generation around a
mean by ``update`` and ``generate``. What differs from `deap.algorithms` lets a run resume from its newest generation:

* Operators draw from a generator that is an argument, and not from a global one, so that a resumed run has the same
  bytes.
* `ask` begins with ``select`` or ``update``, which end a pass of `eaMuPlusLambda` or `eaGenerateUpdate`.
* Survivors are evaluated again: a rank is a place among the individuals of one generation.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from itertools import combinations, product
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from deap import base, tools

from evolve.breeding.founders import founders
from evolve.breeding.hall_of_fame import HallOfFame
from evolve.breeding.inheritance import individual_name, recombination_streams
from evolve.breeding.judging import evaluate
from evolve.config.model import Config
from evolve.kinds import plugins, variation
from evolve.kinds.individual import Individual
from evolve.kinds.optimisers.optimiser import RankedGeneration
from evolve.run.columns import whole_number
from evolve.streams import Draw, stream, streams
from evolve.tournament.arena import TournamentArena
from evolve.tournament.tournament import Ranking
from evolve.workers.pool import follow
from evolve.workers.processes import Workers

LOGGED = 1_000
"""Maximum number of generations in the logbook."""


class JudgedGeneration(NamedTuple):
    """A generation after its tournament.

    Attributes:
        ranking: the result of the tournament.
        opponents: the champions of earlier generations that played.
        since: name of the champion when it first became champion; empty if it is a new one.
        statistics: its entry in the logbook.
    """

    ranking: Ranking
    opponents: Sequence[Individual]
    since: str
    statistics: dict[str, Any]


class Loop:
    def __init__(
        self, config: Config, toolbox: base.Toolbox, arena: TournamentArena, parents: list[Individual], hall: HallOfFame
    ) -> None:
        self.config, self.toolbox, self.population, self.hall = config, toolbox, parents, hall
        self.statistics, self.logbook = points_statistics(), tools.Logbook()
        toolbox.register("population", founders, config, arena, toolbox)
        toolbox.register("evaluate", evaluate, config=config, arena=arena, toolbox=toolbox)

    def ask(self, generation: int) -> list[Individual]:
        config, toolbox = self.config, self.toolbox
        if generation == 0:
            made: list[Individual] = toolbox.population()
        elif config.population.mean:
            toolbox.update(self.population)
            made = toolbox.generate(generation)
        else:
            generator = stream(config.seed, generation, Draw.SELECTION)
            parents = toolbox.select(self.population, config.population.parents, generator)
            made = toolbox.vary(parents, generation)
        return made

    def tell(self, generation: int, population: list[Individual]) -> JudgedGeneration:
        """Judge a generation, and enter it into the logbook and its champion into the hall of fame."""
        config, hall = self.config, self.hall
        opponents = hall.draw(config.champions, stream(config.seed, generation, Draw.CHAMPIONS))
        # Individuals are judged by games against each other, so it is games that are mapped to workers.
        ranking: Ranking = self.toolbox.evaluate(population, generation, opponents)
        self.population = [population[index] for index in ranking.order[: config.kind.bred_from(config)]]
        champion = self.population[0]
        since = hall.find(champion)
        hall.update([champion])
        self.logbook.record(**self.statistics.compile(population))
        if len(self.logbook) > LOGGED:
            self.logbook.pop(0)
        return JudgedGeneration(ranking, opponents, since, self.logbook[-1])


def vary(parents: list[Individual], generation: int, config: Config, toolbox: base.Toolbox) -> list[Individual]:
    """Return the parents, two children of each pair, and mutants of all of these.

    `deap.algorithms.varOr` would draw what becomes of each parent; here all of it happens, in a fixed order.
    """
    history, sizes = toolbox.history, config.population
    history.begin(generation)
    # The order is part of the results: survivors, children by pairs of parents, then mutants of both. A name has the
    # index in this order, from which `inheritance` finds the random numbers again.
    made: list[Individual] = [toolbox.clone(parent) for parent in parents]
    for survivor in made:
        history.update([survivor])
        survivor.origin = "survivor"
    if sizes.recombine:
        pairs = [*combinations(parents, 2)]
        generators = recombination_streams(config, generation, range(len(pairs)))
        for (first, second), generator in zip(pairs, generators, strict=True):
            for child in toolbox.mate(toolbox.clone(first), toolbox.clone(second), generator):
                child.origin = "recombined"
                made.append(child)
    places = [*product(range(len(made)), range(sizes.mutants))]
    generators = streams(config.seed, generation, Draw.MUTATION, places)
    for (place, _), generator in zip(places, generators, strict=True):
        (mutant,) = toolbox.mutate(toolbox.clone(made[place]), generator, generation)
        if config.network.evolving_king:
            toolbox.mutate_king(mutant, generator)
        mutant.origin = "mutated"
        made.append(mutant)
    for one in made:  # survivors, too
        del one.fitness.values
    return made


def make_toolbox(config: Config, workers: Workers) -> base.Toolbox:
    """Return the operators of a session under DEAP's usual names; `Loop` adds ``population`` and ``evaluate``.

    ``map`` lets workers play games, and yields their results in order as they come. ``select(individuals, count,
    generator)``, ``mate(first, second, generator)`` and ``mutate(individual, generator, generation)`` call the kinds
    that the configuration names, which may come from plugins (docs/operators.md).
    """
    toolbox = base.Toolbox()  # its ``clone`` is already `copy.deepcopy`
    toolbox.history = Lineage()
    toolbox.register("map", workers.stream)
    toolbox.register("follow", follow)
    select, rules = config.population.selection, config.variation
    toolbox.register("select", plugins.named(select, "population.selection", select.select, config.population.parents))
    mate, mutate = rules.recombination, rules.mutation
    toolbox.register("mate", plugins.named(mate, "variation.recombination", mate.recombine, 2))
    toolbox.register("mutate", plugins.named(mutate, "variation.mutation", mutate.mutate, 1))
    toolbox.register("mutate_king", variation.lognormal_king if rules.king == "lognormal" else variation.step_king)
    for name, kind in ("mate", mate), ("mutate", mutate):
        if plugins.is_own(type(kind)):
            toolbox.decorate(name, as_copies)
        if not config.population.mean:  # a strategy names its mutants in the order of the mirror images
            toolbox.decorate(name, toolbox.history.decorator)
    toolbox.register("vary", vary, config=config, toolbox=toolbox)
    if config.population.mean:
        strategy = Strategy(config, toolbox)
        for method in strategy.begin, strategy.update, strategy.generate:
            toolbox.register(method.__name__, method)
    return toolbox


class Strategy:
    """A mean and mutants around it, with the methods of `deap.cma.Strategy`; the optimiser moves the mean.

    It is no subclass: an optimiser may be a plugin, and computes so that results have the same bytes on any processor.
    """

    mean: Individual

    def __init__(self, config: Config, toolbox: base.Toolbox) -> None:
        self.config, self.toolbox, optimiser = config, toolbox, config.optimiser.kind
        self.parents: tuple[str, ...] = ()
        self._tell = plugins.named(optimiser, "optimiser.kind", optimiser.tell)
        self._ask = plugins.named(optimiser, "optimiser.kind", optimiser.ask)
        if plugins.is_own(type(optimiser)):  # mutants that share an array with the mean would move it
            self._ask = as_copies(self._ask)

    def begin(self, founder: Individual) -> None:
        self.mean, self.parents = self.config.optimiser.kind.begin(founder), ()

    def update(self, population: Sequence[Individual]) -> None:
        """Move the mean by the results of a generation, given best first; the last mean leads it."""
        count = self.config.population.parents
        # The place in a generation is a part of the name. Ranking mixes the mirror images, whose places the optimiser
        # needs.
        places = np.array([whole_number(one.name.rpartition("_")[2]) for one in population], np.int64)
        points = np.array([one.points for one in population], np.int64)
        self.parents = tuple(one.name for one in population[:count])
        self.mean = self._tell(RankedGeneration(population, places, points, count, self.config.population.stride))

    def generate(self, generation: int) -> list[Individual]:
        """Return the mean followed by pairs of mirrored mutants."""
        config, toolbox, history = self.config, self.toolbox, self.toolbox.history
        mean = toolbox.clone(self.mean)
        history.begin(generation)
        history.update([mean])
        mean.origin, mean.parents = "recombined" if self.parents else "founder", self.parents
        # Only the new mean names all its parents: mutants name the mean before.
        history.inherit(mean, self.parents[:1])
        made = [mean]
        # Each random change is tried in both directions, so two results that are equal cancel out.
        pairs = product([0], range(config.population.mutants // 2))  # as in `vary`: mutants of the first individual
        for generator in streams(config.seed, generation, Draw.MUTATION, pairs):
            mutant = self._ask(mean, generator, generation, mutate=toolbox.mutate)
            mutant.state = None
            if config.network.evolving_king:
                toolbox.mutate_king(mutant, generator)
            for one in (mutant, variation.mirror(mutant, mean)):
                one.origin = "mutated"
                made.append(one)
        for one in made[1:]:
            history.update([one])
        for one in made:
            del one.fitness.values
        return made


class Lineage(tools.History):  # type: ignore[misc]
    """The names of the individuals of a generation, and those of their parents in the generation before.

    Its `update` names the children of all given individuals together. It keeps no copies of individuals, so there is no
    ``getGenealogy``: files of the run have all generations (`evolve.report.ancestry`).
    """

    generation = 0

    def begin(self, generation: int) -> None:
        self.generation, self.genealogy_index = generation, 0
        self.genealogy_tree.clear()

    def update(self, individuals: Sequence[Individual]) -> None:
        """Name individuals; until then, each has the name of the individual that it was copied from."""
        tree = self.genealogy_tree
        # Parents are in the generation before: an individual of this generation gives its own to those made from it.
        parents = tuple([name for one in individuals for name in tree.get(one.name, (one.name,))])
        for one in individuals:
            one.name, one.parents = individual_name(self.generation, self.genealogy_index), parents
            self.inherit(one, parents)
            self.genealogy_index += 1

    def inherit(self, individual: Individual, parents: tuple[str, ...]) -> None:
        self.genealogy_tree[individual.name] = parents


def as_copies(operator: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate an operator of a plugin, which may return any arrays: copy them, with the names of the given genomes."""

    def copied(*given: Any, **options: Any) -> Any:
        made = operator(*given, **options)
        several = isinstance(made, list | tuple)
        copies = tuple(copy.deepcopy(one) for one in (made if several else [made]))
        for one, original in zip(copies, given, strict=False):  # genomes are the first arguments of all operators
            one.name, one.parents = original.name, original.parents
        return copies if several else copies[0]

    return copied


def points_statistics(key: Callable[[Any], int] = attrgetter("points")) -> tools.Statistics:
    """Return the statistics of points for the log: whole numbers, and a mean that is the same on any processor."""
    statistics = tools.Statistics(key)
    statistics.register("best_points", lambda points: int(np.max(points)))
    statistics.register("mean_points", lambda points: round(int(np.sum(points)) / len(points), 6))
    statistics.register("worst_points", lambda points: int(np.min(points)))
    return statistics
