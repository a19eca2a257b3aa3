"""Evolution: breeding, playing and ranking each generation, and trying the operators of plugins before a run."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from deap import base

from evolve.breeding.hall_of_fame import HallOfFame, champions
from evolve.breeding.inheritance import individual_name
from evolve.breeding.judging import judged
from evolve.breeding.loop import Loop, make_toolbox
from evolve.config.model import Config
from evolve.config.preset_files import ConfigError
from evolve.kinds import plugins
from evolve.kinds.deap_operators import global_states
from evolve.kinds.individual import Individual
from evolve.kinds.objectives import GenerationGames
from evolve.kinds.pairing import Scores
from evolve.run.manifest import Manifest
from evolve.session import champion_rating, create, saving
from evolve.session.frame import Made, Session
from evolve.tournament import tournament
from evolve.tournament.arena import TournamentArena, games_text
from evolve.workers.processes import SharedRows, Workers
from game.traits import TRAITS


class Evolution(Session):
    _arena: TournamentArena | None = None
    _loop: Loop

    @property
    def places(self) -> int:
        size = self.config.population.size
        # Two founders play for each place; later, champions of earlier generations may play as well.
        return size + max(size, self.config.champions)

    def begin(self, manifest: Manifest, workers: Workers, shared: SharedRows) -> None:
        config = self.config
        toolbox = make_toolbox(config, workers)
        toolbox.register("follow", self.follow)
        toolbox.register("rate", partial(champion_rating.rate_all, config), map_=toolbox.map)
        self._arena = TournamentArena(config, toolbox.map, len(workers), shared, self.reporter.on_games, crew=workers)
        parents = create.parents(self.run_folder, manifest, config)
        hall = HallOfFame(sys.maxsize if config.champions else 1)
        if config.champions and manifest.newest >= 0:
            hall.update(champions(self.run_folder, manifest))
        else:
            hall.update(parents[:1])  # earlier champions do not play, and reading them takes a while
        self._loop = Loop(config, toolbox, self._arena, parents, hall)

    def make(self, generation: int) -> Made:
        arena, loop, config = self._arena, self._loop, self.config
        assert arena is not None
        if generation == 0 and config.predicts:
            self.reporter.on_message(f"training to predict the results of {config.founders.games:,} own games")
        population = loop.ask(generation)
        if config.plugins.files:
            _check_genomes(population, config.network.weights)
        results = loop.tell(generation, population)
        rows = saving.rows_of(population, results.ranking, with_kings=config.network.evolving_king)
        names = [one.name for one in results.opponents]
        games = games_text(arena, results.ranking, rows, generation, config, names)
        record = partial(saving.log_record, generation, rows, arena.counts, results.statistics)
        return Made(rows, loop.population[0], record, games, results.since)

    @property
    def games_in_hand(self) -> int:
        return self._arena.counts.games if self._arena else 0

    def settle(self) -> None:
        if self._arena is not None:
            self._arena.reset()


def _check_genomes(population: Sequence[Individual], weights: int) -> None:
    """Refuse genomes that cannot be saved; only operators of plugins can produce them."""
    for one in population:
        if one.shape != (weights,):
            raise plugins.PluginError(f"plugins: {one.name} ({one.origin}) has {one.size} weights, expected {weights}")
        if not np.isfinite(one).all():
            raise plugins.PluginError(f"plugins: {one.name} ({one.origin}) has weights that are not finite numbers")


evolve = Evolution.run


class _NoWorkers:
    """A substitute for workers in trials, which play no real games."""

    def stream(self, *tasks: Any) -> Any:
        raise NotImplementedError("own games cannot be tried")


def check_repeatable(config: Config) -> None:
    """Call each operator of a plugin twice with equal generators, and compare the results."""
    names = [plugin.name for plugin in plugins.loaded()]
    lines = []
    for what, try_it in _trials(config):
        before = global_states()
        try:
            first, second = try_it(), try_it()
        except plugins.PluginError as error:  # names the operator already
            lines.append(str(error))
            continue
        except plugins.FAULTS as error:
            lines.append(f"{what}: {plugins.described(error, names)}")
            continue
        if global_states() != before:
            lines.append(f"{what}: draws from a global generator; take all numbers from the one that is given")
        elif first != second:
            lines.append(f"{what}: not repeatable, equal arguments and equal generators gave different bytes")
    if lines:
        raise ConfigError(lines)


def _trials(config: Config) -> list[tuple[str, Callable[[], Any]]]:
    variation, population = config.variation, config.population
    trials: list[tuple[str, Callable[[], Any]]] = []
    if config.mutates and plugins.is_own(type(variation.mutation)):
        trials.append((f"variation.mutation = {variation.mutation.kind}", lambda: _mutants(config)))
    if population.recombine and not population.mean and plugins.is_own(type(variation.recombination)):
        trials.append((f"variation.recombination = {variation.recombination.kind}", lambda: _children(config)))
    if not population.mean and plugins.is_own(type(population.selection)):
        trials.append((f"population.selection = {population.selection.kind}", lambda: _parents(config)))
    optimiser = config.optimiser.kind
    if population.mean and plugins.is_own(type(optimiser)):
        trials.append((f"optimiser.kind = {optimiser.kind}", lambda: _next_mean(config)))
    fitness = config.fitness.kind
    if plugins.is_own(type(fitness)):
        trials.append((f"fitness.kind = {fitness.kind}", lambda: _fitness(config)))
    own = [stage.kind for stage in config.stages if plugins.is_own(type(stage))]
    if own and config.kind.breeds:
        trials.append((f"stages.kind = {', '.join(own)}", lambda: _ranking(config)))
    return trials


def _toolbox(config: Config) -> base.Toolbox:
    return make_toolbox(config, _NoWorkers())  # type: ignore[arg-type]


def _generator() -> np.random.Generator:
    return np.random.Generator(np.random.Philox(1))


def _individuals(config: Config, count: int) -> list[Individual]:
    numbers, weights = np.random.Generator(np.random.Philox(2)), config.network.weights
    steps = np.full(weights, config.founders.step, np.float32) if config.has_steps else None
    made = []
    for place in range(count):
        genome = numbers.normal(0, 0.1, weights)
        one = Individual(genome, individual_name(0, place), king=config.network.king, steps=steps)
        one.fitness.values = (float(place + 1),)
        one.points = count - place
        made.append(one)
    return made


def _bytes(individuals: Sequence[Any]) -> list[Any]:
    """Return all data of individuals that breeding may change; check that they are still genomes."""
    parts = []
    for one in individuals:
        if not isinstance(one, Individual) or one.dtype != np.float32 or not np.isfinite(one).all():
            raise ValueError("expected the genomes that were given, with finite float32 weights")
        steps = None if one.steps is None else one.steps.tobytes()
        parts.append((one.tobytes(), steps, one.king, None if one.state is None else one.state.tobytes()))
    return parts


def _mutants(config: Config) -> Any:
    return _bytes(_toolbox(config).mutate(*_individuals(config, 1), _generator(), 3))


def _children(config: Config) -> Any:
    return _bytes(_toolbox(config).mate(*_individuals(config, 2), _generator()))


def _parents(config: Config) -> Any:
    sample = _individuals(config, config.population.size)
    chosen = _toolbox(config).select(sample, config.population.parents, _generator())
    if len(chosen) != config.population.parents:
        raise ValueError(f"expected {config.population.parents} parents, got {len(chosen)}")
    return [one.name for one in chosen]


def _next_mean(config: Config) -> Any:
    toolbox = _toolbox(config)
    sample = _individuals(config, config.population.size)
    sample[0].state = config.optimiser.kind.begin(copy.deepcopy(sample[0])).state
    toolbox.update(sample)
    return _bytes(toolbox.generate(1))


def _fitness(config: Config) -> Any:
    """Return the fitness of individuals that all play the next, and lose every other game."""
    size = config.population.size
    order, won = np.arange(size), np.arange(size) % 2 * 2 - 1
    pairs, plies = np.stack([order, np.roll(order, 1)], axis=1), np.stack([60 + order, 60 + order], axis=1)
    results, pieces = np.stack([won, -won], axis=1), 1 + pairs % 12
    games = GenerationGames(
        order + 1, size - order, pairs, results, plies, pieces,
        lambda: np.random.Generator(np.random.Philox(3)).random((size, 2, len(TRAITS))), lambda: -order.astype(float),
    )  # fmt: skip
    return judged(config, _individuals(config, size), games).tolist()


def _ranking(config: Config) -> Any:
    """Return the ranking by all stages, from games that the individual with the lower number usually wins."""

    def play(pairs: Any, key: tuple[int, ...], keep: bool) -> Scores:
        margin = np.sign(pairs[:, 1] - pairs[:, 0]) * np.array([1, -1, 0, 1, 1])[pairs.sum(axis=1) % 5]
        return Scores((margin > 0).astype(np.int64), (margin < 0).astype(np.int64))

    ranking = tournament.run(config, _generator(), play, config.champions)
    return ranking.order.tolist(), ranking.tally.points.tolist()
