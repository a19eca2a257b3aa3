"""Stages of drawn opponents, hall of fame and league: pairings, points, fitness sharing, and who is ranked how."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.config import toml
from evolve.config.model import Config
from evolve.kinds.pairing import Points, Scores, add_up, hall_of_fame_opponents, random_opponents, share_fitness
from evolve.kinds.stages import Opponents, RoundRobin
from tests.evolve.tournament.rules import Games, always_draw, generator, lower_wins, played

BLONDIE = toml.load("blondie24")
LEAGUE = toml.load("league")
BLONDIES_POINTS = Points(1, 0, -2)


def mixed(first: int, second: int) -> tuple[int, int]:
    return [(0, 0), (1, 0), (0, 1)][(first * 31 + second * 17) % 7 % 3]


@given(seed=st.integers(0, 2**32), count=st.integers(2, 40), games=st.integers(1, 8))
def test_each_plays_so_many_as_first_mover_and_never_itself(seed: int, count: int, games: int) -> None:
    members = 3 * np.arange(count) + 1
    pairs = random_opponents(members, games, generator(seed))
    assert pairs[:, 0].tolist() == np.repeat(members, games).tolist()
    assert set(pairs[:, 1].tolist()) <= set(members.tolist())
    assert (pairs[:, 0] != pairs[:, 1]).all()


@pytest.mark.parametrize("champions", range(6))
def test_all_meet_the_same_champions_with_both_colours(champions: int) -> None:
    members, behind = np.array([4, 7, 9]), 20 + np.arange(champions)
    pairs = hall_of_fame_opponents(members, behind)
    assert len(pairs) == 3 * champions
    for member in members.tolist():
        mine = pairs[(pairs == member).any(axis=1)]
        assert sorted(mine.max(axis=1).tolist()) == behind.tolist()
        assert (mine[:, 0] == member).sum() == (champions + 1) // 2


def test_sharing_rewards_rare_wins() -> None:
    beaten = np.zeros((4, 7), bool)
    beaten[:3, :3] = True  # three who beat the same three
    beaten[3, 3] = True  # one who beats somebody else
    assert share_fitness(beaten).tolist() == [1.0, 1.0, 1.0, 1.0]  # equal to the bit, though thirds are not exact


def twin_points(config: Config, games: Games, stages: set[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Points of everybody, champions included, by plain loops."""
    total = np.zeros(100, np.int64)
    rules = config.points
    for (stage, _, _), _, pairs in games.calls:
        for first, second in pairs.tolist() if stage in stages else []:
            won, lost = games.won(first, second)
            for player, own, other in ((first, won, lost), (second, lost, won)):
                drawn = games.a_pairing - won - lost
                each = rules.win * own + rules.draw * drawn + rules.loss * other
                pairing = rules.win if own > other else rules.draw if own == other else rules.loss
                total[player] += each if rules.each == "game" else pairing
    return total


@pytest.mark.parametrize("seed", range(5))
def test_blondie24_plays_150_games_and_ranks_all_30_by_points(seed: int) -> None:
    ranking, games = played(BLONDIE, mixed, seed)
    ((key, keep, pairs),) = games.calls
    assert key == (0, 0, 0)
    assert keep
    assert len(pairs) == 150
    assert np.bincount(pairs[:, 0]).tolist() == [5] * 30
    points = twin_points(BLONDIE, games, {0})[:30]
    assert ranking.tally.points.tolist() == points.tolist()
    assert points[ranking.order].tolist() == sorted(points.tolist(), reverse=True)
    assert sorted(ranking.order.tolist()) == list(range(30))
    assert ranking.tally.games.sum() == 300
    assert ranking.tally.games.min() >= 5


def test_ties_go_by_lot_and_neither_to_parents_nor_to_children() -> None:
    first_half = np.array([(played(BLONDIE, always_draw, seed)[0].order[:15] < 15).sum() for seed in range(200)])
    assert abs(first_half.mean() - 7.5) < 5 * (15 * 0.25 / 200) ** 0.5
    assert played(BLONDIE, always_draw, 1)[0].order.tolist() == played(BLONDIE, always_draw, 1)[0].order.tolist()


def test_the_league_plays_870_games_and_counts_each() -> None:
    def won(first: int, second: int) -> tuple[int, int]:
        return [(2, 0), (1, 0), (1, 1), (0, 0), (0, 2)][(first * 13 + second * 7) % 5]

    ranking, games = played(LEAGUE, won)
    ((_, keep, pairs),) = games.calls
    assert keep
    assert 2 * len(pairs) == 870
    assert {frozenset(pair) for pair in pairs.tolist()} == {frozenset((a, b)) for a in range(30) for b in range(a)}
    points = twin_points(LEAGUE, games, {0})[:30]
    assert ranking.tally.points.tolist() == points.tolist()
    assert points[ranking.order].tolist() == sorted(points.tolist(), reverse=True)
    assert (ranking.tally.games == 58).all()


HALL = replace(BLONDIE, stages=(Opponents(), Opponents(games=3, opponents="hall-of-fame")))


@pytest.mark.parametrize(("champions", "met"), [(0, 0), (2, 2), (3, 3), (7, 3)])
def test_points_against_the_hall_of_fame_are_added(champions: int, met: int) -> None:
    assert HALL.champions == 3
    ranking, games = played(HALL, mixed, 1, champions)
    against = games.calls[1][2]
    assert len(against) == 30 * met
    assert set(against.reshape(-1).tolist()) - set(range(30)) == set(range(30, 30 + met))
    points = twin_points(HALL, games, {0, 1})
    assert ranking.tally.points.tolist() == points[:30].tolist()
    assert sorted(ranking.order.tolist()) == list(range(30))  # champions are not ranked
    assert points[ranking.order].tolist() == sorted(points[:30].tolist(), reverse=True)
    assert all(keep for _, keep, _ in games.calls)


def test_best_alone_advance_on_request() -> None:
    """A ranking among the survivors: opponents first, then 15 play a round robin, which starts from nothing."""
    config = replace(BLONDIE, stages=(Opponents(best=15), RoundRobin()))
    ranking, games = played(config, mixed, 2)
    first = twin_points(config, games, {0})[:30]
    last = twin_points(config, games, {1})[:30]
    alive = sorted(set(games.calls[1][2].reshape(-1).tolist()))
    assert len(alive) == 15
    assert len(games.calls[1][2]) == 105
    assert min(first[alive]) >= max(first[[one for one in range(30) if one not in alive]])
    assert sorted(ranking.order[:15].tolist()) == alive
    assert last[ranking.order[:15]].tolist() == sorted(last[alive].tolist(), reverse=True)
    out = ranking.order[15:]
    assert [(-first[one], one) for one in out] == sorted((-first[one], one) for one in out)
    assert ranking.tally.points.tolist() == (first + last).tolist()


def test_fitness_sharing_ranks_before_points() -> None:
    """Each beats all with higher numbers, 25 the champions besides: worth more than many who are often beaten."""

    def won(first: int, second: int) -> tuple[int, int]:
        if max(first, second) >= 30:
            return int(first == 25), int(second == 25)
        return lower_wins(first, second)

    config = replace(HALL, stages=(RoundRobin(), HALL.stages[1]), points=replace(BLONDIES_POINTS, sharing=True))
    ranking, games = played(config, won, 5, champions=3)
    beaten = np.zeros((30, 33), bool)
    for _, _, pairs in games.calls:
        for first, second in pairs.tolist():
            if won(first, second)[0] and first < 30:
                beaten[first, second] = True
            if won(first, second)[1] and second < 30:
                beaten[second, first] = True
    fitness = share_fitness(beaten)
    assert fitness[ranking.order].tolist() == sorted(fitness.tolist(), reverse=True)
    assert fitness[25] == pytest.approx(sum(1 / beats for beats in range(26, 30)) + 3)
    assert ranking.order[1] == 25  # far down by points
    plain = played(replace(config, points=BLONDIES_POINTS), won, 5, champions=3)[0]
    assert plain.order[:24].tolist() == list(range(24))  # 24 and 25 have -43 points each


def test_standings_take_champions_in_but_pairs_of_others_not() -> None:
    with pytest.raises(KeyError):
        add_up(np.arange(3), np.array([[0, 3]]), Scores(np.array([1]), np.array([0])), BLONDIES_POINTS)
