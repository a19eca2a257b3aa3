"""A searchable, sortable list of the individuals of many files, read in small steps.

`Library.step` does a little of the work and returns; rows appear as they are read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run.append_only import HALL_OF_FAME
from evolve.run.files import Stamp
from evolve.run.manifest import entry_of
from evolve.run.row_index import ANY_TABLE, Head, RowIndex
from extras import file_kind
from extras.individuals import query
from extras.individuals.columns import LIST_COLUMNS, Value
from extras.individuals.query import Query
from game.players.registry import KINDS
from gui.individuals.individual import NO_GENERATION, EntryKind, ListedPlayer
from gui.individuals.opponents import find_level, first_of_file, unknown_width
from gui.model import seats
from gui.runs.sources import Source, Sources

if TYPE_CHECKING:
    from gui.runs.live_run import LiveRun

MOST_ROWS = 250_000
_GROWTH = 1.3
"""Rows are displayed again once their number has grown by this factor, since displaying costs as much as reading."""

_AT_ONCE = 500


START = Source("Champions and others", Path("Champions and others"))
"""Built-in players, the newest champion of each run, the first individual of each file, and programs."""
ALL = Source("All", Path("All"))
"""All individuals of all runs and files."""

Pieces = Iterator[Iterable[ListedPlayer]]
"""Rows in the pieces in which they are read; an empty piece only lets the caller check the time."""


class Walker:
    """Walks through runs and files, and caches the contents of each file until it changes."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.seen: dict[Path, Stamp] = {}
        self.kept: dict[Path, RowIndex] = {}
        self._walked: tuple[object, ...] = ()

    def changed(self) -> bool:
        return self._walked != self._listed() or any(file.refresh() for file in self.seen.values())

    def _listed(self) -> tuple[object, ...]:
        sources = self.sources
        return sources.runs, sources.lying, list(sources.files), list(sources.programs)

    def walk(self, source: Source, generation: int) -> Pieces:
        """Yield the rows of a source, as the disk was at the last look; see `Library.show`."""
        self.seen, self._walked = {}, self._listed()
        present = next((run for run in self.sources.runs if run.path == source.path), None)
        if source in (START, ALL):
            yield from self._all(champions=source == START)
        elif not source.is_run:
            yield from self._file(source.path)
        elif present is not None and generation < 0:
            yield from self._champions(present, range(present.newest, -1, -1))
        elif present is not None and generation <= present.newest:
            yield from self._generation(present, generation)
        self.kept = {path: heads for path, heads in self.kept.items() if path in self.seen}

    def _all(self, *, champions: bool) -> Pieces:
        runs = self.sources.runs
        yield from map(_unplayable_run, runs)
        for run in runs if champions else ():
            yield from self._champions(run, range(run.newest, run.newest + 1))
        yield _built_in()
        for file in self.sources.all_files:
            pieces = self._file(file.path)
            yield from (next(([*rows][:1] for rows in pieces if rows), ()),) if champions else pieces
        yield self._added()
        for run in () if champions else runs:
            for generation in range(run.newest, -1, -1):
                yield from self._generation(run, generation)

    def _added(self) -> list[ListedPlayer]:
        return [
            ListedPlayer(None, None, name.member or name.target, EntryKind.EXTERNAL, name.text, name.target)
            for name in self.sources.programs
        ]

    def _champions(self, run: Source, generations: range) -> Pieces:
        if run.newest < 0:  # there is no hall of fame yet; this is not damage
            return
        heads, live = self._heads(run.path / HALL_OF_FAME, ()), self.sources.live(run.path)
        yield from _read(heads)
        short = self._shortage(run, heads)
        while live.read_log().more:
            yield ()
        known = {head.generation: head for head in heads.heads if head.generation is not None}
        for generation in generations:
            if generation not in known and generation < max(known, default=-1):
                continue  # its weights were left out of the hall of fame
            head = known.get(generation, Head("champion"))._replace(rank=1)
            # Without a number, a target means the newest generation, which only an undamaged manifest gives.
            target = f"{run.target}@{generation}" if generation < run.newest or run.trouble else run.target
            player = seats.individual(target)
            row = ListedPlayer(run.path, generation, "", EntryKind.CHAMPION, player, run.name).with_facts(head)
            yield (self._rated(row, run, live),)
        if short and len(generations) > 1:
            yield (_damaged(HALL_OF_FAME, run.name, f"{heads.path}: {short}"),)

    def _rated(self, row: ListedPlayer, run: Source, live: LiveRun) -> ListedPlayer:
        assert row.generation is not None
        player = run.target if row.generation == run.newest else f"{run.target}@{row.generation}"
        level = find_level(self.sources.folder, player)  # with the rating that the level has everywhere
        rating = (None if level is None else level.rating) or live.rating(row.generation)
        # The two games that a mean happened to play do not measure its strength.
        return row._replace(results=None if row.is_mean else row.results, rating=rating)

    @staticmethod
    def _shortage(run: Source, heads: RowIndex) -> str:
        """Return the damage of a hall of fame, which has no checksum; empty if it has all complete generations."""
        damage = heads.damage or (f"it ends at generation {heads.last}" if heads.last < run.newest else "")
        if damage:
            now = entry_of(run.path, run.newest)  # None if the run was removed or went back after the last look
            return damage if now is not None and now.first in run.checksums(run.newest) else ""
        return ""

    def _generation(self, run: Source, generation: int) -> Pieces:
        live = self.sources.live(run.path)
        while live.read_log().more:
            yield ()
        heads = self._heads(run.file(generation), run.checksums(generation))
        yield from _read(heads)
        if heads.damage:
            trouble = f"{heads.path}: damaged, {heads.damage}"
            yield (_damaged(f"generation {generation}", run.name, trouble)._replace(generation=generation),)
        kept = heads.weights > 0
        for start in range(0, len(heads.heads), _AT_ONCE):
            some = (ListedPlayer.of_generation(run, generation, head, kept=kept)
                    for head in heads.heads[start : start + _AT_ONCE])  # fmt: skip
            yield [self._rated(row, run, live) if row.is_champion else row for row in some]

    def _file(self, path: Path) -> Pieces:
        if file_kind(path.name) is not None:
            self._see(path)
            yield (first_of_file(path),)
            return
        heads = self._heads(path, ANY_TABLE)
        yield from _read(heads)
        if trouble := heads.damage or unknown_width(path, heads.weights):
            yield (_damaged(path.name, path.name, f"{path}: {trouble}"),)
            return
        for start in range(0, len(heads.heads), _AT_ONCE):
            yield [ListedPlayer.of_file(path, head) for head in heads.heads[start : start + _AT_ONCE]]

    def _heads(self, path: Path, checksums: tuple[str, ...]) -> RowIndex:
        self._see(path)
        known = self.kept.get(path)
        if known is None or not known.holds(checksums):
            known = self.kept[path] = RowIndex(path, checksums)
        return known

    def _see(self, path: Path) -> None:
        file = self.seen[path] = Stamp(path)
        file.refresh()


def _read(heads: RowIndex) -> Pieces:
    while heads.step():
        yield ()


def _unplayable_run(run: Source) -> tuple[ListedPlayer, ...]:
    if run.trouble:
        return (_damaged(run.name, run.name, run.trouble),)
    without = ListedPlayer(run.path, None, run.name, EntryKind.CHAMPION, source=run.name, trouble=NO_GENERATION)
    return (without,) if run.newest < 0 else ()


def _built_in() -> list[ListedPlayer]:
    return [
        ListedPlayer(None, None, kind.title, EntryKind.BUILT_IN, kind.target, "built-in")
        for kind in KINDS.values()
        if kind.title
    ]


def _damaged(name: str, source: str, trouble: str) -> ListedPlayer:
    return ListedPlayer(None, None, name, EntryKind.DAMAGED, source=source, trouble=trouble)


@dataclass
class _Pass:
    """A walk through a source; the rows of a first walk are displayed as they are read."""

    pieces: Pieces
    first: bool
    rows: list[tuple[int, ListedPlayer]] = field(default_factory=list)


class Library:
    """The individuals and other players of a source that match a search.

    Attributes:
        arranged: the source, search and order of the rows: a key that changes when they do.
    """

    def __init__(self, sources: Sources, clock: Callable[[], float] = time.perf_counter) -> None:
        """Prepare a list; nothing is read before the first step."""
        self.rows: list[ListedPlayer] = []
        self.arranged: tuple[object, ...] = ()
        self.sources = sources
        self._walker = Walker(sources)
        self._clock = clock
        self._source, self._generation = START, -1
        self._text, self._query = "", Query()
        self._column, self._descending = "", False
        self._natural: list[tuple[int, ListedPlayer]] = []
        self._looked = -1
        self._pass: _Pass | None = None
        self._begin(first=True)

    # The list -----------------------------------------------------------------------------------------------------

    def show(self, source: Source, generation: int = -1) -> None:
        """List a source, of a run one of its generations or, by default, its champions.

        A search in `START` looks through everything.
        """
        self._source, self._generation = source, generation
        self._begin(first=True)

    @property
    def search(self) -> str:
        return self._text

    @search.setter
    def search(self, text: str) -> None:
        self._text, before = text, self._query
        self._query = query.read(text)
        if self._query != before:
            self._begin(first=True)

    @property
    def trouble(self) -> str:
        """The fault in the text of the search; empty if there is none."""
        return self._query.trouble

    @property
    def sorted_by(self) -> tuple[str, bool]:
        """The column by which the list is sorted, and whether it descends.

        No column means the default order: champions first if something is searched, those that fit best before others;
        then by rating, unrated players last.
        """
        return self._column, self._descending

    def sort(self, column: str, *, descending: bool = False) -> None:
        self._column, self._descending = (column, descending) if column in LIST_COLUMNS else ("", False)
        self._publish()

    @property
    def notes(self) -> Sequence[str]:
        """The rows that were left out of the listed file, in words."""
        index = self._walker.kept.get(self._source.path)
        return () if index is None else index.notes

    # The work -----------------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        return self._pass is not None

    def step(self, now: float, seconds: float) -> bool:
        """Work for about `seconds`; return whether `rows` or `runs` may have changed.

        Args:
            now: seconds of a monotonic clock.
            seconds: how long to work.
        """
        end = self._clock() + seconds
        changed = self.sources.step(now, seconds)
        if not self.sources.looks:
            return changed
        if self._looked != self.sources.looks:
            self._looked = self.sources.looks
            if self._pass is None and self._walker.changed():
                self._begin(first=False)
        return self._walk_on(end) or changed

    def _walk_on(self, end: float) -> bool:
        if self._pass is None:
            return False
        present = self._pass
        while True:
            rows = next(present.pieces, None)
            room = MOST_ROWS - len(present.rows)
            present.rows += islice(self._fitting(rows or ()), room)
            done = rows is None or len(present.rows) >= MOST_ROWS
            if done or self._clock() >= end:
                break
        if done:
            self._pass = None
        if not done and not (present.first and len(present.rows) > _GROWTH * len(self._natural)):
            return False
        self._natural = list(present.rows)
        self._publish()
        return True

    def _fitting(self, rows: Iterable[ListedPlayer]) -> Iterator[tuple[int, ListedPlayer]]:
        """Yield the rows that fit the search, each with its place in the default order, from 0."""
        wanted = self._query
        for row in rows:
            if wanted.empty:
                yield 0, row
                continue
            misses = wanted.misses(partial(_value, row), partial(getattr, row, "texts"))
            if misses is not None:
                yield misses + (0 if row.is_champion else len(wanted.words) + 1), row

    def _begin(self, *, first: bool) -> None:
        source = ALL if self._source == START and not self._query.empty else self._source
        self._pass = _Pass(self._walker.walk(source, self._generation), first)
        if first:
            self._natural = []

    def _publish(self) -> None:
        column, descending = self.sorted_by if self._column else ("rating", True)
        rows = query.in_order(
            ((_value(row, column), (place, row)) for place, row in self._natural), descending=descending
        )
        if not self._column:
            rows.sort(key=itemgetter(0))
        self.rows = [row for _, row in rows]
        self.arranged = self._source.path, self._generation, self._text, self.sorted_by


def _value(row: ListedPlayer, column: str) -> Value:
    return LIST_COLUMNS[column].value(row)
