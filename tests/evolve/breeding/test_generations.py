"""How a generation comes from the one before: sizes, names, origins, parents; duels of founders, and given founders."""

from __future__ import annotations

import copy
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve.breeding.founders import founders
from evolve.breeding.inheritance import individual_name
from evolve.breeding.loop import make_toolbox, vary
from evolve.config import toml
from evolve.config.sections import Founders, Population
from evolve.kinds.individual import Individual
from evolve.kinds.pairing import Indexes, Scores
from evolve.run.folder import Run
from evolve.streams import Draw, stream
from evolve.tournament import tournament
from evolve.workers.processes import WorkerProcesses
from game.networks.named import BLONDIE_1741
from tests.evolve.tiny_sessions import Evolve

COWAN = toml.load("cowan")
TOOLBOX = make_toolbox(COWAN, WorkerProcesses.__new__(WorkerProcesses))


def some_parents(count: int = 16) -> list[Individual]:
    generator = np.random.Generator(np.random.Philox(3))
    return [Individual(generator.uniform(-1, 1, 247), individual_name(4, 1000 - index)) for index in range(count)]


@pytest.fixture(scope="module")
def generation() -> list[Individual]:
    return vary(some_parents(), 5, COWAN, TOOLBOX)


def test_every_pair_of_parents_has_two_children(generation: list[Individual]) -> None:
    parents = some_parents()
    children = generation[16:256]
    expected = [(first, second) for first, second in combinations(parents, 2) for _ in range(2)]
    cuts = set()
    for child, (first, second) in zip(children, expected, strict=True):
        assert child.parents == (first.name, second.name)
        from_first, from_second = child == first, child == second
        assert (from_first ^ from_second).all()  # each weight from one of them
        assert 0 < from_first.sum() < 247  # and some from both
        assert np.count_nonzero(np.diff(from_first.astype(int))) == 1  # one cut
        cuts.add(int(from_first.argmin() or from_first.argmax()))
    for one, other in zip(children[::2], children[1::2], strict=True):
        assert not (one == other).any()  # what one has the other has not
    assert len(cuts) > 60  # each pair has a cut of its own


def test_the_same_seed_and_generation_make_the_same(generation: list[Individual]) -> None:
    np.random.seed(0)
    again = vary(some_parents(), 5, COWAN, TOOLBOX)
    assert [one.tobytes() for one in again] == [one.tobytes() for one in generation]
    for other in (vary(some_parents(), 6, COWAN, TOOLBOX), vary(some_parents(), 5, replace(COWAN, seed=1), TOOLBOX)):
        assert [one.tobytes() for one in other[:16]] == [one.tobytes() for one in generation[:16]]
        assert not {one.tobytes() for one in other[256:]} & {one.tobytes() for one in generation[256:]}


@pytest.mark.parametrize(
    ("population", "origins"),
    [
        (Population(4, True, 3), {"survivor": 4, "recombined": 12, "mutated": 48}),
        (Population(4, False, 3), {"survivor": 4, "mutated": 12}),
        (Population(4, True, 0), {"survivor": 4, "recombined": 12}),
        (Population(2, False, 0), {"survivor": 2}),
    ],
)
def test_generations_of_other_sizes_have_their_origins(population: Population, origins: dict[str, int]) -> None:
    config = replace(COWAN, population=population)
    made = vary(some_parents(population.parents), 1, config, TOOLBOX)
    assert Counter(individual.origin for individual in made) == origins
    assert len(made) == population.size


def test_king_values_evolve_where_the_network_has_its_own() -> None:
    config = replace(COWAN, network=BLONDIE_1741, population=Population(4, True, 3))
    parents = [Individual(np.full(1741, index), str(index), king=1.5 + index / 4) for index in range(4)]
    made = vary(parents, 1, config, TOOLBOX)
    kings = [individual.king for individual in made]
    assert kings[:4] == [1.5, 1.75, 2.0, 2.25]
    for index, (first, second) in enumerate(combinations(kings[:4], 2)):
        assert kings[4 + 2 * index : 6 + 2 * index] == [first, second]  # each child that of one parent
    steps = [round(kings[16 + index] - kings[index // 3], 5) for index in range(48)]
    assert set(steps) == {-0.1, 0.0, 0.1}
    still = vary(parents, 1, replace(config, network=replace(BLONDIE_1741, evolving_king=False)), TOOLBOX)
    assert [one.king for one in still[16:]] == [kings[index // 3] for index in range(48)]
    assert [one.tobytes() for one in still] == [one.tobytes() for one in made]  # and weights know nothing of it


def test_the_best_mutant_is_the_first_parent_of_the_vary(generation: list[Individual]) -> None:
    """In the original program a wrong index kept every mutant from ever becoming a parent."""
    population = copy.deepcopy(generation)
    planted = 256 + 500

    def strongest(pairs: Indexes, key: tuple[int, ...], keep: bool) -> Scores:
        margin = np.where(
            pairs[:, 0] == planted, 1, np.where(pairs[:, 1] == planted, -1, np.sign(pairs[:, 1] - pairs[:, 0]))
        )
        return Scores(np.maximum(margin, 0), np.maximum(-margin, 0))

    ranking = tournament.run(COWAN, stream(1, 5, Draw.TOURNAMENT), strongest)
    for rank, index in enumerate(ranking.order, 1):
        population[index].fitness.values = (float(rank),)
    parents = TOOLBOX.select(population, 16, stream(1, 6, Draw.SELECTION))
    assert parents[0] is population[planted]
    assert parents[0].origin == "mutated"
    after = vary(parents, 6, COWAN, TOOLBOX)
    assert after[0].tobytes() == population[planted].tobytes()
    assert after[0].parents == ("Gen05_0756",)
    assert sum("Gen05_0756" in individual.parents for individual in after) == (1 + 2 * 15) * 4


@dataclass
class Duels:
    """An arena in which a rule on the genomes decides: 1 if the first wins, -1 the second, 0 a draw."""

    rule: Callable[[Any, Any], int]
    genomes: Any = None
    seen: list[tuple[Any, Any, int]] = field(default_factory=list)
    keys: list[Any] = field(default_factory=list)

    @property
    def shared(self) -> Duels:
        return self

    def put(self, genomes: Any, kings: Any) -> None:
        self.genomes = genomes.copy()

    def play(self, pairs: Indexes, key: Any) -> Scores:
        self.keys.append(key)
        margin = np.array([self.rule(self.genomes[first], self.genomes[second]) for first, second in pairs])
        for (first, second), result in zip(pairs, margin, strict=True):
            self.seen.append((self.genomes[first], self.genomes[second], int(result)))
        return Scores(np.maximum(margin, 0), np.maximum(-margin, 0))


no_arena: Any = None
"""An arena that is not asked."""


def duel(first: Any, second: Any) -> int:
    """Close ones are draws: about half of them."""
    difference = float(first[0] - second[0])
    return 0 if abs(difference) < 0.6 else int(np.sign(difference))


def test_founders_are_the_winners_of_duels() -> None:
    duels: Any = Duels(duel)
    outcome = founders(COWAN, duels, TOOLBOX)
    winners = [first if result > 0 else second for first, second, result in duels.seen if result]
    losers = {(second if result > 0 else first).tobytes() for first, second, result in duels.seen if result}
    tied = {one.tobytes() for first, second, result in duels.seen if not result for one in (first, second)}
    assert sum(result != 0 for *_, result in duels.seen[:-1024]) < 1024 <= len(winners)  # no more than it takes
    assert [founder.tobytes() for founder in outcome] == [winner.tobytes() for winner in winners[:1024]]
    assert not {founder.tobytes() for founder in outcome} & (losers | tied)  # these are dropped
    assert {result for *_, result in duels.seen} == {-1, 0, 1}  # both sides can win
    assert len(duels.keys) == len(set(duels.keys)) > 1  # more genomes are drawn until it is full
    assert [founder.name for founder in outcome] == [f"Gen00_{index:04d}" for index in range(1024)]
    assert {(founder.origin, founder.parents) for founder in outcome} == {("founder", ())}
    assert len({founder.tobytes() for founder in outcome}) == 1024


@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.0), (0.25, 0.5), (-3.0, -3.0)])
def test_uniform_founders_are_all_that_is_drawn(low: float, high: float) -> None:
    config = replace(COWAN, founders=Founders("uniform", low, high))
    result = np.stack([np.asarray(founder) for founder in founders(config, no_arena, TOOLBOX)])
    assert result.dtype == np.float32
    assert result.shape == (1024, 247)
    assert result.min() >= low
    assert result.max() <= high
    if low < high:
        assert result.std() == pytest.approx((high - low) / 12**0.5, rel=0.01)
        assert len({row.tobytes() for row in result}) == 1024


SETTINGS = (
    *("founders.method=player", "population.mean=true", "population.recombine=false"),
    *("population.mutants=8", "population.parents=5", "population.stride=0.7"),
    *("variation.mutation=normal", "variation.step=2"),
    *("rating.every=0", 'stages=[{kind="mirror", games=1, best=2}, {kind="round-robin"}]'),
)
OPTIONS = tuple(f"--set={setting}" for setting in SETTINGS)


def weights_of(run: Path, generation: int) -> np.ndarray:
    return Run(run).read_generation(generation).weights


def champion_of(run: Path, generation: int) -> np.ndarray:
    rows = Run(run).read_generation(generation)
    return rows.weights[rows.row_of(None)]


def test_evolution_continues_from_a_player(one: Path, evolve: Evolve, tmp_path: Path) -> None:
    options = ("--name=two", "--seed=1", "--generations=2", "--set=founders.player=one@1")
    assert evolve(*OPTIONS, *options).json["generations"] == 2
    founder = champion_of(one, 1)
    assert champion_of(tmp_path / "two", 0).tobytes() == founder.tobytes()
    for generation in range(3):
        assert len({row.tobytes() for row in weights_of(tmp_path / "two", generation)}) == 9
    assert (champion_of(tmp_path / "two", 2) != founder).any()

    config = Run(tmp_path / "two").config()
    assert config.founders.player == f"{one}@1"
    assert (len(config.founders.genome), config.founders.obtained) == (16, "by games alone")
    assert config.obtained == "by games alone"

    # Later generations do not need the founder; generation 0 does, and refuses another one.
    assert evolve("--resume=two", "--generations=3").code == 0
    (one / "generation_0001.csv").write_bytes((one / "generation_0001.csv").read_bytes() + b"\n")
    again = evolve("--resume=two", "--from=-1")
    assert (again.code, again.err.count("\n")) == (2, again.err.strip().count("\n") + 1)
    assert "founders.player: " in again.err
    shutil.rmtree(one)
    assert evolve("--resume=two", "--from=1").code == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ((), "founders.player: expected an individual of a run, such as RUN, RUN@15 or RUN@15:NAME, without options"),
        (("founders.player=on",), "without options, got 'on'; near: one"),
        (("founders.player='one,depth=3'",), "without options, got 'one,depth=3'"),
        (("founders.player=one@9",), "founders.player: "),
        (("founders.player=one:Gen02_9999",), "founders.player: no individual is called 'Gen02_9999'"),
        (("founders.player=one@x",), "founders.player: player 'one@x': expected a generation after @, got 'x'"),
        (("founders.player=one", "founders.genome=0123"), "the weights of one have changed: expected the digest 0123"),
        (("founders.player=one", "network=blondie-1741"), "expected a player with the network of the configuration, b"),
        (("population.mean=false", 'stages=[{kind="round-robin"}]'), "founders.method: player needs population.mean"),
        (("founders.player=one", "variation.mutation=section"), "variation.mutation=section was removed: use "),
    ],
)
def test_unusable_founders_are_refused_before_a_run_begins(
    settings: tuple[str, ...], message: str, one: Path, evolve: Evolve, tmp_path: Path
) -> None:
    played = evolve(*OPTIONS, "--name=two", *(f"--set={setting}" for setting in settings))
    assert (played.code, played.err.count("\n")) == (2, 1)
    assert message in played.err
    assert [path.name for path in tmp_path.iterdir()] == ["one"]


def test_a_branch_cannot_change_how_its_networks_were_obtained(one: Path, evolve: Evolve) -> None:
    assert evolve(*OPTIONS, "--name=two", "--seed=1", "--generations=0", "--set=founders.player=one").code == 0
    played = evolve("--branch=two", "--generations=1", "--set=founders.obtained=by magic")
    assert (played.code, played.err.count("\n")) == (2, 1)
    assert "founders.obtained: a branch keeps the value of two" in played.err
