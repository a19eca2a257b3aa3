"""Elimination, groups, round robins: who plays whom, who goes on, and that chance is the generator's alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.kinds.pairing import Indexes, Points, Scores, knockout_round, play_groups, round_robin_pairs, shuffle

POINTS = Points()


class Table:
    """Plays pairings by a rule, and remembers them."""

    def __init__(self, rule: Callable[[int, int], int]) -> None:
        """`rule` gives 1 if the first wins, -1 if the second does, 0 for a draw."""
        self.rule = rule
        self.calls: list[Indexes] = []

    def __call__(self, pairs: Indexes) -> Scores:
        assert pairs.dtype == np.int64
        assert pairs.shape[1:] == (2,)
        self.calls.append(pairs.copy())
        margins = np.array([self.rule(int(first), int(second)) for first, second in pairs], np.int64)
        return Scores(np.maximum(margins, 0), np.maximum(-margins, 0))


def lower_wins(first: int, second: int) -> int:
    return 1 if first < second else -1


def always_draw(first: int, second: int) -> int:
    return 0


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(seed))


def sets(pairs: Indexes) -> set[frozenset[int]]:
    return {frozenset(pair) for pair in pairs.tolist()}


@pytest.mark.parametrize("ties", ["pool", "swap"])
@pytest.mark.parametrize("rule", [lower_wins, always_draw, lambda first, second: (first * 7 + second * 3) % 3 - 1])
@given(seed=st.integers(0, 2**32), half=st.integers(1, 60))
def test_half_of_the_players_go_on_in_order(ties: str, rule: Callable[[int, int], int], seed: int, half: int) -> None:
    players = 5 + 3 * np.arange(2 * half)
    table = Table(rule)
    going = knockout_round(players, table, generator(seed), ties)
    assert len(going) == half
    assert set(going.tolist()) <= set(players.tolist())
    assert going.tolist() == sorted(set(going.tolist()))
    assert sorted(table.calls[0].reshape(-1).tolist()) == players.tolist()  # each plays once
    if len(table.calls) == 1:
        for first, second in table.calls[0].tolist():  # exactly one of each pair
            assert (first in going) + (second in going) == 1


def test_pairs_are_drawn() -> None:
    opponents: Counter[frozenset[int]] = Counter()
    colours: Counter[int] = Counter()
    for seed in range(700):
        table = Table(lower_wins)
        knockout_round(np.arange(8), table, generator(seed), "pool")
        for first, second in table.calls[0].tolist():
            colours[first] += 1
            opponents[frozenset((first, second))] += 1
    assert set(opponents) == {frozenset(pair) for pair in combinations(range(8), 2)}
    assert all(60 < count < 140 for count in opponents.values())  # 100 expected, 5 deviations are 46
    assert all(270 < count < 430 for count in colours.values())  # Black half of 700 times


def test_ties_go_to_a_pool_with_new_opponents() -> None:
    """All draw at first: the pool is everybody, shuffled and paired anew."""
    anew = 0
    for seed in range(50):
        rounds = iter([always_draw, lower_wins])
        table = Table(always_draw)

        def play(pairs: Indexes, table: Table = table, rounds: object = rounds) -> Scores:
            table.rule = next(rounds)  # type: ignore[call-overload]
            return table(pairs)

        going = knockout_round(np.arange(64), play, generator(seed), "pool")
        first, second = table.calls
        assert sorted(second.reshape(-1).tolist()) == list(range(64))
        assert going.tolist() == sorted(second.min(axis=1).tolist())
        anew += len(sets(second) - sets(first))
    assert anew > 0.95 * 50 * 32  # by chance half a pair of 32 meets again


def test_only_tied_pairs_go_to_the_pool() -> None:
    """Even against odd is decided; the others play again, and who had won is not asked again."""
    table = Table(lambda first, second: 0 if (first + second) % 2 == 0 else (1 if first % 2 == 0 else -1))
    going = set(knockout_round(np.arange(64), table, generator(3), "pool").tolist())
    first, second = table.calls
    tied = first[(first.sum(axis=1) % 2) == 0]
    decided = first[(first.sum(axis=1) % 2) == 1]
    assert 0 < len(tied) < len(first)
    assert sorted(second.reshape(-1).tolist()) == sorted(tied.reshape(-1).tolist())
    evens = {player for player in decided.reshape(-1).tolist() if player % 2 == 0}
    assert going >= evens
    assert not going & (set(decided.reshape(-1).tolist()) - evens)


def test_swap_plays_the_same_pairs_with_colours_swapped() -> None:
    table = Table(always_draw)
    knockout_round(np.arange(64), table, generator(3), "swap")
    first, second = table.calls
    assert second.tolist() == first[:, ::-1].tolist()


@pytest.mark.parametrize("ties", ["pool", "swap"])
def test_the_first_mover_wins_only_by_colour_in_a_swapped_game(ties: str) -> None:
    """The margin of the second game belongs to the pair as it then sits."""
    rounds = iter([0, 1])
    table = Table(always_draw)

    def play(pairs: Indexes) -> Scores:
        margin = next(rounds)
        table.rule = lambda first, second: margin
        return table(pairs)

    going = knockout_round(np.arange(16), play, generator(1), ties)
    assert going.tolist() == sorted(table.calls[1][:, 0].tolist())


@pytest.mark.parametrize("ties", ["pool", "swap"])
def test_a_second_tie_is_decided_by_the_generator(ties: str) -> None:
    won: Counter[tuple[int, bool]] = Counter()
    for seed in range(400):
        table = Table(always_draw)
        (winner,) = knockout_round(np.array([4, 9]), table, generator(seed), ties).tolist()
        assert len(table.calls) == 2  # one replay, then the coin
        won[winner, int(table.calls[1][0, 0]) == winner] += 1
    assert set(won) == {(4, True), (4, False), (9, True), (9, False)}  # either player, either colour
    assert all(60 < count < 140 for count in won.values())  # 100 expected, 4.6 deviations are 40


@given(seed=st.integers(0, 2**32), members=st.lists(st.integers(0, 5000), min_size=2, max_size=20, unique=True))
def test_each_plays_each_once(seed: int, members: list[int]) -> None:
    pairs = round_robin_pairs(np.array(members), generator(seed))
    assert len(pairs) == len(members) * (len(members) - 1) // 2
    assert sets(pairs) == {frozenset(pair) for pair in combinations(members, 2)}


def test_colours_are_about_balanced() -> None:
    black = np.zeros(16, np.int64)
    for seed in range(400):
        pairs = round_robin_pairs(np.arange(16), generator(seed))
        black += np.bincount(pairs[:, 0], minlength=16)
    assert (abs(black - 3000) < 4.5 * (400 * 15 / 4) ** 0.5).all()


@given(seed=st.integers(0, 2**32), groups=st.integers(1, 12), size=st.integers(2, 6), data=st.data())
def test_each_group_sends_its_best(seed: int, groups: int, size: int, data: st.DataObject) -> None:
    advance = data.draw(st.integers(1, size - 1))
    players = 2 * np.arange(groups * size) + 1
    table = Table(lower_wins)
    going = play_groups(players, table, generator(seed), size, advance, POINTS)
    (pairs,) = table.calls  # all groups in one call
    assert len(pairs) == groups * size * (size - 1) // 2
    met: dict[int, set[int]] = {int(player): {int(player)} for player in players}
    for first, second in pairs.tolist():
        met[first].add(second)
        met[second].add(first)
    results = {frozenset(group) for group in met.values()}
    assert len(results) == groups  # each plays each of its group and nobody else
    assert all(len(group) == size for group in results)
    assert going.tolist() == sorted(player for group in results for player in sorted(group)[:advance])


def group_of(
    results: dict[tuple[int, int], int], seed: int, points: Points = POINTS, advance: int = 2
) -> tuple[list[int], list[int]]:
    """Play one group of 0 to 3, results by pairs: who goes on, and the order of the shuffle."""
    table = Table(lambda first, second: results[first, second] if first < second else -results[second, first])
    going = play_groups(np.arange(4), table, generator(seed), 4, advance, points)
    return going.tolist(), shuffle(np.arange(4), generator(seed)).tolist()


@pytest.mark.parametrize("seed", range(8))
def test_points_decide_before_wins(seed: int) -> None:
    """Two draws and a loss are worth more than a win and two losses if a win has 1 point."""
    results = {(0, 1): 0, (0, 2): 0, (0, 3): -1, (1, 2): 0, (1, 3): -1, (2, 3): 1}
    points = Points(1, 1, -1)  # 0: 1+1-1 = 1, 1: 1+1-1 = 1, 2: 1+1+1 = 3, 3: 1+1-1 = 1 with two wins
    assert group_of(results, seed, points, 1)[0] == [2]
    assert group_of(results, seed, points, 2)[0] == [2, 3]  # equal points, more wins


def test_the_order_of_the_shuffle_breaks_remaining_ties() -> None:
    seen = set()
    for seed in range(200):
        going, order = group_of(dict.fromkeys(combinations(range(4), 2), 0), seed)
        assert going == sorted(order[:2])
        seen.add(tuple(going))
    assert seen == set(combinations(range(4), 2))
