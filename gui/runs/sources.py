"""The sources of individuals: runs with their states, CSV files, and lists of many files.

Only `Sources.look` walks the folder of runs, and only `Sources.live` creates live runs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from evolve.run.files import signature
from evolve.run.row_index import ANY_TABLE
from evolve.run.runs import Runs
from evolve.run.status import GOING
from gui.runs.live_run import LiveRun

if TYPE_CHECKING:
    from evolve.run.manifest import GenerationEntry
    from evolve.run.notes import RunNote


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
        view: the kind of the list. START lists built-in players, the newest champion of each run, dropped files and
            external programs; RUN lists the champions of a run, GENERATION the individuals of one of its generations,
            FILE those of a file; ALL lists all individuals of all runs and files.
    """

    view: View = View.START
    run: str = ""
    generation: int = -1
    file: Path | None = None


@dataclass(frozen=True)
class Source:
    """A run, a file, or a list of many files.

    Attributes:
        target: the name of a run in `game.players`; empty for other sources.
        state: the state of a run (`evolve.run.status.State`), or damaged; empty for a sound or unread file.
        scope: the scope of a list of many files; None for a run or a file.
        about: tags and note of a run, and whether it is archived; None if there are none.
        preset, seed: values from the configuration of a run; empty until they have been read.
    """

    name: str
    path: Path
    target: str = ""
    newest: int = -1
    entries: tuple[GenerationEntry, ...] = ()
    changed: int = 0
    state: str = ""
    trouble: str = ""
    goal: int = -1
    scope: Scope | None = None
    about: RunNote | None = None
    preset: str = ""
    seed: str = ""

    @property
    def archived(self) -> bool:
        return self.about is not None and self.about.archived

    @property
    def tags(self) -> tuple[str, ...]:
        return () if self.about is None else self.about.tags

    @property
    def note(self) -> str:
        return "" if self.about is None else self.about.text

    @property
    def text(self) -> str:
        """The text that is searched, in lower case."""
        return " ".join((self.name, self.preset, *self.tags, self.note, self.state)).lower()

    @property
    def date(self) -> str:
        then = datetime.fromtimestamp(self.changed / 1e9)
        return f"{then:%H:%M}" if then.date() == datetime.now().date() else f"{then:%Y-%m-%d}"

    @property
    def is_run(self) -> bool:
        return bool(self.target)

    @property
    def live(self) -> bool:
        return self.state in GOING

    def checksums(self, generation: int) -> tuple[str, ...]:
        return self.entries[generation].permitted if self.is_run else ANY_TABLE

    def file(self, generation: int) -> Path:
        """Return the file of a generation; for a source that is a file, the file itself."""
        return self.path / self.entries[generation].file if self.is_run else self.path


OF_MANY_FILES = tuple(
    Source(name, Path(name), scope=scope)
    for name, scope in (("Champions and others", Scope()), ("All", Scope(View.ALL)))
)


class Sources:
    """The runs of a folder, and CSV files."""

    def __init__(
        self,
        folder: Path,
        files: Sequence[Path] = (),
    ) -> None:
        self.folder, self.files = folder, list(files)
        self.runs: list[Source] = []
        self.archived: list[Source] = []
        self.lying: list[Path] = []
        self.trouble = ""
        self.looks = 0
        self._home = Runs(folder)
        self._live: WeakValueDictionary[Path, LiveRun] = WeakValueDictionary()
        self._listed: set[LiveRun] = set()

    def beside(self, folder: Path) -> Sources:
        """Return the sources of another folder; they use the live runs of these sources, and their names of players."""
        other = Sources(folder)
        other._home, other._live = self._home, self._live
        return other

    def live(self, path: Path) -> LiveRun:
        """Return the live run of a folder; all screens get the same object as long as one uses it."""
        run = self._live.get(path)
        if run is None:
            name = self._home.player_name(path)
            run = LiveRun(path, player_name=name)
            self._live[path] = run
        return run

    def look(self, now: float) -> Iterator[None]:
        """Read the folder one run at a time, and set the attributes at the end. Damage causes no exception.

        Args:
            now: the time of a monotonic clock, in seconds.
        """
        names, trouble = self._names()
        lying: list[Path] = []
        with contextlib.suppress(OSError):
            folders = Runs(self.folder).folders()
            lying = sorted(path.absolute() for folder in folders for path in folder.glob("*.csv"))
        runs = []
        for name in names:
            run = self.live(Runs(self.folder).path(name))
            self._listed.add(run)
            runs.append(self.read(run.path, name, now))
            yield
        self._listed = {self.live(run.path) for run in runs}
        runs.sort(key=lambda run: -run.changed)
        self.runs = [run for run in runs if not run.archived]
        self.archived = [run for run in runs if run.archived]
        self.lying, self.trouble = lying, trouble
        self.looks += 1

    @property
    def all_files(self) -> list[Path]:
        return [*self.files, *(path for path in self.lying if path not in self.files)]

    def in_order(self, before: Sequence[Source]) -> list[Source]:
        """Return all sources: new runs, known runs in their previous order, opened files, files of the folder."""
        runs = {run.name: run for run in self.runs}
        known = [source.name for source in before if source.is_run and source.name in runs]
        lying = [path for path in self.lying if path.is_file()]
        return [
            *(run for run in self.runs if run.name not in known),
            *(runs[name] for name in known),
            *(_file(path) for path in self.files if path not in lying),
            *map(_file, lying),
        ]

    def _names(self) -> tuple[list[str], str]:
        try:
            return Runs(self.folder).names(), ""
        except OSError as error:
            return [], f"{self.folder}: cannot be read: {error.strerror}"

    def read(self, path: Path, name: str, now: float) -> Source:
        """Return the current state of a run under a name; only its changed files are read."""
        run = self.live(path)
        run.refresh(now)
        state, target = "damaged" if run.damage else run.state, run.player_name
        return Source(
            name, path, target, run.complete, run.entries, run.changed, state, run.damage, run.last, about=run.about
        )


def source_of(path: Path, runs: Path) -> Source:
    """Return the run in a folder anywhere; damage is reported in it, not raised."""
    return Sources(runs).read(path, path.name, 0.0)


def _file(path: Path) -> Source:
    there = signature(path) is not None
    trouble = "" if there else f"{path}: no such file"
    return Source(path.name, path, state="" if there else "damaged", trouble=trouble)
