"""Cells of a map of traits in rows and names: ``back-row=4 centre=1`` in a row, ``back-row=4,centre=1`` in a name."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.run.columns import GenerationError
from game.errors import did_you_mean, one_line
from game.players.names import list_options

CELL_COLUMN = "cell"
"""The column of a generation with the cell of each individual."""
NEAREST = 3
"""Number of cells that a message lists."""


def cell_numbers(cell: str) -> dict[str, int]:
    """Return the numbers of a cell by their traits; older runs have cells of one number, ``cell``."""
    return {trait: int(number) for trait, _, number in (word.partition("=") for word in cell.split())}


def row_of(cells: Sequence[str], name: str) -> int:
    """Return the first row whose cell has the numbers of a name, which may omit traits; errors name the nearest."""
    numbers = [cell_numbers(cell) for cell in cells]
    known = list(numbers[0])
    wanted: dict[str, int] = {}
    for part in name.split(","):
        trait, _, number = (word.strip() for word in part.partition("="))
        if trait not in known:
            raise GenerationError(_unknown(trait, known))
        if trait in wanted:
            raise GenerationError(f"{trait}: given twice")
        if not (number.isascii() and number.isdigit() and int(number[:9]) > 0):
            most = max(cell[trait] for cell in numbers)
            raise GenerationError(f"{trait}: expected the number of a cell, up to {most}, got {one_line(number)!r}")
        wanted[trait] = int(number[:9])
    apart = [sum(abs(cell[trait] - number) for trait, number in wanted.items()) for cell in numbers]
    order = sorted(range(len(numbers)), key=lambda row: apart[row])
    if not apart[order[0]]:
        return order[0]
    names = [",".join(f"{trait}={numbers[row][trait]}" for trait in wanted) for row in order]
    near = "; ".join(list(dict.fromkeys(names))[:NEAREST])
    raise GenerationError(f"no member has the cell {one_line(name)}; nearest: {near}")


def _unknown(word: str, traits: Sequence[str]) -> str:
    options = list_options()
    if word in options:
        return f"{word}: options come after the cells of a name"
    return (
        f"{one_line(word)!r}: expected a cell of this map ({', '.join(f'{trait}=NUMBER' for trait in traits)}) or an "
        f"option ({', '.join(options)}){did_you_mean(word.lower(), [*traits, *options], 0.4)}"
    )
