"""The folder of runs: which runs it has, what they are called, and how one is removed.

Loads neither numpy nor what reads the files of a run.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from evolve.run.files import CONFIG, SWEEP, RunError
from game.installation import COMMAND, INSTALLED, TREE, data_folder
from game.players.names import RESERVED
from game.regular_files import read_regular

SHIPPED_RUNS = TREE / "populations"
"""The folder of the runs that came with the program."""
DEFAULT_RUNS = data_folder().resolve() / "populations" if INSTALLED else SHIPPED_RUNS
"""The default folder of runs; in a checkout, that of the shipped runs."""
SHIPPED_NAMES = ("cowan-deep", "crownhead", "crownhead-1", "crownhead-2", "policy", "q-learning")
"""Names of the shipped runs. No new run gets one of them, and a run elsewhere that has one is known by its path."""
FROZEN_RUN = "crownhead-2"
"""The shipped run that never changes: anchors and the levels in the window are its champions."""
FROZEN_SHA256 = "4d1d503215cef38467f8a0a2c04dc090f89466e61c4cb19cb8f38c6026b85344"
"""Of its configuration followed by its manifest, which has the checksums of all generations."""

MAX_NAME = 100
"""Characters of a name."""
_FORBIDDEN = set("/\\:,@\"'")
REMOVED = ".deleted-"
"""Prefix of the name of a folder that is being removed; no run is called so."""


@dataclass(frozen=True)
class Runs:
    """A folder of runs, in which runs and CSV files are found by name.

    The default folder of an installed program includes the shipped runs; their names always mean them.

    Attributes:
        folder: the folder; it need not exist yet.
    """

    folder: Path = field(default_factory=lambda: DEFAULT_RUNS)

    def folders(self, name: str = "") -> tuple[Path, ...]:
        """Return the folders in which a name is looked up, in order."""
        if DEFAULT_RUNS == SHIPPED_RUNS or self.folder.resolve() != DEFAULT_RUNS:
            return (self.folder,)
        return (SHIPPED_RUNS, self.folder) if name in SHIPPED_NAMES else (self.folder, SHIPPED_RUNS)

    def path(self, name: str) -> Path:
        """Return the path of the run or file of this name; if there is none, the path that it would have."""
        paths = (folder / name for folder in self.folders(name))
        return next((path for path in paths if path.exists()), self.folder / name)

    def find(self, name: str) -> Path | None:
        """Return the folder of the run of this name, or at this path; None if there is no run."""
        for path in (*(folder / name for folder in self.folders(name)), Path(name)):
            with contextlib.suppress(OSError, ValueError):
                if (path / CONFIG).is_file():
                    return path
        return None

    def names(self) -> list[str]:
        """Return the player names of all runs, sorted; a run whose creation was interrupted is left out."""
        folders = [folder for folder in self.folders() if folder.is_dir()]
        paths = [path for folder in folders for path in folder.iterdir()]
        return sorted({self.player_name(path) for path in paths if (path / CONFIG).is_file() and path.name[0] != "."})

    def sweep_names(self) -> list[str]:
        """Return the names of the runs of all sweeps, such as ``high/high=0.1_s1``, sorted."""
        paths = [path for sweep in self.folder.glob(f"*/{SWEEP}") for path in sweep.parent.glob(f"[!.]*/{CONFIG}")]
        return sorted(path.parent.relative_to(self.folder).as_posix() for path in paths)

    def file_names(self) -> list[str]:
        """Return the names of the CSV files in the folder, without their ending, sorted."""
        return sorted({path.stem for folder in self.folders() for path in folder.glob("*.csv")})

    def file(self, name: str) -> Path | None:
        """Return the path of the CSV file of this name, with or without its ending; None if there is none."""
        stem = name.removesuffix(".csv")
        return self.path(f"{stem}.csv") if stem in self.file_names() else None

    def player_name(self, path: Path) -> str:
        """Return the name of a run or CSV file as a player: its own if that means it everywhere, else its path.

        Names of other players and of shipped runs mean something else, and so does a run's that ends like a file's.
        """
        whole = os.path.abspath(path)
        name = os.path.basename(whole)
        other = name in RESERVED or (name in SHIPPED_NAMES and path.resolve().parent != SHIPPED_RUNS)
        other = other or (name.lower().endswith(".csv") and path.is_dir())
        return name if not other and self.finds(path) else whole

    def finds(self, path: Path) -> bool:
        """Return whether the name of a run or file leads to it."""
        return self.path(os.path.basename(os.path.abspath(path))).resolve() == path.resolve()

    def split_generation(self, target: str) -> tuple[str, str | None]:
        """Split ``RUN`` or ``RUN@GENERATION`` into both parts, unchecked; the second is None without an @."""
        name, at, number = target.rpartition("@")
        if not at or self.find(target) is not None:  # a path may have an @ of its own
            return target, None
        return name, number

    def finish_removals(self) -> None:
        """Remove what interrupted removals have left, also in sweeps, as far as possible."""
        with contextlib.suppress(OSError):
            for folder in [self.folder, *(path.parent for path in self.folder.glob(f"*/{SWEEP}"))]:
                for path in folder.glob(f"{REMOVED}*"):
                    if not path.is_symlink():
                        shutil.rmtree(path, ignore_errors=True)


# Names ------------------------------------------------------------------------------------------------------------


def checked_name(name: str, what: str = "run") -> str:
    """Check that a new run, or a preset whose name its runs take, may have this name, and return it.

    Raises:
        RunError: empty, reserved, too long, or with characters that have a meaning in player names.
    """
    bad = sorted({letter for letter in name if letter in _FORBIDDEN or not letter.isprintable()})
    if bad:
        raise RunError(f"{what} name {name!r}: {' '.join(map(repr, bad))} cannot be part of it")
    if not name or name != name.strip() or name[0] in ".-":
        raise RunError(
            f"{what} name {name!r}: expected a name that starts with a letter or digit, without spaces around"
        )
    if name in RESERVED:
        raise RunError(f"{what} name {name!r}: reserved for a player ({', '.join(RESERVED)})")
    if name in SHIPPED_NAMES and what == "run":
        raise RunError(f"run name {name!r}: a run of this name came with the program; choose another name")
    if name.lower().endswith(".csv"):
        raise RunError(f"{what} name {name!r}: as a player it would mean a file, leave .csv out")
    if len(name.encode()) > MAX_NAME * 2 or len(name) > MAX_NAME:
        raise RunError(f"{what} name {name[:20]!r}...: at most {MAX_NAME} characters")
    return name


def free_names(stem: str) -> Iterator[str]:
    """Yield the default names of new runs: STEM-1, STEM-2 and so on, without those of shipped runs."""
    return (name for number in itertools.count(1) if (name := f"{stem}-{number}") not in SHIPPED_NAMES)


def near_names(target: str, known: list[str], ending: str = "") -> str:
    """Return the end of an error message that lists the known names nearest to a wrong one; empty if none is near."""
    import difflib

    near = difflib.get_close_matches(target, known, 3) or difflib.get_close_matches(target.lower(), known, 3)
    return f"; near: {', '.join(name + ending for name in near)}" if near else ""


# Shipped runs -----------------------------------------------------------------------------------------------------


def came_installed(run: Path) -> bool:
    """Return whether a run is part of an installation, and so never changed."""
    return DEFAULT_RUNS != SHIPPED_RUNS and run.resolve().parent == SHIPPED_RUNS


def is_shipped(run: Path) -> bool:
    """Return whether a run came with the program, installed or in a checkout."""
    place = run.resolve()
    return came_installed(run) or (place.parent == SHIPPED_RUNS and place.name in SHIPPED_NAMES)


def is_frozen_run(run: Path) -> bool:
    """Return whether this is the run `FROZEN_RUN` as it was shipped."""
    from evolve.run import manifest

    try:
        data = read_regular(run / CONFIG) + read_regular(run / manifest.NAME)
        return hashlib.sha256(data).hexdigest() == FROZEN_SHA256
    except OSError:
        return False


def check_own(run: Path, verb: str) -> None:
    """Refuse to continue a run that is part of an installation.

    Raises:
        RunError: it is; the text says what to do instead.
    """
    if came_installed(run):
        raise RunError(
            f"the run {run.name} came with the program and stays as it is; begin a run of your own with its "
            f"generations by {COMMAND} {verb} --branch {run.name} --generations N"
        )


# Removal ----------------------------------------------------------------------------------------------------------


def size_of(run: Path) -> int:
    total, folders = 0, [run]
    while folders:
        with contextlib.suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(Path(entry.path))
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
    return total


def why_kept(run: Path) -> str:
    """Return why a run is never removed; empty if it can be."""
    if is_shipped(run):
        return f"{run.name} came with the program and stays."
    if run.is_symlink():
        return f"{run.name} is a link to a folder elsewhere."
    return ""


def remove_run(run: Path) -> None:
    """Remove a run with everything in its folder.

    The folder is renamed first, so that a kill or an error never leaves half a run. Links in it are removed, never
    their targets.

    Raises:
        RunError: there is none, it came with the program or is a link; or some of it is left in a folder that is named.
        BusyError: a session works on it.
        OSError: it may not be changed.
    """
    kept = why_kept(run)
    if kept:
        raise RunError(kept)
    if not (run / CONFIG).is_file():
        raise RunError(f"{run}: no run, there is no {CONFIG}")
    aside = run.with_name(f"{REMOVED}{run.name}-{secrets.token_hex(4)}")
    with _held(run):
        if os.name == "posix":
            run.rename(aside)
    if os.name != "posix":  # other systems rename no folder while a file in it, here the lock, is open
        run.rename(aside)
    try:
        shutil.rmtree(aside)
    except OSError as error:
        raise RunError(
            f"{run.name} is no run any more, but something of it is left in {aside}: {error.strerror}"
        ) from error


@contextlib.contextmanager
def _held(run: Path) -> Iterator[None]:
    """Hold the lock of a run, so that no session works on it meanwhile."""
    from evolve.run.status import LOCK, acquire

    path = run / LOCK
    if os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):  # a session refuses such a folder
        yield
        return
    guard = acquire(run, run.name)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            guard.release()
