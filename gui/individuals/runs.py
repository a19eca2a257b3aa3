"""What is known of the runs in a folder, as far as their small files tell."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

from evolve.run.file_stamp import Signature, signature
from evolve.run.manifest import NAME


@dataclass(frozen=True)
class RunInfo:
    """One run.

    Attributes:
        name: of its folder.
        target: the name by which `game.players` knows it.
        path: of its folder.
        newest: number of the newest complete generation; -1 if there is none.
        files: names of the generation files with the checksums that they may have, by generation.
        changed: when its folder last told of something new, for the order of a list.
        damage: what is wrong with it as a whole; empty if nothing is.
    """

    name: str
    target: str
    path: Path
    newest: int = -1
    files: tuple[tuple[str, tuple[str, ...]], ...] = ()
    changed: int = 0
    damage: str = ""


class Runs:
    """The runs of a folder; each is read again when its manifest changes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.trouble = ""
        self._known: dict[str, tuple[Signature | None, RunInfo]] = {}

    def names(self) -> list[str]:
        """Names of the runs that are there now; `trouble` tells if the folder cannot be read."""
        from evolve.run.names import run_names

        self.trouble = ""
        try:
            return run_names(self.folder)
        except OSError as error:
            self.trouble = f"{self.folder}: cannot be read: {error.strerror}"
            return []

    def lying_files(self) -> list[Path]:
        """CSV files that lie in the folder, whatever they are."""
        with contextlib.suppress(OSError):
            return sorted(path.absolute() for path in self.folder.glob("*.csv"))
        return []

    def info(self, name: str) -> RunInfo:
        """What is known of a run; never raises for what is on disk."""
        from evolve.run.folder import RunFolder
        from game.errors import InputError
        from game.players.names import RESERVED

        path = self.folder / name
        now = signature(path / NAME)
        if name in self._known and self._known[name][0] == now:
            return self._known[name][1]
        target = str(path) if name in RESERVED or name.lower().endswith(".csv") else name
        info = RunInfo(name, target, path)
        try:
            manifest = RunFolder(path).manifest()
            files = tuple((entry.file, (entry.now, entry.first)) for entry in manifest.entries)
            damage = "" if manifest.damage is None else f"manifest.csv: {manifest.damage}"
            info = RunInfo(name, target, path, manifest.newest, files, now.changed if now else 0, damage)
        except (InputError, OSError) as error:
            info = RunInfo(name, target, path, damage=str(error))
        self._known[name] = (now, info)
        return info
