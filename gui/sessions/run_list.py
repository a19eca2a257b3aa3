"""The list of runs: which are wanted in which order, what is kept about them, and what changes that. No pygame."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from evolve.run.files import CONFIG, SWEEP, Signature, signature
from gui.individuals.background import Background, Trouble
from gui.individuals.library import Library
from gui.individuals.sources import Elsewhere, Source, Sources
from gui.sessions.run_notes import RunNotes


@dataclass(frozen=True)
class ListedRun:
    """A run as the list shows it.

    Attributes:
        source: what is known of its folder.
        preset: from which its values come; empty if its configuration cannot be read.
        seed: of the run, as text.
    """

    source: Source
    preset: str = ""
    seed: str = ""

    @property
    def name(self) -> str:
        """Of the run."""
        return self.source.name

    @property
    def path(self) -> Path:
        """Its folder."""
        return self.source.path

    @property
    def elsewhere(self) -> Elsewhere | None:
        """What lists it where lists of runs leave it out: one of a sweep, or archived; None of any other."""
        return Elsewhere(self.path, self.name) if self.source.archived or "/" in self.name else None

    @property
    def tags(self) -> tuple[str, ...]:
        """Words by which it is found."""
        return () if self.source.about is None else self.source.about.tags

    @property
    def note(self) -> str:
        """What a person has written about it."""
        return "" if self.source.about is None else self.source.about.text

    @property
    def state(self) -> str:
        """What it does, in a word; empty if no session has said so."""
        return self.source.state

    @property
    def text(self) -> str:
        """In small letters, all that is searched."""
        return " ".join((self.name, self.preset, *self.tags, self.note, self.state)).lower()

    @property
    def date(self) -> str:
        """When it changed last; today the hour."""
        then = datetime.fromtimestamp(self.source.changed / 1e9)
        return f"{then:%H:%M}" if then.date() == datetime.now().date() else f"{then:%Y-%m-%d}"


_FILTERS: dict[str, Callable[[ListedRun], bool]] = {
    "Current": lambda run: not run.source.archived,
    "Going on": lambda run: run.source.live,
    "Archived": lambda run: run.source.archived,
    "All": lambda run: True,
}
FILTERS = tuple(_FILTERS)

_ORDERS: dict[str, Callable[[ListedRun], Any]] = {
    # Runs that go on change all the time; among them nothing moves.
    "changed": lambda run: (run.source.live, 0 if run.source.live else run.source.changed),
    "name": lambda run: run.name.lower(),
    "preset": lambda run: run.preset,
    "state": lambda run: run.state,
    "newest": lambda run: run.source.newest,
    "tags": lambda run: (not run.tags, run.tags),
}
ORDERS = tuple(_ORDERS)
DESCENDING = ("changed", "newest")
"""Orders that begin with the largest."""


def find_runs(
    runs: Iterable[ListedRun],
    words: str = "",
    narrowed: str = "All",
    order: str = "changed",
    *,
    descending: bool = True,
) -> list[ListedRun]:
    """Runs that hold all words and pass a filter, in an order; those alike by name.

    Args:
        runs: in any order.
        words: what a person has typed.
        narrowed: one of `FILTERS`.
        order: one of `ORDERS`.
        descending: the largest first.
    """
    wanted, passes = words.lower().split(), _FILTERS[narrowed]
    found = [run for run in runs if passes(run) and all(word in run.text for word in wanted)]
    found.sort(key=lambda run: run.name.lower())
    found.sort(key=_ORDERS[order], reverse=descending)
    return found


class RunList:
    """All runs, those of sweeps among them, of which some are shown, and some marked.

    Attributes:
        shown: those that are wanted, in order.
        marked: folders of runs that a person has marked, shown or not.
        words, narrowed, order, descending: which are wanted, as `find_runs` has them; `find` takes them up.
        said: sentences for the person; the screen takes them away.
        notes: what writes tags and notes.
    """

    def __init__(self, library: Library, clock: Callable[[], float] = time.perf_counter) -> None:
        self.shown: list[ListedRun] = []
        self.marked: set[Path] = set()
        self.words, self.narrowed = "", FILTERS[0]
        self.order, self.descending = ORDERS[0], True
        self.said: list[str] = []
        self.notes = RunNotes()
        self._library, self._clock = library, clock
        self._runs: list[ListedRun] = []
        self._sweeps: dict[Path, Sources] = {}
        self._members: list[Source] = []
        self._look: Iterator[None] | None = None
        self._facts: dict[Path, tuple[Signature | None, str, str]] = {}
        self._unread: list[Path] = []
        self._sizes: dict[Path, int] = {}
        self._counts, self._removals = Background(), Background()
        self._taken = -1
        library.look_soon()
        self._removals.ask("leftovers", partial(_finish_removals, library.sources.folder))

    # What there is ------------------------------------------------------------------------------------------------

    @property
    def looked(self) -> bool:
        """Whether anybody has looked at the folder of runs."""
        return self._library.sources.looks > 0

    @property
    def trouble(self) -> str:
        """Why the folder shows nothing; empty if all is well."""
        return self._library.folder_trouble

    @property
    def busy(self) -> bool:
        """Whether something is still being found out or written."""
        return (
            not self.looked
            or self._look is not None
            or self.notes.busy
            or self._counts.busy
            or self._removals.busy
            or bool(self._unread)
        )

    @property
    def count(self) -> int:
        """How many runs there are, whatever is shown."""
        return len(self._all)

    @property
    def _all(self) -> list[Source]:
        sources = self._library.sources
        return [*sources.runs, *sources.archived, *self._members]

    @property
    def chosen(self) -> list[ListedRun]:
        """Those that are marked, by name."""
        return sorted((run for run in self._runs if run.path in self.marked), key=lambda run: run.name.lower())

    def size(self, path: Path) -> int | None:
        """Bytes of a run; None while they are being counted."""
        if path not in self._sizes and not self._counts.wants(str(path)):
            from evolve.run.runs import size_of

            self._counts.ask(str(path), partial(size_of, path))
        return self._sizes.get(path)

    def step(self, now: float, seconds: float) -> bool:
        """Look what is new, for so many seconds and a little more at most; whether anything of the list has changed."""
        answered = self._poll()
        changed = self._library.step(now, seconds, walk=False) or answered
        looks, end = self._library.sources.looks, self._clock() + seconds
        if self._taken != looks and self._look is None:
            self._taken, self._look = looks, self._look_at_sweeps()
        for _ in self._look or ():
            if self._clock() >= end:
                return answered
        if self._look is not None:
            self._look, changed = None, True
            paths = [source.path for source in self._all]
            self._unread = paths
            self._facts = {path: self._facts[path] for path in paths if path in self._facts}
            self._sizes = {path: self._sizes[path] for path in paths if path in self._sizes}
            self.marked &= set(paths)
        while self._unread and self._clock() < end:
            changed = self._read_facts(self._unread.pop(0)) or changed
        return (changed and self.find()) or answered

    def find(self) -> bool:
        """List the runs anew; returns whether what is shown has changed."""
        unknown = (None, "", "")
        before = self.shown, len(self._runs)
        self._runs = [ListedRun(source, *self._facts.get(source.path, unknown)[1:]) for source in self._all]
        self.shown = find_runs(self._runs, self.words, self.narrowed, self.order, descending=self.descending)
        return before != (self.shown, len(self._runs))

    def _look_at_sweeps(self) -> Iterator[None]:
        """Look at the runs of sweeps, which stand in folders of their own, a run at a time."""
        with contextlib.suppress(OSError):
            found = [path.parent for path in self._library.sources.folder.glob(f"*/{SWEEP}")]
            self._sweeps = {path: self._sweeps.get(path) or Sources(path) for path in sorted(found)}
        for sources in self._sweeps.values():
            yield from sources.look()
        self._members = [
            replace(run, name=f"{folder.name}/{run.name}", target=str(run.path))
            for folder, sources in self._sweeps.items()
            for run in (*sources.runs, *sources.archived)
        ]

    def _read_facts(self, path: Path) -> bool:
        """Preset and seed of a run, if its configuration is new; returns whether it is."""
        now = signature(path / CONFIG)
        if path in self._facts and self._facts[path][0] == now:
            return False
        from evolve.run.folder import Run
        from game.errors import InputError

        preset = seed = ""
        try:
            tables = Run(path).tables()
            preset, seed = (str(tables.get(name, "")) for name in ("preset", "seed"))
        except (InputError, OSError):  # what is wrong with it its own page tells
            pass
        self._facts[path] = now, preset, seed
        return True

    # What is changed ----------------------------------------------------------------------------------------------

    def toggle(self, path: Path) -> None:
        """Mark a run, or take its mark away."""
        self.marked ^= {path}

    def mark_all(self) -> None:
        """Mark all that are shown; where all of them are, take their marks away."""
        paths = {run.path for run in self.shown}
        self.marked = self.marked - paths if paths <= self.marked else self.marked | paths

    def archive(self, runs: Iterable[ListedRun], archived: bool) -> None:
        """Put runs out of sight, or take them back."""
        for run in runs:
            self.notes.archive(run.path, archived)

    def delete(self, path: Path) -> None:
        """Delete a run for good."""
        from evolve.run.runs import remove_run

        self._sizes.pop(path, None)
        self._removals.ask(str(path), partial(remove_run, path))

    def _poll(self) -> bool:
        written, sized, removed = self.notes.poll(), self._counts.poll(), self._removals.poll()
        self.said += [answer.text for _, answer in (*sized, *removed) if isinstance(answer, Trouble)]
        self.said += self.notes.said
        self.notes.said.clear()
        self._sizes |= {Path(key): size for key, size in sized if not isinstance(size, Trouble)}
        if written or removed:
            self._library.look_soon()
        return bool(written or sized or removed)

    def close(self) -> None:
        """Let what was asked be done. What is being removed is found by nobody any more, so nobody waits for that."""
        self.notes.close()
        self._counts.close()
        self._removals.finish(0.0)


def _finish_removals(folder: Path) -> None:
    from evolve.run.runs import Runs

    Runs(folder).finish_removals()
