"""Names of runs: which there may be, and which run is meant."""

from __future__ import annotations

import contextlib
import difflib
import itertools
from collections.abc import Iterator
from pathlib import Path

from evolve.run.files import CONFIG, SWEEP, RunError
from evolve.run.folder import Run
from evolve.run.manifest import generation_number
from evolve.run.places import DEFAULT_RUNS, SHIPPED_NAMES, player_name, searched_folders
from game.players.names import RESERVED

MAX_NAME = 100
"""Characters of a name."""
_FORBIDDEN = set("/\\:,@\"'")


def checked_name(name: str, what: str = "run") -> str:
    """A name that a run, or a preset whose name its runs take, may have.

    Raises:
        RunError: empty, reserved, too long, or with characters that player names need.
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
    """Yield the names that new runs get by themselves: STEM-1, STEM-2 and so on, without those of shipped runs."""
    return (name for number in itertools.count(1) if (name := f"{stem}-{number}") not in SHIPPED_NAMES)


def find_run(runs: Path, name: str) -> Run | None:
    """The run of this name under the runs folder, or at this path; None if there is none."""
    for path in (*(folder / name for folder in searched_folders(runs, name)), Path(name)):
        with contextlib.suppress(OSError, ValueError):
            if (path / CONFIG).is_file():
                return Run(path)
    return None


def run_of_file(path: Path) -> tuple[Run | None, int]:
    """The run of a CSV file that is a generation in the folder of its run, and its number there; None for any other."""
    run, number = Run(path.parent), generation_number(path)
    return (run if number >= 0 and (run.path / CONFIG).is_file() else None), number


def run_names(runs: Path) -> list[str]:
    """Return the names (`player_name`) of all runs in the searched folders; not of one whose start was interrupted."""
    folders = [folder for folder in searched_folders(runs) if folder.is_dir()]
    paths = [path for folder in folders for path in folder.iterdir()]
    return sorted({player_name(path, runs) for path in paths if (path / CONFIG).is_file() and path.name[0] != "."})


def sweep_run_names(runs: Path) -> list[str]:
    """Names of the runs of all sweeps of a folder, such as ``high/high=0.1_s1``."""
    paths = [path for sweep in runs.glob(f"*/{SWEEP}") for path in sweep.parent.glob(f"[!.]*/{CONFIG}")]
    return sorted(path.parent.relative_to(runs).as_posix() for path in paths)


def existing_run(runs: Path, name: str) -> Run:
    """The run of this name or path.

    Raises:
        RunError: there is none; near names are listed.
    """
    found = find_run(runs, name)
    if found is not None:
        return found
    near = difflib.get_close_matches(name, run_names(runs), 3)
    hint = f"; near: {', '.join(near)}" if near else ""
    raise RunError(f"{name}: no run of this name under {runs}, and no run folder{hint}")


def open_run(name: str, runs: Path | None = None) -> Run:
    """The run of this name or path, for notebooks and scripts.

    Args:
        name: of the run, or the path of its folder.
        runs: folder of runs, by default ``populations``.

    Raises:
        RunError: there is none; near names are listed.
    """
    return existing_run(DEFAULT_RUNS if runs is None else runs, name)


def split_generation(runs: Path, target: str) -> tuple[str, str | None]:
    """Run and generation of ``RUN`` or ``RUN@GENERATION``, as they are written; the second is None without an @."""
    name, at, number = target.rpartition("@")
    if not at or find_run(runs, target) is not None:  # a path may have an @ of its own
        return target, None
    return name, number


def near_names(target: str, known: list[str], ending: str = "") -> str:
    """The part of an error that tells what there is of nearly this name."""
    found = difflib.get_close_matches(target, known, 3) or difflib.get_close_matches(target.lower(), known, 3)
    found = [f"{each}{ending}" for each in found]
    return f"; near: {', '.join(found)}" if found else ""
