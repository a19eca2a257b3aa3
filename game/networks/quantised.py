"""Quantised networks: weights rounded to a grid on which all sums are exact, in float32 and in small integers.

Weights of the first layer and its biases are multiples of 1/1024, so that its sums fit into 16-bit integers. Weights of
the other layers are multiples of 1/64, and their biases of 1/8192. The activation `clipped` gives multiples of 1/128.
So the products of signed bytes are exact in 32-bit integers and in a float32, and `game.networks.kernels` and
`game.networks.integer_kernels` give the same bits.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from game import bitboard
from game.board import Position

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from game.networks.spec import Spec

FIRST_STEPS, FIRST_LIMIT = 1024, 1.25
"""Steps per unit and largest absolute value of weights and biases of the first layer: 24 pieces and a bias stay below
32,000 steps."""
STEPS, LIMIT = 64, 127 / 64
"""Steps per unit and largest absolute value of weights of other layers: at most 127 steps, which fit a signed byte."""
BIAS_STEPS, BIAS_LIMIT = 8192, 64.0
"""Steps per unit and largest absolute value of biases of other layers; 8192 is the product of the steps of weights and
of activations."""


def rounded(spec: Spec, genomes: Any, xp: Any = np) -> Any:
    """Return genomes with the weights that a quantised network uses; genomes of other networks are returned unchanged.

    Args:
        genomes: float array of shape (..., spec.weights). Weights that are not finite stay as they are.
    """
    if not spec.quantised:
        return genomes
    steps, limits = grids(spec)
    steps, limits = steps.astype(genomes.dtype), limits.astype(genomes.dtype)
    with np.errstate(invalid="ignore"):  # a NaN may be a signalling one
        on_grid = xp.rint(xp.clip(genomes, -limits, limits) * steps) / steps
    return xp.where(xp.isfinite(genomes), on_grid, genomes)


@functools.lru_cache(16)
def grids(spec: Spec) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return steps per unit and largest absolute value of each weight of a quantised network."""
    steps, limits = np.empty(spec.weights, np.float32), np.empty(spec.weights, np.float32)
    for number, part in enumerate(spec.parts):
        step, limit = (BIAS_STEPS, BIAS_LIMIT) if part.is_bias else (STEPS, LIMIT)
        if number < 2:
            step, limit = FIRST_STEPS, FIRST_LIMIT
        steps[part.start : part.stop], limits[part.start : part.stop] = step, limit
    return steps, limits


@dataclass(frozen=True)
class Integers:
    """The layout of the integers of a quantised network, which follow its other parameters in memory.

    Attributes:
        plan: int64. Offsets are in bytes, from the first integer. The first numbers are, by index, as in `Program.plan`
            where the kernels share code:

            * 0: number of vectors of the first layer's sums;
            * 2, 3: offsets of the kings' table and of the biases;
            * 4: number of layers needed for a value;
            * 5: bytes of a position's scratch memory;
            * 8: bytes from the tables of own pieces to the opponent's tables;
            * 9, 10: bytes and vectors of one view of the sums;
            * 11: bytes of an area of activations;
            * 12: 0 if three outputs are win, draw and loss;
            * 13: bytes of all outputs of a position;
            * 16 to 23: the places of 16 groups of four inputs, as 32-bit numbers, for layers that use all of theirs.

            Six numbers follow for each layer after the first: groups of four inputs; vectors of outputs; offsets of
            weights and of biases; the area with its inputs; the offset of its outputs, -1 for the other area.
        start: index of the first integer in the parameters, counted in floats.
        size: room for the integers, in floats.
    """

    spec: Spec
    plan: NDArray[np.int64]
    start: int
    size: int

    @functools.cached_property
    def whole_plan(self) -> NDArray[np.int64]:
        plan = self.plan.copy()
        plan[4] = (len(plan) - _HEAD) // _LAYER
        return plan

    @classmethod
    def of(cls, spec: Spec, params: int, widest: int, room: int) -> Integers:
        """Lay a quantised network out.

        Args:
            widest: the largest number of activations of a layer, padded to vectors.
            room: a position's scratch memory, in units of 8 bytes.
        """
        start = -(-params // 16) * 16
        width = spec.layers[0].outputs
        table = 2 * (bitboard.LAST_BIT + 1) * 2 * width  # bytes of the rows of one kind of pieces, for both views
        at = 4 * table
        head = [
            2 * width // 32, 0, table, at, len(spec.layers) - 1 + spec.values, 8 * room, 0, 0, 2 * table,
            2 * width, width // 32, widest, 1 if spec.heads and spec.heads.value == "score" else 0, 0, 0, 0,
        ]  # fmt: skip
        at += 4 * width
        layers: list[int] = []
        output = 0
        for number in range(1, len(spec.layers) + len(spec.head_layers)):
            _, before, after = spec.joint(number)
            vectors = -(-math.prod(after) // 16)
            inputs = math.prod(before)
            is_head = number >= len(spec.layers)
            area = (min(number, len(spec.layers)) - 1) % 2
            layers += [inputs // 4, vectors, at, at + 16 * vectors * inputs, area, output if is_head else -1]
            at += 16 * vectors * (inputs + 4)
            output += 64 * vectors * is_head
        head[13] = output
        head += np.arange(0, 64, 4, dtype=np.int32).view(np.int64).tolist()
        return cls(spec, np.array(head + layers, np.int64), start, at // 4)

    def write(self, params: NDArray[np.float32], genome: NDArray[np.float32]) -> None:
        """Write the integers of a genome (from `rounded`) after its other parameters, to `params`.

        Args:
            params: float32 of shape (`Program.params`,), prepared; receives the integers.
            genome: float32 of shape (spec.weights,), from `rounded`.
        """
        if not np.isfinite(params[0]):  # a weight is not finite, which integers cannot represent
            return
        words = params[self.start :].view(np.int8)
        row, biases = int(self.plan[2]), int(self.plan[3])
        units = self.spec.layers[0].outputs
        tables, first = np.split(params[: 4 * row // 2 + 2 * units], [4 * row // 2])
        tables, first = tables.reshape(4, -1, 2, units), first.reshape(2, units)
        order = _order(tables, first)
        words[:biases].view(np.int16)[:] = tables[..., order].reshape(-1) * FIRST_STEPS
        words[biases : biases + 4 * units].view(np.int16)[:] = first[:, order].reshape(-1) * FIRST_STEPS
        for number, (groups, vectors, at, bias_at, _, _) in enumerate(
            self.plan[_HEAD:].reshape(-1, _LAYER).tolist(), 1
        ):
            weights, biases_of = (part.of(genome) for part in self.spec.layer_parts(number))
            full = np.zeros((4 * groups, 16 * vectors), np.int8)
            if min(number, len(self.spec.layers)) == 1:  # it reads the first layer
                weights = weights[order]
            full[:, : weights.shape[1]] = weights * STEPS
            # For each vector of outputs and group of four inputs: 16 outputs, and for each its four weights.
            tiles = full.reshape(groups, 4, vectors, 16).transpose(2, 0, 3, 1)
            words[at:bias_at] = tiles.reshape(-1)
            padded = np.zeros(16 * vectors, np.int32)
            padded[: len(biases_of)] = biases_of * BIAS_STEPS
            words[bias_at : bias_at + 64 * vectors].view(np.int32)[:] = padded


def _order(tables: NDArray[np.float32], biases: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return an order of the units of the first layer in which those that tend to be 0 together are neighbours.

    A group of four units that are 0 costs no time in the layer after it. A unit whose sum is larger in the first
    position of a game is more often active in all others.
    """
    start = Position.start()
    own, opponent = (
        [bit for bit in range(bitboard.LAST_BIT + 1) if word >> bit & 1] for word in (start.own, start.opponent)
    )
    sums = biases[0] + tables[0, own, 0].sum(axis=0) + tables[2, opponent, 0].sum(axis=0)
    return np.argsort(-sums, kind="stable")


_HEAD, _LAYER = 24, 6
