"""Cells of a map of traits in rows and names: ``back-row=4 centre=1`` in a row, ``back-row=4,centre=1`` in a name."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.run.columns import GenerationError
from game.errors import one_line
from game.players.names import list_options
from game.traits import TRAITS

CELL = "cell"
"""The name of the numbers of cells around centres, in place of traits."""
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
