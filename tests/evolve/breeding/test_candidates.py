"""Candidates that learn gene by gene: their games, values of positions, what is told and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import main
from evolve.breeding.candidates import JUDGING, MeanGames, NetworkGenome, ValuedPositions, candidates, play
from evolve.breeding.generations import follow, founders, make_toolbox, next_generation
from evolve.breeding.individual import Individual
from evolve.breeding.inheritance import individual_name
from evolve.breeding.prediction import best_scale, loss
from evolve.config import toml
from evolve.config.model import Config
from evolve.kinds.optimisers.genes import Genes
from evolve.kinds.optimisers.optimiser import RankedGeneration
from evolve.run.row_index import read_heads
from evolve.workers.processes import WorkerProcesses
from game import moves
from game.batch.games import BatchPlayers, index_openings, play_all
from game.board import Position
from game.networks import named
from game.networks.evaluator import Evaluator
from game.networks.spec import Spec
from game.openings import openings
from game.rules import BLACK
from game.search.interface import Limits, SearchOptions
from game.search.search import AlphaBeta
from tests.called import evolve_cowan
from tests.evolve.tiny_sessions import results

PATH = Path(__file__).parents[3] / "docs" / "examples" / "pieces-65.toml"
NETWORK = named.from_file(PATH)
SETTINGS = (
    *("optimiser.kind=genes", "optimiser.games=60", "optimiser.depth=1", "optimiser.positions=8", "optimiser.nodes=60"),
    *("optimiser.passes=4", "population.parents=2", "population.mutants=2", "search.depth=1", "rating.every=0"),
    'stages=[{kind="round-robin"}]',
)
GENOME = NetworkGenome(NETWORK, np.random.default_rng(1).uniform(-0.2, 0.2, 65).astype(np.float32), 1.5)
HOW = Genes(depth=1, positions=8, nodes=60)
nobody: Any = None


def config_of(*settings: str) -> Config:
    return toml.load("crownhead-1", settings=[*SETTINGS, *settings], instead={"network": NETWORK})


@pytest.fixture(scope="module")
def toolbox() -> Any:
    made = make_toolbox(config_of(), WorkerProcesses.__new__(WorkerProcesses))
    made.register("map", map)
    return made


@pytest.fixture(scope="module", params=[None, GENOME], ids=["counting", "network"])
def judged(request: pytest.FixtureRequest) -> tuple[NetworkGenome | None, ValuedPositions]:
    return request.param, play(MeanGames(3, 1, 0, 40, HOW, request.param))


def test_positions_are_quiet_and_valued_by_a_search(judged: tuple[NetworkGenome | None, ValuedPositions]) -> None:
    genome, data = judged
    assert 150 < len(data.rows) <= 40 * 8
    assert set(data.points.tolist()) <= {0.0, 0.5, 1.0}
    evaluator = None if genome is None else Evaluator(genome.network, genome.weights, genome.king)
    search, unit = AlphaBeta(evaluator, JUDGING), 100.0 if genome is None else 1.0
    for row, value in zip(data.rows.tolist(), data.values.tolist(), strict=True):
        position = Position(*row, side=BLACK)
        assert not moves.legal_moves(position)[0].captured
        score = search.search(position, limits=Limits(nodes=60)).score
        assert value == pytest.approx(score / unit) if math.isfinite(value) else value * score > 9e5


def test_values_tell_of_results(judged: tuple[NetworkGenome | None, ValuedPositions]) -> None:
    _, data = judged
    known = np.isfinite(data.values)
    values, points = data.values[known], data.points[known]
    assert loss(best_scale(values, points) * values, points) < loss(0 * values, points) - 0.05


def test_tasks_depend_on_seed_generation_and_number_alone() -> None:
    def task(*numbers: int) -> bytes:
        return play(MeanGames(*numbers, 5, HOW, GENOME)).rows.tobytes()

    assert task(3, 1, 0) == task(3, 1, 0)
    assert len({task(3, 1, 0), task(4, 1, 0), task(3, 2, 0), task(3, 1, 1)}) == 4


def test_candidates_are_the_same_whoever_works(toolbox: Any) -> None:
    def backwards(function: Any, tasks: Any) -> list[Any]:
        return [function(task) for task in reversed(list(tasks))][::-1]

    mean, other = Individual(GENOME.weights, king=1.5), make_toolbox(config_of(), nobody_works())
    other.register("map", backwards)
    first, again = (candidates(config_of("optimiser.games=120"), mean, 2, each) for each in (toolbox, other))
    assert [one.tobytes() for one in first] == [one.tobytes() for one in again]
    assert len({one.tobytes() for one in first} | {mean.tobytes()}) == 3
    assert all(np.isfinite(one).all() for one in first)
    decimals = [number.partition(".")[2] for one in first for number in np.abs(one).astype(str).tolist()]
    assert max(map(len, decimals)) == 4, "longer numbers would make longer files"


def test_games_and_lessons_are_told_as_they_come() -> None:
    told: list[tuple[str, int, int]] = []
    toolbox = make_toolbox(config_of(), nobody_works())
    toolbox.register("map", map)
    toolbox.register("follow", follow, progress=lambda *news: told.append(news))
    candidates(config_of("optimiser.games=60"), Individual(GENOME.weights, king=1.5), 2, toolbox)
    assert told == [
        *(("own games", done, 60) for done in (0, 50, 60)),
        *(("candidates", done, 2) for done in (0, 1, 2)),
    ]


def nobody_works() -> WorkerProcesses:
    return WorkerProcesses.__new__(WorkerProcesses)


def test_candidates_learn_what_a_man_is_worth(toolbox: Any) -> None:
    """Where nobody tells: a network without the piece difference."""
    network = replace(NETWORK, piece_difference=False)
    config = replace(config_of("optimiser.games=150", "optimiser.positions=20", "optimiser.passes=8"), network=network)
    made = founders(config, nobody, toolbox)
    assert [one.origin for one in made] == ["founder", "mutated", "mutated"]
    assert not made[0].any()
    data = play(MeanGames(9, 0, 0, 100, Genes(depth=1, positions=20, nodes=60), None))
    known = np.isfinite(data.values)
    rows = np.column_stack([data.rows, np.ones(len(data.rows), np.uint64)])[known]
    chances = 1 / (1 + np.exp(-data.values[known]))
    losses = [loss(Evaluator(network, one).score_rows(rows).astype(np.float64), chances) for one in made]
    assert max(losses[1:]) < losses[0] - 0.1
    assert all(one[:32].mean() > 0.1 for one in made[1:])


def test_margins_are_left_to_games(toolbox: Any) -> None:
    """The first candidate has the mean's, the others draw theirs near; what is learnt of values is the same without."""
    network = replace(NETWORK, margins=True)
    mean = Individual([*GENOME.weights, 0.5, -0.5], king=1.5)
    made = candidates(replace(config_of("optimiser.games=60"), network=network), mean, 2, toolbox)
    assert made[0][65:].tolist() == [0.5, -0.5]
    assert all(0 < abs(one[at] - mean[at]) < 0.5 for one in made[1:] for at in (65, 66))
    plain = candidates(config_of("optimiser.games=60"), Individual(GENOME.weights, king=1.5), 2, toolbox)
    assert [one[:65].tobytes() for one in made] == [one.tobytes() for one in plain]


# What the optimiser makes of games --------------------------------------------------------------------------------


def generation_of(points: list[int], weights: list[float]) -> list[Individual]:
    """Ranked, the mean first; the name tells who is meant."""
    made = [Individual([weight, 0.0], individual_name(4, at)) for at, weight in enumerate(weights)]
    for one, each in zip(made, points, strict=True):
        one.points = each
    return made


@pytest.mark.parametrize(
    ("points", "best", "mean"), [([1, 9, 5, 1], [1, 2], 3.0), ([6, 9, 5, 1], [1, 0], 1.5), ([9, 9, 5, 1], [0, 1], 1.5)]
)
def test_the_next_mean_is_that_of_the_best(points: list[int], best: list[int], mean: float) -> None:
    made = generation_of(points, [1.0, 2.0, 4.0, 8.0])
    told = RankedGeneration(made, np.arange(4), np.array(points), 2, 1.0)
    assert [one.name for one in Genes().used(told)] == [made[at].name for at in best]
    assert Genes().tell(told).tolist() == [mean, 0.0]
    assert Genes().tell(RankedGeneration(made, np.arange(4), np.array(points), 2, 2.0)).tolist() == [
        2 * mean - 1.0,
        0.0,
    ]


@pytest.mark.parametrize("points", [[0, 3, 1, 2], [5, 0, 0, 0], [0, 0, 0, 9]])
@pytest.mark.parametrize(("select", "chosen"), [("all", [1, 2, 3]), ("first", [1])])
def test_a_control_asks_no_tournament(select: str, chosen: list[int], points: list[int]) -> None:
    """In whatever order the tournament leaves the candidates."""
    made = generation_of(points, [1.0, 2.0, 4.0, 8.0])
    order = np.array([0, *sorted([1, 2, 3], key=lambda at: -points[at])])
    told = RankedGeneration([made[at] for at in order], order, np.array(points)[order], 2, 1.0)
    assert [one.name for one in Genes(select=select).used(told)] == [made[at].name for at in chosen]
    assert Genes(select=select).tell(told)[0] == pytest.approx(
        np.mean([[1.0, 2.0, 4.0, 8.0][at] for at in chosen]), abs=1e-4
    )


def test_a_generation_comes_from_the_best(toolbox: Any) -> None:
    weights = np.random.default_rng(2).uniform(-0.2, 0.2, (3, 65))
    parents = [Individual(row, individual_name(4, at)) for at, row in enumerate(weights)]
    for one, points in zip(parents, (0, 5, 4), strict=True):
        one.points = points
    made = next_generation(parents, 5, config_of("population.stride=1"), toolbox)
    assert made[0].parents == ("Gen04_0001", "Gen04_0002")
    np.testing.assert_allclose(made[0], (parents[1] + parents[2]) / 2, atol=5.1e-5)  # four decimals
    assert [one.parents for one in made[1:]] == [("Gen04_0001",)] * 2
    assert all(0 < np.abs(one - made[0]).max() < 1 for one in made[1:])


def test_candidates_learn_with_other_numbers() -> None:
    optimiser = Genes(rate=0.8, decay=0.1, mix=0.6)
    drawn = [optimiser.numbers(place, 0.9, np.random.Generator(np.random.Philox(place))) for place in range(30)]
    how, mix = drawn[0]
    assert (how.scale, how.passes, how.rate, how.decay, mix) == (0.9, 8, 0.8, 0.1, 0.6)
    assert len({each.rate for each, _ in drawn}) > 3
    assert max(each.rate for each, _ in drawn) == 1.0
    assert all(0.4 <= mix <= 0.8 for _, mix in drawn)


@pytest.mark.check
def test_two_generations_of_patterns_beat_who_counts_pieces(toolbox: Any) -> None:
    spec = Spec("patterns-118228", "pieces", (), king=1.5, piece_difference=True, tables=True, patterns=True, phases=2)
    config = config_of("optimiser.games=600", "optimiser.depth=2", "optimiser.positions=20", "optimiser.nodes=200")
    config, mean = replace(config, network=spec), Individual(np.zeros(spec.weights), king=1.5)
    for generation in range(2):
        mean = Individual(np.mean(candidates(config, mean, generation, toolbox), axis=0), king=1.5)
    both = np.stack([np.asarray(mean), np.zeros(spec.weights, np.float32)])
    field = BatchPlayers.of_networks(spec, both, limits=Limits(4), style=SearchOptions(quiescence=True, table_bits=12))
    ballots = openings("three-move")[:60]
    table = index_openings([each.moves for each in ballots], Position.start())
    blacks, opening = np.tile([0, 1], len(ballots)), np.repeat(np.arange(len(ballots)), 2)
    results = play_all(field, blacks, 1 - blacks, openings=table, opening_of=opening).results
    assert np.where(blacks == 0, results, -results).mean() > 0.3  # 65 %


# Sessions ---------------------------------------------------------------------------------------------------------


def evolve(folder: Path, *options: str) -> None:
    assert main.main(evolve_cowan(f"--out={folder}", *options)) == 0


def test_resumed_to_the_same_bytes_by_other_workers(tmp_path: Path) -> None:
    given = ["--preset=crownhead-1", f"--network={PATH}", "--seed=3", *(f"--set={each}" for each in SETTINGS)]
    evolve(tmp_path, "--name=whole", "--workers=1", "--generations=2", *given)
    evolve(tmp_path, "--name=two", "--workers=2", "--generations=1", *given)
    evolve(tmp_path, "--resume", str(tmp_path / "two"), "--workers=1", "--generations=2")
    assert results(tmp_path / "two") == results(tmp_path / "whole")
    text = (tmp_path / "two" / "config.toml").read_text(encoding="utf-8")
    assert "[variation]" not in text
    names = {fact.name for fact in read_heads(tmp_path / "two" / "generation_0002.csv")}
    assert len(names) == 3


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        (["founders.method=predicted"], "founders.method: expected bred with optimiser.kind = genes"),
        (["network=crownhead-33"], "network: "),
        (['stages=[{kind="mirror", best=2},{kind="round-robin"}]'], "stages.0.kind: candidates of optimiser.kind"),
        (["optimiser.halving=3"], "optimiser.halving: a key of "),
    ],
)
def test_what_is_refused(settings: list[str], line: str) -> None:
    with pytest.raises(toml.ConfigError) as raised:
        toml.load(
            "crownhead-1", settings=[*SETTINGS, *settings], instead={} if "network" in line else {"network": NETWORK}
        )
    assert any(each.startswith(line) for each in raised.value.lines), raised.value.lines
