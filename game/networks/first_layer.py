"""Pictures of a network's tables or first layer, as plain numbers: for the window, pages and figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from game.networks.kinds import NEIGHBOURS, SUBSQUARE_SIZES, square_place, subsquares

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from game.networks.spec import Spec

MOST_PICTURES = 48
"""Maximum number of pictures for one layer; a layer that needs more is drawn as one matrix."""

Rows = tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True, eq=False)
class Picture:
    """Weights in rows and columns.

    Attributes:
        rows: the weights, from the top; None where there is none, as on light squares.
    """

    title: str
    rows: Rows
    line: str = ""
    column: str = ""

    @property
    def size(self) -> tuple[int, int]:
        return len(self.rows[0]), len(self.rows)

    @cached_property
    def largest(self) -> float:
        return max((abs(value) for row in self.rows for value in row if value is not None), default=0.0)


def first_layer(weights: Sequence[float], spec: Spec | None) -> list[Picture]:
    """Return the tables of a network, or else its first layer, as pictures of the same size.

    The player's own side of the board is at the bottom. The pictures are:

    * Tables: for each phase, a board for men and a board for kings.
    * A convolution: a kernel for each filter and kind of piece.
    * A dense layer on the 32 squares: a board for each unit and kind of piece.
    * A diagonal layer: for each filter, a square with its neighbours, with the kinds of piece side by side.
    * Subsquares: for each size, a board with the mean weight of each square.
    * Anything else, or weights without a network: a matrix.
    """
    import numpy as np

    values = np.asarray(weights, np.float64)
    if not values.size:
        return []
    if spec is None or spec.weights != values.size:
        across = math.isqrt(values.size - 1) + 1
        padded = [*values.tolist(), *[None] * (-values.size % across)]
        return [Picture("all weights", tuple(tuple(padded[at : at + across]) for at in range(0, len(padded), across)))]
    return table_pictures(spec, values) if spec.tables else layer_pictures(spec, values)


def table_pictures(spec: Spec, values: NDArray[Any]) -> list[Picture]:
    from game.networks.description import table_names

    tables = spec.parts[0].of(values).reshape(-1, 32).tolist()
    return [
        Picture(name, board_rows(table), *(name.split(", ") if ", " in name else ()))
        for name, table in zip(table_names(spec), tables, strict=True)
    ]


def layer_pictures(spec: Spec, values: NDArray[np.float64]) -> list[Picture]:
    """Return the first layer of a network that has one, also beside tables."""
    from game.networks.description import SEEN

    kind, first = spec.layers[0].kind, spec.layer_parts(0)[0].of(values)
    seen = {"board": ("",), "squares": ("",)}.get(spec.input, SEEN)
    if kind == "subsquares":
        return _by_size(first.tolist())
    if kind == "convolution" and first.shape[2] * first.shape[3] <= MOST_PICTURES:
        return [
            _of_kind(f"filter {at + 1}", name, tuple(map(tuple, first[::-1, :, plane, at].tolist())))
            for at in range(first.shape[3])
            for plane, name in enumerate(seen)
        ]
    if kind == "diagonal" and first.shape[1] <= len(SEEN) and first.shape[2] <= MOST_PICTURES:
        return [Picture(f"filter {at + 1}", _cross(first[:, :, at].tolist())) for at in range(first.shape[2])]
    if kind == "dense" and spec.input in ("pieces", "squares") and len(seen) * first.shape[1] <= MOST_PICTURES:
        return [
            _of_kind(f"unit {number}", name, board_rows(board))
            for number, boards in enumerate(first.T.reshape(-1, len(seen), 32).tolist(), 1)
            for name, board in zip(seen, boards, strict=True)
        ]
    return [Picture("inputs across, units down", tuple(map(tuple, first.reshape(-1, first.shape[-1]).T.tolist())))]


def board_rows(values: Iterable[float | None]) -> Rows:
    """Put 32 values on the dark squares of a board."""
    rows: list[list[float | None]] = [[None] * 8 for _ in range(8)]
    for square, value in enumerate(values):
        row, column = square_place(square)
        rows[7 - row][column] = None if value is None else float(value)
    return tuple(map(tuple, rows))


def _by_size(values: Sequence[float]) -> list[Picture]:
    """Return a board for each size of subsquare, with the mean value of each square."""
    pictures, parts, rest = [], iter(subsquares()), iter(values)
    for size in SUBSQUARE_SIZES:
        by_square: list[list[float]] = [[] for _ in range(32)]
        for squares in islice(parts, (9 - size) ** 2):
            for square in squares:
                by_square[square].append(next(rest))
        means = [sum(numbers) / len(numbers) if numbers else None for numbers in by_square]
        pictures.append(Picture(f"{size} × {size}", board_rows(means)))
    return pictures


def _cross(weights: Sequence[Sequence[float]]) -> Rows:
    """Lay out a filter of a diagonal layer: a square and its neighbours, plane by plane."""
    rows: list[list[float | None]] = [[None] * (4 * len(weights[0]) - 1) for _ in range(3)]
    for of_place, (row, column) in zip(weights, NEIGHBOURS, strict=True):
        for plane, value in enumerate(of_place):
            rows[1 - row][1 + column + 4 * plane] = value
    return tuple(map(tuple, rows))


def _of_kind(name: str, kind: str, rows: Rows) -> Picture:
    return Picture(f"{name}, {kind}", rows, kind, name) if kind else Picture(name, rows)


def scale_of(*groups: Sequence[Picture]) -> float:
    """Return the largest absolute weight, for a scale shared by all pictures."""
    return max((picture.largest for group in groups for picture in group), default=0.0) or 1.0
