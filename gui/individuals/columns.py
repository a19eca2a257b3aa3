"""The columns of lists of individuals, one entry each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from evolve.config.anchors import SHOWN_ZERO
from evolve.run.columns import COUNT_COLUMNS

if TYPE_CHECKING:
    from evolve.run.row_index import Head
    from gui.individuals.individual import ListedPlayer

Value = float | str | None


@dataclass(frozen=True)
class PlayerColumn:
    """A column of lists of individuals.

    Attributes:
        value: computes its value for an individual, or for a row of a file; None if only a file or a note contains it.
        width: in pixels of the design.
        text: whether it contains text, not numbers.
        largest_first: whether the first click on the heading sorts by descending values.
        of_many: visible or hidden by default in lists of individuals from many files; empty if they lack the column.
        of_file: the same for lists of one file, if the file itself lacks the column.
    """

    title: str
    value: Callable[[ListedPlayer | Head], Value] | None = None
    width: int = 92
    text: bool = False
    largest_first: bool = False
    of_many: Literal["", "visible", "hidden"] = ""
    of_file: Literal["", "visible", "hidden"] = ""

    @property
    def align(self) -> Literal["left", "right"]:
        return "left" if self.text or self.title == "Star" else "right"


def _fact(name: str) -> Callable[[ListedPlayer | Head], Value]:
    def value(of: ListedPlayer | Head) -> Value:
        fact: Value = getattr(of, name)
        return None if fact == "" else fact

    return value


def _rating(of: ListedPlayer | Head) -> Value:
    rating = getattr(of, "rating", None)
    return None if rating is None else float(round(rating[0])) + SHOWN_ZERO


def _parents(of: ListedPlayer | Head) -> Value:
    return " ".join(of.parents) or None


def _count(title: str, place: int, *, largest_first: bool = True) -> PlayerColumn:
    def value(of: ListedPlayer | Head) -> Value:
        return None if of.results is None else of.results[place]

    return PlayerColumn(title, value, 64, largest_first=largest_first, of_many="visible")


LIST_COLUMNS = {
    "name": PlayerColumn("Name", _fact("name"), text=True, of_many="hidden"),  # always the first one
    "rating": PlayerColumn("Rating", _rating, 70, largest_first=True, of_many="visible"),
    "source": PlayerColumn("From", _fact("source"), 124, text=True, of_many="visible"),
    "generation": PlayerColumn("Gen.", _fact("generation"), 54, largest_first=True, of_many="visible"),
    "rank": PlayerColumn("Rank", _fact("rank"), 52, of_many="visible"),
    "games": _count("Games", 0),
    "wins": _count("Won", 1),
    "draws": _count("Drawn", 2),
    "losses": _count("Lost", 3, largest_first=False),
    "points": _count("Points", 4),
    "origin": PlayerColumn("Origin", _fact("origin"), 100, text=True, of_many="hidden"),
    "parents": PlayerColumn("Parents", _parents, 190, text=True, of_many="hidden"),
    "star": PlayerColumn("Star", width=54, largest_first=True, of_file="hidden"),
    "note": PlayerColumn("Note", width=200, text=True, of_file="hidden"),
    "genome": PlayerColumn("Genome", width=160, text=True),
    "king": PlayerColumn("King"),
}
"""Columns by their names in searches. Files have further columns, such as ``w17``, whose names are their headings."""

MARKS = ("star", "note")
"""Columns that users fill in themselves; they are saved beside the run."""


def columns_of_many() -> list[str]:
    return [name for name, column in LIST_COLUMNS.items() if column.of_many]


def added_to_files() -> list[str]:
    """Return the columns that a list of one file adds to the columns of the file."""
    return [name for name, column in LIST_COLUMNS.items() if column.of_file]


def default_columns(*, of_many: bool) -> list[str]:
    if of_many:
        return [name for name, column in LIST_COLUMNS.items() if column.of_many == "visible"]
    added = (name for name, column in LIST_COLUMNS.items() if column.of_file == "visible")
    return ["name", "rank", "origin", *COUNT_COLUMNS, *added]


def column_of(name: str) -> PlayerColumn:
    """Return a column by its name; columns that exist only in files contain numbers."""
    return LIST_COLUMNS.get(name) or PlayerColumn(name)


def value_of(individual: ListedPlayer | Head, column: str) -> Value:
    """Return the value of an individual, or of a row of a file, in a column of `LIST_COLUMNS`."""
    value = LIST_COLUMNS[column].value
    return None if value is None else value(individual)
