"""Networks ready to judge positions: the checked face of the compiled kernel."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from game.board import Position
from game.errors import InputError
from game.networks import kernels
from game.networks.program import Program, program_of
from game.networks.spec import Spec
from game.rules import BLACK


def shaped_weights(spec: Spec, weights: ArrayLike) -> NDArray[np.float32]:
    """A genome as the kernels take it: a copy in float32, contiguous, writable (so that one compiled kernel does).

    Weights that are no finite numbers pass: a player who has them fails in its games.

    Raises:
        InputError: another number of weights.
    """
    with np.errstate(over="ignore"):
        genome = np.array(weights, np.float32, order="C")
    if genome.shape != (spec.weights,):
        raise InputError(f"genome: expected {spec.weights} weights for {spec.name}, got shape {genome.shape}")
    return genome


class Evaluator:
    """A genome of a network, prepared.

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
        self.params = np.empty(self.program.params, np.float32)
        genome = shaped_weights(spec, weights)
        rounded = np.empty(2 * (spec.weights + 1), np.float32)
        program = self.program
        kernels.prepare(genome, self.king, program.source, program.first, program.linear, rounded, self.params)
        self.addresses = (program.plan.ctypes.data, program.taps.ctypes.data, self.params.ctypes.data)

    def scores(self, positions: Sequence[Position], side: int) -> list[float]:
        """Values of positions as `side` sees them, before the last activation (so larger is better, without bounds).

        Args:
            positions: any positions; who is to move there does not matter.
            side: `BLACK` or `WHITE`, whose pieces count as own.
        """
        rows = np.zeros((max(len(positions), 1), 4), np.uint64)
        for row, position in zip(rows, positions, strict=False):
            own, opponent = (position.black, position.white) if side == BLACK else (position.white, position.black)
            row[:3] = own, opponent, position.kings
        found = np.empty(len(rows), np.float32)
        plan, taps, params = self.addresses
        # Memory of its own for each call: the kernels let other threads run.
        scratch = np.empty(self.program.scratch, np.float32)
        kernels.score_positions(
            side,
            rows.ctypes.data,
            len(positions),
            plan,
            taps,
            params,
            self.king,
            scratch.ctypes.data,
            found.ctypes.data,
        )
        return [float(score) for score in found[: len(positions)]]


@functools.lru_cache(64)
def _known(spec: Spec, weights: bytes, king: float | None) -> Evaluator:
    return Evaluator(spec, np.frombuffer(weights, np.float32), king)


def scores(
    spec: Spec, weights: Any, positions: Sequence[Position], side: int, king: float | None = None
) -> list[float]:
    """Values of positions by a genome; see `Evaluator.scores`. Genomes used lately stay prepared.

    Raises:
        InputError: the genome has the wrong length.
    """
    return _known(spec, shaped_weights(spec, weights).tobytes(), king).scores(positions, side)
