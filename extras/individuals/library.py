"""A searchable, sortable list of the individuals of many files, read in small steps.

`Library.step` does a little of the work and returns; rows appear as they are read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run.append_only import HALL_OF_FAME
from evolve.run.files import Stamp
from evolve.run.manifest import entry_of
from evolve.run.row_index import ANY_TABLE, Head, Judgement, RowIndex
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


class View(StrEnum):
    START = "start"
    RUN = "run"
    GENERATION = "generation"
    FILE = "file"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Scope:
    """The scope of a list of individuals.

    Attributes:
        view: the kind of the list. START lists built-in players, the newest champion of each run, files and programs;
            RUN lists the champions of a run, GENERATION the individuals of one of its generations, FILE those of a
            file; ALL lists all individuals of all runs and files.
    """

    view: View = View.START
    run: str = ""
    generation: int = -1
    file: Path | None = None


Pieces = Iterator[Iterable[ListedPlayer]]
"""Rows in the pieces in which they are read; an empty piece only lets the caller check the time."""


class Damages:
    """The damage of each file as of its last reading, remembered until the file changes."""

    def __init__(self) -> None:
        self._known: dict[tuple[Path, bool], Judgement] = {}  # by file, and whether it is opened by itself

    def of(self, path: Path, *, alone: bool = True) -> str:
        """Return the damage of a file; empty if there is none, or the file has not been read in its present state.

        Args:
            alone: whether it is opened by itself, instead of as a generation of a run.
        """
        known = self._known.get((path, alone), Judgement())
        return known.damage if known.damage and known.holds(path, known.checksums) else ""

    def in_folder(self, folder: Path) -> str:
        """Return the name and the damage of the first damaged file of a folder; empty if there is none."""
        damaged = (f"{path.name}: damaged, {text}" for (path, alone), known in self._known.items()
                   if known.damage and path.parent == folder and (text := self.of(path, alone=alone)))  # fmt: skip
        return next(damaged, "")

    def are_known(self, path: Path, checksums: tuple[str, ...] = ANY_TABLE) -> bool:
        """Return whether the file was read in its present state, and judged by these permitted checksums."""
        return self._known.get((path, checksums == ANY_TABLE), Judgement()).holds(path, checksums)

    def note(self, index: RowIndex) -> bool:
        """Remember the damage of a file that was read; return whether this changes the known damage."""
        key = index.path, index.judgement.checksums == ANY_TABLE
        before, self._known[key] = self._known.get(key, Judgement()), index.judgement
        return before.damage != index.damage


class Walker:
    """Walks through runs and files, and caches the contents of each file until it changes.

    Attributes:
        found_damage: whether this walk has found damage that rows read earlier do not mention yet.
    """

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.seen: dict[Path, Stamp] = {}
        self.found_damage = False
        self.damages = Damages()
        self.kept: dict[Path, RowIndex] = {}
        self._walked: tuple[object, ...] = ()

    def changed(self) -> bool:
        return self._walked != self._listed() or any(file.refresh() for file in self.seen.values())

    def _listed(self) -> tuple[object, ...]:
        sources = self.sources
        return sources.runs, sources.lying, list(sources.files), list(sources.programs)

    def walk(self, scope: Scope, *, everything: bool) -> Pieces:
        """Yield the rows of a scope, or of everything, as the disk was at the last look."""
        self.seen, self.found_damage = {}, False
        self._walked, runs = self._listed(), self.sources.runs
        if everything:
            yield from self._everything(runs)
        elif scope.view is View.START:
            yield from self._start(runs)
        elif scope.view is View.RUN:
            for run in runs:
                if run.name == scope.run:
                    yield from self._champions(run)
        elif scope.view is View.GENERATION:
            for run in runs:
                if run.name == scope.run and scope.generation <= run.newest:
                    yield from self._generation(run, scope.generation, self.sources.live(run.path))
        elif scope.file is not None:
            yield from self._file(scope.file)
        self.kept = {path: heads for path, heads in self.kept.items() if path in self.seen}

    def _start(self, runs: list[Source]) -> Pieces:
        yield from map(self._unplayable_run, runs)
        for run in runs:
            yield from self._champions(run, newest=True)
        yield _built_in()
        for file in self.sources.all_files:
            yield next((list(rows)[:1] for rows in self._file(file.path) if rows), ())
        yield self._added()
        for run in runs:
            yield from self._verify(run, newest=True)

    def _everything(self, runs: list[Source]) -> Pieces:
        yield from map(self._unplayable_run, runs)
        yield _built_in()
        yield self._added()
        for file in self.sources.all_files:
            yield from self._file(file.path)
        for run in runs:
            for generation in range(run.newest, -1, -1):
                yield from self._generation(run, generation, self.sources.live(run.path))

    def _added(self) -> list[ListedPlayer]:
        return [
            ListedPlayer(None, None, name.member or name.target, EntryKind.EXTERNAL, name.text, name.target)
            for name in self.sources.programs
        ]

    @staticmethod
    def _unplayable_run(run: Source) -> tuple[ListedPlayer, ...]:
        if run.trouble:
            return (_damaged(run.name, run.name, run.trouble),)
        without = ListedPlayer(run.path, None, run.name, EntryKind.CHAMPION, source=run.name, trouble=NO_GENERATION)
        return (without,) if run.newest < 0 else ()

    def _champions(self, run: Source, *, newest: bool = False) -> Pieces:
        """Yield the champion of each generation of a run, newest first, or only the newest one."""
        if run.newest < 0:  # there is no hall of fame yet; this is not damage
            return
        heads = self._heads(run.path / HALL_OF_FAME, ())
        yield from self._read(heads)
        short = self._shortage(run, heads)
        live = self.sources.live(run.path)
        while live.read_log().more:
            yield ()
        known = {head.generation: head for head in heads.heads if head.generation is not None}
        last = max(run.newest, 0) if newest else 0
        for generation in range(run.newest, last - 1, -1):
            if generation not in known and generation < max(known, default=-1):
                continue  # its weights were left out of the hall of fame
            head = known.get(generation, Head("champion"))._replace(rank=1)
            trouble = self._damage(run.file(generation))
            if not trouble:
                # Without a number, a target means the newest generation, which only an undamaged manifest gives.
                target = f"{run.target}@{generation}" if generation < run.newest or run.trouble else run.target
                player = seats.individual(target)
                row = ListedPlayer(run.path, generation, "", EntryKind.CHAMPION, player, run.name).with_facts(head)
                yield (self._rated(row, run, live),)
            else:
                row = ListedPlayer(run.path, generation, "", EntryKind.DAMAGED, "", run.name, trouble=trouble)
                yield (row.with_facts(head),)
        if not newest:
            if short:
                yield (_damaged(HALL_OF_FAME, run.name, f"{heads.path}: {short}"),)
            yield from self._verify(run)

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

    def _verify(self, run: Source, *, newest: bool = False) -> Pieces:
        for entry in run.entries[: -2 if newest else None : -1]:
            path, checksums = run.path / entry.file, entry.permitted
            self._see(path)
            if not self.damages.are_known(path, checksums):
                yield from self._read(RowIndex(path, checksums))

    def _generation(self, run: Source, generation: int, live: LiveRun) -> Pieces:
        while live.read_log().more:
            yield ()
        heads = self._heads(run.file(generation), run.checksums(generation))
        yield from self._read(heads)
        if heads.damage:
            trouble = self._damage(heads.path)
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
        yield from self._read(heads)
        if trouble := heads.damage or unknown_width(path, heads.weights):
            yield (_damaged(path.name, path.name, f"{path}: {trouble}"),)
            return
        for start in range(0, len(heads.heads), _AT_ONCE):
            yield [ListedPlayer.of_file(path, head) for head in heads.heads[start : start + _AT_ONCE]]

    def _heads(self, path: Path, checksums: tuple[str, ...]) -> RowIndex:
        self._see(path)
        known = self.kept.get(path)
        if known is None or not (known.judgement.holds(path, checksums) or known.read_on()):
            known = self.kept[path] = RowIndex(path, checksums)
        return known

    def _see(self, path: Path) -> None:
        file = self.seen[path] = Stamp(path)
        file.refresh()

    def _read(self, heads: RowIndex) -> Pieces:
        while heads.step():
            yield ()
        self.found_damage = self.damages.note(heads) or self.found_damage

    def _damage(self, path: Path) -> str:
        text = self.damages.of(path, alone=False)
        return f"{path}: damaged, {text}" if text else ""


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
    """A walk through a scope; the rows of a first walk are displayed as they are read."""

    pieces: Pieces
    first: bool
    rows: list[tuple[int, ListedPlayer]] = field(default_factory=list)


class Library:
    """The individuals and other players that match a scope and a search."""

    def __init__(
        self,
        sources: Sources,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Prepare a list; nothing is read before the first step."""
        self.rows: list[ListedPlayer] = []
        self.arranged: tuple[object, ...] = ()
        self.sources = sources
        self._walker = Walker(sources)
        self._clock = clock
        self._scope = Scope()
        self._text, self._query = "", Query()
        self._playable = False
        self._column, self._descending = "", False
        self._natural: list[tuple[int, ListedPlayer]] = []
        self._looked = -1
        self._pass: _Pass | None = None
        self._begin(first=True)

    # The list -----------------------------------------------------------------------------------------------------

    @property
    def scope(self) -> Scope:
        """The scope of the list; a search in the START scope looks through everything."""
        return self._scope

    @scope.setter
    def scope(self, scope: Scope) -> None:
        self._scope = scope
        self._begin(first=True)

    @property
    def search(self) -> str:
        return self._text

    @search.setter
    def search(self, text: str) -> None:
        self._text, before = text, self._query
        self._query = query.read(text, self.columns)
        if self._query != before:
            self._begin(first=True)

    @property
    def only_playable(self) -> bool:
        return self._playable

    @only_playable.setter
    def only_playable(self, only: bool) -> None:
        if only != self._playable:
            self._playable = only
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
        self._column, self._descending = (column, descending) if column in self.columns else ("", False)
        self._publish()

    # What is known ------------------------------------------------------------------------------------------------

    @property
    def damages(self) -> Damages:
        return self._walker.damages

    @property
    def folder_trouble(self) -> str:
        """Why the folder of runs cannot be listed; empty if it can."""
        return self.sources.trouble

    @property
    def notes(self) -> Sequence[str]:
        """The rows that were left out of the listed file, in words."""
        index = None if self._scope.file is None else self._walker.kept.get(self._scope.file)
        return () if index is None else index.notes

    @property
    def busy(self) -> bool:
        return self._pass is not None

    @property
    def columns(self) -> list[str]:
        return list(LIST_COLUMNS)

    def cell(self, row: int, column: str) -> Value:
        return LIST_COLUMNS[column].value(self.rows[row])

    # The work -----------------------------------------------------------------------------------------------------

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
        if done and self._walker.found_damage:
            self._begin(first=False)  # so that rows read before the damage was known mention it
        return True

    def _fitting(self, rows: Iterable[ListedPlayer]) -> Iterator[tuple[int, ListedPlayer]]:
        """Yield the rows that fit the search, each with its place in the default order, from 0."""
        wanted = self._query
        for row in rows:
            if not row.player and self._playable:
                continue
            if wanted.empty:
                yield 0, row
                continue
            misses = wanted.misses(partial(_value, row), partial(getattr, row, "texts"))
            if misses is not None:
                yield misses + (0 if row.is_champion else len(wanted.words) + 1), row

    def _begin(self, *, first: bool) -> None:
        everything = self._scope.view is View.ALL or (self._scope.view is View.START and not self._query.empty)
        self._pass = _Pass(self._walker.walk(self._scope, everything=everything), first)
        if first:
            self._natural = []

    def _publish(self) -> None:
        column, descending = self.sorted_by if self._column else ("rating", True)
        value = LIST_COLUMNS[column].value
        valued = ((value(row), (place, row)) for place, row in self._natural)
        rows = query.in_order(valued, descending=descending)
        if not self._column:
            rows.sort(key=itemgetter(0))
        self.rows = [row for _, row in rows]
        self.arranged = self._scope, self._text, self.sorted_by


def _value(row: ListedPlayer, column: str) -> Value:
    return LIST_COLUMNS[column].value(row)
