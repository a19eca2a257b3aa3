"""Networks prepared to evaluate positions: the checked Python interface of the compiled kernel."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from game.bitboard import SQUARE_BIT, rotate, squares_of
from game.board import Position
from game.errors import InputError
from game.networks import kernels
from game.networks.program import Program, program_of
from game.networks.spec import Spec
from game.rules import BLACK


def check_weights(spec: Spec, weights: ArrayLike) -> NDArray[np.float32]:
    """Check the length of a genome and copy it to a contiguous, writable float32 array, as the kernels take it.

    Weights may be infinite or NaN: a player with such weights fails in its games.

    Raises:
        InputError: wrong number of weights.
    """
    with np.errstate(over="ignore"):
        genome = np.array(weights, np.float32, order="C")
    if genome.shape != (spec.weights,):
        raise InputError(f"genome: expected {spec.weights} weights for {spec.name}, got shape {genome.shape}")
    return genome


def with_own_positive(spec: Spec, genomes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Genomes as the kernels take them, for which own pieces are positive in the input.

    Where the specification's `own` is -1, the weights of the first layer change their signs, and nothing else: biases
    and the piece difference do not depend on it. Negation is exact, so scores are those of the definition to the bit.

    Args:
        spec: the network.
        genomes: of shape (..., spec.weights); returned as they are if `own` is 1.
    """
    if spec.own == 1:
        return genomes
    changed = genomes.copy()
    first = changed[..., : spec.parts[0].stop]
    np.negative(first, out=first)  # the sign bit alone: a product would complain of a NaN with a payload
    return changed


class Evaluator:
    """A genome prepared for evaluating positions.

    Args:
        spec: the network.
        weights: float32 of shape (spec.weights,).
        king: the individual's own king value; the specification's if None.

    Raises:
        InputError: the genome has the wrong length.
    """

    def __init__(self, spec: Spec, weights: ArrayLike, king: float | None = None) -> None:
        self.program: Program = program_of(spec)
        self.king = np.float32(spec.king if king is None else king)
        self.params = np.zeros(self.program.params, np.float32)
        genome = with_own_positive(spec, check_weights(spec, weights))
        program = self.program
        rounded = np.empty(spec.weights + program.linear, np.float32)
        kernels.prepare(genome, program.factors(self.king), program.places, program.linear, rounded, self.params)
        self.addresses = (program.plan.ctypes.data, program.taps.ctypes.data, self.params.ctypes.data)

    def scores(self, positions: Sequence[Position], side: int) -> list[float]:
        """Values of positions as `side` sees them, before the last activation, so unbounded; larger is better.

        Args:
            positions: any positions, whichever side is to move; some networks see that.
            side: `BLACK` or `WHITE`, whose pieces count as own.
        """
        return [float(score) for score in self.score_rows(_rows(positions, side), side)]

    def score_rows(self, rows: NDArray[np.uint64], side: int = BLACK) -> NDArray[np.float32]:
        """As `scores`, of positions as words; float32 of shape (positions,).

        Args:
            rows: uint64 of shape (positions, 4): own, opponent, kings, and 1 if `side` is to move, else 0.
            side: whose pieces are own.

        Raises:
            InputError: the network has a policy alone.
        """
        if not self.program.spec.values:
            raise InputError(f"{self.program.spec.name}: has a policy and no value, so no position has a score")
        return _score_rows(self.program, self.addresses, float(self.king), np.ascontiguousarray(rows, np.uint64), side)

    def output_rows(self, rows: NDArray[np.uint64]) -> NDArray[np.float32]:
        """All outputs of positions, those of heads before any softmax; float32 of shape (positions, spec.outputs).

        Args:
            rows: uint64 of shape (positions, 3), from `rows_seen`: own, opponent and kings as the side to move sees
                the board.
        """
        program, count = self.program, len(rows)
        if program.spec.heads is None:
            to_move = np.ones((count, 1), np.uint64)
            return self.score_rows(np.hstack([rows, to_move]))[:, None]
        rows = np.ascontiguousarray(rows, np.uint64)
        scratch = np.empty(program.scratch, np.float32)
        outputs = np.empty((count, program.scratch // (2 * kernels.TOGETHER)), np.float32)
        plan, scratch_at, outputs_at = program.whole_plan, scratch.ctypes.data, outputs.ctypes.data
        addresses = plan.ctypes.data, *self.addresses[1:]
        kernels.output_positions(rows.ctypes.data, count, *addresses, scratch_at, outputs_at)
        return outputs[:, program.columns]


def rows_seen(positions: Sequence[Position]) -> NDArray[np.uint64]:
    """Positions as words, as their side to move sees them: own, opponent, kings; uint64 of shape (positions, 3)."""
    rows = np.zeros((len(positions), 3), np.uint64)
    for row, position in zip(rows, positions, strict=True):
        words = position.own, position.opponent, position.kings
        row[:] = words if position.side == BLACK else [rotate(word) for word in words]
    return rows


def _rows(positions: Sequence[Position], side: int) -> NDArray[np.uint64]:
    rows = np.zeros((len(positions), 4), np.uint64)
    for row, position in zip(rows, positions, strict=True):
        own, opponent = (position.black, position.white) if side == BLACK else (position.white, position.black)
        row[:] = own, opponent, position.kings, int(position.side == side)
    return rows


def _score_rows(
    program: Program, addresses: tuple[int, int, int], king: float, rows: NDArray[np.uint64], side: int
) -> NDArray[np.float32]:
    """`Evaluator.score_rows` by the addresses of plan, taps and parameters."""
    scores = np.empty(len(rows), np.float32)
    # Memory for this call alone: the kernels run without the interpreter lock, so another thread may be in here too.
    scratch = np.empty(program.scratch, np.float32)
    kernels.score_positions(
        side, rows.ctypes.data, len(rows), *addresses, np.float32(king), scratch.ctypes.data, scores.ctypes.data
    )
    return scores


def man_value(program: Program, addresses: tuple[int, int, int], king: float) -> float:
    """Half the mean difference that it makes to miss any man of the other side instead of one's own at the start.

    Args:
        program: a network.
        addresses: of its plan, taps and parameters.
        king: the value of a king.
    """
    start = Position.start()
    boards = [replace(start, black=start.black & ~(1 << SQUARE_BIT[s])) for s in squares_of(start.black)]
    boards += [replace(start, white=start.white & ~(1 << SQUARE_BIT[s])) for s in squares_of(start.white)]
    values = _score_rows(program, addresses, king, _rows(boards, BLACK), BLACK).tolist()
    half = len(values) // 2
    return float(sum(values[half:]) - sum(values[:half])) / (2 * half)


def outputs(spec: Spec, weights: Any, positions: Sequence[Position], king: float | None = None) -> NDArray[np.float32]:
    """All outputs of a genome for the side to move; see `Evaluator.output_rows`. Recently used genomes stay prepared.

    Raises:
        InputError: the genome has the wrong length.
    """
    return _cached(spec, check_weights(spec, weights).tobytes(), king).output_rows(rows_seen(positions))


@functools.lru_cache(64)
def _cached(spec: Spec, weights: bytes, king: float | None) -> Evaluator:
    return Evaluator(spec, np.frombuffer(weights, np.float32), king)


def scores(
    spec: Spec, weights: Any, positions: Sequence[Position], side: int, king: float | None = None
) -> list[float]:
    """Values of positions by a genome; see `Evaluator.scores`. Recently used genomes stay prepared.

    Raises:
        InputError: the genome has the wrong length.
    """
    return _cached(spec, check_weights(spec, weights).tobytes(), king).scores(positions, side)


def man_of(spec: Spec, weights: Any, king: float | None = None) -> float:
    """`man_value` of a genome."""
    evaluator = _cached(spec, check_weights(spec, weights).tobytes(), king)
    return man_value(evaluator.program, evaluator.addresses, float(evaluator.king))
