"""Individuals as DEAP sees them: copies, pickles, views, fitness; and that DEAP's own tools are what a session uses."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from deap import base, tools

from evolve.breeding.generations import make_toolbox
from evolve.breeding.inheritance import individual_name
from evolve.config import toml
from evolve.config.model import Config
from evolve.kinds.individual import Fitness, Individual
from evolve.kinds.variation import Uniform
from evolve.run.log import read_log
from evolve.run.row_index import read_heads
from evolve.run.status import lock
from evolve.session import create, evolution
from evolve.session.reporters import GenerationReport, Reporter
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


# ---------------------------------------------------------------------------------------------------------------
# Genomes
# ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", [[0.1, 0.2], np.array([0.1, 0.2]), np.array([0.1, 0.2], np.float16), (1, 2)])
def test_a_genome_is_float32_of_its_own(weights: object) -> None:
    new = Individual(weights)  # type: ignore[arg-type]
    assert new.dtype == np.float32
    assert new.tolist() == np.array(weights, np.float32).tolist()
    assert new.base is None or not np.shares_memory(new, np.asarray(weights))


def test_new_individuals_are_invalid_and_independent() -> None:
    one, other = Individual([1, 2]), Individual([1, 2])
    assert not one.fitness.valid
    assert one.fitness.rank == 0
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


def test_arithmetic_gives_an_individual_that_has_not_played() -> None:
    original = an_individual()
    total = original + np.float32(1)
    assert isinstance(total, Individual)
    assert total.dtype == np.float32
    assert not total.fitness.valid
    assert original.fitness.valid


@pytest.mark.parametrize(
    ("generation", "index", "name"),
    [(0, 0, "Gen00_0000"), (15, 111, "Gen15_0111"), (123, 45678, "Gen123_45678")],
)
def test_names(generation: int, index: int, name: str) -> None:
    assert individual_name(generation, index) == name


# ---------------------------------------------------------------------------------------------------------------
# DEAP
# ---------------------------------------------------------------------------------------------------------------


def test_rank_one_is_the_best_fitness() -> None:
    best, worse = an_individual(1.0), an_individual(2.0)
    assert isinstance(best.fitness, base.Fitness)
    assert best.fitness > worse.fitness
    assert best.fitness.rank == 1


def test_toolbox_has_the_usual_names_of_deap(toolbox: base.Toolbox) -> None:
    for name in ("select", "mate", "mutate", "mutate_king", "map", "clone"):
        assert callable(getattr(toolbox, name))
    assert toolbox.map.func.__func__ is WorkerProcesses.stream
    assert toolbox.mutate.func.__self__ == Uniform(-0.1, 0.1)


def test_select_takes_the_best_by_rank_in_order(toolbox: base.Toolbox) -> None:
    population = [Individual([index], individual_name(0, index)) for index in range(20)]
    ranks = np.random.default_rng(5).permutation(20) + 1
    for individual, rank in zip(population, ranks, strict=True):
        individual.fitness.values = (float(rank),)
    chosen = toolbox.select(population, 6, np.random.default_rng(6))
    assert [individual.fitness.rank for individual in chosen] == [1, 2, 3, 4, 5, 6]
    assert all(any(one is individual for individual in population) for one in chosen)


def test_a_session_takes_its_operators_from_the_toolbox_and_its_numbers_from_the_logbook(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whatever is registered or recorded there is what is done, written and told."""
    messages: list[GenerationReport] = []
    called: list[str] = []

    class Recorder(Reporter):
        def on_generation(self, report: GenerationReport) -> None:
            messages.append(report)

    class Logbook(tools.Logbook):  # type: ignore[misc]
        def record(self, **values: Any) -> None:
            super().record(**values | {"plies": 12_345 + values["generation"]})

    def noted(name: str, operator: Any) -> Any:
        return lambda *arguments: called.append(name) or operator(*arguments)  # type: ignore[func-returns-value]

    def counted(config: Config, workers: WorkerProcesses) -> base.Toolbox:
        toolbox = make_toolbox(config, workers)
        for name in ("map", "clone", "mate", "mutate"):
            toolbox.register(name, noted(name, getattr(toolbox, name)))
        toolbox.register("select", lambda everybody, count, generator: everybody[:count][::-1])
        return toolbox

    monkeypatch.setattr(tools, "Logbook", Logbook)
    monkeypatch.setattr(evolution, "make_toolbox", counted)
    settings = ["population.parents=2", "population.mutants=1", "founders.method=uniform", "rating.every=0"]
    config = toml.load(None, None, [*settings, 'stages=[{kind="round-robin"}]', "generations=2"])
    run = create.create(tmp_path, "one", config)
    with lock(run.path):
        evolution.evolve(run, config, Recorder(), workers=1)
    log = read_log(run, 2)
    assert [report.plies for report in messages] == log.column("plies") == [12_345, 12_346, 12_347]
    assert Counter(called) == {"clone": 2 * (2 + 4), "mate": 2, "mutate": 2 * 4, "map": called.count("map")}
    assert called.count("map") > 2
    best = run.read_generation(1).names[:2]
    parents = {fact.name: fact.parents for fact in read_heads(run.generation_path(2)) if fact.origin == "survivor"}
    assert parents == {"Gen02_0000": (best[1],), "Gen02_0001": (best[0],)}
