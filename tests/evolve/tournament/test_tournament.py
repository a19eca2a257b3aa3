"""The tournament of a generation and stages of drawn opponents against plain twins: pairings, order, and points."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.config import toml
from evolve.config.model import Config
from evolve.kinds.pairing import (
    Indexes,
    Points,
    Scores,
    add_up,
    hall_of_fame_opponents,
    random_opponents,
    share_fitness,
)
from evolve.kinds.stages import Knockout, Opponents, RoundRobin
from evolve.tournament import tournament
from evolve.tournament.tournament import Ranking
from tests.cases import for_each

Rule = Callable[[int, int], tuple[int, int]]


@dataclass
class Games:
    """Plays pairings by a rule, `won`, which tells how many games the first and the second win."""

    won: Rule
    a_pairing: int = 1
    calls: list[tuple[tuple[int, ...], bool, Indexes]] = field(default_factory=list)
    """Key, whether moves are kept, pairs."""

    def __call__(self, pairs: Indexes, key: tuple[int, ...], keep: bool) -> Scores:
        self.calls.append((key, keep, pairs))
        scores = np.array([self.won(*pair) for pair in pairs.tolist()], np.int64).reshape(-1, 2)
        return Scores(scores[:, 0].copy(), scores[:, 1].copy(), self.a_pairing)


def lower_wins(first: int, second: int) -> tuple[int, int]:
    return (1, 0) if first < second else (0, 1)


def always_draw(first: int, second: int) -> tuple[int, int]:
    return 0, 0


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(seed))


def played(config: Config, won: Rule, seed: int = 0, champions: int = 0) -> tuple[Ranking, Games]:
    games = Games(won, config.games.a_pairing)
    return tournament.run(config, generator(seed), games, champions), games


TINY = ("population.parents=4", "stages.0.rounds=2", "stages.1.rounds=2")

COWAN = toml.load("cowan")
SMALL = toml.load(None, None, [*TINY])
BALLOTS = toml.load("cowan-ballots", None, [*TINY])


def test_a_mean_leads_even_if_it_was_eliminated() -> None:
    stages = 'stages=[{kind="groups", size=3, advance=2}, {kind="elimination"}, {kind="round-robin"}]'
    config = toml.load("crownhead-1", None, ["population.mutants=8", "population.parents=3", stages])
    games = Games(lambda first, second: lower_wins(second, first))
    ranking = tournament.run(config, np.random.Generator(np.random.Philox(1)), games)
    assert ranking.order[0] == 0
    assert sorted(ranking.order.tolist()) == list(range(9))
    assert ranking.tally.wins[0] == 0


def mixed(first: int, second: int) -> tuple[int, int]:
    """Decided by the pair alone, with many draws."""
    return [(0, 0), (1, 0), (0, 1)][(min(first, second) * 31 + max(first, second) * 17) % 7 % 3]


def mixed_pairs(first: int, second: int) -> tuple[int, int]:
    return [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2)][(first * 31 + second * 17) % 11 % 6]


def twin(config: Config, games: Games) -> tuple[list[int], Indexes]:
    """Order and counts again, by plain loops over what was played: who is not in the next round has left."""
    size = config.population.size
    games_a_pair = 1 if config.games.openings == "start" else 2
    counts = np.zeros((size, 5), np.int64)  # games, wins, draws, losses, points
    table: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    rounds: list[set[int]] = []
    for (stage, _, batch), keep, pairs in games.calls:
        if batch == 0:
            rounds.append({*pairs.reshape(-1).tolist()})
        for first, second in pairs.tolist():
            scores = games.won(first, second)
            for player, own, other in ((first, *scores), (second, *scores[::-1])):
                points = config.points
                earned = points.win if own > other else points.draw if own == other else points.loss
                if config.stages[stage].counts:
                    counts[player] += [games_a_pair, own, games_a_pair - own - other, other, earned]
                if keep:  # the ranking at the end
                    table[player][0] += earned
                    table[player][1] += own > other
    order = sorted(table, key=lambda one: (-table[one][0], -table[one][1], -counts[one, 4], one))
    for before, after in zip(rounds[-2::-1], rounds[:0:-1], strict=True):
        order += sorted(before - after, key=lambda one: (-counts[one, 4], one))
    return order, counts


def tally_of(ranking: Ranking) -> Indexes:
    tally = ranking.tally
    return np.stack([tally.games, tally.wins, tally.draws, tally.losses, tally.points], axis=1)


NOT_COUNTED = [
    replace(SMALL, stages=tuple(replace(stage, counts=index != off) for index, stage in enumerate(SMALL.stages)))
    for off in range(3)
]


@for_each(
    ("config", "won"),
    [
        (COWAN, mixed),
        (COWAN, always_draw),
        (SMALL, mixed),
        (SMALL, lower_wins),
        (BALLOTS, mixed_pairs),
        (replace(SMALL, points=Points(2, 1, -3)), mixed),
        (replace(SMALL, stages=(Knockout(rounds=2, ties="swap"), *SMALL.stages[1:])), mixed),
        *((config, mixed) for config in NOT_COUNTED),
    ],
)
@for_each("seed", [1, 2, 3])
def test_order_and_counts_are_those_of_a_plain_twin(config: Config, won: Rule, seed: int) -> None:
    ranking, games = played(config, won, seed)
    order, counts = twin(config, games)
    assert ranking.order.tolist() == order
    assert tally_of(ranking).tolist() == counts.tolist()
    assert sorted(order) == list(range(config.population.size))


@pytest.mark.parametrize(("won", "replays"), [(lower_wins, 0), (always_draw, 512 + 256 + 128)])
def test_cowan_plays_1352_pairings_and_replays(won: Rule, replays: int) -> None:
    _, games = played(COWAN, won)
    count = sum(len(pairs) for _, _, pairs in games.calls)
    assert count == 512 + 256 + 128 + 192 + 96 + 48 + 120 + replays == 1352 + replays


def test_only_the_ranking_keeps_its_moves() -> None:
    _, games = played(SMALL, mixed)
    assert [key[0] == 2 for key, _, _ in games.calls] == [keep for _, keep, _ in games.calls]


def test_every_batch_of_pairings_has_a_key_of_its_own() -> None:
    _, games = played(COWAN, always_draw)
    keys = [key for key, _, _ in games.calls]
    assert keys == [
        *((0, turn, batch) for turn in range(3) for batch in range(2)),
        *((1, turn, 0) for turn in range(3)),
        (2, 0, 0),
    ]


BLONDIE = toml.load("blondie24")
LEAGUE = toml.load("league")
BLONDIES_POINTS = Points(1, 0, -2)


def mixed_in_order(first: int, second: int) -> tuple[int, int]:
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
    ranking, games = played(BLONDIE, mixed_in_order, seed)
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
    ranking, games = played(HALL, mixed_in_order, 1, champions)
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
    ranking, games = played(config, mixed_in_order, 2)
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
