"""What tables and weights of a network's first layer look like on the board: pictures of plain numbers. No pygame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from game.networks.spec import Spec

MOST = 48
"""Pictures of one layer; of more, one picture shows all weights, inputs across."""

Rows = tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True, eq=False)
class Picture:
    """Weights in rows and columns.

    Attributes:
        title: such as ``filter 3``.
        rows: from the top; None where there is no weight, such as on light squares.
        line, column: where it stands if all are a grid, in words that it shares with others, such as ``their kings``
            and ``filter 3``; empty if they are none.
    """

    title: str
    rows: Rows
    line: str = ""
    column: str = ""

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return len(self.rows[0]), len(self.rows)

    @cached_property
    def largest(self) -> float:
        """The largest weight without its sign."""
        return max((abs(value) for row in self.rows for value in row if value is not None), default=0.0)


def first_layer(weights: Sequence[float], spec: Spec | None) -> list[Picture]:
    """Tables, or else the weights of the first layer, as pictures of one size.

    The player's own side of the board is at the bottom. Of tables there is a board for men and one for kings, for each
    phase. Of a convolution there is a kernel for each filter, and each kind of pieces that it sees apart; of a dense
    layer on the 32 squares a board for each unit, and kind; of a diagonal layer a square and its four neighbours for
    each filter, kind beside kind; of parts of the board the mean weight of each square, by
    size; of anything else, or without a network, a matrix. Empty if there are no weights.
    """
    import numpy as np

    from game.networks.description import SEEN, table_names

    values = np.asarray(weights, np.float64)
    if not values.size:
        return []
    if spec is None or spec.weights != values.size:
        across = math.isqrt(values.size - 1) + 1
        padded = [*values.tolist(), *[None] * (-values.size % across)]
        return [Picture("all weights", tuple(tuple(padded[at : at + across]) for at in range(0, len(padded), across)))]
    if spec.tables:
        tables = spec.parts[0].of(values).reshape(-1, 32).tolist()
        return [
            Picture(name, _board(table), *(name.split(", ") if ", " in name else ()))
            for name, table in zip(table_names(spec), tables, strict=True)
        ]
    kind, first = spec.layers[0].kind, spec.layer_parts(0)[0].of(values)
    if kind == "subsquares":
        return _by_size(first)
    if kind == "convolution" and first.shape[2] * first.shape[3] <= MOST:
        return [
            _seen(f"filter {at + 1}", seen, _rows(first[::-1, :, plane, at]))
            for at in range(first.shape[3])
            for plane, seen in enumerate(SEEN if spec.by_mover else [""])
        ]
    if kind == "diagonal" and first.shape[1] <= len(SEEN) and first.shape[2] <= MOST:
        return [Picture(f"filter {at + 1}", _crosses(first[:, :, at])) for at in range(first.shape[2])]
    if kind == "dense" and spec.input == "pieces" and 4 * first.shape[1] <= MOST:
        boards = first.T.reshape(-1, 4, 32).tolist()
        return [
            _seen(f"unit {at + 1}", seen, _board(board))
            for at, kinds in enumerate(boards)
            for seen, board in zip(SEEN, kinds, strict=True)
        ]
    if kind == "dense" and spec.input == "squares" and first.shape[1] <= MOST:
        return [Picture(f"unit {at + 1}", _board(first[:, at].tolist())) for at in range(first.shape[1])]
    return [Picture("inputs across, units down", _rows(first.reshape(-1, first.shape[-1]).T))]


def difference(first: Sequence[Picture], second: Sequence[Picture]) -> list[Picture]:
    """The second pictures less the first; empty if they do not fit each other."""
    if [picture.size for picture in first] != [picture.size for picture in second]:
        return []
    return [
        replace(
            b,
            rows=tuple(
                tuple(None if x is None or y is None else y - x for x, y in zip(p, q, strict=True))
                for p, q in zip(a.rows, b.rows, strict=True)
            ),
        )
        for a, b in zip(first, second, strict=True)
    ]


def scale_of(*groups: Sequence[Picture]) -> float:
    """The largest weight of all pictures, which is the end of a scale that they share."""
    return max((picture.largest for group in groups for picture in group), default=0.0) or 1.0


def _seen(of: str, kind: str, rows: Rows) -> Picture:
    """A picture of what a filter or unit makes of pieces of one kind; of all of them if that is empty."""
    return Picture(f"{of}, {kind}", rows, kind, of) if kind else Picture(of, rows)


def _crosses(weights: Any) -> Rows:
    """A square and its neighbours, for each kind of pieces that is seen apart; nothing between them."""
    from game.networks.kinds import NEIGHBOURS

    found: list[list[float | None]] = [[None] * (4 * weights.shape[1] - 1) for _ in range(3)]
    for of_place, (row, column) in zip(weights.tolist(), NEIGHBOURS, strict=True):
        for plane, value in enumerate(of_place):
            found[1 - row][1 + column + 4 * plane] = value
    return tuple(map(tuple, found))


def _rows(matrix: Any) -> Rows:
    return tuple(map(tuple, matrix.tolist()))


def _board(values: Sequence[float | None]) -> Rows:
    """32 values on the dark squares of a board."""
    from game.networks.kinds import square_place

    board: list[list[float | None]] = [[None] * 8 for _ in range(8)]
    for square, value in enumerate(values):
        row, column = square_place(square)
        board[row][column] = value
    return tuple(map(tuple, reversed(board)))


def _by_size(values: Any) -> list[Picture]:
    """Mean weight of each square over all parts of the board of one size."""
    from game.networks.kinds import SUBSQUARE_SIZES, subsquares

    found, at = [], 0
    parts = iter(subsquares())
    for size in SUBSQUARE_SIZES:
        total, count = [0.0] * 32, [0] * 32
        for _ in range((9 - size) ** 2):
            for square in next(parts):
                total[square] += float(values[at])
                count[square] += 1
                at += 1
        means = [t / c if c else None for t, c in zip(total, count, strict=True)]
        found.append(Picture(f"{size} × {size}", _board(means)))
    return found
