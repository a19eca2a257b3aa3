"""What every stage, mutation and recombination promises; and that one class of a stranger is enough to add another.

What every optimiser promises stands in test_optimisers.
"""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import main
from evolve.config import preset_files, toml
from evolve.kinds.individual import Individual
from evolve.kinds.kind import choice, number
from evolve.kinds.optimisers.optimiser import Distribution, Floats, Optimiser, RankedGeneration
from evolve.kinds.pairing import Indexes, Points, PointsTable, Scores, Tally
from evolve.kinds.stages import Groups, Knockout, Mirror, Opponents, RankingStage, Stage, StageContext, Standings
from evolve.kinds.variation import G, Mutation, Recombination
from tests.called import evolve_cowan
from tests.cases import for_each

PLAYERS, CHAMPIONS = 17, 4
STAGES = [
    *(kind() for kind in Stage.kinds.values()),
    Knockout(rounds=2, ties="swap"),
    Groups(rounds=2, size=2, advance=1),
    Opponents(opponents="hall-of-fame", best=3),
    Mirror(best=5),
]


def field_of(
    stage: Stage, players: int, seed: int, *, last: bool = True
) -> tuple[StageContext, list[tuple[int, Indexes]]]:
    """Players of whom the lower one mostly wins, and what will have been played."""
    size = 2 * players
    tally, played = Tally(size), list[tuple[int, Indexes]]()

    def play(round_number: int, pairs: Indexes) -> Scores:
        played.append((round_number, pairs))
        margin = np.sign(pairs[:, 1] - pairs[:, 0]) * np.array([1, -1, 0, 1, 1])[pairs.sum(axis=1) % 5]
        scores = Scores((margin > 0).astype(np.int64), (margin < 0).astype(np.int64))
        tally.add(pairs, scores, Points())
        return scores

    champions = size + np.arange(min(CHAMPIONS, stage.champions))
    generator = np.random.Generator(np.random.Philox(seed))
    table = PointsTable(size + CHAMPIONS, Points(), led=False)
    return StageContext(np.arange(players) * 2, champions, play, generator, Points(), tally, table, last), played


@for_each("last", [True, False])
@for_each("players", [16, PLAYERS])
@for_each("stage", STAGES)
def test_every_stage_keeps_its_word(stage: Stage, players: int, last: bool) -> None:
    problem = stage.problem("stages.0", players, first=True, mean=True)
    if problem:  # a round of pairs or groups has room for 16
        assert problem.startswith("stages.0.")
        assert players == PLAYERS
        return
    if isinstance(stage, Mirror):
        players = PLAYERS  # the mean, and pairs
    field, played = field_of(stage, players, 1, last=last)
    standings = stage.play(field)
    assert isinstance(standings, Standings)
    assert standings.survivors == stage.survivors(players)
    assert 1 <= standings.survivors <= players
    assert sorted(standings.order.tolist()) == field.players.tolist()  # all are ranked, nobody twice
    pairs = np.concatenate([pairs for _, pairs in played])
    assert {number for number, _ in played} == set(range(getattr(stage, "rounds", 1)))
    assert set(pairs.ravel().tolist()) <= {*field.players.tolist(), *field.champions.tolist()}
    assert (pairs[:, 0] != pairs[:, 1]).all()
    tally = field.tally
    assert (tally.games == tally.wins + tally.draws + tally.losses).all()
    assert tally.games.sum() == (pairs < tally.size).sum()  # champions of earlier generations are not counted
    again, same = field_of(stage, players, 1, last=last)
    assert stage.play(again).order.tolist() == standings.order.tolist()  # the stream decides, and nothing else
    assert [pairs.tolist() for _, pairs in same] == [pairs.tolist() for _, pairs in played]
    assert stage.describe()
    assert all(rule["text"] for rule in stage.rules().values())


def parent(seed: int, *, steps: bool) -> Individual:
    generator = np.random.Generator(np.random.Philox(seed))
    return Individual(generator.normal(size=40), steps=np.full(40, 0.05) if steps else None)


@pytest.mark.parametrize("kind", Mutation.kinds)
def test_every_mutation_keeps_its_word(kind: str) -> None:
    mutation = Mutation.kinds[kind]()
    assert mutation.problem(0.05) == ""
    before = parent(1, steps=mutation.has_steps)
    one, other = copy.deepcopy(before), copy.deepcopy(before)
    for genome in (one, other):
        (same,) = mutation.mutate(genome, np.random.Generator(np.random.Philox(2)), 3)
        assert same is genome
    assert one.tobytes() == other.tobytes() != before.tobytes()
    assert np.isfinite(one).all()
    assert (one.steps is None) == (not mutation.has_steps)
    assert mutation.describe()


@pytest.mark.parametrize("kind", Recombination.kinds)
def test_every_recombination_keeps_its_word(kind: str) -> None:
    first, second = parent(1, steps=True), parent(2, steps=True)
    made = [copy.deepcopy(each) for each in (first, second)]
    children = Recombination.kinds[kind]().recombine(*made, np.random.Generator(np.random.Philox(3)))
    assert len(children) == 2
    for child in children:
        assert child.dtype == np.float32
        assert len(child) == len(first)
    again = [copy.deepcopy(each) for each in (first, second)]
    same = Recombination.kinds[kind]().recombine(*again, np.random.Generator(np.random.Philox(3)))
    assert [child.tobytes() for child in same] == [child.tobytes() for child in children]


@pytest.fixture
def families() -> Iterator[None]:
    """The kinds that there are, and those of this test until its end."""
    before = [(family, dict(family.kinds)) for family in (Stage, Mutation, Recombination, Optimiser)]
    yield
    for family, kinds in before:
        family.kinds.clear()
        family.kinds.update(kinds)


SMALL = ["population.parents=2", "population.recombine=false", "population.mutants=3", "rating.every=0"]


def evolve(folder: Path, name: str, *settings: str, workers: int = 1) -> Path:
    """A tiny session; its run."""
    given = [f"--set={setting}" for setting in (*SMALL, "founders.method=uniform", *settings)]
    arguments = ["--out", str(folder), "--name", name, f"--workers={workers}", "--generations", "2", "--seed", "1"]
    assert main.main(evolve_cowan(*arguments, *given)) == 0
    return folder / name


@pytest.mark.addition(
    "stage of a tournament",
    "a class in `evolve/kinds/stages.py` whose fields are its keys ([example](docs/operators.md#a-stage))",
)
@pytest.mark.usefixtures("families")
def test_a_stage_is_one_class(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Ring(RankingStage, kind="ring"):
        """Each plays the next, and points rank them."""

        colour: str = choice("black", ("black", "white"), "of the first of each pairing")

        def pairs(self, field: StageContext) -> Indexes:
            pairs = np.stack([field.players, np.roll(field.players, 1)], axis=1)
            return pairs if self.colour == "black" else pairs[:, ::-1].copy()

    run = evolve(tmp_path, "ring", 'stages=[{kind="ring", colour="white"}]')
    text = (run / "config.toml").read_text(encoding="utf-8")
    assert "# Each plays the next, and points rank them.\n" in text
    assert tomllib.loads(text)["stages"] == [{"kind": "ring", "counts": True, "best": 0, "colour": "white"}]
    assert toml.from_toml(run / "config.toml").stages == (Ring(colour="white"),)
    assert [line.split(",")[3] for line in (run / "log.csv").read_text().splitlines()[1:]] == ["8"] * 3
    with pytest.raises(preset_files.ConfigError, match=r"a key of elimination, groups, not of ring; allowed: .*colour"):
        toml.load(None, None, [*SMALL, 'stages=[{kind="ring", rounds=1}]'])
    allowed = r"elimination or groups or round-robin or opponents or mirror or (field or )?ring"
    with pytest.raises(preset_files.ConfigError, match=allowed):
        toml.load(None, None, ["stages.0.kind=wheel"])
    assert main.main(["evolve", "--resume", str(run), "--generations", "3", "--workers", "1"]) == 0


@pytest.mark.addition(
    "mutation, recombination", "a class in `evolve/kinds/variation.py` ([example](docs/operators.md#a-mutation))"
)
@pytest.mark.usefixtures("families")
def test_a_mutation_and_a_recombination_are_one_class_each(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Laplace(Mutation, kind="laplace"):
        """Add a number of the Laplace distribution to every weight."""

        scale: float = number(0.05, 0.0, 10.0, "its spread")

        def mutate(self, genome: G, generator: np.random.Generator, generation: int = 0) -> tuple[G]:
            genome[:] += generator.laplace(0.0, self.scale, len(genome)).astype(np.float32)
            return (genome,)

    class Swap(Recombination, kind="swap"):
        """Each child is the other parent."""

        def recombine(self, first: G, second: G, generator: np.random.Generator) -> tuple[G, G]:
            return second, first

    choose = ("variation.mutation=laplace", "variation.recombination=swap", 'stages=[{kind="round-robin"}]')
    narrow = evolve(tmp_path, "narrow", *choose, "variation.scale=0", "population.recombine=true")
    values = tomllib.loads((narrow / "config.toml").read_text(encoding="utf-8"))["variation"]
    assert values == {"recombination": "swap", "mutation": "laplace", "scale": 0.0}
    rows = (narrow / "generation_0001.csv").read_text().splitlines()[1:]
    assert len({row.split(",", 9)[9] for row in rows}) == 2  # all are one of two parents, unchanged
    with pytest.raises(preset_files.ConfigError, match="a key of uniform, not of swap and laplace"):
        toml.load(None, None, [*choose, "variation.low=0"])


@pytest.mark.addition(
    "optimiser", "a file in `evolve/kinds/optimisers/` with one class ([example](docs/operators.md#an-optimiser))"
)
@pytest.mark.usefixtures("families")
def test_an_optimiser_is_one_class(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Annealing(Distribution, kind="annealing"):
        """One step size for all weights, smaller by a share of itself after each generation."""

        share: float = number(0.02, 0.0, 1.0, "what a step loses")

        def state_size(self, weights: int) -> int:
            return 1

        def first_state(self, weights: int) -> Floats:
            return np.array([self.step])

        def draw(self, state: Floats, numbers: Floats) -> Floats:
            return state[0] * numbers

        def next_state(self, state: Floats, result: RankedGeneration[G]) -> Floats:
            return self.bounded((1 - self.share) * state)

    mean = ("population.mean=true", "population.mutants=4", "founders.method=bred", "optimiser.kind=annealing")
    stages = 'stages=[{kind="mirror", best=2}, {kind="round-robin"}]'
    run = evolve(tmp_path, "annealing", *mean, stages, "optimiser.share=0.5")
    text = (run / "config.toml").read_text(encoding="utf-8")
    assert "# One step size for all weights, smaller by a share of itself after each generation.\n" in text
    assert tomllib.loads(text)["optimiser"]["share"] == 0.5
    assert "variation" not in tomllib.loads(text)  # nothing of it is in force
    rows = [line.split(",") for line in (run / "generation_0002.csv").read_text().splitlines()]
    assert rows[1][rows[0].index("o0")] == "0.025"
    with pytest.raises(preset_files.ConfigError, match=r"optimiser\.share: a key of annealing, not of mean"):
        toml.load("crownhead-1", None, ["optimiser.share=1"])
    assert main.main(["evolve", "--resume", str(run), "--generations", "3", "--workers", "1"]) == 0


@pytest.mark.usefixtures("families")
def test_a_kind_cannot_take_the_name_of_another() -> None:
    with pytest.raises(TypeError, match="kind 'mirror' is already defined by Mirror"):
        type("Other", (RankingStage,), {}, kind="mirror")
