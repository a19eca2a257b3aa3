"""Naive networks: nested loops over Python floats, written from their descriptions in papers and docstrings.

The board has eight rows of eight; row 0 is the own back row. An own man is 1, an own king K, the opponent's pieces -1
and -K, an empty square 0; if a network's `own` is -1, all signs are reversed. A board of 32 inputs has only the dark
squares, row by row. Weights are stored layer by layer, each layer's weights before its biases, the last index fastest:

    convolution   (row, column, in, filter); the kernel slides over all places where it fits
    dense         (in, out); inputs are flat: row by row, column by column, plane by plane
    diagonal      (place, in, filter); places are the square itself, then its neighbours back left, back right, forward
                  left, forward right; the inputs of a square are its pieces by kind, or the outputs of the previous
                  layer there
    subsquares    the dark squares of 36 parts of 3x3, 25 of 4x4, ..., 1 of 8x8, by row and column of the part's corner

Inputs by kind are seen by the side to move, and the output is its value. The kinds are own men, own kings, the
opponent's men and the opponent's kings; an input is 1 if there is such a piece. "pieces" has the 32 squares of the
first kind, then of the next; "planes" has the four kinds at each place of the board.

Tables come first in the genome: for each phase the 32 squares of a man, then of a king; then the tempo of each phase.
The opponent's pieces count negative, each as its owner sees it. The phases belong to 24 pieces, ..., no pieces; for
other numbers of pieces, the outputs of the two nearest phases are interpolated.

Heads follow the layers. The head of the value is dense, with one output, or three for win, draw and loss; the value is
the output, or the chance of a win minus the chance of a loss. The head of the policy has four steps for each square; it
is a diagonal layer if the last layer is diagonal, and otherwise dense.

Then come patterns: for each phase, and each 4x4 window that begins in row 0, 2 or 4 and column 0, 2 or 4, the worth of
its men. The window's 8 dark squares are digits in base 3, the first one the lowest: 1 for an own man, 2 for an
opponent's man. The margins of pruning, up and down, come last.
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
KINDS = "bBwW"
PATTERNS = 9 * 3**8
FINEST = 2.0**-16


def pieces_seen(fen: str, side: str) -> list[str]:
    """Return eight rows of characters as "B" or "W" sees the board; own pieces are b and B (king), others w and W."""
    board = Board.from_fen(fen)
    return list(board.rows if side == "B" else board.mirror().rows)


def value_of(piece: str, king: float) -> float:
    size = {".": 0.0}.get(piece, king if piece.isupper() else 1.0)
    return -size if piece in "wW" else size


def encode(fen: str, side: str, king: float = 2.0) -> list[list[float]]:
    return [[value_of(piece, king) for piece in row] for row in pieces_seen(fen, side)]


def grid_of(spec: Spec, genome: Sequence[float], king: float) -> float:
    """Return the grid of the first layer, on which the sum of a whole board needs fewer than 23 bits."""
    first_layer = [abs(weight) for weight in genome[: spec.linear]]
    largest = max(first_layer) * (PIECES * (1.0 if spec.by_mover else max(king, 1.0)) + 1)
    grid = FINEST
    while largest >= 2.0**23 * grid:
        grid *= 2
    return grid


def layer_sums(
    spec: Spec, genome: Sequence[float], fen: str, side: str, king: float, *, rounded: bool = False
) -> list[list[float]]:
    """Return the sums of each layer before its activation, flat, as the next dense layer would see them.

    With `rounded`, the biases of the first layer, and the amounts that a man and a king add to its sums, are rounded to
    the grid once, half to even. The piece difference and tables are not part of the last sum.
    """
    if spec.quantised:
        genome = _quantised(spec, genome)
    on_grid = _grid(spec, genome, king, rounded=rounded)

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
    if spec.by_mover:
        piece_times = lambda cell, weight: float(cell) * on_grid(weight)  # noqa: E731
        planes = [[[float(piece == kind) for kind in KINDS] for piece in row] for row in board]
        flat = [cell for row in planes for place in row for cell in place]
    if spec.input == "pieces":
        planes, flat = None, [float(board[row][column] == kind) for kind in KINDS for row, column in PLACES.values()]
    behind = PATTERNS * spec.phases * spec.patterns + 2 * spec.margins
    weights = iter(genome[65 * spec.phases * spec.tables : len(genome) - behind])
    results: list[list[float]] = []
    kept: list[list[float]] = []  # of each layer, behind its activation
    for number, layer in enumerate(spec.layers):
        times: Times = piece_times if number == 0 else lambda value, weight: float(value) * weight
        if layer.kind == "convolution":
            assert planes is not None
            sums, side_length = _convolution(layer, planes, weights, times)
        elif layer.kind == "dense":
            sums = [[times(value, weight) for value, weight in column] for column in _columns(layer, flat, weights)]
        elif layer.kind == "diagonal":
            by_square = [flat[square::32] for square in range(32)] if number == 0 else _in_rows(flat, len(flat) // 32)
            sums = _diagonal(layer, by_square, weights, times)
        else:
            sums = [[times(flat[square], next(weights)) for square in part] for part in subsquares()]
        biases = [next(weights) for _ in range(layer.outputs)]
        if number == 0:
            biases = [on_grid(bias) for bias in biases]
        earlier = kept[number - 2] if layer.residual else [0.0] * len(sums)
        totals = [
            math.fsum([*terms, biases[index % layer.outputs], earlier[index]]) for index, terms in enumerate(sums)
        ]
        results.append(totals)
        kept.append([ACTIVATIONS[layer.activation](total) for total in totals])
        flat = [*kept[-1]]
        if layer.kind == "convolution":
            walk = iter(flat)
            planes = [
                [[next(walk) for _ in range(layer.outputs)] for _ in range(side_length)] for _ in range(side_length)
            ]
    if spec.heads:
        results.append(_head_sums(spec, flat, weights))
    assert next(weights, None) is None
    return results


def _quantised(spec: Spec, genome: Sequence[float]) -> list[float]:
    """Weights of the first layer in steps of 1/1024, of the others in 1/64, their biases in 1/8192."""
    numbers: list[float] = []
    for place, part in enumerate(spec.parts):
        steps, limit = (1024, 1.25) if place < 2 else (8192, 64.0) if place % 2 else (64, 127 / 64)
        of_part = genome[part.start : part.stop]
        numbers += [max(-limit, min(limit, round(weight * steps) / steps)) for weight in of_part]
    return numbers


def _head_sums(spec: Spec, flat: list[Cell], weights: Iterator[float]) -> list[float]:
    assert spec.heads is not None
    sums, biases = list[list[float]](), list[float]()
    numbers = {"none": 0, "score": 1, "wdl": 3}[spec.heads.value]
    if numbers:
        columns = _columns(Layer("dense", numbers), flat, weights)
        sums += [[float(value) * weight for value, weight in column] for column in columns]
        biases += [next(weights) for _ in range(numbers)]
    if spec.heads.policy == "steps" and spec.layers[-1].kind == "diagonal":
        times: Times = lambda value, weight: float(value) * weight  # noqa: E731
        sums += _diagonal(Layer("diagonal", 4), _in_rows(flat, len(flat) // 32), weights, times)
        biases += [next(weights) for _ in range(4)] * 32
    elif spec.heads.policy == "steps":
        columns = _columns(Layer("dense", 128), flat, weights)
        sums += [[float(value) * weight for value, weight in column] for column in columns]
        biases += [next(weights) for _ in range(128)]
    return [math.fsum([*terms, bias]) for terms, bias in zip(sums, biases, strict=True)]


def table_sums(spec: Spec, genome: Sequence[float], fen: str, side: str, *, rounded: bool = False) -> list[float]:
    """Return what the tables and the tempo add in each phase, if `side` is to move."""
    on_grid = _grid(spec, genome, 1.0, rounded=rounded)
    weights = iter(genome)
    results = []
    tables = [[[next(weights) for _ in PLACES] for _ in "mk"] for _ in range(spec.phases)]
    for table in tables:
        terms = []
        for own, seen in ((1, pieces_seen(fen, side)), (-1, pieces_seen(fen, "BW"[side == "B"]))):
            for place, (row, column) in enumerate(PLACES.values()):
                if seen[row][column] in "bB":
                    terms.append(own * on_grid(table[seen[row][column] == "B"][place]))
        results.append(math.fsum([*terms, on_grid(next(weights))]))
    return results


def pattern_sums(spec: Spec, genome: Sequence[float], fen: str, side: str) -> list[float]:
    """Return what the men in the windows add in each phase, if `side` is to move."""
    seen = pieces_seen(fen, side)
    cells = []
    for top in (0, 2, 4):
        for left in (0, 2, 4):
            places = [at for at in PLACES.values() if top <= at[0] < top + 4 and left <= at[1] < left + 4]
            cells.append(sum({"b": 1, "w": 2}.get(seen[row][at], 0) * 3**n for n, (row, at) in enumerate(places)))
    stop = len(genome) - 2 * spec.margins
    of_phases = [genome[at : at + PATTERNS] for at in range(stop - PATTERNS * spec.phases, stop, PATTERNS)]
    return [math.fsum(each[3**8 * window + cell] for window, cell in enumerate(cells)) for each in of_phases]


def blended(values: Sequence[float], fen: str) -> float:
    count = sum(piece != "." for row in pieces_seen(fen, "B") for piece in row)
    nearness = [max(0.0, 1 - abs((PIECES - count) * (len(values) - 1) / PIECES - at)) for at in range(len(values))]
    return math.fsum(near * each for near, each in zip(nearness, values, strict=True))


def output(spec: Spec, genome: Sequence[float], fen: str, side: str, king: float, *, rounded: bool = False) -> float:
    """Return the value of a board to `side` before the last activation, with tables, patterns and tempo."""
    viewer = fen[0] if spec.by_mover else side
    totals = [0.0] * spec.phases
    if spec.layers:
        totals = layer_sums(spec, genome, fen, viewer, king, rounded=rounded)[-1]
    if spec.heads:
        totals = totals[:1] if spec.heads.value == "score" else [_expected(*totals[:3])]
    if spec.tables:
        totals = [a + b for a, b in zip(totals, table_sums(spec, genome, fen, viewer, rounded=rounded), strict=True)]
    if spec.patterns:
        totals = [a + b for a, b in zip(totals, pattern_sums(spec, genome, fen, viewer), strict=True)]
    total = blended(totals, fen) if spec.phases > 1 else totals[0]
    if spec.piece_difference:
        total += math.fsum(value for row in encode(fen, viewer, king) for value in row)
    return total if viewer == side else -total


def _expected(win: float, draw: float, loss: float) -> float:
    sizes = [math.exp(each - max(win, draw, loss)) for each in (win, draw, loss)]
    return (sizes[0] - sizes[2]) / sum(sizes)


def value(spec: Spec, genome: Sequence[float], fen: str, side: str, king: float) -> float:
    """Return the value after the last activation, for the side to move if the network sees it."""
    viewer = fen[0] if spec.by_mover else side
    last = spec.layers[-1].activation if spec.layers and not spec.heads else "none"
    return ACTIVATIONS[last](output(spec, genome, fen, viewer, king))


def margins(spec: Spec, genome: Sequence[float]) -> list[float]:
    """Return by how many men a quiet move is expected to raise a value at most, and to lower it."""
    if not spec.margins:
        return [0.2, 0.2]
    return [0.2 * (1 + 4 * each) if each >= 0 else 0.2 / (1 - 4 * each) for each in genome[-2:]]


def _grid(spec: Spec, genome: Sequence[float], king: float, *, rounded: bool) -> Callable[[float], float]:
    grid = grid_of(spec, genome, king) if rounded else None
    return lambda value: value if grid is None else round(value / grid) * grid


def subsquares() -> list[list[int]]:
    """Return the dark squares, counted from 0, of every square part of the board from 3x3 up."""
    order = list(PLACES.values())
    parts = []
    for size in (3, 4, 5, 6, 7, 8):
        for top in range(8 - size + 1):
            for left in range(8 - size + 1):
                cells = [(row, column) for row in range(top, top + size) for column in range(left, left + size)]
                parts.append([order.index(cell) for cell in cells if cell in order])
    return parts


def _columns(layer: Layer, flat: list[Cell], weights: Iterator[float]) -> list[list[tuple[Cell, float]]]:
    """Return the inputs of each output of a dense layer, each with the weight between them."""
    rows = [[next(weights) for _ in range(layer.outputs)] for _ in flat]
    return [[(value, row[out]) for value, row in zip(flat, rows, strict=True)] for out in range(layer.outputs)]


def _in_rows(flat: list[Cell], length: int) -> list[list[Cell]]:
    return [flat[start : start + length] for start in range(0, len(flat), length)]


def _diagonal(layer: Layer, by_square: list[list[Cell]], weights: Iterator[float], times: Times) -> list[list[float]]:
    """Return the terms of each sum, square by square."""
    depth, order = len(by_square[0]), list(PLACES.values())
    kernel = [[[next(weights) for _ in range(layer.outputs)] for _ in range(depth)] for _ in range(5)]
    results = []
    for row, column in order:
        corners = [(row, column), *((row + up, column + right) for up in (-1, 1) for right in (-1, 1))]
        there = [(place, order.index(at)) for place, at in enumerate(corners) if at in order]
        for one in range(layer.outputs):
            results.append(
                [
                    times(by_square[square][plane], kernel[place][plane][one])
                    for place, square in there
                    for plane in range(depth)
                ]
            )
    return results


def _convolution(layer: Layer, planes: Planes, weights: Iterator[float], times: Times) -> tuple[list[list[float]], int]:
    """Return the terms of each sum, and the number of places in a row."""
    size, depth = layer.size, len(planes[0][0])
    kernel: dict[tuple[int, int, int, int], float] = {}
    for down in range(size):
        for right in range(size):
            for plane in range(depth):
                for one in range(layer.outputs):
                    kernel[down, right, plane, one] = next(weights)
    places = len(planes) - size + 1
    results = []
    for row in range(places):
        for column in range(places):
            for one in range(layer.outputs):
                terms = []
                for down in range(size):
                    for right in range(size):
                        for plane in range(depth):
                            cell = planes[row + down][column + right][plane]
                            terms.append(times(cell, kernel[down, right, plane, one]))
                results.append(terms)
    return results, places


def sigmoid(x: float) -> float:
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    return math.exp(x) / (1 + math.exp(x)) if x > -700 else 0.0


ACTIVATIONS: dict[str, Callable[[float], float]] = {
    "none": lambda x: x,
    "sigmoid": sigmoid,
    "tanh": math.tanh,
    "relu": lambda x: x if x > 0 else 0.0,
    "clipped": lambda x: x if math.isnan(x) else min(math.floor(max(x, 0.0) * 128 + 0.5), 127) / 128,
}
