"""The sources of individuals: runs with their states, and CSV files.

Only `Sources.look` walks the folder of runs, and only `Sources.live` creates live runs.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from evolve.run.files import signature
from evolve.run.row_index import ANY_TABLE
from evolve.run.runs import Runs
from evolve.run.status import GOING
from game.installation import module_name
from gui.model.kept_game import date_text

if TYPE_CHECKING:
    from evolve.run.manifest import GenerationEntry
    from evolve.run.notes import RunNote
    from game.players.names import PlayerName
    from gui.background import Background
    from gui.runs.live_run import LiveRun


LOOK_EVERY = 1.0
"""Seconds between looks at the disk."""

_READER = module_name("evolve.run.folder")


@dataclass(frozen=True)
class Source:
    """A run or a file.

    Attributes:
        target: the name of a run in `game.players`; empty for other sources.
        state: the state of a run (`evolve.run.status.State`), or damaged; empty for a sound or unread file.
        about: tags and note of a run, and whether it is archived; None if there are none.
    """

    name: str
    path: Path
    target: str = ""
    newest: int = -1
    entries: tuple[GenerationEntry, ...] = ()
    changed: int = 0
    state: str = ""
    trouble: str = ""
    about: RunNote | None = None

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
    def date(self) -> str:
        return date_text(datetime.fromtimestamp(self.changed / 1e9))

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


class Sources:
    """The runs of a folder and of its sweeps, CSV files, and programs that an extra adds as players.

    Args:
        background: imports the code that reads runs, which takes several frames; None to import it where it is used.

    Attributes:
        members: the runs of sweeps.
        looks: number of complete looks at the disk.
    """

    def __init__(
        self,
        folder: Path,
        files: Sequence[Path] = (),
        background: Background | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.folder, self.files = folder, list(files)
        self.runs: list[Source] = []
        self.archived: list[Source] = []
        self.members: list[Source] = []
        self.lying: list[Path] = []
        self.programs: list[PlayerName] = []
        self.trouble = ""
        self.looks = 0
        self._background, self._clock = background, clock
        self._asked = False
        self._look: Iterator[None] | None = None
        self._look_at = 0.0
        self._home = Runs(folder)
        self._live: WeakValueDictionary[Path, LiveRun] = WeakValueDictionary()
        self._listed: set[LiveRun] = set()

    def live(self, path: Path) -> LiveRun:
        """Return the live run of a folder; all screens get the same object as long as one uses it."""
        from gui.runs.live_run import LiveRun  # after the first picture

        run = self._live.get(path)
        if run is None:
            run = self._live[path] = LiveRun(path, player_name=self._home.player_name(path))
        return run

    @property
    def busy(self) -> bool:
        """True until the first look is complete."""
        return not self.looks

    def look_soon(self) -> None:
        self._look_at = 0.0

    def step(self, now: float, seconds: float) -> bool:
        """Look at the disk about every second; return whether anything has changed.

        Args:
            now: seconds of a monotonic clock.
            seconds: how long the first look may take; later ones read only what has changed.
        """
        if self._loading():
            return False
        end, before = self._clock() + seconds, self._on_disk()
        if self._look is None and now >= self._look_at:
            self._look = self.look(now)
        for _ in self._look or ():
            if not self.looks and self._clock() >= end:
                return False
        if self._look is None:
            return False
        self._look, self._look_at = None, now + LOOK_EVERY
        return before != self._on_disk()

    def _loading(self) -> bool:
        """Return whether the code that reads runs is still being imported; importing numpy takes several frames."""
        if self._background is None:
            return False
        if not self._asked and _READER not in sys.modules:
            self._background.ask(self, _READER, lambda: import_module(_READER), id)
        self._asked = True
        return self._background.wants(self, _READER)

    def _on_disk(self) -> tuple[object, ...]:
        return self.runs, self.archived, self.members, self.lying, self.trouble

    def look(self, now: float) -> Iterator[None]:
        """Read the folder one run at a time, and set the attributes at the end. Damage causes no exception."""
        home, lying, trouble = Runs(self.folder), list[Path](), ""
        places: list[tuple[str, Path]] = []
        try:
            places = [(name, home.path(name)) for name in home.names()]
        except OSError as error:
            trouble = f"{self.folder}: cannot be read: {error.strerror}"
        count = len(places)
        with contextlib.suppress(OSError):
            places += [(name, self.folder / name) for name in home.sweep_names()]
            lying = sorted(path.absolute() for folder in home.folders() for path in folder.glob("*.csv"))
        read = []
        for name, path in places:
            self._listed.add(self.live(path))
            read.append(self.read(path, name, now))
            yield
        self._listed = {self.live(run.path) for run in read}
        newest = sorted(read[:count], key=lambda run: -run.changed)
        self.runs = [run for run in newest if not run.archived]
        self.archived = [run for run in (*newest, *read[count:]) if run.archived]
        self.members = [run for run in read[count:] if not run.archived]
        self.lying, self.trouble = lying, trouble
        self.looks += 1

    def in_order(self, before: Sequence[Source]) -> list[Source]:
        """Return the runs: new ones, then known ones in their previous order, which running sessions do not change."""
        runs = {run.name: run for run in self.runs}
        known = [run.name for run in before if run.name in runs]
        return [*(run for run in self.runs if run.name not in known), *(runs[name] for name in known)]

    @property
    def all_files(self) -> list[Source]:
        """The files: those that were opened, the last one first, and those of the folder."""
        lying = [path for path in self.lying if path.is_file()]
        return [*(_file(path) for path in self.files if path not in lying), *map(_file, lying)]

    def add_file(self, path: Path) -> None:
        path = path.absolute()
        self.files[:] = [path, *(known for known in self.files if known != path)]

    def read(self, path: Path, name: str, now: float) -> Source:
        """Return the current state of a run under a name; only its changed files are read."""
        run = self.live(path)
        run.refresh(now)
        state, target = "damaged" if run.damage else run.state, run.player_name
        return Source(name, path, target, run.complete, run.entries, run.changed, state, run.damage, run.about)


def source_of(path: Path, runs: Path) -> Source:
    """Return the run in a folder anywhere; damage is reported in it, not raised."""
    return Sources(runs).read(path, path.name, 0.0)


def _file(path: Path) -> Source:
    there = signature(path) is not None
    trouble = "" if there else f"{path}: no such file"
    return Source(path.name, path, state="" if there else "damaged", trouble=trouble)
