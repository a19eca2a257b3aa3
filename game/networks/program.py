"""Translating a specification into the numbers that the compiled kernel runs on.

One kernel runs every network. A layer is a set of vectors of 16 outputs; each vector has a list of the inputs that
reach it (its taps) and 16 weights per tap. So a dense layer and a convolution look alike, and inputs that no output of
a vector is connected to are left out.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from game import bitboard
from game.networks import kernels, vectors
from game.networks.activations import ACTIVATIONS
from game.networks.kinds import KINDS, flat, square_place
from game.networks.spec import Part, Spec

LANES = vectors.LANES
ROWS = bitboard.LAST_BIT + 1
ACTIVATION_NUMBER: dict[str, int] = {name: getattr(vectors, name.upper()) for name in ACTIVATIONS}
TILE = 3
"""Vectors of outputs that are computed together if they have the same taps."""

Ints = NDArray[np.int32]


@dataclass(frozen=True)
class Program:
    """A network in the form of the kernel. Offsets are in bytes, into `params`, `taps` or the scratch.

    Attributes:
        spec: the network.
        plan: int64: vectors of the first layer, its activation, offset of the kings' table, of the biases, number of
            tiles, bytes of one position's activations, piece difference (0 or 1), 1 if the outputs end in the first
            half of the scratch, else 0; then for each tile: layer, vectors (1 or 3), first and last tap, weights,
            biases, output, activation.
        taps: int32, offsets of inputs, an even number for each tile.
        source: int32: the genome index of each parameter; the number of weights for parameters that are 0.
        first: number of parameters of the first layer: its tables (men, then kings) and biases.
        linear: number of weights of the first layer, which are the first of the genome.
        sums: number of floats of the first-layer sums.
        scratch: number of floats of scratch memory.
    """

    spec: Spec
    plan: NDArray[np.int64]
    taps: Ints
    source: Ints
    first: int
    linear: int
    sums: int
    scratch: int

    @property
    def params(self) -> int:
        """Number of floats of a prepared genome."""
        return len(self.source)

    @functools.cached_property
    def places(self) -> NDArray[np.uint32]:
        """What `game.networks.kernels.prepare` goes by; uint32 of shape (parameters that have a weight, 2)."""
        table = (self.first - self.sums) // 2
        value = self.source.astype(np.uint32)
        value[table : 2 * table] += self.spec.weights  # those of kings
        used = np.flatnonzero(self.source < self.spec.weights)
        return np.stack([used, value[used]], axis=1).astype(np.uint32)


@functools.lru_cache(16)
def program_of(spec: Spec) -> Program:
    """The program of a network. A few are cached: a session uses one, a match two, and one can be large."""
    width = _pad(flat(spec.shapes[1]))
    table = _first_table(spec, width)
    biases = _bias_map(spec, 0, width)
    source = [table.reshape(-1), table.reshape(-1), biases]
    offset = 2 * table.size + width
    first = offset
    tiles: list[list[int]] = []
    taps: list[int] = []
    widest = width
    for number in range(1, len(spec.layers)):
        connected = _connections(spec, number)
        outputs = connected.shape[1]
        widest = max(widest, outputs)
        bias = _bias_map(spec, number, outputs)
        bias_at = offset
        offset += outputs
        source.append(bias)
        activation = ACTIVATION_NUMBER[spec.layers[number].activation]
        if number == len(spec.layers) - 1:
            activation = vectors.NONE  # moves are compared before the last activation
        for start, stop, inputs in _tiles(connected):
            size = (stop - start) // LANES
            begin = len(taps)
            taps += [4 * index for index in inputs]
            weights = connected[inputs, start:stop]
            if len(inputs) % 2:  # taps are read in pairs; the added one has no weights
                taps.append(0)
                weights = np.vstack([weights, np.full((1, stop - start), -1, np.int32)])
            tiles.append(
                [number % 2, size, 4 * begin, 4 * len(taps), 4 * offset, 4 * (bias_at + start), 4 * start, activation]
            )
            source.append(weights.reshape(-1))
            offset += weights.size
    head = [
        width // LANES,
        ACTIVATION_NUMBER[spec.layers[0].activation] if len(spec.layers) > 1 else vectors.NONE,
        4 * table.size,
        4 * 2 * table.size,
        len(tiles),
        4 * widest,
        int(spec.piece_difference),
        len(spec.layers) % 2,
    ]
    plan = np.array(head + [value for tile in tiles for value in tile], np.int64)
    gathered = np.concatenate([part.reshape(-1) for part in source]).astype(np.int32)
    gathered[gathered < 0] = spec.weights
    assert len(gathered) == offset
    linear = spec.parts[1].stop
    all_taps = np.array([*taps, 0], np.int32)
    return Program(spec, plan, all_taps, gathered, first, linear, width, 2 * kernels.TOGETHER * widest)


def _pad(outputs: int) -> int:
    return -(-outputs // LANES) * LANES


def _parts(spec: Spec, number: int) -> tuple[Part, Part]:
    return spec.parts[2 * number], spec.parts[2 * number + 1]


def _bias_map(spec: Spec, number: int, width: int) -> Ints:
    """Genome index of each output's bias, -1 for lanes without an output."""
    _, bias = _parts(spec, number)
    outputs = flat(spec.shapes[number + 1])
    index = bias.start + np.arange(outputs) % spec.layers[number].outputs
    return np.concatenate([index, np.full(width - outputs, -1)]).astype(np.int32)


def _first_table(spec: Spec, width: int) -> Ints:
    """Genome index of the weight between each bit of the board and each sum; int32 of shape (ROWS, width)."""
    connected = _connections(spec, 0)
    table = np.full((ROWS, width), -1, np.int32)
    for square in range(32):
        row, column = square_place(square)
        place = square if spec.input == "squares" else row * 8 + column
        table[bitboard.SQUARE_BIT[square + 1]] = connected[place]
    return table


def _connections(spec: Spec, number: int) -> Ints:
    """Genome index of the weight between each input and output of a layer, -1 for none; outputs padded to vectors."""
    before, after = spec.shapes[number], spec.shapes[number + 1]
    weights, _ = _parts(spec, number)
    index = np.arange(weights.start, weights.stop).reshape(weights.shape)
    connected = np.full((flat(before), _pad(flat(after))), -1, np.int32)
    connected[:, : flat(after)] = KINDS[spec.layers[number].kind].wiring(index, before, after)
    return connected


def _tiles(connected: Ints) -> list[tuple[int, int, list[int]]]:
    """Group the outputs into tiles of one or `TILE` vectors with the same taps: start, stop, inputs."""
    taps = []
    for start in range(0, connected.shape[1], LANES):
        taps.append(np.flatnonzero((connected[:, start : start + LANES] >= 0).any(axis=1)).tolist())
    tiles = []
    vector = 0
    while vector < len(taps):
        size = TILE if taps[vector : vector + TILE] == [taps[vector]] * TILE else 1
        tiles.append((vector * LANES, (vector + size) * LANES, taps[vector]))
        vector += size
    return tiles
