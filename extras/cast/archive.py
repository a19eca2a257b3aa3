"""The map of a cast: its members, and the cell that each holds.

All games of a member count: its points decide whether it holds a cell, its traits in which cell it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evolve.breeding.inheritance import individual_name
from evolve.kinds.individual import Individual
from evolve.run.columns import GenerationError
from evolve.run.generation_csv import Generation
from extras.cast.members import held_rows, score_of, trait_columns
from extras.cast.trait_maps import TraitMap
from game.traits import TRAITS, TraitMean

Counts = NDArray[np.int64]
Cell = tuple[int, ...]


@dataclass(frozen=True)
class Member:
    """An individual with the results and traits of all its games against the field.

    Attributes:
        counts: int64 of shape (5,): games, wins, draws, losses, points.
        traits: the mean of each trait, without standard errors.
    """

    individual: Individual
    counts: Counts
    traits: tuple[TraitMean, ...]

    @classmethod
    def new(cls, individual: Individual) -> Member:
        return cls(individual, np.zeros(5, np.int64), (TraitMean(math.nan, math.nan, 0),) * len(TRAITS))

    @property
    def score(self) -> float:
        """Its share of the points in all its games, from 0 to 1; see `extras.cast.members.score_of`."""
        return score_of(self.counts.tolist())

    def with_games(self, counts: Counts, traits: NDArray[np.float64]) -> Member:
        """Return the member after further games.

        Args:
            traits: its traits in each of them, float64 of shape (games, traits); NaN where a game does not count.
        """
        means = tuple(_added(mean, column) for mean, column in zip(self.traits, traits.T.tolist(), strict=True))
        return replace(self, counts=self.counts + counts, traits=means)

    def beats(self, other: Member) -> bool:
        return int(self.counts[4]) * int(other.counts[0]) > int(other.counts[4]) * int(self.counts[0])


def _added(mean: TraitMean, values: Iterable[float]) -> TraitMean:
    known = [value for value in values if not math.isnan(value)]
    games = mean.games + len(known)
    if not known:
        return mean
    before = mean.value * mean.games if mean.games else 0.0
    return TraitMean((before + math.fsum(known)) / games, math.nan, games)


class Archive:
    """The members that hold the cells of a map."""

    def __init__(self, cells: TraitMap, members: Mapping[Cell, Member] | None = None) -> None:
        self.cells = cells
        self.members: dict[Cell, Member] = dict(members or {})

    def contest(self, mutants: Sequence[Member]) -> tuple[list[int], list[Cell]]:
        """Choose the players that play again after the first games of mutants, before a mutant can hold a cell.

        Returns:
            The indexes of the mutants whose cell is empty or whose holder they seem to beat, and the held cells among
                these.
        """
        chosen, held = [], set()
        for index, mutant in enumerate(mutants):
            cell = self.cells.place(mutant.traits)
            if cell is None:
                continue
            holder = self.members.get(cell)
            if holder is None or mutant.beats(holder):
                chosen.append(index)
                held |= {cell} if holder is not None else set()
        return chosen, sorted(held)

    def fewest(self, count: int) -> list[Cell]:
        """Return the cells of the members with the fewest games, of equal ones the best: its score may be luck."""
        order = self.best_first()
        return sorted(order, key=lambda cell: int(self.members[cell].counts[0]))[:count]

    def settle(self, again: Mapping[Cell, Member], mutants: Sequence[Member]) -> list[Cell | None]:
        """Place members that have played again, and mutants, by all their games.

        Members come first, so an equal mutant replaces none. A member whose traits have drifted moves to its cell.

        Returns:
            the cell of each mutant that holds one now, else None.
        """
        for cell in again:
            del self.members[cell]
        for cell in sorted(again):
            self._join(again[cell])
        for mutant in mutants:
            self._join(mutant)
        now = {id(member): cell for cell, member in self.members.items()}
        return [now.get(id(mutant)) for mutant in mutants]

    def _join(self, member: Member) -> None:
        cell = self.cells.place(member.traits)
        if cell is None:
            return
        holder = self.members.get(cell)
        if holder is None or member.beats(holder):
            self.members[cell] = member

    def number(self, cell: Cell) -> int:
        """Return the number of a cell, from 0, counted along the last trait first."""
        return int(np.ravel_multi_index([place - 1 for place in cell], self.cells.counts))

    def best_first(self) -> list[Cell]:
        share = {cell: member.counts[4] / member.counts[0] for cell, member in self.members.items()}
        return sorted(self.members, key=lambda cell: (-share[cell], cell))

    def rename(self, generation: int) -> None:
        for cell, member in self.members.items():
            one = member.individual
            stays = bool(one.name)
            name = individual_name(generation, self.number(cell))
            origin, parents = ("survivor", (one.name,)) if stays else (one.origin, one.parents)
            self.members[cell] = replace(member, individual=Individual(one, name, origin, parents, one.king))

    def rows(self, state: NDArray[np.float32] | None) -> Generation:
        """Return the map as the rows of a generation.

        Args:
            state: state of the adapted mutants, float32 of shape (rows, columns); None if there is none.
        """
        order = self.best_first()
        members = [self.members[cell] for cell in order]
        values: list[list[str]] = []
        for cell, member in zip(order, members, strict=True):
            row = [self.cells.name(cell).replace(",", " ")]
            for mean in member.traits:
                row += ["" if not mean.games else repr(mean.value), str(mean.games)]
            values.append(row)
        return Generation(
            [member.individual.name for member in members],
            np.array([np.asarray(member.individual) for member in members], np.float32),
            np.arange(1, len(members) + 1),
            [member.individual.origin for member in members],
            [member.individual.parents for member in members],
            np.array([member.counts for member in members], np.int64),
            state=state,
            columns=dict(zip(trait_columns(), map(list, zip(*values, strict=True)), strict=True)),
        )


def archive_of(rows: Generation, cells: TraitMap, king: float, source: str = "") -> Archive:
    """Return the map that the rows of a generation hold.

    Raises:
        GenerationError: a column is missing, or a field is not what a session writes.
    """
    read, damaged = held_rows(rows, cells, source)
    if damaged:
        raise GenerationError(f"{source}: {damaged[0]}")
    assert rows.counts is not None  # the map has been read
    members = {
        one.cell: Member(Individual(rows.weights[one.row], rows.names[one.row], king=king), counts, one.traits)
        for one, counts in zip(read, rows.counts[[one.row for one in read]], strict=True)
    }
    return Archive(cells, members)
