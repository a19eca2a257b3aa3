"""Plugins are tried before a run begins with them: what gives other bytes the second time would spoil every resume."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evolve.breeding.generations import make_toolbox, next_generation
from evolve.breeding.individual import Individual
from evolve.breeding.inheritance import individual_name
from evolve.config.model import Config
from evolve.config.toml import ConfigError
from evolve.kinds import plugins
from evolve.kinds.deap_operators import global_states
from evolve.kinds.pairing import Scores
from evolve.tournament import tournament


class _NoWorkers:
    """Takes the place of the workers: what is tried plays no real games."""

    def stream(self, *tasks: Any) -> Any:
        raise NotImplementedError("games of learning cannot be tried")


def check_repeatable(config: Config) -> None:
    """Call each operator of a plugin twice with equal generators, and compare what comes out.

    Raises:
        ConfigError: an operator fails, does not do what its kind promises, gives something else the second time, or
            draws from a global generator.
    """
    names = [plugin.name for plugin in plugins.loaded()]
    lines = []
    for what, try_it in _trials(config):
        before = global_states()
        try:
            first, second = try_it(), try_it()
        except plugins.PluginError as error:  # says what it is of
            lines.append(str(error))
            continue
        except plugins.FAULTS as error:
            lines.append(f"{what}: {plugins.told(error, names)}")
            continue
        if global_states() != before:
            lines.append(f"{what}: draws from a global generator; take all numbers from the one that is given")
        elif first != second:
            lines.append(f"{what}: not repeatable, equal arguments and equal generators gave other bytes")
    if lines:
        raise ConfigError(lines)


def _trials(config: Config) -> list[tuple[str, Callable[[], Any]]]:
    """What to try of a configuration, by name."""
    variation, population = config.variation, config.population
    found: list[tuple[str, Callable[[], Any]]] = []
    if config.mutates and plugins.is_own(type(variation.mutation)):
        found.append((f"variation.mutation = {variation.mutation.kind}", lambda: _mutants(config)))
    if population.recombine and not population.mean and plugins.is_own(type(variation.recombination)):
        found.append((f"variation.recombination = {variation.recombination.kind}", lambda: _children(config)))
    if not population.mean and plugins.is_own(type(population.selection)):
        found.append((f"population.selection = {population.selection.kind}", lambda: _parents(config)))
    optimiser = config.optimiser.kind
    if population.mean and plugins.is_own(type(optimiser)) and not optimiser.learns:
        found.append((f"optimiser.kind = {optimiser.kind}", lambda: _next_mean(config)))
    own = [stage.kind for stage in config.stages if plugins.is_own(type(stage))]
    if own and not config.learns:
        found.append((f"stages.kind = {', '.join(own)}", lambda: _ranking(config)))
    return found


def _generator() -> np.random.Generator:
    return np.random.Generator(np.random.Philox(1))


def _individuals(config: Config, count: int) -> list[Individual]:
    """Some individuals, ranked as they stand."""
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
    """All that breeding may change of them; they must be genomes still."""
    found = []
    for one in individuals:
        if not isinstance(one, Individual) or one.dtype != np.float32 or not np.isfinite(one).all():
            raise ValueError("expected the genomes that were given, with finite float32 weights")
        steps = None if one.steps is None else one.steps.tobytes()
        found.append((one.tobytes(), steps, one.king, None if one.state is None else one.state.tobytes()))
    return found


def _mutants(config: Config) -> Any:
    (mutant,) = config.variation.mutation.mutate(_individuals(config, 1)[0], _generator(), 3)
    return _bytes([mutant])


def _children(config: Config) -> Any:
    first, second = _individuals(config, 2)
    children = config.variation.recombination.recombine(first, second, _generator())
    if len(children) != 2:
        raise ValueError(f"expected two children, got {len(children)}")
    return _bytes(children)


def _parents(config: Config) -> Any:
    everybody = _individuals(config, config.population.size)
    chosen = config.population.selection.select(everybody, config.population.parents, _generator())
    if len(chosen) != config.population.parents:
        raise ValueError(f"expected {config.population.parents} parents, got {len(chosen)}")
    return [one.name for one in chosen]


def _next_mean(config: Config) -> Any:
    toolbox = make_toolbox(config, _NoWorkers())  # type: ignore[arg-type]
    everybody = _individuals(config, config.population.size)
    begun = config.optimiser.kind.begin(copy.deepcopy(everybody[0]))
    everybody[0].state = begun.state
    return _bytes(next_generation(everybody, 1, config, toolbox))


def _ranking(config: Config) -> Any:
    """All stages, with games that the lower number mostly wins."""
    champions = config.champions
    everybody = _individuals(config, config.population.size + champions)

    def play(pairs: Any, key: tuple[int, ...], keep: bool) -> Scores:
        margin = np.sign(pairs[:, 1] - pairs[:, 0]) * np.array([1, -1, 0, 1, 1])[pairs.sum(axis=1) % 5]
        return Scores((margin > 0).astype(np.int64), (margin < 0).astype(np.int64))

    ranking = tournament.run(config, _generator(), play, champions, everybody)
    return ranking.order.tolist(), ranking.tally.points.tolist()
