"""Weights of a network laid out as grids, oriented as it sees the board: the first row is its own back row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from game.networks.description import SEEN, table_names
from game.networks.kinds import NEIGHBOURS, SUBSQUARE_SIZES, square_place, subsquares

if TYPE_CHECKING:
    from game.networks.spec import Spec

MOST_PICTURES = 48
"""Maximum number of pictures for one layer; a layer that needs more is drawn as one matrix."""

Grid = list[list[float | None]]
"""Rows of numbers; None for places without a number, such as light squares."""


def board(values: Iterable[float | None]) -> Grid:
    """Put 32 values on the dark squares of a board."""
    rows: Grid = [[None] * 8 for _ in range(8)]
    for square, value in enumerate(values):
        row, column = square_place(square)
        rows[row][column] = None if value is None else float(value)
    return rows


def by_size(values: Sequence[float]) -> list[tuple[str, Grid]]:
    """Return a board for each size of subsquare, with a title: the mean value of each square."""
    pictures, parts, rest = [], iter(subsquares()), iter(values)
    for size in SUBSQUARE_SIZES:
        by_square: list[list[float]] = [[] for _ in range(32)]
        for squares in islice(parts, (9 - size) ** 2):
            for square in squares:
                by_square[square].append(float(next(rest)))
        means = [sum(numbers) / len(numbers) if numbers else None for numbers in by_square]
        pictures.append((f"{size} × {size}", board(means)))
    return pictures


def tables(spec: Spec, weights: Any) -> list[tuple[str, Grid]]:
    """Return the tables of a network, each a board with its name."""
    values = spec.parts[0].of(weights).reshape(-1, 32).tolist()
    return [(name, board(table)) for name, table in zip(table_names(spec), values, strict=True)]


def crosses(weights: Any) -> list[Grid]:
    """Lay out a diagonal layer of shape (5, planes, filters): a square and its neighbours, plane by plane."""
    grids: list[Grid] = [[[None] * (4 * weights.shape[1] - 1) for _ in range(3)] for _ in range(weights.shape[2])]
    for of_place, (row, column) in zip(weights.tolist(), NEIGHBOURS, strict=True):
        for plane, of_plane in enumerate(of_place):
            for grid, value in zip(grids, of_plane, strict=True):
                grid[1 + row][1 + column + 4 * plane] = value
    return grids


def units(spec: Spec, weights: Any) -> list[tuple[str, str, Grid]] | None:
    """Lay out a dense first layer of shape (inputs, units) as boards, one for each unit and kind of piece."""
    kinds: Sequence[str] = {"pieces": SEEN, "squares": ("",)}.get(spec.input, ())
    if not kinds or len(kinds) * weights.shape[1] > MOST_PICTURES:
        return None
    boards = weights.T.reshape(-1, len(kinds), 32).tolist()
    return [
        (f"{number}", kind, board(values))
        for number, of_unit in enumerate(boards, 1)
        for kind, values in zip(kinds, of_unit, strict=True)
    ]
