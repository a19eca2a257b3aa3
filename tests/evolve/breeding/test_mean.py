"""Generations that are a mean and its mirrored mutants: arithmetic by hand, who leads and who plays whom."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from evolve.breeding import founders as of_founders
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
    assert isinstance(mutation, Normal)
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
