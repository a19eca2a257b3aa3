"""What a network is: its input, layers, activations and extras; how many weights it has and what each of them does.

A specification is data. Three are shipped (`game.networks.shipped`); people write their own in TOML::

    name = "larger-cnn"
    input = "board"            # 8x8, own pieces positive; or "squares", the 32 dark squares

    [[layers]]
    kind = "convolution"       # without padding; or "dense", or "subsquares" (91 square parts of the board)
    filters = 8
    size = 3
    activation = "sigmoid"     # or "tanh", "relu", "none"

    [[layers]]
    kind = "dense"
    units = 1
    activation = "sigmoid"     # of the last layer: moves are compared before it

    [extras]
    king = 2.0                 # value of a king in the input, a man is 1
    evolving_king = false      # whether each individual has a king value of its own
    piece_difference = false   # add the sum of all inputs to the output, before the last activation
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from game.errors import InputError

ACTIVATIONS = ("none", "sigmoid", "tanh", "relu")
INPUTS = ("board", "squares")
KINDS = ("convolution", "dense", "subsquares")
SUBSQUARE_SIZES = range(3, 9)
MAX_WEIGHTS = 1_000_000
MAX_CONNECTIONS = 4_000_000
MAX_LAYERS = 16
MAX_KING = 100.0
KING_RANGE = (1.0, 3.0)
"""Where evolving king values are kept (Chellapilla and Fogel, 2001)."""


class NetworkError(InputError):
    """A specification that is no network; the text names the place and what is allowed."""


@dataclass(frozen=True)
class Layer:
    """One layer.

    Attributes:
        kind: convolution (valid, stride 1), dense, or subsquares (one output for each of the 91 square parts of the
            board of 3x3 to 8x8, connected to its dark squares; Chellapilla and Fogel, 2001).
        outputs: filters of a convolution, units of a dense layer, 91 for subsquares.
        size: rows and columns of a convolution's kernels; 0 for others.
        activation: one of `ACTIVATIONS`.
    """

    kind: str
    outputs: int
    size: int = 0
    activation: str = "sigmoid"


@dataclass(frozen=True)
class Part:
    """A named stretch of the genome.

    Attributes:
        name: what the weights are, with the meaning of the axes.
        start: index of the first weight.
        shape: array shape; the last axis runs fastest.
    """

    name: str
    start: int
    shape: tuple[int, ...]

    @property
    def stop(self) -> int:
        """One past the last weight."""
        return self.start + int(np.prod(self.shape))

    def of(self, weights: NDArray[Any]) -> NDArray[Any]:
        """These weights of a genome (a view, in `shape`)."""
        return weights[self.start : self.stop].reshape(self.shape)


@dataclass(frozen=True)
class Spec:
    """A network.

    Attributes:
        name: letters, digits and dashes.
        input: ``board`` (8x8x1) or ``squares`` (32).
        layers: at least one; the last has one output.
        king: value of a king in the input.
        evolving_king: whether each individual has its own, `king` being the start.
        piece_difference: whether the sum of all inputs is added to the output.

    Raises:
        NetworkError: it is no network.
    """

    name: str
    input: str
    layers: tuple[Layer, ...]
    king: float = 2.0
    evolving_king: bool = False
    piece_difference: bool = False
    shapes: tuple[tuple[int, ...], ...] = field(init=False, repr=False, compare=False)
    parts: tuple[Part, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.name or not all(c.isascii() and (c.isalnum() or c == "-") for c in self.name):
            raise NetworkError(f"name: expected letters, digits and dashes, got {self.name!r}")
        if self.input not in INPUTS:
            raise NetworkError(f"input: expected {' or '.join(INPUTS)}, got {self.input!r}")
        if not 1 <= len(self.layers) <= MAX_LAYERS:
            raise NetworkError(f"layers: expected 1 to {MAX_LAYERS}, got {len(self.layers)}")
        if not 0.0 < float(np.float32(self.king)) <= MAX_KING:
            raise NetworkError(f"extras.king: expected a number above 0 and at most {MAX_KING:g}, got {self.king!r}")
        if self.evolving_king and not KING_RANGE[0] <= self.king <= KING_RANGE[1]:
            low, high = KING_RANGE
            raise NetworkError(f"extras.king: expected {low:g} to {high:g} where it evolves, got {self.king!r}")
        # As files keep it: a run that was resumed must go on from the same bits.
        object.__setattr__(self, "king", float(np.float32(self.king)))
        shapes, parts = _shapes_and_parts(self)
        object.__setattr__(self, "shapes", shapes)
        object.__setattr__(self, "parts", parts)
        if self.weights > MAX_WEIGHTS:
            raise NetworkError(f"{self.name}: {self.weights:,} weights, at most {MAX_WEIGHTS:,}")

    @property
    def weights(self) -> int:
        """Number of weights, the length of a genome."""
        return self.parts[-1].stop

    @property
    def multiplications(self) -> int:
        """Multiplications of one evaluation from an empty board's sums on: those behind the first layer."""
        total = 0
        for before, after, layer in zip(self.shapes[1:], self.shapes[2:], self.layers[1:], strict=False):
            inputs = layer.size**2 * before[-1] if layer.kind == "convolution" else int(np.prod(before))
            total += inputs * int(np.prod(after))
        return total


def _shapes_and_parts(spec: Spec) -> tuple[tuple[tuple[int, ...], ...], tuple[Part, ...]]:
    shapes: list[tuple[int, ...]] = [(8, 8, 1) if spec.input == "board" else (32,)]
    parts: list[Part] = []
    for number, layer in enumerate(spec.layers):
        place = f"layers.{number}"
        _check_layer(layer, place, shapes[-1], first=number == 0)
        at = parts[-1].stop if parts else 0
        before = shapes[-1]
        if layer.kind == "convolution":
            rows, columns, planes = before
            after: tuple[int, ...] = (rows - layer.size + 1, columns - layer.size + 1, layer.outputs)
            parts.append(
                Part(f"{place} kernels (row, column, in, filter)", at, (layer.size, layer.size, planes, layer.outputs))
            )
        elif layer.kind == "dense":
            after = (layer.outputs,)
            parts.append(Part(f"{place} weights (in, out)", at, (int(np.prod(before)), layer.outputs)))
        else:
            after = (layer.outputs,)
            connections = sum(len(squares) for squares in subsquares())
            parts.append(Part(f"{place} weights (part of the board, its dark squares)", at, (connections,)))
        _check_size(layer, place, int(np.prod(before)), int(np.prod(after)))
        parts.append(Part(f"{place} biases", parts[-1].stop, (layer.outputs,)))
        shapes.append(after)
    if int(np.prod(shapes[-1])) != 1:
        raise NetworkError(f"layers.{len(spec.layers) - 1}: the last layer has one output, this has {shapes[-1]}")
    return tuple(shapes), tuple(parts)


def _check_size(layer: Layer, place: str, inputs: int, outputs: int) -> None:
    """Connections are kept in vectors of 16 outputs, those that a convolution lacks included."""
    connections = inputs * -(-outputs // 16) * 16
    if layer.kind != "subsquares" and connections > MAX_CONNECTIONS:
        raise NetworkError(
            f"{place}: {inputs:,} inputs by {outputs:,} outputs, at most {MAX_CONNECTIONS:,} connections"
        )


def _check_layer(layer: Layer, place: str, before: tuple[int, ...], *, first: bool) -> None:
    if layer.kind not in KINDS:
        raise NetworkError(f"{place}.kind: expected {', '.join(KINDS)}, got {layer.kind!r}")
    if layer.activation not in ACTIVATIONS:
        raise NetworkError(f"{place}.activation: expected {', '.join(ACTIVATIONS)}, got {layer.activation!r}")
    if not 1 <= layer.outputs <= 4096:
        raise NetworkError(f"{place}: expected 1 to 4096 outputs, got {layer.outputs}")
    if layer.kind == "convolution":
        if len(before) != 3:
            raise NetworkError(f"{place}.kind: a convolution needs the board or another convolution before it")
        if not 1 <= layer.size <= before[0]:
            raise NetworkError(f"{place}.size: expected 1 to {before[0]} (rows before it), got {layer.size}")
    elif layer.size:
        raise NetworkError(f"{place}.size: only a convolution has one")
    if layer.kind == "subsquares" and not (first and before == (32,) and layer.outputs == len(subsquares())):
        raise NetworkError(f"{place}.kind: subsquares is the first layer, on input squares, with 91 outputs")


def subsquares() -> tuple[tuple[int, ...], ...]:
    """Dark squares (index 0-31) of the 91 square parts of the board: by size, row, column; squares ascending.

    Source: Chellapilla and Fogel, "Evolving an expert checkers playing program without using human expertise" (2001):
    36 of 3x3, 25 of 4x4, 16 of 5x5, 9 of 6x6, 4 of 7x7 and the whole board; 854 connections.
    """
    found = []
    for size in SUBSQUARE_SIZES:
        for top in range(9 - size):
            for left in range(9 - size):
                inside = [s for s in range(32) if _inside(square_place(s), top, left, size)]
                found.append(tuple(inside))
    return tuple(found)


def square_place(square: int) -> tuple[int, int]:
    """Row and column of a dark square (index 0-31), row 0 being the player's own back row."""
    row = square // 4
    return row, 2 * (square % 4) + (row + 1) % 2


def _inside(place: tuple[int, int], top: int, left: int, size: int) -> bool:
    return top <= place[0] < top + size and left <= place[1] < left + size
