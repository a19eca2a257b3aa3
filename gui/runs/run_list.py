"""The list of all runs, with search, filter, order, tags, notes, archiving and deletion."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.run.files import SWEEP
from gui.background import Background, Trouble
from gui.runs.run_notes import RunNotes
from gui.runs.sources import Source, Sources

if TYPE_CHECKING:
    from gui.individuals.library import Library

_FILTERS: dict[str, Callable[[Source], bool]] = {
    "Current": lambda run: not run.archived,
    "In progress": lambda run: run.live,
    "Archived": lambda run: run.archived,
    "All": lambda run: True,
}
FILTERS = tuple(_FILTERS)


def find_runs(runs: Iterable[Source], words: str = "", narrowed: str = "All") -> list[Source]:
    """Return the runs that contain all words and pass one of `FILTERS`, by name."""
    wanted, passes = words.lower().split(), _FILTERS[narrowed]
    matches = (run for run in runs if passes(run) and all(word in run.text for word in wanted))
    return sorted(matches, key=lambda run: run.name.lower())


class RunList:
    """All runs, including those of sweeps."""

    def __init__(
        self,
        library: Library,
        background: Background,
        writes: Background,
        sort: Callable[[list[Source]], None],
    ) -> None:
        self.shown: list[Source] = []
        self.words, self.narrowed = "", FILTERS[0]
        self.said: list[str] = []
        self.notes = RunNotes(writes)
        self._library, self._background, self._sort = library, background, sort
        self._runs: list[Source] = []
        self._sweeps: dict[Path, Sources] = {}
        self._members: list[Source] = []
        self._look: Iterator[None] | None = None
        self._unread: list[Path] = []
        self._sizes: dict[Path, int] = {}
        self._answered = self._removed = False
        self._taken = -1
        library.look_soon()
        self._ask("leftovers", partial(_finish_removals, library.sources.folder), self._on_removed)

    # The runs ---------------------------------------------------------------------------------------------------

    @property
    def looked(self) -> bool:
        return self._library.sources.looks > 0

    @property
    def trouble(self) -> str:
        """The reason why the folder cannot be read; empty if it can."""
        return self._library.folder_trouble

    @property
    def busy(self) -> bool:
        works = self.notes.busy or self._background.wants(self)
        return works or not self.looked or self._look is not None or bool(self._unread)

    @property
    def count(self) -> int:
        """Number of all runs, visible or not."""
        return len(self._all)

    @property
    def _all(self) -> list[Source]:
        sources = self._library.sources
        return [*sources.runs, *sources.archived, *self._members]

    def size(self, path: Path) -> int | None:
        """Return the size of a run in bytes; None while it is being computed."""
        if path not in self._sizes and not self._background.wants(self, f"size of {path}"):
            from evolve.run.runs import size_of

            self._ask(f"size of {path}", partial(size_of, path), partial(self._on_size, path))
        return self._sizes.get(path)

    def _ask(self, name: str, work: Callable[[], Any], receive: Callable[[Any], None]) -> None:
        def on_answer(answer: Any) -> None:
            self._answered = True
            if isinstance(answer, Trouble):
                self.said.append(answer.text)
            receive(answer)

        self._background.ask(self, name, work, on_answer)

    def _on_size(self, path: Path, size: int | Trouble) -> None:
        if not isinstance(size, Trouble):
            self._sizes[path] = size

    def _on_removed(self, answer: object) -> None:
        self._removed = True

    def step(self, now: float, seconds: float) -> bool:
        answered = self._poll()
        changed = self._library.step(now, seconds, walk=False) or answered
        looks, end = self._library.sources.looks, time.perf_counter() + seconds
        if self._taken != looks and self._look is None:
            self._taken, self._look = looks, self._look_at_sweeps(now)
        for _ in self._look or ():
            if time.perf_counter() >= end:
                return answered
        if self._look is not None:
            self._look, changed = None, True
            paths = [source.path for source in self._all]
            self._unread = paths
            self._sizes = {path: self._sizes[path] for path in paths if path in self._sizes}
        while self._unread and time.perf_counter() < end:
            changed = self._library.sources.live(self._unread.pop(0)).read_config() or changed
        return (changed and self.find()) or answered

    def find(self) -> bool:
        before = self.shown, len(self._runs)
        lives = map(self._library.sources.live, (run.path for run in self._all))
        self._runs = [
            replace(run, preset=live.preset, seed=live.seed) for run, live in zip(self._all, lives, strict=True)
        ]
        self.shown = find_runs(self._runs, self.words, self.narrowed)
        self._sort(self.shown)
        return before != (self.shown, len(self._runs))

    def _look_at_sweeps(self, now: float) -> Iterator[None]:
        with contextlib.suppress(OSError):
            sources = self._library.sources
            sweeps = sorted(path.parent for path in sources.folder.glob(f"*/{SWEEP}"))
            self._sweeps = {path: self._sweeps.get(path) or sources.beside(path) for path in sweeps}
        for sources in self._sweeps.values():
            yield from sources.look(now)
        self._members = [
            replace(run, name=f"{folder.name}/{run.name}")
            for folder, sources in self._sweeps.items()
            for run in (*sources.runs, *sources.archived)
        ]

    # Changes -----------------------------------------------------------------------------------------------------

    def delete(self, path: Path) -> None:
        from evolve.run.runs import remove_run

        self._sizes.pop(path, None)
        self._ask(f"removal of {path}", partial(remove_run, path), self._on_removed)

    def _poll(self) -> bool:
        self._background.deliver()
        written = self.notes.poll()
        self.said += self.notes.said
        self.notes.said.clear()
        if written or self._removed:
            self._library.look_soon()
        changed = written or self._answered
        self._answered = self._removed = False
        return changed


def _finish_removals(folder: Path) -> None:
    from evolve.run.runs import Runs

    Runs(folder).finish_removals()
