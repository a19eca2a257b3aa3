"""Positions with few pieces, and their values in tablebases: training, validation and test sets that share no position.

A sample is known by a seed and a number, and is the same on every machine. The numbers below `SampleSource.places` give
every position once, in an order that depends on the seed. A hash of the position alone decides its part, so a position
of the test is in no training set, whatever its seed, size or numbers of pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from extras.learning import sampling_kernels
from extras.learning.sampling_kernels import PARTS, ROUNDS, TEST, TRAINING, VALIDATION
from game.endgame.slices import Slice, select_slices
from game.endgame.table_file import open_table, path_of
from game.endgame.tables import Tables
from game.generator import SplitMix64

__all__ = ["IN_TABLES", "PARTS", "PROVED", "TEST", "TRAINING", "UNPROVED", "VALIDATION", "SampleSource", "TableSamples"]

IN_TABLES, PROVED, UNPROVED = 0, 1, 2


@dataclass(frozen=True)
class TableSamples:
    """Positions with their values.

    Attributes:
        rows: uint64 of shape (samples, 3): own, opponent and kings as the side to move sees the board.
        values: int8 of shape (samples,): 1 won, 0 drawn, -1 lost.
        capturing: bool of shape (samples,): whether the side to move has to capture.
        proofs: uint8 of shape (samples,): IN_TABLES, PROVED (by a search), or UNPROVED, where the value is 0.
    """

    rows: NDArray[np.uint64]
    values: NDArray[np.int8]
    capturing: NDArray[np.bool_]
    proofs: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, which: slice) -> TableSamples:
        return TableSamples(*(getattr(self, each.name)[which] for each in fields(TableSamples)))

    @staticmethod
    def joined(parts: Sequence[TableSamples]) -> TableSamples:
        names = [each.name for each in fields(TableSamples)]
        return TableSamples(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


@dataclass(frozen=True)
class SampleSource:
    """A selection from the positions of tables, in an order that depends on a seed.

    Attributes:
        quiet: whether positions in which a capture is pending are left out.
        balanced: whether positions in which a side is a man or more ahead are left out (`Slice.balanced`).
        sides: see `select_slices`.
    """

    seed: int
    pieces_from: int
    pieces_to: int
    quiet: bool = False
    balanced: bool = False
    sides: tuple[int, int] | None = None

    @cached_property
    def slices(self) -> list[Slice]:
        return select_slices(self.pieces_from, self.pieces_to, self.sides, balanced=self.balanced)

    @cached_property
    def places(self) -> int:
        """The number of positions, whether quiet or not."""
        return sum(each.positions for each in self.slices)

    @cached_property
    def _key(self) -> NDArray[np.uint64]:
        bits = max(2, (self.places - 1).bit_length())
        words = SplitMix64(self.seed)
        steps = [word for _ in range(ROUNDS) for word in (words.next() | 1, words.next())]
        return np.array([(1 << bits) - 1, bits // 2, *steps], np.uint64)

    def draw(self, part: int, first: int, last: int, tables: Tables | None) -> TableSamples:
        """Return the samples of a part that have numbers from `first` to `last` - 1, in order of their numbers.

        Args:
            first, last: numbers of samples, from 0 to `places`.
            tables: tables of up to `pieces_to` pieces; None leaves all values 0 and UNPROVED.
        """
        count = last - first
        rows, values, capturing = np.empty((count, 3), np.uint64), np.empty(count, np.int8), np.empty(count, np.uint8)
        starts = np.cumsum([0, *(each.positions for each in self.slices)], dtype=np.int64)
        slices = np.array([(s.men, s.kings, s.opponent_men, s.opponent_kings) for s in self.slices], np.int64)
        size = sampling_kernels.draw(
            first, last, part, int(self.quiet), self._key, starts, slices, tables.address if tables else 0, rows,
            values, capturing,
        )  # fmt: skip
        proofs = np.full(size, IN_TABLES if tables else UNPROVED, np.uint8)
        return TableSamples(rows[:size].copy(), values[:size].copy(), capturing[:size].astype(bool), proofs)

    def look_up(self, samples: TableSamples, folder: Path) -> TableSamples:
        """Return samples that were drawn without tables with their values, from one table after the other."""
        values = np.zeros(len(samples), np.int8)
        for which in self.slices:
            table = Tables([open_table(path_of(folder, which))])
            sampling_kernels.look_up(samples.rows, which.number, table.address, values)
        return replace(samples, values=values, proofs=np.full(len(samples), IN_TABLES, np.uint8))
