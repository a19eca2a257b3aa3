"""The individuals of one run or file: its champions or a generation, read in small steps and again after a change."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from evolve.run.row_index import RowIndex
from extras import file_kind
from gui.individuals.individual import EntryKind, ListedPlayer
from gui.individuals.opponents import first_of_file, unknown_width
from gui.runs.sources import Source, Sources

AT_ONCE = 500
"""Number of individuals that are made in a step."""


class Library:
    """The individuals of a run or file.

    Args:
        first: the run or file to begin with; None for the first one that is listed.

    Attributes:
        listed: the runs and files; empty until the first look at the disk.
        source: the chosen one; None until there is one.
        generation: the chosen generation of a run; -1 for the champions of all generations.
        individuals: those of the source, the first ones in its order; a damaged file is an entry with the reason.
        version: changes with the individuals.
    """

    def __init__(self, sources: Sources, first: Path | None = None) -> None:
        """Prepare a list; nothing is read before the first step."""
        self.sources = sources
        self.listed: list[Source] = []
        self.source: Source | None = None
        self.generation = -1
        self.individuals: list[ListedPlayer] = []
        self.version = 0
        self._first = first
        self._looked = 0
        self._index: RowIndex | None = None
        self._reading: Iterator[None] | None = None
        sources.look_soon()

    @property
    def busy(self) -> bool:
        return not self._looked or self._reading is not None

    @property
    def notes(self) -> list[str]:
        """The rows that were left out of the chosen file, in words."""
        return [] if self._index is None else self._index.notes

    def choose(self, source: Source, generation: int = -1) -> None:
        """List a file, or of a run the individuals of a generation or, by default, all champions."""
        self.source, self.generation = source, generation
        self._show([])
        self._reading = self._read(source, generation)

    def step(self, now: float, seconds: float) -> bool:
        """Work for about some seconds; return whether anything may have changed.

        Args:
            now: seconds of a monotonic clock.
        """
        end = time.perf_counter() + seconds
        changed = self.sources.step(now, seconds)
        if self._looked != self.sources.looks:
            self._looked, changed = self.sources.looks, True
            self._take()
        while self._reading is not None:
            changed = True
            if next(self._reading, self) is self:
                self._reading = None
            if time.perf_counter() >= end:
                break
        return changed

    def _take(self) -> None:
        """List the runs and files that are there now, and read the chosen one again if it has changed."""
        sources, before = self.sources, self.source
        self.listed = [*sources.in_order(self.listed), *sources.members, *sources.all_files]
        now = {each.path: each for each in self.listed}
        if self._first in now:
            self.choose(now[self._first])
            self._first = None
        elif before is None or before.path not in now:
            self.source, self._reading = None, None
            self._show([])
            if self.listed:
                self.choose(self.listed[0])
        elif self._reading is None and (now[before.path] != before or (self._index and self._index.stale)):
            self.source = now[before.path]
            self.generation = min(self.generation, self.source.newest)
            self._reading = self._read(self.source, self.generation)

    def _show(self, individuals: list[ListedPlayer]) -> None:
        self.individuals, self.version = individuals, self.version + 1

    def _read(self, source: Source, generation: int) -> Iterator[None]:
        if source.is_run:
            live = self.sources.live(source.path)
            live.read()
            while live.busy:
                yield
                live.read()
        if source.is_run and generation < 0:
            self._index = None
            numbers = range(source.newest, -1, -1)
            self._show([ListedPlayer.of_champion(source, live, number) for number in numbers])
        elif file_kind(source.path.name) is not None:
            self._show([first_of_file(source.path)])
        else:
            yield from self._read_file(source, generation)

    def _read_file(self, source: Source, generation: int) -> Iterator[None]:
        index, checksums = self._index, source.checksums(generation)
        if index is None or index.path != source.file(generation) or not index.holds(checksums):
            index = self._index = RowIndex(source.file(generation), checksums)
        while index.step():
            yield
        kept, path, rows = index.weights > 0, source.path, list[ListedPlayer]()
        trouble = index.damage or ("" if source.is_run else unknown_width(path, index.weights))
        if trouble:
            name = f"generation {generation}" if source.is_run else source.name
            trouble = f"{index.path}: {'damaged, ' if source.is_run else ''}{trouble}"
            rows = [ListedPlayer(None, None, name, EntryKind.DAMAGED, source=source.name, trouble=trouble)]
        for at, head in enumerate(() if trouble else index.heads):
            if source.is_run:
                rating = self.sources.live(path).rating(generation) if head.rank == 1 else None
                rows.append(ListedPlayer.of_generation(source, generation, head, kept=kept)._replace(rating=rating))
            else:
                rows.append(ListedPlayer.of_file(path, head))
            if at % AT_ONCE == 0:
                yield
        self._show(rows)
