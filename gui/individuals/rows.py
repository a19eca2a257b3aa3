"""What lists of individuals show: rows and their columns."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from evolve.run.columns import COUNT_COLUMNS
from evolve.run.row_index import Head
from gui.individuals.query import Value
from gui.individuals.sources import Source
from gui.model.names import individual, title_of

NO_GENERATION = "No generation yet."
NOT_KEPT = "Its weights were not kept: it cannot be played."
TEXTS = ("name", "source", "origin", "parents", "genome", "note")
"""Columns that hold texts; others hold numbers."""

COLUMNS = ("name", "rating", "source", "generation", "rank", *COUNT_COLUMNS, "origin", "parents")
"""Of rows from many files."""

BEST_FIRST = ("rating", "games", "wins", "draws", "points", "generation", "star")
"""Columns in which one looks for the largest first."""


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
        rating: of a champion that was rated, with the ends of its 95 % interval.
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
    rating: tuple[float, float, float] | None = None

    @property
    def is_mean(self) -> bool:
        """Whether it is the mean of all parents, which leads its generation without having to win it."""
        return self.origin == "recombined" and len(self.parents.split(maxsplit=2)) > 2

    @property
    def title(self) -> str:
        """What the window calls it during a game."""
        source = self.source if self.kind in (Kind.CHAMPION, Kind.INDIVIDUAL) else ""
        return title_of(self.name, source, self.generation, self.rank)

    @property
    def text(self) -> str:
        """What words are looked for in."""
        return f"{self.name} {self.source} {self.generation} {self.origin} {self.kind} {self.player}".lower()

    def value(self, column: str) -> Value:
        """What it has in one of `COLUMNS`."""
        if column in COUNT_COLUMNS:
            return None if self.results is None else self.results[COUNT_COLUMNS.index(column)]
        if column == "rating":
            return None if self.rating is None else float(round(self.rating[0]))
        found: Value = getattr(self, column)
        return None if found == "" else found


def row_of_generation(run: Source, generation: int, head: Head, *, kept: bool) -> Row:
    """An individual of a generation whose weights were kept or not; a champion can be played in any case."""
    target = f"{run.target}@{generation}"
    player = individual(target, head.name if kept else None) if kept or head.rank == 1 else ""
    return row_of(Kind.INDIVIDUAL, player, run.name, generation, head, "" if player else NOT_KEPT)


def row_of_file(path: Path, head: Head) -> Row:
    """An individual of a file on its own."""
    return row_of(Kind.INDIVIDUAL, individual(str(path), head.name), path.name, head.generation, head)


def row_of(kind: Kind, player: str, source: str, generation: int | None, head: Head, trouble: str = "") -> Row:
    """A row with what its line says."""
    parents = " ".join(head.parents)
    return Row(kind, player, head.name, source, generation, head.rank, head.origin, parents, head.results, trouble)
