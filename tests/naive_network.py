"""Networks once more: nested loops over Python floats, written from their descriptions in papers and docstrings.

The board has eight rows of eight, row 0 being the own back row: own man 1, own king K, the other side's -1 and -K,
empty 0; for networks whose `own` is -1 all of these have the other sign. As 32 inputs it is the dark squares alone, row
by row. Weights lie layer by layer, each layer's weights before its biases, the last index fastest:

    convolution   (row, column, in, filter); the kernel slides over all places where it fits
    dense         (in, out); inputs are flat: row by row, column by column, plane by plane
    subsquares    the dark squares of 36 parts of 3x3, 25 of 4x4, ..., 1 of 8x8, by row and column of the part's corner
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from game.networks.spec import Layer, Spec
from tests.naive import PLACES, Board

Cell = str | float
Planes = list[list[list[Cell]]]  # row, column, plane
Times = Callable[[Cell, float], float]

PIECES = 24
FINEST = 2.0**-16


def pieces_seen(fen: str, side: str) -> list[str]:
    """Eight rows of characters as "B" or "W" sees the board; own pieces b (man) and B (king), others w and W."""
    board = Board.from_fen(fen)
    return list(board.rows if side == "B" else board.mirror().rows)


def value_of(piece: str, king: float) -> float:
    size = {".": 0.0}.get(piece, king if piece.isupper() else 1.0)
    return -size if piece in "wW" else size


def encode(fen: str, side: str, king: float = 2.0) -> list[list[float]]:
    """The board of a position in numbers."""
    return [[value_of(piece, king) for piece in row] for row in pieces_seen(fen, side)]


def grid_of(spec: Spec, genome: Sequence[float], king: float) -> float:
    """The grid of the first layer: a whole board's sum needs less than 23 bits of it."""
    first_layer = [abs(weight) for weight in genome[: spec.parts[1].stop]]
    largest = max(first_layer) * (PIECES * max(king, 1.0) + 1)
    grid = FINEST
    while largest >= 2.0**23 * grid:
        grid *= 2
    return grid


def layer_sums(
    spec: Spec, genome: Sequence[float], fen: str, side: str, king: float, *, rounded: bool = False
) -> list[list[float]]:
    """What each layer adds up to, before its activation; flat, as the next dense layer would see it.

    With `rounded`, what a man and what a king adds to a sum of the first layer, and its biases, are rounded to the
    grid once, half to even. The piece difference is not part of the last sum.
    """
    grid = grid_of(spec, genome, king) if rounded else None

    def on_grid(value: float) -> float:
        return value if grid is None else round(value / grid) * grid

    def piece_times(piece: Cell, weight: float) -> float:
        assert isinstance(piece, str)
        if piece == ".":
            return 0.0
        size = on_grid(weight * king if piece.isupper() else weight)
        return -size if (piece in "wW") == (spec.own == 1) else size

    board = pieces_seen(fen, side)
    planes: Planes | None = [[[piece] for piece in row] for row in board]
    flat: list[Cell] = [piece for row in board for piece in row]
    if spec.input == "squares":
        planes, flat = None, [board[row][column] for row, column in PLACES.values()]
    weights = iter(genome)
    found: list[list[float]] = []
    for number, layer in enumerate(spec.layers):
        times: Times = piece_times if number == 0 else lambda value, weight: float(value) * weight
        if layer.kind == "convolution":
            assert planes is not None
            sums, side_length = _convolution(layer, planes, weights, times)
        elif layer.kind == "dense":
            sums = [[times(value, weight) for value, weight in column] for column in _columns(layer, flat, weights)]
        else:
            sums = [[times(flat[square], next(weights)) for square in part] for part in subsquares()]
        biases = [next(weights) for _ in range(layer.outputs)]
        if number == 0:
            biases = [on_grid(bias) for bias in biases]
        totals = [math.fsum([*terms, biases[index % layer.outputs]]) for index, terms in enumerate(sums)]
        found.append(totals)
        flat = [ACTIVATIONS[layer.activation](total) for total in totals]
        if layer.kind == "convolution":
            walk = iter(flat)
            planes = [
                [[next(walk) for _ in range(layer.outputs)] for _ in range(side_length)] for _ in range(side_length)
            ]
    assert next(weights, None) is None
    return found


def output(spec: Spec, genome: Sequence[float], fen: str, side: str, king: float, *, rounded: bool = False) -> float:
    """The value of a board before the last activation, with the piece difference if the network adds it."""
    (total,) = layer_sums(spec, genome, fen, side, king, rounded=rounded)[-1]
    if spec.piece_difference:
        total += math.fsum(value for row in encode(fen, side, king) for value in row)
    return total


def value(spec: Spec, genome: Sequence[float], fen: str, side: str, king: float) -> float:
    """The value after the last activation."""
    return ACTIVATIONS[spec.layers[-1].activation](output(spec, genome, fen, side, king))


def subsquares() -> list[list[int]]:
    """The dark squares, counted from 0, of every square part of the board of 3x3 and more."""
    order = list(PLACES.values())
    parts = []
    for size in (3, 4, 5, 6, 7, 8):
        for top in range(8 - size + 1):
            for left in range(8 - size + 1):
                cells = [(row, column) for row in range(top, top + size) for column in range(left, left + size)]
                parts.append([order.index(cell) for cell in cells if cell in order])
    return parts


def _columns(layer: Layer, flat: list[Cell], weights: Iterator[float]) -> list[list[tuple[Cell, float]]]:
    """For each output of a dense layer its inputs, each with the weight between them."""
    rows = [[next(weights) for _ in range(layer.outputs)] for _ in flat]
    return [[(value, row[out]) for value, row in zip(flat, rows, strict=True)] for out in range(layer.outputs)]


def _convolution(layer: Layer, planes: Planes, weights: Iterator[float], times: Times) -> tuple[list[list[float]], int]:
    """The terms of each sum, and how many places there are in a row."""
    size, depth = layer.size, len(planes[0][0])
    kernel: dict[tuple[int, int, int, int], float] = {}
    for down in range(size):
        for right in range(size):
            for plane in range(depth):
                for one in range(layer.outputs):
                    kernel[down, right, plane, one] = next(weights)
    places = len(planes) - size + 1
    found = []
    for row in range(places):
        for column in range(places):
            for one in range(layer.outputs):
                terms = []
                for down in range(size):
                    for right in range(size):
                        for plane in range(depth):
                            cell = planes[row + down][column + right][plane]
                            terms.append(times(cell, kernel[down, right, plane, one]))
                found.append(terms)
    return found, places


def sigmoid(x: float) -> float:
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    return math.exp(x) / (1 + math.exp(x)) if x > -700 else 0.0


ACTIVATIONS: dict[str, Callable[[float], float]] = {
    "none": lambda x: x,
    "sigmoid": sigmoid,
    "tanh": math.tanh,
    "relu": lambda x: x if x > 0 else 0.0,
}
