"""Pictures of a network's tables or first layer, as plain numbers: for the window, pages and figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from game.networks.spec import Spec

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

    from game.networks import pictures

    values = np.asarray(weights, np.float64)
    if not values.size:
        return []
    if spec is None or spec.weights != values.size:
        across = math.isqrt(values.size - 1) + 1
        padded = [*values.tolist(), *[None] * (-values.size % across)]
        return [Picture("all weights", tuple(tuple(padded[at : at + across]) for at in range(0, len(padded), across)))]
    if spec.tables:
        return [
            Picture(name, _from_top(grid), *(name.split(", ") if ", " in name else ()))
            for name, grid in pictures.tables(spec, values)
        ]
    return layer_pictures(spec, values)


def layer_pictures(spec: Spec, values: NDArray[np.float64]) -> list[Picture]:
    """Return the first layer of a network that has one, also beside tables."""
    from game.networks import pictures
    from game.networks.description import SEEN

    kind, first = spec.layers[0].kind, spec.layer_parts(0)[0].of(values)
    if kind == "subsquares":
        return [Picture(title, _from_top(grid)) for title, grid in pictures.by_size(first.tolist())]
    if kind == "convolution" and first.shape[2] * first.shape[3] <= pictures.MOST_PICTURES:
        return [
            _of_kind(f"filter {at + 1}", seen, _from_top(first[:, :, plane, at].tolist()))
            for at in range(first.shape[3])
            for plane, seen in enumerate(SEEN if spec.by_mover else [""])
        ]
    if kind == "diagonal" and first.shape[1] <= len(SEEN) and first.shape[2] <= pictures.MOST_PICTURES:
        return [Picture(f"filter {number}", _from_top(grid)) for number, grid in enumerate(pictures.crosses(first), 1)]
    units = pictures.units(spec, first) if kind == "dense" else None
    if units is not None:
        return [_of_kind(f"unit {number}", seen, _from_top(grid)) for number, seen, grid in units]
    return [Picture("inputs across, units down", tuple(map(tuple, first.reshape(-1, first.shape[-1]).T.tolist())))]


def difference(first: Sequence[Picture], second: Sequence[Picture]) -> list[Picture]:
    """Return the second pictures minus the first; empty if they differ in number or size."""
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
    """Return the largest absolute weight, for a scale shared by all pictures."""
    return max((picture.largest for group in groups for picture in group), default=0.0) or 1.0


def _of_kind(name: str, kind: str, rows: Rows) -> Picture:
    return Picture(f"{name}, {kind}", rows, kind, name) if kind else Picture(name, rows)


def _from_top(grid: Sequence[Sequence[float | None]]) -> Rows:
    return tuple(map(tuple, reversed(grid)))
