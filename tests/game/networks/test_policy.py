"""Policy heads: outputs of the compiled kernel, and turns as steps and back for both colours."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from game import moves
from game.bitboard import BIT_SQUARE, SQUARE_BIT, rotate
from game.board import Position
from game.errors import InputError
from game.networks.evaluator import Evaluator, evaluator_of
from game.networks.kinds import neighbours
from game.networks.spec import Spec
from game.players.policy import POLICY_STEPS, first_step, turn_likelihoods
from game.rules import BLACK, WHITE
from tests import naive_network
from tests.game.networks.network_samples import HEADED, POLICIES, SPECS, names, positions, tame

WITH_HEADS = (*HEADED, *POLICIES)


def mirrored(position: Position) -> Position:
    words = rotate(position.white), rotate(position.black), rotate(position.kings)
    return Position(*words, 1 - position.side)


def steps_at(fen: str) -> dict[str, int]:
    position = Position.from_fen(fen)
    return {str(move): first_step(move, position.side) for move in moves.legal_moves(position)}


@pytest.mark.parametrize("spec", WITH_HEADS, ids=names(WITH_HEADS))
def test_outputs_are_those_of_the_definition(spec: Spec) -> None:
    """Weights are multiples of the grid to which first layers are rounded; nineteen positions, so no full eight."""
    genome = np.round(tame(spec, 3) * 2**12).astype(np.float32) / 2**12
    boards = positions(11, 19)
    result = evaluator_of(spec, genome).outputs(boards)
    assert result.shape == (19, spec.outputs)
    for position, row in zip(boards, result, strict=True):
        fen = position.fen()
        if spec is not POLICIES[0]:  # the naive twin has no diagonal layer after a dense one
            twin = naive_network.layer_sums(spec, genome.tolist(), fen, fen[0], spec.king)[-1]
            assert row == pytest.approx(twin, rel=1e-5, abs=1e-5)
        assert evaluator_of(spec, genome).outputs([position])[0].tobytes() == row.tobytes()
        assert evaluator_of(spec, genome).outputs([mirrored(position)])[0].tobytes() == row.tobytes()
    assert len({row.tobytes() for row in result}) == 19


def test_networks_without_heads_have_their_value_as_output() -> None:
    spec, boards = SPECS[0], positions(12, 5)
    genome = tame(spec, 1)
    result = evaluator_of(spec, genome).outputs(boards)
    assert result.shape == (5, spec.outputs) == (5, 1)
    assert result[:, 0].tolist() == [Evaluator(spec, genome).scores([each], each.side)[0] for each in boards]


@pytest.mark.parametrize("spec", POLICIES, ids=names(POLICIES))
def test_a_policy_alone_gives_no_value(spec: Spec) -> None:
    with pytest.raises(InputError, match=f"{spec.name}: has only a policy, so positions have no scores"):
        Evaluator(spec, np.zeros(spec.weights)).scores([Position.start()], BLACK)


def test_chances_that_are_certain_or_broken() -> None:
    spec = HEADED[2]
    genome = np.zeros(spec.weights, np.float32)
    biases = spec.parts[-1].of(genome)
    for chances, value in (((1e30, 0, 0), 1), ((0, 0, 1e30), -1), ((5, 3e38, -3e38), 0), ((2, 1, 2), 0)):
        biases[:] = chances
        (score,) = Evaluator(spec, genome).scores([Position.start()], WHITE)
        assert score == pytest.approx(value, abs=1e-6)
    spec.parts[-2].of(genome)[:] = 3e38
    assert not math.isfinite(Evaluator(spec, genome).scores([Position.start()], WHITE)[0])


def test_steps_at_the_edges() -> None:
    for fen, steps in (
        ("B:W32:BK4,K29", {"4-8": 14, "29-25": 113}),
        ("B:W31:BK1,K28", {"1-5": 2, "1-6": 3, "28-24": 108, "28-32": 110}),
        ("B:W31:BK5,K12", {"5-1": 17, "5-9": 19, "12-8": 44, "12-16": 46}),
        ("B:W6,7,15,14:BK2", {"2x9x18x11x2": 6, "2x11x18x9x2": 7}),
    ):
        assert steps_at(fen) == steps
        other = steps_at(mirrored(Position.from_fen(fen)).fen())
        turned = {re.sub(r"\d+", lambda result: str(33 - int(result[0])), move): step for move, step in steps.items()}
        assert other == turned


def test_the_directions_are_those_of_diagonal_layers() -> None:
    for square in range(32):
        for direction, step in enumerate(POLICY_STEPS):
            bit = SQUARE_BIT[square + 1] + step
            there = BIT_SQUARE[bit] - 1 if 0 <= bit <= 34 else -1
            assert neighbours()[direction + 1][square] == there


def random_positions(seed: int, games: int) -> Iterator[Position]:
    draws = Random(seed)
    for _ in range(games):
        position = Position.start()
        for _ in range(80):
            after = moves.successors(position)
            if not after:
                break
            yield position
            position = draws.choice(after)[1]


def test_turns_and_steps_both_ways_over_random_games() -> None:
    seen, shared = set[int](), 0
    outputs_drawn = np.random.default_rng(2).normal(0, 5, 128).astype(np.float32)
    for position in random_positions(1, 150):
        legal = moves.legal_moves(position)
        steps = [first_step(move, position.side) for move in legal]
        turned = moves.legal_moves(mirrored(position))
        assert sorted(steps) == sorted(first_step(move, 1 - position.side) for move in turned)
        for move, step in zip(legal, steps, strict=True):
            same = [each for each, known in zip(legal, steps, strict=True) if known == step]
            assert move in same
            towards = [each.captured[0] if each.captured else each.path[1] for each in same]
            assert {(each.path[0], to) for each, to in zip(same, towards, strict=True)} == {(move.path[0], towards[0])}
        chances = turn_likelihoods(outputs_drawn, legal, position.side)
        assert math.fsum(chances) == pytest.approx(1.0, abs=1e-12)
        assert all(chance > 0 for chance in chances)
        of_steps = Counter[int]()
        for step, chance in zip(steps, chances, strict=True):
            of_steps[step] += chance
        first = legal[chances.index(max(chances))] if len(of_steps) == len(legal) else None
        if first is not None:
            assert first_step(first, position.side) == max(steps, key=lambda step: outputs_drawn[step])
        shared += len(of_steps) < len(legal)
        seen |= set(steps)
    assert shared > 3
    assert len(seen) == 128 - 30


def test_outputs_that_lead_off_the_board_are_of_no_turn() -> None:
    assert sum(other < 0 for places in neighbours()[1:] for other in places) == 30
