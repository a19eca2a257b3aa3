"""Ratings from round robins: closed forms, the equations of the fit, what has no rating, and how often it is right."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from evolve.strength.elo import PAIR_POINTS, THRESHOLD, elo, expected_score, rate_against
from extras.ladder import bradley_terry
from extras.ladder.bradley_terry import Match, fit_bradley_terry
from gui.rating.rating import PRIOR, RatedResult, level_opponents, rate_games, rate_person


def values(players: int, matches: Sequence[Match], **options: int) -> list[float]:
    return [rating.value for rating in fit_bradley_terry(players, matches, **options)]


def points(counts: Sequence[int]) -> float:
    return sum(n * value for n, value in zip(counts, PAIR_POINTS, strict=True))


@pytest.mark.parametrize("counts", [(1, 2, 3, 4, 5), (0, 0, 9, 1, 0), (10, 0, 0, 0, 1), (0, 0, 5, 0, 0)])
def test_two_players_are_one_elo_difference(counts: tuple[int, ...]) -> None:
    difference = elo(points(counts) / 2 / sum(counts))
    assert values(2, [Match(1, 0, counts)]) == pytest.approx([0, difference], abs=1e-5)
    assert values(2, [Match(0, 1, counts)]) == pytest.approx([0, -difference], abs=1e-5)
    assert values(2, [Match(0, 1, counts)], zero=1) == pytest.approx([difference, 0], abs=1e-5)


def test_scores_that_the_curve_gives_are_fitted_exactly() -> None:
    """Odds of 10 : 1, 100 : 1 and 10 : 1 are 400, 800 and 400 points, whatever the sizes of the matches."""
    matches = [Match(0, 1, (20, 0, 0, 0, 2)), Match(0, 2, (500, 0, 0, 0, 5)), Match(1, 2, (10, 0, 0, 0, 1))]
    assert values(3, matches) == pytest.approx([0, 400, 800], abs=1e-4)


def test_known_ratings_stay_and_the_others_are_fitted_to_them() -> None:
    """One player against two of known ratings is `rate_against`; matches between these say nothing any more."""
    known, counts = {1: 100.0, 2: -250.0}, [(3, 1, 9, 5, 2), (0, 2, 5, 8, 15)]
    matches = [
        Match(3, 1, counts[0]),
        Match(3, 2, counts[1]),
        Match(0, 3, (9, 4, 9, 1, 1)),
        Match(1, 2, (0, 0, 9, 1, 0)),
    ]
    result = fit_bradley_terry(4, matches, known=known)
    assert [(each.value, each.low, each.high) for each in result[:3]] == [(0,) * 3, (100,) * 3, (-250,) * 3]
    expected = rate_against([(100.0, counts[0]), (-250.0, counts[1]), (0.0, (1, 1, 9, 4, 9))])
    assert result[3].value == pytest.approx(expected.value, abs=1e-4)
    assert result[3].low < result[3].value < result[3].high


def test_draws_are_half_points() -> None:
    """Two draws are a win and a loss; which pairs the points came from changes intervals, not ratings."""
    drawn = fit_bradley_terry(2, [Match(0, 1, (10, 0, 30, 0, 20))])
    split = fit_bradley_terry(2, [Match(0, 1, (25, 0, 0, 0, 35))])
    assert drawn[1].value == pytest.approx(split[1].value)
    assert drawn[1].high - drawn[1].low < split[1].high - split[1].low


def test_player_without_points_is_bounded_from_above_alone() -> None:
    matches = [Match(0, 1, (3, 3, 3, 3, 3)), Match(2, 0, (20, 0, 0, 0, 0)), Match(1, 2, (0, 0, 0, 0, 20))]
    ratings = fit_bradley_terry(3, matches)
    assert [rating.value for rating in ratings[:2]] == pytest.approx([0, 0], abs=1e-6)
    assert (ratings[2].value, ratings[2].low) == (-math.inf, -math.inf)
    bound = rate_against([(0.0, (20, 0, 0, 0, 0)), (0.0, (20, 0, 0, 0, 0))]).high
    assert ratings[2].high == pytest.approx(bound, abs=1e-5)
    assert bound == pytest.approx(elo(1 - math.exp(-THRESHOLD / 80)))


def test_player_with_all_points_is_bounded_from_below_alone() -> None:
    (_, rating) = fit_bradley_terry(2, [Match(1, 0, (0, 0, 0, 0, 20))])
    assert (rating.value, rating.high) == (math.inf, math.inf)
    assert rating.low == rate_against([(0.0, (0, 0, 0, 0, 20))]).low


def test_two_groups_with_one_way_between_them() -> None:
    """2 and 3 split their points, but neither took any from 0 and 1."""
    one_way = (8, 0, 0, 0, 0)
    matches = [Match(0, 1, (1, 1, 1, 1, 1)), Match(2, 3, (1, 1, 1, 1, 1)), Match(2, 0, one_way), Match(3, 1, one_way)]
    assert values(4, matches)[2:] == [-math.inf, -math.inf]
    assert values(4, matches, zero=2)[:2] == [math.inf, math.inf]


def test_unconnected_players_are_not_compared() -> None:
    ratings = fit_bradley_terry(4, [Match(0, 1, (1, 1, 1, 1, 1)), Match(2, 3, (1, 1, 1, 1, 1))])
    assert all(math.isnan(rating.value) for rating in ratings[2:])
    assert (ratings[2].low, ratings[2].high) == (-math.inf, math.inf)


def test_a_point_that_a_sample_may_miss_leaves_an_end_open() -> None:
    """One pair of eleven keeps the rating finite; in e^-1 of all samples it is not drawn."""
    (_, rating) = fit_bradley_terry(2, [Match(0, 1, (1, 0, 0, 0, 10))])
    assert rating.value == pytest.approx(-400, abs=1e-4)
    assert rating.low == -math.inf
    assert math.isfinite(rating.high)


@pytest.mark.parametrize("seed", range(4))
def test_every_player_makes_the_points_that_its_rating_expects(seed: int) -> None:
    """Also if some have met several times, others nobody, and some won all."""
    random = np.random.default_rng(seed)
    players, count = 9, int(random.integers(8, 40))
    played = np.stack([random.choice(players, 2, replace=False) for _ in range(count)])
    results = [random.multinomial(random.integers(1, 60), random.dirichlet([0.2] * 5)) for _ in range(count)]
    matches = [Match(int(a), int(b), tuple(counts.tolist())) for (a, b), counts in zip(played, results, strict=True)]
    ratings = values(players, matches)
    finite = [player for player in range(1, players) if math.isfinite(ratings[player])]
    assert finite
    for player in finite:
        made = expected = 0.0
        for match in matches:
            if player in (match.a, match.b) and math.isfinite(ratings[match.a] + ratings[match.b]):
                other, sign = (match.b, 1) if player == match.a else (match.a, -1)
                share = points(match.counts) / 2
                made += share if sign > 0 else sum(match.counts) - share
                expected += sum(match.counts) / (1 + 10 ** ((ratings[other] - ratings[player]) / 400))
        assert made == pytest.approx(expected, abs=1e-3)


def test_the_memory_of_many_players_is_bounded(limit: Callable[..., None]) -> None:
    """All samples at once would take 29 MB for the matrices alone."""
    limit(bradley_terry, "_BLOCK_BYTES", 1 << 20)
    played = np.array([(i, i + 1) for i in range(59)])
    scores = np.random.default_rng(1).binomial(40, 0.5, (1001, 59)) / 40
    tracemalloc.start()
    try:
        bradley_terry._fits(60, played, np.full(59, 20.0), scores, {0: 0.0})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 << 20


def test_the_zero_is_exact_and_the_seed_decides_the_rest() -> None:
    matches = [Match(0, 1, (3, 5, 9, 4, 2)), Match(1, 2, (2, 5, 9, 6, 2)), Match(0, 2, (1, 5, 9, 4, 4))]
    first, again, other = (
        fit_bradley_terry(3, matches, seed=1),
        fit_bradley_terry(3, matches, seed=1),
        fit_bradley_terry(3, matches, seed=2),
    )
    assert first == again
    assert (first[0].value, first[0].low, first[0].high) == (0, 0, 0)
    assert [rating.value for rating in first] == [rating.value for rating in other]
    assert first[1].low != other[1].low
    assert all(rating.low < rating.value < rating.high for rating in first[1:])


@pytest.mark.parametrize("counts", [(0, 0, 1, 0, 0), (0, 3, 0, 0, 0), (0, 0, 0, 20, 0)])
def test_pairs_that_are_all_alike_leave_doubt(counts: tuple[int, ...]) -> None:
    """Drawn anew they are always the same; how little few of them prove is what the likelihood says."""
    zero, rating = fit_bradley_terry(2, [Match(1, 0, counts)])
    alone = rate_against([(0.0, counts)])
    assert (zero.low, zero.high) == (0, 0)
    assert (rating.low, rating.high) == pytest.approx((alone.low, alone.high), abs=1e-5)
    assert rating.low < rating.value < rating.high


def test_many_pairs_agree_with_the_normal_approximation() -> None:
    """Two players: the interval is that of the mean, through the slope of the curve (the delta method)."""
    counts = (300, 500, 800, 600, 400)
    n, mean = sum(counts), points(counts) / 2 / sum(counts)
    variance = sum(c * (p / 2 - mean) ** 2 for c, p in zip(counts, PAIR_POINTS, strict=True)) / n
    half = 1.96 * math.sqrt(variance / n) * 400 / math.log(10) / (mean * (1 - mean))
    (_, rating) = fit_bradley_terry(2, [Match(1, 0, counts)])
    assert rating.low == pytest.approx(rating.value - half, abs=half / 10)
    assert rating.high == pytest.approx(rating.value + half, abs=half / 10)


def test_a_persons_rating_is_this_fit() -> None:
    """Very many games tie the opponents to their ratings, so they are as good as fixed; the prior weighs little."""
    _, beginner, casual, club, *_ = level_opponents()
    results = [RatedResult("", *each) for each in ((beginner, 1), (beginner, 1), (casual, 0.5), (casual, 0), (club, 0))]
    ratings = [each.rating or 0.0 for each in (casual, beginner, club)]  # players 1 to 3; 0 is the zero
    many = 10**9
    ties = []
    for player, rating in enumerate(ratings, 1):
        won = round(many * expected_score(rating))
        ties.append(Match(player, 0, (many - won, 0, 0, 0, won)))
    me = [Match(4, 1, (1, 0, 1, 0, 0)), Match(4, 2, (0, 0, 0, 0, 2)), Match(4, 3, (1, 0, 0, 0, 0))]
    fitted = fit_bradley_terry(5, [*ties, *me])[4]
    known = [(each.opponent.rating or 0.0, each.points) for each in results]
    assert rate_games(known, PRIOR, 1e-6).value == pytest.approx(fitted.value, abs=0.5)
    assert rate_person(results).value == pytest.approx(fitted.value, abs=30)
