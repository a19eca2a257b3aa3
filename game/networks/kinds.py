"""Kinds of layers, one class each.

A layer is linear, so its wiring is all that the compiled kernel and the forward pass need, and a new kind is a class
with an entry in `KINDS` (docs/networks.md has an example). Only functions that compute numbers import numpy, since
reading a specification does not need it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Indexes = NDArray[np.int64]

Shape = tuple[int, ...]

SUBSQUARE_SIZES = range(3, 9)


class LayerKind(ABC):
    """A kind of layer.

    Attributes:
        keys: the keys of a TOML file that set the layer's `outputs` and `size`.
        outputs: number of outputs if no key sets it.
    """

    keys: ClassVar[dict[str, str]] = {}
    outputs: ClassVar[int] = 0

    def problem(self, outputs: int, size: int, before: Shape, *, first: bool) -> str:
        """Return why the layer cannot follow outputs of shape `before`, as ``key: text``; empty if it can."""
        return ""

    def shape(self, outputs: int, size: int, before: Shape) -> Shape:
        return (outputs,)

    @abstractmethod
    def weights(self, outputs: int, size: int, before: Shape) -> tuple[str, Shape]:
        """Return the meaning of the weights with their axes, and their shape in the genome."""

    @abstractmethod
    def wiring(self, index: Indexes, before: Shape, after: Shape) -> Indexes:
        """Return the index of the weight between each input and output (both flat, last axis fastest); -1 for none.

        Args:
            index: the index of each weight, in the shape of the weights.
            before: shape of the inputs.
            after: shape of the outputs.
        """


class Convolution(LayerKind):
    """A convolution over the board or over another convolution, with stride 1 and without padding."""

    keys: ClassVar = {"filters": "outputs", "size": "size"}

    def problem(self, outputs: int, size: int, before: Shape, *, first: bool) -> str:
        if len(before) != 3:
            return "kind: a convolution needs the board or another convolution before it"
        if not 1 <= size <= before[0]:
            return f"size: expected 1 to {before[0]} (rows before it), got {size}"
        return ""

    def shape(self, outputs: int, size: int, before: Shape) -> Shape:
        return before[0] - size + 1, before[1] - size + 1, outputs

    def weights(self, outputs: int, size: int, before: Shape) -> tuple[str, Shape]:
        return "kernels (row, column, in, filter)", (size, size, before[2], outputs)

    def wiring(self, index: Indexes, before: Shape, after: Shape) -> Indexes:
        import numpy as np

        wiring = np.full((math.prod(before), math.prod(after)), -1)
        inputs, outputs = np.arange(math.prod(before)).reshape(before), np.arange(math.prod(after)).reshape(after)
        for down, right, plane in np.ndindex(index.shape[:3]):
            reached = inputs[down : down + after[0], right : right + after[1], plane, None]
            wiring[reached, outputs] = index[down, right, plane]
        return wiring


class Dense(LayerKind):
    """A layer that connects every input to every output; inputs are flattened, last axis fastest."""

    keys: ClassVar = {"units": "outputs"}

    def weights(self, outputs: int, size: int, before: Shape) -> tuple[str, Shape]:
        return "weights (in, out)", (math.prod(before), outputs)

    def wiring(self, index: Indexes, before: Shape, after: Shape) -> Indexes:
        return index


class Diagonal(LayerKind):
    """A layer that connects every dark square to itself and its diagonal neighbours, by the same weights everywhere.

    Outputs have the shape (32, filters). Off the board all inputs are 0.
    """

    keys: ClassVar = {"filters": "outputs"}

    def problem(self, outputs: int, size: int, before: Shape, *, first: bool) -> str:
        if before in ((32,), (128,)) or len(before) == 2:
            return ""
        return "kind: a diagonal layer needs input squares or pieces, 32 or 128 units, or another one before it"

    def shape(self, outputs: int, size: int, before: Shape) -> Shape:
        return 32, outputs

    def weights(self, outputs: int, size: int, before: Shape) -> tuple[str, Shape]:
        return "kernels (itself and neighbours, in, filter)", (5, math.prod(before) // 32, outputs)

    def wiring(self, index: Indexes, before: Shape, after: Shape) -> Indexes:
        import numpy as np

        wiring = np.full((math.prod(before), math.prod(after)), -1)
        inputs, outputs = _by_square(np.arange(math.prod(before)), before), np.arange(math.prod(after)).reshape(after)
        for place, squares in enumerate(neighbours()):
            inside = [square for square in range(32) if squares[square] >= 0]
            reached = inputs[[squares[square] for square in inside]]
            wiring[reached[:, :, None], outputs[inside][:, None, :]] = index[place]
        return wiring


class Subsquares(LayerKind):
    """A layer with one output for each of the 91 subsquares of the board, connected to its dark squares."""

    outputs: ClassVar = 91

    def problem(self, outputs: int, size: int, before: Shape, *, first: bool) -> str:
        if first and before == (32,) and outputs == self.outputs:
            return ""
        return f"kind: subsquares is the first layer, on input squares, with {self.outputs} outputs"

    def weights(self, outputs: int, size: int, before: Shape) -> tuple[str, Shape]:
        connected = sum(len(squares) for squares in subsquares())
        return "weights (part of the board, its dark squares)", (connected,)

    def wiring(self, index: Indexes, before: Shape, after: Shape) -> Indexes:
        import numpy as np

        wiring = np.full((32, len(subsquares())), -1)
        places = [(square, part) for part, squares in enumerate(subsquares()) for square in squares]
        wiring[tuple(np.transpose(places))] = index
        return wiring


KINDS: dict[str, LayerKind] = {
    "convolution": Convolution(),
    "dense": Dense(),
    "diagonal": Diagonal(),
    "subsquares": Subsquares(),
}

NEIGHBOURS = ((0, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))
"""The inputs of a square in a diagonal layer, as offsets of rows and columns: the square itself, then the directions of
steps in the order of `game.kernels` and of policies: back left, back right, forward left, forward right."""


def neighbours() -> tuple[tuple[int, ...], ...]:
    """Return, for each of `NEIGHBOURS`, that neighbour (0-31) of each dark square; -1 if it is off the board."""
    places = [square_place(square) for square in range(32)]
    square_at = {place: square for square, place in enumerate(places)}
    return tuple(
        tuple(square_at.get((row + up, column + right), -1) for row, column in places) for up, right in NEIGHBOURS
    )


def _by_square(values: NDArray[Any], before: Shape) -> NDArray[Any]:
    """Return values as (square, channel); the input ``pieces`` is ordered by kind, all others by square."""
    return values.reshape(4, 32).T if before == (128,) else values.reshape(32, -1)


def subsquares() -> tuple[tuple[int, ...], ...]:
    """Return the dark squares (0-31) of the 91 subsquares of the board, by size, row, column; squares ascending.

    Source: Chellapilla and Fogel, "Evolving an expert checkers playing program without using human expertise" (2001):
    36 of 3x3, 25 of 4x4, 16 of 5x5, 9 of 6x6, 4 of 7x7 and the whole board; 854 connections.
    """
    parts = []
    for size in SUBSQUARE_SIZES:
        for top in range(9 - size):
            for left in range(9 - size):
                parts.append(tuple(s for s in range(32) if _inside(square_place(s), top, left, size)))
    return tuple(parts)


def square_place(square: int) -> tuple[int, int]:
    """Return row and column of a dark square (index 0-31); row 0 is the player's own back row."""
    row = square // 4
    return row, 2 * (square % 4) + (row + 1) % 2


def _inside(place: tuple[int, int], top: int, left: int, size: int) -> bool:
    return top <= place[0] < top + size and left <= place[1] < left + size
