"""Ratings of champions while a session goes on, the same by whomever they are played; and statistics by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.breeding.inheritance import individual_name
from evolve.breeding.loop import points_statistics
from evolve.config import anchors, preset_files, toml
from evolve.config.model import Config
from evolve.kinds.individual import Individual
from evolve.run import append_only
from evolve.run.folder import Run
from evolve.run.log import ESTIMATE, LOG_COLUMNS, RATED_COLUMNS
from evolve.session import saving
from evolve.session.champion_rating import BEYOND, RatingTask, estimate, play, rate
from evolve.session.saving import diversity, log_record, rows_of
from evolve.strength.elo import RatingEstimate, rate_against
from evolve.strength.match import play_match
from evolve.tournament.arena import Counts
from evolve.tournament.tournament import Ranking, Tally
from game.networks.named import CNN_247
from game.players.network import NetworkPlayer
from game.players.registry import player
from tests.evolve.tiny_sessions import TINY, Evolve, digest, log_of, results

RATED = ("--set=rating.every=2", "--set=rating.games=10", "--set=rating.anchors=random; material,depth=1")
NAMES = ("rating", "rating_low", "rating_high")
CONFIG = toml.load("cowan", None, [setting.removeprefix("--set=") for setting in (*TINY, *RATED)])


def champion(seed: int = 1) -> Individual:
    weights = np.random.default_rng(seed).uniform(-1, 1, CNN_247.weights).astype(np.float32)
    return Individual(weights, f"Gen00_{seed:04d}", king=CNN_247.king)


def test_it_is_that_of_its_matches() -> None:
    seen: list[RatingTask] = []

    def noted(function: object, tasks: list[RatingTask]) -> list[tuple[int, ...]]:
        assert function is play
        seen.extend(tasks)
        return list(map(play, tasks))

    result = rate(CONFIG, champion(), 4, noted)
    assert sorted(task.anchor for task in seen) == ["material,depth=1", "random"]
    assert {task.games for task in seen} == {10}
    tested = NetworkPlayer("x", np.array(champion(), np.float32))
    known = [
        (anchors.RATINGS[task.anchor], play_match(tested, player(task.anchor), 10, seed=task.seed).pentanomial)
        for task in seen[::-1]
    ]
    assert result == rate_against(known)


def test_every_generation_and_anchor_has_openings_of_its_own() -> None:
    seeds = set()
    for config in (CONFIG, replace(CONFIG, seed=7)):
        for generation in (0, 1, 2):
            rate(config, champion(), generation, lambda _, tasks: [seeds.add(t.seed) or (1, 1, 1, 1, 1) for t in tasks])
    assert len(seeds) == 12
    first, again = (rate(CONFIG, champion(), 3, lambda f, tasks: list(map(f, tasks))) for _ in range(2))
    assert first == again


def test_the_champion_plays_as_in_its_run() -> None:
    config = toml.load("blondie24", None, ["search.deepen_every=3", "search.deepen_by=2"])
    genome = np.zeros(config.network.weights, np.float32)
    seen: list[RatingTask] = []
    for generation in (0, 3):
        tested = Individual(genome, "x", king=1.5)
        rate(config, tested, generation, lambda _, tasks: [seen.append(task) or (1, 1, 1, 1, 1) for task in tasks])
    assert all(task.champion.king == 1.5 and task.champion.spec == config.network for task in seen)
    assert {task.champion.style for task in seen} == {config.search.style()}
    assert [task.champion.limits.depth for task in seen[::3]] == [4, 6]


def test_a_champion_that_loses_everything_is_only_bounded_from_above() -> None:
    broken = champion()
    broken[0] = np.nan
    result = rate(CONFIG, broken, 0, lambda f, tasks: list(map(f, tasks)))
    assert (result.value, result.low) == (-math.inf, -math.inf)
    assert math.isfinite(result.high)


def test_known_ratings_agree_with_new_games() -> None:
    """Three anchors against the others: each is within the interval of a match that was not used for the table."""
    for name in ("material,depth=1,quiescence=yes", "material,depth=2", "material,depth=4"):
        known = []
        for number, other in enumerate(("material,depth=1", "material,depth=2,quiescence=yes", "material,depth=2")):
            if other != name:
                counts = play_match(player(name), player(other), 200, seed=900 + number).pentanomial
                known.append((anchors.RATINGS[other], counts))
        result = rate_against(known)
        assert result.low - 40 <= anchors.RATINGS[name] <= result.high + 40


def test_the_log_has_ratings_where_they_are_due(evolve: Evolve, tmp_path: Path) -> None:
    evolve("--name=one", "--seed=5", "--generations=4", *TINY, *RATED)
    rows = log_of(tmp_path / "one")
    assert tuple(rows[0]) == LOG_COLUMNS
    assert LOG_COLUMNS[-7:] == (*RATED_COLUMNS, "seconds") and RATED_COLUMNS[:3] == NAMES
    for generation, row in enumerate(rows):
        actual = [row[name] for name in NAMES]
        if generation % 2:
            assert actual == ["", "", ""]
        else:
            value, low, high = map(float, actual)
            assert low < value < high
            run = Run(tmp_path / "one")
            rows_ = run.read_generation(generation)
            tested = Individual(rows_.weights[0], rows_.names[0], king=CNN_247.king)
            config = replace(CONFIG, seed=5)
            by_hand = rate(config, tested, generation, lambda f, tasks: list(map(f, tasks)))
            assert (value, low, high) == tuple(round(each, 1) for each in (by_hand.value, by_hand.low, by_hand.high))


@pytest.mark.parametrize("workers", [2, pytest.param(3, marks=pytest.mark.check)])
def test_other_results_do_not_depend_on_ratings(workers: int, evolve: Evolve, template: Path, tmp_path: Path) -> None:
    evolve("--name=rated", "--seed=5", "--generations=2", f"--workers={workers}", *TINY, *RATED)
    evolve("--name=unrated", "--seed=5", "--generations=2", *TINY, "--set=rating.every=0")
    rated, unrated = results(tmp_path / "rated"), results(tmp_path / "unrated")
    assert digest(tmp_path / "rated") == digest(tmp_path / "unrated") == digest(template)
    logs = rated.pop(append_only.LOG), unrated.pop(append_only.LOG)
    assert rated == unrated
    one, other = ([line.rsplit(b",", len(RATED_COLUMNS))[0] for line in log.split()] for log in logs)
    assert one == other
    assert logs[1].split()[1].endswith(b",,,,,,")
    evolve("--name=again", "--seed=5", "--generations=2", "--workers=1", *TINY, *RATED)
    assert results(tmp_path / "again")[append_only.LOG] == logs[0]


def test_estimates_between_ratings_are_games_of_a_shallow_search(evolve: Evolve, tmp_path: Path) -> None:
    options = ("--set=rating.every=2", "--set=rating.games=2", "--set=rating.estimate_depth=1")
    evolve("--name=one", "--seed=5", "--generations=1", *TINY, *options, "--set=rating.anchors=random")
    evolve("--resume=one", "--generations=3")
    rows = log_of(tmp_path / "one")
    assert tuple(rows[0]) == (*LOG_COLUMNS[:-1], ESTIMATE, "seconds")
    assert [bool(row["rating"]) for row in rows] == [True, False, True, False]
    run = Run(tmp_path / "one")
    names = ["random", "material,depth=1,quiescence=yes"]  # the others look further
    known = [anchors.RATINGS[name] for name in names]
    for generation, row in enumerate(rows):
        played: list[RatingTask] = []

        def noted(function: Any, tasks: list[RatingTask], seen: list[RatingTask] = played) -> Any:
            seen.extend(tasks)
            return map(function, tasks)

        tested = Individual(run.read_generation(generation).weights[0], "x", king=CNN_247.king)
        made = estimate(run.config(), tested, generation, noted)
        assert [task.anchor for task in played] == names
        assert {(task.games, task.champion.limits.depth) for task in played} == {(2, 1)}
        assert float(row[ESTIMATE]) == made[ESTIMATE]
        assert min(known) - BEYOND <= made[ESTIMATE] <= max(known) + BEYOND


def test_a_log_of_an_older_program_keeps_its_columns(evolve: Evolve, tmp_path: Path) -> None:
    evolve("--name=one", "--seed=5", "--generations=1", *TINY)
    log = tmp_path / "one" / append_only.LOG
    older = [
        ",".join(line.split(",")[: -len(RATED_COLUMNS) - 1] + line.split(",")[-1:])
        for line in log.read_text().splitlines()
    ]
    log.write_text("\n".join(older) + "\n")
    columns = saving.log_columns(Run(tmp_path / "one"), Config())
    assert columns == tuple(name for name in LOG_COLUMNS if name not in RATED_COLUMNS)
    evolve("--resume=one", "--generations=6")
    lines = log.read_text().splitlines()
    assert [line.count(",") for line in lines] == [len(columns) - 1] * 8
    evolve("--resume=one", "--from=-1")  # begun anew
    assert tuple(log_of(tmp_path / "one")[0]) == LOG_COLUMNS


def test_torn_and_foreign_logs_are_none(tmp_path: Path) -> None:
    run = Run(tmp_path)
    assert saving.log_columns(run, Config()) == LOG_COLUMNS
    for text in ("", "gener", "x,y\n", "\n"):
        (tmp_path / append_only.LOG).write_text(text)
        assert saving.log_columns(run, Config()) == LOG_COLUMNS


def test_documentation_has_the_current_rating_settings() -> None:
    page = (Path(__file__).parents[3] / "docs" / "ratings.md").read_text(encoding="utf-8")
    cells = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in page.splitlines() if line[:3] == "| `"]
    table = {row[0]: row[1:] for row in cells}
    assert {name: table[name][0] for name in anchors.ANCHORS} == {
        name: anchors.shown_text(rating) for name, rating in anchors.RATINGS.items()
    }
    for preset in preset_files.preset_names():
        every = toml.load(preset).rating.every
        generation, rating, share = (float(table[preset][column].split()[0]) for column in (0, 1, 3))
        assert int(table[preset][2]) == every
        assert share == pytest.approx(100 * rating / every / generation, abs=0.06)
        most = {"first": 7, "living": 60, "plain": 25}  # whose curves are what a newcomer watches
        assert share <= most.get(preset, 5)


@pytest.mark.parametrize(
    ("points", "best", "mean", "worst"),
    [([3, 1, 0, 0], 3, 1.0, 0), ([7], 7, 7.0, 7), ([-5, 2, 2], 2, -0.333333, -5), ([1] * 1024, 1, 1.0, 1)],
)
def test_statistics_of_points_keep_their_types(points: list[int], best: int, mean: float, worst: int) -> None:
    result = points_statistics(int).compile(np.array(points))
    assert result == {"best_points": best, "mean_points": mean, "worst_points": worst}
    assert [type(value) for value in result.values()] == [int, float, int]  # as text they are the same everywhere


@given(weights=st.lists(st.lists(st.floats(-2, 2, width=32), min_size=3, max_size=3), min_size=1, max_size=8))
def test_diversity_is_the_root_mean_square_distance_of_two_draws(weights: list[list[float]]) -> None:
    rows = np.array(weights, np.float32)
    squares = [float(((one.astype(float) - other) ** 2).sum()) for one, other in product(rows, rows)]
    assert diversity(rows) == pytest.approx((sum(squares) / len(squares)) ** 0.5, abs=2e-6)


def ranked() -> tuple[list[Individual], Ranking]:
    """Five individuals; the fourth is best."""
    population = [
        Individual([index, index], individual_name(2, index), "mutated", (f"Gen01_{index:04d}",), 1 + index / 4)
        for index in range(5)
    ]
    tally = Tally(5)
    for column, name in enumerate(("games", "wins", "draws", "losses", "points")):
        getattr(tally, name)[:] = 10 * np.arange(5) + column
    return population, Ranking(np.array([3, 0, 4, 1, 2]), tally)


def test_rows_stand_in_order_of_rank() -> None:
    rows = rows_of(*ranked(), with_kings=False)
    assert rows.names == ["Gen02_0003", "Gen02_0000", "Gen02_0004", "Gen02_0001", "Gen02_0002"]
    assert rows.weights[:, 0].tolist() == [3, 0, 4, 1, 2]
    assert rows.weights.dtype == np.float32
    assert rows.parents is not None
    assert rows.ranks is not None
    assert rows.counts is not None
    assert rows.parents[0] == ("Gen01_0003",)
    assert rows.ranks.tolist() == [1, 2, 3, 4, 5]
    assert rows.counts[0].tolist() == [30, 31, 32, 33, 34]
    assert rows.counts[4].tolist() == [20, 21, 22, 23, 24]
    assert rows.kings is None


def test_the_line_of_the_log() -> None:
    population, ranking = ranked()
    counts = Counts(games=100, evaluations=5000, plies=6000, draws=40, failures=1)
    points = points_statistics(int).compile(ranking.tally.points)
    record = log_record(7, rows_of(population, ranking, with_kings=False), counts, points, 0.12345678)
    assert tuple(record) == LOG_COLUMNS
    assert record == {
        "generation": 7, "champion": "Gen02_0003", "individuals": 5, "games": 100, "draws": 40, "failures": 1,
        "plies": 6000, "evaluations": 5000, "best_points": 44, "mean_points": 24.0, "worst_points": 4, "distinct": 5,
        "diversity": pytest.approx((2 * 2 * 2.0) ** 0.5, abs=1e-6), "rating": None, "rating_low": None,
        "rating_high": None, "beaten": None, "beaten_by": None, "unproven": None, "seconds": 0.123457,
    }  # fmt: skip
    rating = RatingEstimate(12.34, -math.inf, 99.96)
    record = log_record(7, rows_of(population, ranking, with_kings=False), counts, points, 0.1, rating)
    assert [record[name] for name in ("rating", "rating_low", "rating_high")] == [12.3, -math.inf, 100.0]
