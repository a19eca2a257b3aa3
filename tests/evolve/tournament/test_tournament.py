"""The tournament of a generation against a plain twin: who leaves when, the final order, and what is counted."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from evolve.config import toml
from evolve.config.model import Config
from evolve.kinds.pairing import Indexes, Points
from evolve.kinds.stages import Knockout
from evolve.tournament import tournament
from evolve.tournament.tournament import Ranking
from tests.cases import for_each
from tests.evolve.tournament.rules import Games, Rule, always_draw, lower_wins, played

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
