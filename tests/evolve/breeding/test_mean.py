"""Generations that are a mean and its mirrored mutants, by hand; and how much of the loop goes through DEAP."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from deap import base, tools

from evolve.breeding import founders as of_founders
from evolve.breeding import loop
from evolve.breeding.founders import founders
from evolve.breeding.inheritance import individual_name
from evolve.breeding.loop import make_toolbox
from evolve.config import toml
from evolve.config.model import Config
from evolve.config.preset_files import ConfigError
from evolve.config.sections import Population
from evolve.kinds import pairing
from evolve.kinds.individual import Individual
from evolve.kinds.pairing import Indexes, Scores
from evolve.kinds.stages import Mirror, RoundRobin
from evolve.kinds.variation import Normal, mean_of, mirror
from evolve.run.row_index import read_heads
from evolve.run.status import lock
from evolve.session import create, evolution
from evolve.session.reporters import Reporter
from evolve.streams import Draw, stream
from evolve.tournament import tournament
from evolve.workers.processes import WorkerProcesses
from game.networks.named import BLONDIE_1741
from tests.cases import for_each

CROWNHEAD = toml.load("crownhead-1")
no_arena: Any = None
"""Stands for an arena that plays no game."""


def toolbox(config: Config = CROWNHEAD) -> Any:
    return make_toolbox(config, WorkerProcesses.__new__(WorkerProcesses))


def some_parents(config: Config = CROWNHEAD) -> list[Individual]:
    generator = np.random.Generator(np.random.Philox(5))
    count, weights = config.population.parents, config.network.weights
    kings = np.linspace(1.0, 2.0, count).astype(np.float32)
    return [
        Individual(generator.uniform(-1, 1, weights), individual_name(6, 500 - index), king=float(kings[index]))
        for index in range(count)
    ]


def test_the_mean_by_hand() -> None:
    first = Individual([1, 2, -4], king=1.0, steps=[0.5, 1, 2])
    second = Individual([3, 2, 0], king=2.0, steps=[1.5, 1, 0.25])
    centre = mean_of([first, second])
    assert centre.tolist() == [2, 2, -2]
    assert centre.steps is not None
    assert centre.steps.tolist() == [1, 1, 1.125]
    assert centre.king == 1.5
    assert centre.dtype == np.float32
    assert first.tolist() == [1, 2, -4]  # parents stay as they are
    assert first.king == 1.0


def test_a_stride_goes_beyond_the_mean() -> None:
    first, second = Individual([1, 2, -4], king=1.5), Individual([3, 2, 0], king=2.5)
    centre = mean_of([first, second], stride=3.0)
    assert centre.tolist() == [4, 2, 2]  # 1 + 3 * (2 - 1), 2, -4 + 3 * (-2 + 4)
    assert centre.king == 3.0
    assert mean_of([first, second], stride=9.0).king == 3.0  # 6 is out of [1, 3]


def test_the_mean_is_rounded_once() -> None:
    parents = [Individual([weight]) for weight in (2.0**24, 1.0, 1.0, 2.0)]
    assert mean_of(parents).tolist() == [2.0**22 + 1]


def test_king_values_that_do_not_evolve_stay_as_they_are() -> None:
    """A network may have one of 5, which an evolving value could not be."""
    parents = [Individual([1.0], king=5.0), Individual([2.0], king=5.0)]
    assert mean_of(parents, 2.0).king == mirror(parents[0], parents[1]).king == 5.0


def test_normal_noise_is_step_times_normal_numbers() -> None:
    expected = np.random.Generator(np.random.Philox(1)).standard_normal(4) * 0.5
    individual = Individual([0, 0, 0, 0])
    Normal(0.5).mutate(individual, np.random.Generator(np.random.Philox(1)))
    assert individual.tolist() == expected.astype(np.float32).tolist()


@pytest.mark.parametrize(
    ("halving", "generation", "lowest", "expected"),
    [(0, 900, 0.0, 0.08), (100, 0, 0.0, 0.08), (100, 100, 0.0, 0.04), (100, 300, 0.0, 0.01), (100, 300, 0.03, 0.03)],
)
def test_the_step_size_shrinks_by_generation(halving: int, generation: int, lowest: float, expected: float) -> None:
    assert Normal(0.08, halving, lowest).step_at(generation) == pytest.approx(expected, rel=1e-14)


def test_a_generation_is_the_mean_and_pairs_around_it() -> None:
    parents = some_parents()
    tools = toolbox()
    tools.update(parents)
    made = tools.generate(7)
    assert len(made) == CROWNHEAD.population.size == 1 + CROWNHEAD.population.mutants
    centre = made[0]
    assert centre.tobytes() == mean_of(parents, CROWNHEAD.population.stride).tobytes()
    assert centre.origin == "recombined"
    assert centre.parents == tuple(parent.name for parent in parents)
    mutation = CROWNHEAD.variation.mutation
    step = mutation.step_at(7)
    for index, (one, other) in enumerate(zip(made[1::2], made[2::2], strict=True)):
        drawn = stream(CROWNHEAD.seed, 7, Draw.MUTATION, 0, index).standard_normal(len(centre))
        np.testing.assert_allclose(np.asarray(one) - np.asarray(centre), step * drawn, atol=1e-6)
        np.testing.assert_allclose(np.asarray(one) + np.asarray(other), 2 * np.asarray(centre), atol=1e-6)
        assert one.king + other.king == pytest.approx(2 * centre.king, abs=1e-6)
        assert one.origin == other.origin == "mutated"
        assert one.parents == other.parents == (parents[0].name,)


def test_generation_0_surrounds_one_drawn_genome() -> None:
    made = founders(CROWNHEAD, no_arena, toolbox())
    assert len(made) == CROWNHEAD.population.size
    drawn = of_founders._draw_genomes(CROWNHEAD, 0)[0]
    assert made[0].tobytes() == drawn.tobytes()
    assert made[0].origin == "founder"
    assert all(one.parents == () for one in made)
    assert {one.origin for one in made[1:]} == {"mutated"}


def test_mirror_images_play_only_each_other() -> None:
    pairs = pairing.mirror_images(np.arange(1, 7), 2)
    assert pairs.tolist() == [[1, 2], [1, 2], [3, 4], [3, 4], [5, 6], [5, 6]]


SMALL = replace(
    CROWNHEAD, population=Population(3, False, 4, mean=True), stages=(Mirror(games=2, best=2), RoundRobin())
)


def ranked(config: Config, wins: dict[tuple[int, int], int]) -> tournament.Ranking:
    """A tournament in which the first of a pairing wins so many of its two games, by default one of two."""

    def play(pairs: Indexes, key: tuple[int, ...], keep: bool) -> Scores:
        first = np.array([wins.get((int(one), int(other)), 1) for one, other in pairs], np.int64)
        return Scores(first, 2 - first, 2)

    return tournament.run(config, stream(0, 0, Draw.TOURNAMENT), play)


def test_the_mean_leads_although_it_loses_and_winners_come_before_losers() -> None:
    # 4 beats 3 most, 1 beats 2 a little less; then the mean (0) loses to 4 on either side.
    ranking = ranked(SMALL, {(1, 2): 2, (3, 4): 0, (0, 4): 0, (4, 0): 2})
    assert ranking.order[:2].tolist() == [0, 1] or ranking.order[:2].tolist() == [0, 4]
    assert sorted(ranking.order[:3].tolist()) == [0, 1, 4]  # the parents: the mean and both winners
    assert sorted(ranking.order[3:].tolist()) == [2, 3]
    assert ranking.tally.games[0] == 2  # in the round robin only
    assert ranking.tally.games[3] == 4


def test_level_pairs_stand_together() -> None:
    """Both or none become parents, so that the mean stays where it was."""
    config = replace(SMALL, stages=(Mirror(games=2),), population=Population(3, False, 8, mean=True))
    ranking = ranked(config, {(5, 6): 2})
    assert ranking.order.tolist() == [0, 5, 1, 2, 3, 4, 7, 8, 6]


@for_each(
    ("setting", "line"),
    [
        ("population.recombine=true", "population.recombine: expected false"),
        ("population.mutants=5", "population.mutants: expected pairs"),
        ("population.mutants=0", "population.mutants: expected pairs"),
        ("population.parents=200", "population.parents: expected at most"),
        ("founders.method=duel", "founders.method: expected bred"),
        ("population.mean=false", "stages.0.kind: mirror must be the first stage"),
        ("stages.1.kind=mirror", "stages.1.kind: mirror must be the first stage"),
        ('stages=[{kind="mirror"}]', "stages: the mean plays in none of them"),
        ("stages.0.counts=false", "stages.0.counts: expected true"),
        ("stages.0.best=1", "stages.0.best: expected 0 (all) or 2"),
    ],
)
def test_contradictions_are_named(setting: str, line: str) -> None:
    with pytest.raises(ConfigError) as raised:
        toml.load("crownhead-1", settings=(setting,))
    assert any(line in each for each in raised.value.lines), raised.value.lines


def test_a_mean_works_with_self_adaptive_step_sizes() -> None:
    config = toml.load("crownhead-1", settings=("variation.mutation=self-adaptive", "network=blondie-1741"))
    assert config.network == BLONDIE_1741
    made = founders(config, no_arena, toolbox(config))
    steps = [one.steps for one in made]
    assert all(each is not None and each.shape == (1741,) for each in steps)
    assert steps[1] is not None
    assert steps[2] is not None
    assert steps[1].tolist() == steps[2].tolist()  # of mirror images


OBJECTS = (base.Fitness, tools.HallOfFame, tools.History, tools.Logbook, tools.Statistics)
STEPS = ("select", "clone", "vary", "evaluate", "record", "hall of fame", "lineage")
COWAN = ("population.parents=3", "population.mutants=1", "founders.method=uniform", 'stages=[{kind="round-robin"}]')
FIRST = ("population.parents=3", "population.mutants=4", "search.depth=1", "search.deepest=1")


def calls_of(run: Path, config: Config, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Play a run, and count the calls of operators in the toolbox, and of methods of DEAP's objects."""
    calls: Counter[str] = Counter()

    class Toolbox(base.Toolbox):  # type: ignore[misc]
        def decorate(self, alias: str, *decorators: Any) -> None:
            function = getattr(self, alias)
            for decorator in decorators:
                function = decorator(function)
            setattr(self, alias, function)

        def register(self, alias: str, function: Any, *arguments: Any, **options: Any) -> None:
            def counted(*given: Any, **more: Any) -> Any:
                calls[alias] += 1
                return function(*given, **more)

            super().register(alias, counted, *arguments, **options)

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and isinstance(owner := frame.f_locals.get("self"), OBJECTS):
            (kind,) = (each.__name__ for each in OBJECTS if isinstance(owner, each))
            calls[f"{kind}.{frame.f_code.co_name}"] += 1

    monkeypatch.setattr(base, "Toolbox", Toolbox)
    made = create.create(run.parent, run.name, config)
    with lock(made.path):
        sys.setprofile(profile)
        try:
            evolution.evolve(made, config, Reporter(), workers=1)
        finally:
            sys.setprofile(None)
    return calls


def through_deap(calls: Counter[str], made: int, generations: int, *, mean: bool) -> list[str]:
    """Return the steps that went through DEAP for all individuals of all generations."""
    later = generations - 1
    done = {
        "select": calls["update"] if mean else calls["select"],
        "clone": calls["clone"],
        "vary": calls["generate"] if mean else min(calls["mate"], calls["mutate"], calls["vary"]),
        "evaluate": min(calls["evaluate"], calls["Fitness.setValues"] // made),
        "record": min(calls["Statistics.compile"], calls["Logbook.record"]),
        "hall of fame": min(calls["HallOfFame.update"], generations * calls["HallOfFame.insert"]),
        "lineage": calls["History.update"],
    }
    least = {"select": later, "clone": later, "vary": later, "lineage": later * (made // 2)}
    return [step for step in STEPS if done[step] >= least.get(step, generations)]


@for_each(("preset", "settings", "individuals"), [("cowan", COWAN, 18), ("first", FIRST, 5)])
def test_all_steps_of_the_loop_go_through_objects_of_deap(
    preset: str, settings: tuple[str, ...], individuals: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = toml.load(preset, None, [*settings, "rating.every=0", "generations=2", "seed=1"])
    assert config.population.size == individuals
    calls = calls_of(tmp_path / f"a-{preset}", config, monkeypatch)
    assert through_deap(calls, individuals, 3, mean=config.population.mean) == [*STEPS]
    for missing, step in (("clone", "clone"), ("Logbook.record", "record"), ("History.update", "lineage")):
        without = Counter({name: count for name, count in calls.items() if name != missing})
        assert step not in through_deap(without, individuals, 3, mean=config.population.mean)


def test_operators_in_the_toolbox_make_the_generation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_toolbox = loop.make_toolbox

    def reversing(*arguments: Any) -> base.Toolbox:
        toolbox = make_toolbox(*arguments)
        toolbox.register("select", lambda everyone, count, generator: everyone[:count][::-1])
        return toolbox

    monkeypatch.setattr(evolution, "make_toolbox", reversing)
    config = toml.load("cowan", None, [*COWAN, "rating.every=0", "generations=1", "seed=1"])
    run = create.create(tmp_path, "one", config)
    with lock(run.path):
        evolution.evolve(run, config, Reporter(), workers=1)
    best = run.read_generation(0).names[:3]
    heads = read_heads(run.generation_path(1))
    parents = [head.parents for head in sorted(heads, key=lambda head: head.name) if head.origin == "survivor"]
    assert parents == [(name,) for name in best[::-1]]
