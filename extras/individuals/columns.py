"""The columns of lists of individuals, one entry each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from evolve.config.anchors import SHOWN_ZERO

if TYPE_CHECKING:
    from gui.individuals.individual import ListedPlayer

Value = float | str | None


@dataclass(frozen=True)
class PlayerColumn:
    """A column of lists of individuals.

    Attributes:
        value: computes its value for an individual.
        width: in pixels of the design.
        text: whether it contains text, not numbers.
        largest_first: whether the first click on the heading sorts by descending values.
        visible: whether it is displayed; others can be searched.
    """

    title: str
    value: Callable[[ListedPlayer], Value]
    width: int = 92
    text: bool = False
    largest_first: bool = False
    visible: bool = True

    @property
    def align(self) -> Literal["left", "right"]:
        return "left" if self.text else "right"


def _fact(name: str) -> Callable[[ListedPlayer], Value]:
    def value(of: ListedPlayer) -> Value:
        fact: Value = getattr(of, name)
        return None if fact == "" else fact

    return value


def _rating(of: ListedPlayer) -> Value:
    return None if of.rating is None else float(round(of.rating[0])) + SHOWN_ZERO


def _parents(of: ListedPlayer) -> Value:
    return " ".join(of.parents) or None


def _count(title: str, place: int, *, largest_first: bool = True) -> PlayerColumn:
    def value(of: ListedPlayer) -> Value:
        return None if of.results is None else of.results[place]

    return PlayerColumn(title, value, 64, largest_first=largest_first)


LIST_COLUMNS = {
    "name": PlayerColumn("Name", _fact("name"), text=True, visible=False),  # always the first one
    "rating": PlayerColumn("Rating", _rating, 70, largest_first=True),
    "source": PlayerColumn("From", _fact("source"), 124, text=True),
    "generation": PlayerColumn("Gen.", _fact("generation"), 54, largest_first=True),
    "rank": PlayerColumn("Rank", _fact("rank"), 52),
    "games": _count("Games", 0),
    "wins": _count("Won", 1),
    "draws": _count("Drawn", 2),
    "losses": _count("Lost", 3, largest_first=False),
    "points": _count("Points", 4),
    "origin": PlayerColumn("Origin", _fact("origin"), 100, text=True, visible=False),
    "parents": PlayerColumn("Parents", _parents, 190, text=True, visible=False),
}
"""Columns by their names in searches."""


def visible_columns() -> list[str]:
    return [name for name, column in LIST_COLUMNS.items() if column.visible]
