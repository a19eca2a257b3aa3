"""Games of a network against itself, compared with games played step by step in Python."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import fields, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from extras.learning import self_play
from extras.learning.self_play import SearchedGames, play
from extras.learning.self_play_kernels import NONE, STEPS
from game import moves, openings
from game.board import Position
from game.generator import GAMMA, MASK, mix
from game.networks.evaluator import Evaluator, rows_seen
from game.players.policy import first_step
from game.rules import DrawRules
from game.search.tree.search import GOES_ON, Forest, TreeOptions
from tests.game.search.tree_helpers import EVALUATORS

RULES = DrawRules(repetition=3, quiet_plies=24, men_reset=True, max_plies=70)
GUMBEL = TreeOptions(selection="gumbel", candidates=4, tablebase=3, skips_forced=True)
PUCT = replace(GUMBEL, selection="puct")
BALLOTS = [opening.position for opening in openings.openings("three-move")]
SEEDS = np.array([mix(number) for number in range(1, 8)], np.uint64)


def step_by_step(
    evaluator: Evaluator, options: TreeOptions, start: Position, seed: int, visits: int
) -> tuple[int, list[Position], list[tuple[int, float, dict[int, float]]]]:
    """Play one game: its result for the side that begins, its positions, and (ply, value, policy) of each search."""
    forest = Forest(evaluator, options, RULES, visits=visits)
    positions, samples = [start], list[tuple[int, float, dict[int, float]]]()
    forest.begin(0, start)
    for ply in itertools.count():
        forest.set_noise(0, mix((seed + (ply + 1) * GAMMA) & MASK) | 1)
        forest.search()
        roots, turns = forest.conclude(), moves.successors(positions[-1])
        if len(turns) > 1:
            policy: dict[int, float] = {}
            for (move, _), share in zip(turns, roots.policy[0].tolist(), strict=False):
                step = first_step(move, positions[-1].side)
                policy[step] = policy.get(step, 0.0) + share
            samples.append((ply, float(roots.values[0]), policy))
        index = int(roots.best[0])
        positions.append(turns[index][1])
        result = int(forest.advance(np.array([index]))[0])
        if result != GOES_ON:
            return result if ply % 2 else -result, positions, samples
    raise AssertionError


def same(one: SearchedGames, other: SearchedGames) -> bool:
    return all(np.array_equal(getattr(one, each.name), getattr(other, each.name)) for each in fields(SearchedGames))


def starts(count: int) -> NDArray[np.uint64]:
    return rows_seen([BALLOTS[37 * number % len(BALLOTS)] for number in range(count)])


@pytest.mark.parametrize("options", [GUMBEL, PUCT], ids=["gumbel", "puct"])
@pytest.mark.parametrize("network", EVALUATORS)
def test_games_are_those_played_step_by_step(network: str, options: TreeOptions) -> None:
    evaluator = EVALUATORS[network]
    played = play(evaluator, options, RULES, starts(4), SEEDS[:4], visits=9)
    for number in range(4):
        start = BALLOTS[37 * number % len(BALLOTS)]
        result, positions, samples = step_by_step(evaluator, options, start, int(SEEDS[number]), 9)
        assert (played.results[number], played.plies[number]) == (result, len(positions) - 1)
        of_game = played.games == number
        assert played.at_plies[of_game].tolist() == [ply for ply, _, _ in samples]
        assert played.rows[of_game].tolist() == rows_seen([positions[ply] for ply, _, _ in samples]).tolist()
        assert played.values[of_game] == pytest.approx([value for _, value, _ in samples], abs=1e-6)
        movers = [1 if ply % 2 == 0 else -1 for ply, _, _ in samples]
        assert played.points()[of_game].tolist() == [mover * result for mover in movers]
        for (_, _, policy), steps, shares in zip(samples, played.steps[of_game], played.shares[of_game], strict=True):
            count = len(policy)
            assert dict(zip(steps[:count].tolist(), shares[:count].tolist(), strict=True)) == pytest.approx(
                policy, abs=1e-3
            )
            assert (steps[count:] == NONE).all() and (shares[count:] == 0).all() and len(steps) == STEPS


def test_a_game_does_not_depend_on_the_others() -> None:
    evaluator = EVALUATORS["results"]
    together = play(evaluator, GUMBEL, RULES, starts(7), SEEDS, visits=7)
    assert same(together, play(evaluator, GUMBEL, RULES, starts(7), SEEDS, visits=7, trees=1))
    assert same(together, play(evaluator, GUMBEL, RULES, starts(7), SEEDS, visits=7, trees=3))
    last = play(evaluator, GUMBEL, RULES, starts(7)[6:], SEEDS[6:], visits=7)
    assert last.rows.tolist() == together.rows[together.games == 6].tolist()
    assert last.shares.tolist() == together.shares[together.games == 6].tolist()


def test_the_record_grows(limit: Callable[..., None]) -> None:
    evaluator = EVALUATORS["results"]
    expected = play(evaluator, GUMBEL, RULES, starts(5), SEEDS[:5], visits=5)
    limit(self_play, "FIRST_SAMPLES", 0)
    assert same(expected, play(evaluator, GUMBEL, RULES, starts(5), SEEDS[:5], visits=5))
