"""Individuals as DEAP sees them: copies, pickles, views, fitness."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from deap import base

from evolve.breeding.inheritance import individual_name
from evolve.breeding.loop import make_toolbox
from evolve.config.model import Config
from evolve.kinds.individual import Fitness, Individual
from evolve.workers.processes import WorkerProcesses
from tests.cases import for_each


def an_individual(rank: float | None = 3.0) -> Individual:
    new = Individual(np.arange(247) / 7, "Gen03_0001", "recombined", ("Gen02_0001", "Gen02_0002"), 2.5)
    if rank is not None:
        new.fitness.values = (rank,)
    return new


def history(individual: Individual) -> tuple[object, ...]:
    return individual.name, individual.origin, individual.parents, individual.king, individual.fitness.values


@pytest.fixture
def toolbox() -> base.Toolbox:
    workers = WorkerProcesses.__new__(WorkerProcesses)  # no processes: only the name `map` is registered
    return make_toolbox(Config(), workers)


@pytest.mark.parametrize("weights", [[0.1, 0.2], np.array([0.1, 0.2]), np.array([0.1, 0.2], np.float16), (1, 2)])
def test_a_genome_is_float32_of_its_own(weights: object) -> None:
    new = Individual(weights)  # type: ignore[arg-type]
    assert new.dtype == np.float32
    assert new.tolist() == np.array(weights, np.float32).tolist()
    assert new.base is None or not np.shares_memory(new, np.asarray(weights))


def test_new_individuals_are_invalid_and_independent() -> None:
    one, other = Individual([1, 2]), Individual([1, 2])
    assert not one.fitness.valid
    assert one.fitness is not other.fitness
    assert (one.name, one.origin, one.parents, one.king) == ("", "founder", (), 2.0)


@pytest.mark.parametrize(
    "clone", [copy.deepcopy, lambda one: make_toolbox(Config(), WorkerProcesses.__new__(WorkerProcesses)).clone(one)]
)
def test_a_deep_copy_is_independent(clone: object) -> None:
    original = an_individual()
    twin = clone(original)  # type: ignore[operator]
    assert type(twin) is Individual
    assert history(twin) == history(original)
    assert twin.tobytes() == original.tobytes()
    assert not np.shares_memory(twin, original)
    twin[:] = 0
    twin.name, twin.king, twin.fitness.values = "other", 1.0, (9.0,)
    assert original.tobytes() == an_individual().tobytes()
    assert history(original) == history(an_individual())


@for_each("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@for_each("rank", [None, 1.0, 1024.0])
def test_pickling_keeps_the_class_and_everything_in_it(protocol: int, rank: float | None) -> None:
    """DEAP's `creator` makes a new class in every process; these classes are found by name."""
    original = an_individual(rank)
    again = pickle.loads(pickle.dumps(original, protocol))
    assert type(again) is Individual
    assert type(again.fitness) is Fitness
    assert again.dtype == np.float32
    assert again.tobytes() == original.tobytes()
    assert history(again) == history(original)
    assert again.flags.writeable


def test_a_slice_is_a_view_with_a_fitness_of_its_own() -> None:
    original = an_individual()
    part = original[10:20]
    assert np.shares_memory(part, original)  # so operators must copy before they exchange parts
    assert isinstance(part, Individual)
    assert part.name == original.name
    assert not part.fitness.valid
    part.fitness.values = (7.0,)
    part[0] = -1
    assert original.fitness.values == (3.0,)
    assert original[10] == -1


def test_select_takes_the_best_by_rank_in_order(toolbox: base.Toolbox) -> None:
    population = [Individual([index], individual_name(0, index)) for index in range(20)]
    ranks = np.random.default_rng(5).permutation(20) + 1
    for individual, rank in zip(population, ranks, strict=True):
        individual.fitness.values = (float(rank),)
    chosen = toolbox.select(population, 6, np.random.default_rng(6))
    assert [individual.fitness.values[0] for individual in chosen] == [1, 2, 3, 4, 5, 6]
    assert all(any(one is individual for individual in population) for one in chosen)
