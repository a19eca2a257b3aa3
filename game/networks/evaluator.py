"""Networks compiled for the kernel: specifications become programs, and genomes become evaluators.

A layer is a set of vectors of 16 outputs; each vector has a list of the inputs that are connected to it (its taps) and
16 weights for each tap. So dense layers and convolutions have the same form, and inputs that are not connected to a
vector cost nothing.
"""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from game import bitboard
from game.bitboard import SQUARE_BIT, rotate, squares_of
from game.board import Position
from game.errors import InputError
from game.networks import kernels, vectors
from game.networks.activations import ACTIVATIONS
from game.networks.kinds import KINDS, square_place
from game.networks.quantised import Integers, rounded
from game.networks.spec import Spec
from game.networks.windows import ternary
from game.rules import BLACK

LANES = vectors.LANES
ROWS = bitboard.LAST_BIT + 1
ACTIVATION_NUMBER: dict[str, int] = {name: number for number, name in enumerate(ACTIVATIONS)}
TILE = 3
"""Number of vectors of outputs that are computed together if they have the same taps."""

Ints = NDArray[np.int32]


@dataclass(frozen=True)
class Program:
    """A network compiled for the kernel. Offsets are in bytes, into `params`, `taps` or the scratch memory.

    Attributes:
        plan: int64. The first numbers are, by index:

            * 0, 1: number of vectors of the first layer's sums, and its activation;
            * 2, 3: offsets of the kings' table and of the biases;
            * 4: number of tiles needed for a value;
            * 5: bytes of one position's activations;
            * 6: 1 if the piece difference is added, else 0;
            * 7: 1 if the outputs end in the first half of the scratch memory, else 0;
            * 8: bytes from the tables of own pieces to the opponent's tables (0: the same tables, negated);
            * 9, 10: bytes from the sums of one view to the sums of the other (0: only one view), and vectors of a view;
            * 11: offset of the sums of `Spec.tables` in a view (-1: none);
            * 12: number of phases (0: three outputs are win, draw and loss);
            * 13: number of layers;
            * 14, 15: offsets of the patterns (-1: none), and of `windows.ternary` in the taps.

            Nine numbers follow for each tile: the parity of its layer; the number of vectors, 1 or 3; offsets of the
            first tap and after the last; offsets of weights, biases and output; activation; residual.
        taps: int32: offsets of inputs; each tile has an even number of taps.
        source: int32: the index of each parameter's weight in the genome; `spec.weights` if it has none.
        scaled: bool: whether each parameter is its weight times `factors`.
        first: number of parameters of the first layer: tables for men and kings (with two views also for the
            opponent's) and biases.
        margins: offset of the two weights of `Spec.margins`, which evaluations do not read; -1 if there are none.
        sums: number of floats of the first-layer sums.
        scratch: number of floats of scratch memory.
        columns: index of each output of the heads among the outputs of a position; empty without heads.
        integers: the integers of a quantised network, at the end of its parameters; None for others.
    """

    spec: Spec
    plan: NDArray[np.int64]
    taps: Ints
    source: Ints
    scaled: NDArray[np.bool_]
    first: int
    linear: int
    margins: int
    sums: int
    scratch: int
    columns: tuple[int, ...]
    integers: Integers | None = None

    @functools.cached_property
    def whole_plan(self) -> NDArray[np.int64]:
        """The plan with the tiles of all heads; `plan` has only those needed for a value."""
        plan = self.plan.copy()
        plan[4] = (len(plan) - kernels.HEAD_BYTES // 8) // (kernels.TILE_BYTES // 8)
        return plan

    @property
    def layers_alone(self) -> bool:
        """True if the layers give one value, to which at most the piece difference is added."""
        spec = self.spec
        others = spec.tables or spec.patterns or spec.by_mover
        return bool(spec.layers) and not others and self.plan[12] == 1

    @property
    def params(self) -> int:
        """The number of floats of a prepared genome."""
        return len(self.source) if self.integers is None else self.integers.start + self.integers.size

    @functools.cached_property
    def places(self) -> NDArray[np.uint32]:
        """The table for `game.networks.kernels.prepare`: uint32 of shape (parameters with a weight, 2)."""
        used = np.flatnonzero(self.source < self.spec.weights)
        value = self.source + self.spec.weights * self.scaled
        return np.stack([used, value[used]], axis=1).astype(np.uint32)

    def factors(self, kings: Any) -> Any:
        """Return, for each king value, the factor of `scaled` parameters.

        If pieces are signed numbers, parameters for kings are weights times the king value. If the network sees the
        board as the side to move, the factor is -1: the opponent's tables are the side's own tables, negated.
        """
        with np.errstate(invalid="ignore"):
            return -(kings / kings) if self.spec.by_mover else kings  # NaN for a king that is not finite


@functools.lru_cache(16)
def program_of(spec: Spec) -> Program:
    """Return the program of a network. Only a few are cached, since a session uses one and a match two."""
    first = _first_sums(spec)
    sums = len(first.biases)
    width = sums // 2 if spec.by_mover else sums
    table = first.tables[0].size
    source = [first.tables, first.biases]
    begin_biases = first.tables.size
    offset = end_first = begin_biases + sums
    tiles: list[list[int]] = []
    taps: list[int] = []
    known: dict[bytes, int] = {}
    widest, columns, target, valued = width, list[int](), 0, 0
    last = len(spec.layers) - (not spec.heads)
    for number in range(1, len(spec.layers) + len(spec.head_layers)):
        layer, _, after = spec.joint(number)
        connected = _connections(spec, number)
        outputs = connected.shape[1]
        bias = _bias_map(spec, number, outputs)
        bias_at = offset
        offset += outputs
        source.append(bias)
        activation = ACTIVATION_NUMBER[layer.activation]
        if number >= last:
            activation = ACTIVATION_NUMBER["none"]  # moves are compared before the last activation
        for start, stop, inputs in _tiles(connected):
            size = (stop - start) // LANES
            begin = len(taps)
            taps += [4 * index for index in inputs]
            weights = connected[inputs, start:stop]
            if len(inputs) % 2:  # taps are read in pairs, so add one without weights
                taps.append(0)
                weights = np.vstack([weights, np.full((1, stop - start), -1, np.int32)])
            key = weights.tobytes()
            if key not in known:  # squares of a diagonal layer with the same neighbours share their weights
                known[key] = offset
                source.append(weights.reshape(-1))
                offset += weights.size
            odd = min(number, len(spec.layers)) % 2
            tiles.append(
                [odd, size, 4 * begin, 4 * len(taps), 4 * known[key], 4 * (bias_at + start), 4 * (target + start),
                 activation, int(layer.residual)]
            )  # fmt: skip
        if number >= len(spec.layers):  # a head: the outputs of the next head come after its own
            columns += range(target, target + math.prod(after))
            target += outputs
            valued = valued or len(tiles)
        widest = max(widest, outputs, target)
    room = _pad(widest + widest // 8 + LANES // 2) if spec.quantised else widest  # for the list of active groups, too
    head = [
        sums // LANES,
        ACTIVATION_NUMBER[spec.layers[0].activation if last > 0 else "none"],
        4 * table,
        4 * begin_biases,
        valued or len(tiles),
        4 * room,
        int(spec.piece_difference),
        (len(spec.layers) + bool(spec.heads)) % 2,
        4 * 2 * table if spec.by_mover else 0,
        4 * width if spec.by_mover else 0,
        width // LANES,
        4 * first.units if spec.tables else -1,
        0 if spec.heads and spec.heads.value == "wdl" else spec.phases,
        len(spec.layers),
        4 * offset if spec.patterns else -1,
        4 * len(taps),
    ]
    if spec.patterns:
        cells = spec.pattern_part
        source.append(
            np.arange(cells.start, cells.stop).reshape(spec.phases, -1).T.astype(np.int32)
        )  # the phases of a cell together
        offset += cells.stop - cells.start
        taps += ternary().tolist()
    margins = -1
    if spec.margins:
        margins = 4 * offset
        source.append(np.arange(spec.valued, spec.weights, dtype=np.int32))
        offset += 2
    plan = np.array(head + [value for tile in tiles for value in tile], np.int64)
    gathered = np.concatenate([part.reshape(-1) for part in source]).astype(np.int32)
    gathered[gathered < 0] = spec.weights
    assert len(gathered) == offset
    scaled = np.zeros(offset, bool)
    scaled[:begin_biases] = first.scaled.reshape(-1)
    all_taps = np.array([*taps, 0], np.int32)
    scratch = 2 * kernels.TOGETHER * room
    integers = Integers.of(spec, offset, widest, room) if spec.quantised else None
    return Program(
        spec, plan, all_taps, gathered, scaled, end_first, spec.linear, margins, sums, scratch, tuple(columns), integers
    )


@dataclass(frozen=True)
class _FirstSums:
    """The first layer and `Spec.tables` as tables of the numbers that each piece on each square adds to the sums.

    Attributes:
        tables: int32 of shape (kinds of pieces, ROWS, sums): the genome index of each weight, -1 for none.
        scaled: bool, of the same shape: whether the weight is multiplied by `Program.factors`.
        biases: int32 of shape (sums,): the genome index of each bias, -1 for none.
    """

    tables: Ints
    scaled: NDArray[np.bool_]
    biases: Ints
    units: int


def _first_sums(spec: Spec) -> _FirstSums:
    units = math.prod(spec.shapes[1]) if spec.layers else 0
    lanes = _pad(units + spec.phases * spec.tables)
    kinds = 4 if spec.by_mover else 2
    tables, scaled = np.full((kinds, 32, lanes), -1, np.int32), np.zeros((kinds, 32, lanes), bool)
    biases = np.full(lanes, -1, np.int32)
    if spec.layers:
        connected = _connections(spec, 0)[:, :units]
        for kind, square in np.ndindex(kinds, 32):
            tables[kind, square, :units] = connected[_input_of(spec.input, kind, square)]
        biases[:units] = _bias_map(spec, 0, units)
    if spec.tables:
        values, tempo = spec.parts[:2]
        places = np.arange(values.start, values.stop).reshape(spec.phases, 2, 32).transpose(1, 2, 0)
        tables[:2, :, units : units + spec.phases] = places
        tables[2:, :, units : units + spec.phases] = places[:, ::-1]
        scaled[2:, :, units : units + spec.phases] = True
        biases[units : units + spec.phases] = np.arange(tempo.start, tempo.stop)
    if spec.by_mover:  # the opponent's view exchanges own and opponent's pieces, and rotates the board
        tables = np.concatenate([tables, tables[[2, 3, 0, 1], ::-1]], axis=2)
        scaled = np.concatenate([scaled, scaled[[2, 3, 0, 1], ::-1]], axis=2)
        biases = np.concatenate([biases, biases])
    else:
        scaled[1] = True  # kings
    rows = [bitboard.SQUARE_BIT[square + 1] for square in range(32)]
    on_bits = np.full((kinds, ROWS, tables.shape[2]), -1, np.int32)
    on_bits[:, rows] = tables
    scaled_bits = np.zeros(on_bits.shape, bool)
    scaled_bits[:, rows] = scaled
    return _FirstSums(on_bits, scaled_bits, biases, units)


def _input_of(name: str, kind: int, square: int) -> int:
    row, column = square_place(square)
    return {
        "squares": square,
        "board": row * 8 + column,
        "pieces": kind * 32 + square,
        "planes": (row * 8 + column) * 4 + kind,
    }[name]


def _pad(outputs: int) -> int:
    return -(-outputs // LANES) * LANES


def _bias_map(spec: Spec, number: int, width: int) -> Ints:
    """Return the genome index of each output's bias, -1 for lanes without an output."""
    _, bias = spec.layer_parts(number)
    layer, _, after = spec.joint(number)
    outputs = math.prod(after)
    index = bias.start + np.arange(outputs) % layer.outputs
    return np.concatenate([index, np.full(width - outputs, -1)]).astype(np.int32)


def _connections(spec: Spec, number: int) -> Ints:
    """Return the genome index of the weight between each input and output (padded to vectors); -1 for none."""
    layer, before, after = spec.joint(number)
    weights, _ = spec.layer_parts(number)
    index = np.arange(weights.start, weights.stop).reshape(weights.shape)
    connected = np.full((math.prod(before), _pad(math.prod(after))), -1, np.int32)
    connected[:, : math.prod(after)] = KINDS[layer.kind].wiring(index, before, after)
    return connected


def _tiles(connected: Ints) -> list[tuple[int, int, list[int]]]:
    """Group the outputs into tiles with the same taps: (start, stop, inputs)."""
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


def check_weights(spec: Spec, weights: ArrayLike) -> NDArray[np.float32]:
    """Check the length of a genome and copy it to a contiguous, writable float32 array, as required by the kernels.

    Weights may be infinite or NaN; players with such weights fail in their games.

    Raises:
        InputError: wrong number of weights.
    """
    with np.errstate(over="ignore"):
        genome = np.array(weights, np.float32, order="C")
    if genome.shape != (spec.weights,):
        raise InputError(f"genome: expected {spec.weights} weights for {spec.name}, got shape {genome.shape}")
    return genome


def for_kernels(spec: Spec, genomes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return genomes as the kernels read them: own pieces positive in the input, weights of quantised networks rounded.

    If `spec.own` is -1, the weights of the first layer are negated; biases and the piece difference stay as they are.
    Negation is exact, so scores do not change.

    Args:
        genomes: float32 of shape (..., spec.weights); the same array is returned if nothing changes.
    """
    if spec.quantised:
        quantised: NDArray[np.float32] = rounded(spec, genomes)
        return quantised
    if spec.own == 1:
        return genomes
    changed = genomes.copy()
    first = changed[..., : spec.parts[0].stop]
    np.negative(first, out=first)  # flips sign bits; a multiplication would warn about some NaNs
    return changed


class Evaluator:
    """A genome prepared for evaluating positions.

    Args:
        weights: float32 of shape (spec.weights,).
        king: the individual's king value; None for the specification's.

    Raises:
        InputError: the genome has the wrong length.
    """

    def __init__(self, spec: Spec, weights: ArrayLike, king: float | None = None) -> None:
        self.program: Program = program_of(spec)
        self.king = np.float32(spec.king if king is None else king)
        self.params = np.zeros(self.program.params, np.float32)
        genome = for_kernels(spec, check_weights(spec, weights))
        program = self.program
        room = np.empty(spec.weights + program.linear, np.float32)
        kernels.prepare(genome, program.factors(self.king), program.places, program.linear, room, self.params)
        if program.integers is not None:
            program.integers.write(self.params, genome)
        self.addresses = (program.plan.ctypes.data, program.taps.ctypes.data, self.params.ctypes.data)

    @functools.cached_property
    def man(self) -> float:
        return man_value(self.program, self.addresses, float(self.king))

    def scores(self, positions: Sequence[Position], side: int) -> list[float]:
        """Return the values of positions as `side` sees them, before the last activation; larger is better.

        Args:
            side: `BLACK` or `WHITE`, whose pieces count as own.
        """
        return [float(score) for score in self.score_rows(_rows(positions, side), side)]

    def score_rows(self, rows: NDArray[np.uint64], side: int = BLACK) -> NDArray[np.float32]:
        """Return the scores of positions given as words, float32 of shape (positions,); see `scores`.

        Args:
            rows: uint64 of shape (positions, 4): own, opponent, kings, and 1 if `side` is to move, else 0.

        Raises:
            InputError: the network has only a policy.
        """
        if not self.program.spec.values:
            raise InputError(f"{self.program.spec.name}: has only a policy, so positions have no scores")
        return _score_rows(self.program, self.addresses, float(self.king), np.ascontiguousarray(rows, np.uint64), side)

    def writer(self) -> tuple[int, NDArray[np.int64], NDArray[np.float32]]:
        """Return the address of a kernel that writes all outputs (`kernels.write_outputs`), and its argument `network`.

        Returns:
            The address, the words, and their scratch memory; each of several calls at a time needs its own.
        """
        program, scratch = self.program, np.empty(self.program.scratch, np.float32)
        integers = integers_of(program, self.addresses[2])
        if integers is None:
            from game.networks.kernels import write_outputs

            words = program.whole_plan.ctypes.data, *self.addresses[1:], scratch.ctypes.data
        else:
            from game.networks.integer_kernels import write_outputs

            params = self.addresses[2] + 4 * integers.start
            words = integers.whole_plan.ctypes.data, self.addresses[1], params, scratch.ctypes.data
        return write_outputs.address, np.array(words, np.int64), scratch

    def outputs(self, positions: Sequence[Position]) -> NDArray[np.float32]:
        return self.output_rows(rows_seen(positions))

    def output_rows(self, rows: NDArray[np.uint64]) -> NDArray[np.float32]:
        """Return all outputs of positions, before any softmax; float32 of shape (positions, spec.outputs).

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


def integers_of(program: Program, params: int) -> Integers | None:
    """Return the integers of a network if kernels should use them: it is quantised and the processor is fast at them.

    Args:
        params: address of its parameters; the first is not finite if a weight is not.
    """
    if program.integers is None or not math.isfinite(ctypes.c_float.from_address(params).value):
        return None
    from game.networks.integer_kernels import AVAILABLE

    return program.integers if AVAILABLE else None


def rows_seen(positions: Sequence[Position]) -> NDArray[np.uint64]:
    """Return positions as words seen by the side to move: own, opponent, kings; uint64 of shape (positions, 3)."""
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
    scores = np.empty(len(rows), np.float32)
    # Each call has its own memory: kernels run without the GIL, so threads may run this function concurrently.
    scratch = np.empty(program.scratch, np.float32)
    kernels.score_positions(
        side, rows.ctypes.data, len(rows), *addresses, np.float32(king), scratch.ctypes.data, scores.ctypes.data
    )
    return scores


def man_value(program: Program, addresses: tuple[int, int, int], king: float) -> float:
    """Return the value of a man, measured by removing single men from the start position.

    It is half the difference between two mean scores: without one of the opponent's men, and without one of the side's.
    """
    start = Position.start()
    boards = [replace(start, black=start.black & ~(1 << SQUARE_BIT[s])) for s in squares_of(start.black)]
    boards += [replace(start, white=start.white & ~(1 << SQUARE_BIT[s])) for s in squares_of(start.white)]
    values = _score_rows(program, addresses, king, _rows(boards, BLACK), BLACK).tolist()
    half = len(values) // 2
    return float(sum(values[half:]) - sum(values[:half])) / (2 * half)


def evaluator_of(spec: Spec, weights: Any, king: float | None = None) -> Evaluator:
    """Return the evaluator of a genome; recently used ones are cached."""
    return _cached(spec, check_weights(spec, weights).tobytes(), king)


@functools.lru_cache(64)
def _cached(spec: Spec, weights: bytes, king: float | None) -> Evaluator:
    return Evaluator(spec, np.frombuffer(weights, np.float32), king)
