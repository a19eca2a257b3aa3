"""The members of a cast in the rows of a generation: their cells, traits and scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evolve.run.cells import CELL_COLUMN, cell_numbers
from evolve.run.columns import GenerationError
from evolve.run.generation_csv import Generation
from extras.cast.trait_maps import TraitMap
from game.errors import one_line
from game.removed import removed_settings
from game.traits import TRAITS, TraitMean


def score_of(counts: Sequence[int]) -> float:
    """Return the score of a member: the share of points of its games, from 0 to 1, with a draw as a half."""
    games, wins, draws, *_ = counts
    return (wins + draws / 2) / games if games else 0.0


def has_map(tables: Mapping[str, Any]) -> bool:
    """Return whether a run has a map, by the plain values of its configuration."""
    population = tables.get("population")
    if not isinstance(population, dict) or removed_settings({"population": population}):
        return False
    return population.get("selection") == "cells" and bool(population.get("traits"))


def map_in(tables: Mapping[str, Any]) -> TraitMap:
    """Return the map in the plain values of the configuration of a run that has one.

    Raises:
        InputError: it is none.
    """
    return TraitMap.parse(str(tables["population"].get("traits", "")))


def trait_columns() -> tuple[str, ...]:
    """Return the columns that the rows of a cast have in addition: the cell, and mean and games of each trait."""
    return (CELL_COLUMN, *(name for trait in TRAITS for name in (trait.name, f"{trait.name}_games")))


@dataclass(frozen=True)
class MapRow:
    """A row of a generation that holds a cell.

    Attributes:
        traits: the mean of each trait, without standard errors.
    """

    row: int
    cell: tuple[int, ...]
    traits: tuple[TraitMean, ...]


def held_rows(rows: Generation, cells: TraitMap, source: str = "") -> tuple[list[MapRow], list[str]]:
    """Return the rows of a generation that hold cells of a map, and a message for each damaged one.

    Returns:
        the rows by rank, and what is wrong with the others: damaged fields, no games, or the cell of a better one.

    Raises:
        GenerationError: a column is missing.
    """
    missing = next((name for name in trait_columns() if name not in rows.columns), None)
    if missing is not None or rows.counts is None or rows.ranks is None:
        raise GenerationError(f"{source}: column {missing or 'games'} is missing, expected the members of a cast")
    read: list[MapRow] = []
    damaged: list[str] = []
    held: set[tuple[int, ...]] = set()
    for row in rows.ranks.argsort(kind="stable").tolist():
        try:
            cell, means = _read_row(rows.columns, row, cells)
            if cell in held:
                raise ValueError(f"{cells.name(cell)}: a second time")
            if not rows.counts[row, 0]:
                raise ValueError("no games")
        except ValueError as error:
            damaged.append(f"row {row + 1}, {rows.names[row]}, is damaged: {error}")
            continue
        held.add(cell)
        read.append(MapRow(row, cell, means))
    return read, damaged


def _read_row(
    columns: Mapping[str, Sequence[str]], row: int, cells: TraitMap
) -> tuple[tuple[int, ...], tuple[TraitMean, ...]]:
    text = columns[CELL_COLUMN][row]
    numbers = cell_numbers(text)
    cell = tuple(numbers.values())
    if tuple(numbers) != cells.names or not all(
        1 <= number <= count for number, count in zip(cell, cells.counts, strict=True)
    ):
        raise ValueError(f"{one_line(text)}: no such cell")
    values, games = ([columns[f"{trait.name}{end}"][row] for trait in TRAITS] for end in ("", "_games"))
    pairs = zip(values, games, strict=True)
    return cell, tuple(TraitMean(float(value or "nan"), math.nan, int(count)) for value, count in pairs)
