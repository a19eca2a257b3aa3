"""The tournament of a generation against a plain twin: who leaves when, the final order, and what is counted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from evolve.config import toml
from evolve.config.model import Config
from evolve.kinds.pairing import Indexes, Points, Scores
from evolve.kinds.stages import Knockout
from evolve.tournament import tournament
from evolve.tournament.tournament import Ranking
from tests.cases import for_each

TINY = ("population.parents=4", "stages.0.rounds=2", "stages.1.rounds=2")

COWAN = toml.load("cowan")
SMALL = toml.load(None, None, [*TINY])
BALLOTS = toml.load("cowan-ballots", None, [*TINY])


Call = tuple[tuple[int, ...], bool, list[list[int]]]
"""Key, whether moves are kept, pairs."""


@dataclass
class Games:
    """Plays pairings by a rule; `won` tells how many games the first and the second win."""

    won: Callable[[int, int], tuple[int, int]]
    a_pairing: int = 1
    calls: list[Call] = field(default_factory=list)

    def __call__(self, pairs: Indexes, key: tuple[int, ...], keep: bool) -> Scores:
        self.calls.append((key, keep, pairs.tolist()))
        scores = np.array([self.won(*pair) for pair in pairs.tolist()], np.int64).reshape(-1, 2)
        return Scores(scores[:, 0].copy(), scores[:, 1].copy(), self.a_pairing)


def lower_wins(first: int, second: int) -> tuple[int, int]:
    return (1, 0) if first < second else (0, 1)


def test_a_mean_leads_even_if_it_was_eliminated() -> None:
    stages = 'stages=[{kind="groups", size=3, advance=2}, {kind="elimination"}, {kind="round-robin"}]'
    config = toml.load("crownhead-1", None, ["population.mutants=8", "population.parents=3", stages])
    games = Games(lambda first, second: lower_wins(second, first))
    ranking = tournament.run(config, np.random.Generator(np.random.Philox(1)), games)
    assert ranking.order[0] == 0
    assert sorted(ranking.order.tolist()) == list(range(9))
    assert ranking.tally.wins[0] == 0


def always_draw(first: int, second: int) -> tuple[int, int]:
    return 0, 0


def mixed(first: int, second: int) -> tuple[int, int]:
    """Decided by the pair alone, with many draws."""
    return [(0, 0), (1, 0), (0, 1)][(min(first, second) * 31 + max(first, second) * 17) % 7 % 3]


def mixed_pairs(first: int, second: int) -> tuple[int, int]:
    return [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2)][(first * 31 + second * 17) % 11 % 6]


def generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(seed))


def played(config: Config, won: Callable[[int, int], tuple[int, int]], seed: int = 0) -> tuple[Ranking, list[Call]]:
    games = Games(won, config.games.a_pairing)
    return tournament.run(config, generator(seed), games), games.calls


def twin(config: Config, won: Callable[[int, int], tuple[int, int]], calls: list[Call]) -> tuple[list[int], Indexes]:
    """Order and counts again, by plain loops over what was played: who is not in the next round has left."""
    size = config.population.size
    games_a_pair = 1 if config.games.openings == "start" else 2
    counts = np.zeros((size, 5), np.int64)  # games, wins, draws, losses, points
    table: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    rounds: list[set[int]] = []
    for (stage, _, batch), keep, pairs in calls:
        if batch == 0:
            rounds.append({player for pair in pairs for player in pair})
        for first, second in pairs:
            scores = won(first, second)
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


# ---------------------------------------------------------------------------------------------------------------
# The final order
# ---------------------------------------------------------------------------------------------------------------

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
def test_order_and_counts_are_those_of_a_plain_twin(
    config: Config, won: Callable[[int, int], tuple[int, int]], seed: int
) -> None:
    ranking, calls = played(config, won, seed)
    order, counts = twin(config, won, calls)
    assert ranking.order.tolist() == order
    assert tally_of(ranking).tolist() == counts.tolist()
    assert sorted(order) == list(range(config.population.size))


def test_survivors_first_then_later_rounds_before_earlier() -> None:
    ranking, calls = played(COWAN, mixed, 5)
    left = [len({player for pair in pairs for player in pair}) for (_, _, batch), _, pairs in calls if batch == 0]
    assert left == [1024, 512, 256, 128, 64, 32, 16]
    place = 0
    for (_, _, batch), _, pairs in reversed(calls):
        if batch == 0:
            players = {player for pair in pairs for player in pair}
            assert set(ranking.order[: len(players)].tolist()) == players
            place = len(players)
    assert place == 1024


def test_wins_then_points_of_the_whole_tournament_break_ties_of_the_ranking() -> None:
    """All draw in the last round: points and wins of the table are equal, so earlier points decide, then the index."""
    last = SMALL.population.parents
    games = Games(mixed)
    ranking = tournament.run(
        SMALL,
        generator(3),
        lambda pairs, key, keep: Scores(*np.zeros((2, len(pairs)), np.int64)) if keep else games(pairs, key, keep),
    )
    survivors = ranking.order[:last]
    keys = [(-int(ranking.tally.points[one]), int(one)) for one in survivors]
    assert keys == sorted(keys)
    assert len({points for points, _ in keys}) > 1


# ---------------------------------------------------------------------------------------------------------------
# Counts
# ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("won", "replays"), [(lower_wins, 0), (always_draw, 512 + 256 + 128)])
def test_cowan_plays_1352_pairings_and_replays(won: Callable[[int, int], tuple[int, int]], replays: int) -> None:
    _, calls = played(COWAN, won)
    count = sum(len(pairs) for _, _, pairs in calls)
    assert count == 512 + 256 + 128 + 192 + 96 + 48 + 120 + replays == 1352 + replays


def test_only_the_ranking_keeps_its_moves() -> None:
    _, calls = played(SMALL, mixed)
    assert [key[0] == 2 for key, _, _ in calls] == [keep for _, keep, _ in calls]


def test_every_batch_of_pairings_has_a_key_of_its_own() -> None:
    _, calls = played(COWAN, always_draw)
    keys = [key for key, _, _ in calls]
    assert keys == [
        *((0, turn, batch) for turn in range(3) for batch in range(2)),
        *((1, turn, 0) for turn in range(3)),
        (2, 0, 0),
    ]


def test_stages_that_do_not_count() -> None:
    counted, calls = played(SMALL, mixed, 4)
    for off, config in enumerate(NOT_COUNTED):
        ranking, same = played(config, mixed, 4)
        assert same == calls  # what is counted changes nothing of what is played
        missing = 2 * sum(len(pairs) for key, _, pairs in calls if key[0] == off)
        assert counted.tally.games.sum() - ranking.tally.games.sum() == missing > 0
    nothing, _ = played(replace(SMALL, stages=tuple(replace(s, counts=False) for s in SMALL.stages)), mixed, 4)
    assert not tally_of(nothing).any()
    assert set(nothing.order[:4].tolist()) == set(counted.order[:4].tolist())  # the games still decide who goes on
