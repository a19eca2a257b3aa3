"""The columns of lists of individuals, an entry each: heading, width, value, and which lists have it. No pygame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from evolve.run.columns import COUNT_COLUMNS

if TYPE_CHECKING:
    from evolve.run.row_index import Head
    from gui.individuals.individual import ListedPlayer

Value = float | str | None


@dataclass(frozen=True)
class ListColumn:
    """A column of lists of individuals.

    Attributes:
        title: its heading.
        value: computes its value for an individual, or for a row of a file; None if only a file or a note holds it.
        width: in pixels of the design.
        text: whether it holds texts, not numbers.
        largest_first: whether the first click on the heading sorts by descending values.
        of_many: whether lists of individuals from many files have it, by default visible or hidden.
    """

    title: str
    value: Callable[[ListedPlayer | Head], Value] | None = None
    width: int = 92
    text: bool = False
    largest_first: bool = False
    of_many: Literal["", "visible", "hidden"] = ""

    @property
    def align(self) -> Literal["left", "right"]:
        """Left for texts and stars, right for numbers."""
        return "left" if self.text or self.title == "Star" else "right"


def _fact(name: str) -> Callable[[ListedPlayer | Head], Value]:
    def value(of: ListedPlayer | Head) -> Value:
        found: Value = getattr(of, name)
        return None if found == "" else found

    return value


def _rating(of: ListedPlayer | Head) -> Value:
    rating = getattr(of, "rating", None)
    return None if rating is None else float(round(rating[0]))


def _parents(of: ListedPlayer | Head) -> Value:
    return " ".join(of.parents) or None


def _count(title: str, place: int, *, largest_first: bool = True) -> ListColumn:
    def value(of: ListedPlayer | Head) -> Value:
        return None if of.results is None else of.results[place]

    return ListColumn(title, value, 64, largest_first=largest_first, of_many="visible")


LIST_COLUMNS = {
    "name": ListColumn("Name", _fact("name"), text=True, of_many="hidden"),  # always the first one
    "rating": ListColumn("Rating", _rating, 70, largest_first=True, of_many="visible"),
    "source": ListColumn("From", _fact("source"), 124, text=True, of_many="visible"),
    "generation": ListColumn("Gen.", _fact("generation"), 54, largest_first=True, of_many="visible"),
    "rank": ListColumn("Rank", _fact("rank"), 52, of_many="visible"),
    "games": _count("Games", 0),
    "wins": _count("Won", 1),
    "draws": _count("Drawn", 2),
    "losses": _count("Lost", 3, largest_first=False),
    "points": _count("Points", 4),
    "origin": ListColumn("Origin", _fact("origin"), 100, text=True, of_many="hidden"),
    "parents": ListColumn("Parents", _parents, 190, text=True, of_many="hidden"),
    "star": ListColumn("Star", width=54, largest_first=True),
    "note": ListColumn("Note", width=200, text=True),
    "genome": ListColumn("Genome", width=160, text=True),
    "king": ListColumn("King"),
}
"""Columns by the name that searches use; a file has more, such as ``w17``, whose heading is their name."""

MARKS = ("star", "note")
"""Columns that are not in a file of individuals: the player of the game keeps them beside the run."""

COLUMNS = tuple(name for name, column in LIST_COLUMNS.items() if column.of_many)
"""Columns of lists of individuals from many files."""

VISIBLE_OF_MANY = tuple(name for name, column in LIST_COLUMNS.items() if column.of_many == "visible")
VISIBLE_OF_FILE = ("name", "rank", "origin", *COUNT_COLUMNS)
"""Columns that are visible by default, where a list has them."""


def column_of(name: str) -> ListColumn:
    """Return a column by its name; one that only a file knows holds numbers."""
    return LIST_COLUMNS.get(name) or ListColumn(name)


def value_of(individual: ListedPlayer | Head, column: str) -> Value:
    """Return the value of an individual, or of a row of a file, in one of `COLUMNS`."""
    value = LIST_COLUMNS[column].value
    return None if value is None else value(individual)
