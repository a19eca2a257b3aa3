"""What a list of opponents shows: rows, where they are looked for, and their order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple


class Kind(StrEnum):
    """What a row is."""

    BUILT_IN = "built-in"
    CHAMPION = "champion"
    INDIVIDUAL = "individual"
    EXTERNAL = "external"
    DAMAGED = "damaged"


class Row(NamedTuple):
    """One opponent, or a file that is damaged.

    Attributes:
        kind: what it is.
        player: the name that `game.players` knows it by; empty if it cannot be played.
        name: its own, such as ``Gen15_0111``.
        source: the run or the file that it is of.
        generation: of a run; None elsewhere.
        rank: 1 is best; None where there is none.
        origin, parents: as in the file; empty if unknown.
        results: games, wins, draws, losses, points; None if unknown.
        trouble: why it cannot be played; empty if it can.
    """

    kind: Kind
    player: str
    name: str
    source: str
    generation: int | None = None
    rank: int | None = None
    origin: str = ""
    parents: str = ""
    results: tuple[int, ...] | None = None
    trouble: str = ""

    @property
    def title(self) -> str:
        """What the window calls it during a game."""
        if self.generation is None:
            return self.name
        rank = "" if self.rank is None else f", rank {self.rank}"
        return f"{self.name} ({self.source}, generation {self.generation}{rank})"

    def matches(self, words: list[str]) -> bool:
        """Whether each of these words in small letters stands somewhere in it."""
        text = f"{self.name} {self.source} {self.generation} {self.origin} {self.kind} {self.player}".lower()
        return all(word in text for word in words)


class View(StrEnum):
    """Where opponents are looked for."""

    START = "start"
    RUN = "run"
    GENERATION = "generation"
    FILE = "file"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Scope:
    """What a list is of.

    Attributes:
        view: START: built-in players, the newest champion of each run, dropped files, external programs; RUN: the
            champions of a run; GENERATION: all of one generation; FILE: of a CSV file; ALL: everybody everywhere.
        run: the name of a run.
        generation: its number.
        path: a file.
    """

    view: View = View.START
    run: str = ""
    generation: int = 0
    path: Path | None = None


_KEYS: dict[str, Callable[[Row], Any]] = {
    "name": lambda row: row.name.lower(),
    "source": lambda row: row.source.lower(),
    "generation": lambda row: row.generation,
    "rank": lambda row: row.rank,
    "origin": lambda row: row.origin or None,
    "games": lambda row: row.results and row.results[0],
    "wins": lambda row: row.results and row.results[1],
    "draws": lambda row: row.results and row.results[2],
    "losses": lambda row: row.results and row.results[3],
    "points": lambda row: row.results and row.results[4],
}
COLUMNS = tuple(_KEYS)
"""Columns that a list can be sorted by."""


def in_order(rows: list[Row], column: str, descending: bool) -> list[Row]:
    """Rows sorted by a column; equal ones stay as they are, those without a value come last."""
    key = _KEYS[column]
    known = [row for row in rows if key(row) is not None]
    unknown = [row for row in rows if key(row) is None]
    return sorted(known, key=key, reverse=descending) + unknown
