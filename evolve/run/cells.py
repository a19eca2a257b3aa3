"""Cells of a map of traits in rows and names: ``back-row=4 centre=1`` in a row, ``back-row=4,centre=1`` in a name."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evolve.run.columns import GenerationError
from game.errors import one_line
from game.players.names import list_options
from game.trait_maps import CELL, TraitMap
from game.traits import TRAITS, TraitMean

if TYPE_CHECKING:
    from evolve.run.generation_csv import Generation

CELL_COLUMN = "cell"
"""The column of a generation with the cell of each individual."""
NEAREST = 3
"""Number of cells that a message lists."""


def cell_numbers(cell: str) -> dict[str, int]:
    """Return the numbers of a cell by their names: traits, or ``cell`` for cells around centres.

    Raises:
        ValueError: a number is missing.
    """
    return {trait: int(number) for trait, _, number in (word.partition("=") for word in cell.split())}


def score_of(counts: Sequence[int]) -> float:
    """Return the score of a member: the share of points of its games, from 0 to 1, with a draw as a half."""
    games, wins, draws, *_ = counts
    return (wins + draws / 2) / games if games else 0.0


def has_map(tables: Mapping[str, Any]) -> bool:
    """Return whether a run has a map, by the plain values of its configuration."""
    population = tables.get("population")
    return isinstance(population, dict) and population.get("selection") == "cells" and bool(population.get("traits"))


def map_in(tables: Mapping[str, Any]) -> TraitMap:
    """Return the map in the plain values of the configuration of a run that has one.

    Raises:
        InputError: it is none.
    """
    population = tables["population"]
    centres = population.get("centres", 0)
    return TraitMap.parse(str(population.get("traits", "")), centres if isinstance(centres, int) else 0)


def trait_columns() -> tuple[str, ...]:
    """Return the columns that the rows of a cast have in addition: the cell, and mean and games of each trait."""
    return (CELL_COLUMN, *(name for trait in TRAITS for name in (trait.name, f"{trait.name}_games")))


def read_row(
    columns: Mapping[str, Sequence[str]], row: int, cells: TraitMap
) -> tuple[tuple[int, ...], list[TraitMean]]:
    """Return the cell of a row and the mean of each trait, without standard errors.

    Raises:
        ValueError: a field is not what a session writes, or the map has no such cell.
    """
    text = columns[CELL_COLUMN][row]
    numbers = cell_numbers(text)
    cell = tuple(numbers.values())
    if tuple(numbers) != cells.names or not all(
        1 <= number <= count for number, count in zip(cell, cells.counts, strict=True)
    ):
        raise ValueError(f"{one_line(text)}: no such cell")
    means = [
        TraitMean(float(columns[trait.name][row] or "nan"), math.nan, int(columns[f"{trait.name}_games"][row]))
        for trait in TRAITS
    ]
    return cell, means


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
            cell, means = read_row(rows.columns, row, cells)
            if cell in held:
                raise ValueError(f"{cells.name(cell)}: a second time")
            if not rows.counts[row, 0]:
                raise ValueError("no games")
        except ValueError as error:
            damaged.append(f"row {row + 1}, {rows.names[row]}, is damaged: {error}")
            continue
        held.add(cell)
        read.append(MapRow(row, cell, tuple(means)))
    return read, damaged


def row_of(cells: Sequence[str], name: str) -> int:
    """Return the first row whose cell has the numbers of a name, which may omit traits.

    Raises:
        GenerationError: the name has another trait, a number that is none, or a cell that no row has; the message names
            the nearest trait, option or cells.
    """
    numbers = [cell_numbers(cell) for cell in cells]
    known = list(numbers[0])
    wanted: dict[str, int] = {}
    held: dict[str, list[int]] = {}
    for part in name.split(","):
        trait, _, number = (word.strip() for word in part.partition("="))
        if trait not in known:
            raise GenerationError(_unknown(trait, known))
        if trait in wanted:
            raise GenerationError(f"{trait}: given twice")
        held[trait] = sorted({cell[trait] for cell in numbers})
        if not (number.isascii() and number.isdigit() and int(number[:9]) > 0):
            raise GenerationError(
                f"{trait}: expected the number of a cell, from 1{_most(held[trait])}, got {one_line(number)!r}"
            )
        wanted[trait] = int(number[:9])
    places = [[cell[trait] for trait in wanted] for cell in numbers]
    sought = list(wanted.values())
    if sought in places:
        return places.index(sought)
    apart = [sum(abs(one - other) for one, other in zip(place, sought, strict=True)) for place in places]
    order = sorted(range(len(places)), key=lambda row: apart[row])
    names = [",".join(f"{trait}={number}" for trait, number in zip(wanted, places[row], strict=True)) for row in order]
    near = "; ".join(list(dict.fromkeys(names))[:NEAREST])
    beyond = [
        f"; numbers go from {held[trait][0]} to {held[trait][-1]} ({trait})"
        for trait, number in wanted.items()
        if len(held[trait]) > 1 and not held[trait][0] <= number <= held[trait][-1]
    ]
    what = "" if known == [CELL] else "the cell "
    raise GenerationError(f"no member has {what}{one_line(name)}{''.join(beyond)}; nearest: {near}")


def _most(held: Sequence[int]) -> str:
    return f" to {held[-1]}" if len(held) > 1 else ""


def _unknown(word: str, traits: Sequence[str]) -> str:
    import difflib

    options = list_options()
    if word in options:
        return f"{word}: options come after the cells of a name"
    if traits == [CELL]:
        return f"{one_line(word)!r} is no cell of this map, whose cells lie around centres; expected {CELL}=NUMBER"
    if word == CELL:
        return f"{CELL}: the cells of this map are numbered by its traits ({', '.join(traits)})"
    if word in {trait.name for trait in TRAITS}:
        return f"{word}: this map has other traits ({', '.join(traits)})"
    near = difflib.get_close_matches(word.lower(), [*traits, *options], 1, 0.4)
    hint = f"; did you mean {near[0]}?" if near else ""
    return (
        f"{one_line(word)!r} is neither a trait of this map ({', '.join(traits)}) nor an option "
        f"({', '.join(options)}){hint}"
    )
