"""Numbers of a generation in its line of the log, against plain definitions."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.breeding.inheritance import individual_name
from evolve.breeding.loop import points_statistics
from evolve.kinds.individual import Individual
from evolve.run.log import LOG_COLUMNS
from evolve.session.saving import diversity, log_record, rows_of
from evolve.strength.elo import RatingEstimate
from evolve.tournament.arena import Counts
from evolve.tournament.tournament import Ranking, Tally


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
