"""Where runs are: a person's own, and those that came with the program. In a checkout both are in one folder."""

from __future__ import annotations

import os
from pathlib import Path

from evolve.run.files import RunError
from game.installation import COMMAND, INSTALLED, TREE, data_folder
from game.players.names import RESERVED

SHIPPED_RUNS = TREE / "populations"
"""Where the runs are that came with the program."""
DEFAULT_RUNS = data_folder().resolve() / "populations" if INSTALLED else SHIPPED_RUNS
"""Where runs are if nobody says otherwise."""
SHIPPED_NAMES = ("cowan-deep", "crownhead", "crownhead-1", "crownhead-2", "policy", "q-learning")
"""Names of the shipped runs. No new run gets one of them, and a run elsewhere that has one is known by its path."""


def searched_folders(runs: Path, name: str = "") -> tuple[Path, ...]:
    """Return the folders in which names are looked up, in order: `runs`, and with the default one the shipped runs.

    The name of a shipped run is looked up among those first, so that no run of a person takes its place.
    """
    if DEFAULT_RUNS == SHIPPED_RUNS or runs.resolve() != DEFAULT_RUNS:
        return (runs,)
    return (SHIPPED_RUNS, runs) if name in SHIPPED_NAMES else (runs, SHIPPED_RUNS)


def path_of(runs: Path, name: str) -> Path:
    """Where a run or file of this name is; if there is none, where it would be."""
    folders = searched_folders(runs, name)
    return next((folder / name for folder in folders if (folder / name).exists()), runs / name)


def found_by_name(path: Path, runs: Path) -> bool:
    """Return whether the name of a run or file leads to it."""
    return path_of(runs, os.path.basename(os.path.abspath(path))).resolve() == path.resolve()


def player_name(path: Path, runs: Path | None = None) -> str:
    """Return how a run or CSV file is named as a player: by its name if that means it everywhere, else by its path.

    The names of other players, of shipped runs and, for a run, those that end like files mean something else.

    Args:
        path: of the run or file.
        runs: folder of runs, by default `DEFAULT_RUNS`.
    """
    whole = os.path.abspath(path)
    name = os.path.basename(whole)
    other = name in RESERVED or (name in SHIPPED_NAMES and path.resolve().parent != SHIPPED_RUNS)
    other = other or (name.lower().endswith(".csv") and path.is_dir())
    return name if not other and found_by_name(path, DEFAULT_RUNS if runs is None else runs) else whole


def came_installed(run: Path) -> bool:
    """Whether a run belongs to what was installed, so that nobody changes it."""
    return DEFAULT_RUNS != SHIPPED_RUNS and run.resolve().parent == SHIPPED_RUNS


def is_shipped(run: Path) -> bool:
    """Return whether a run came with the program, installed or in a checkout."""
    place = run.resolve()
    return came_installed(run) or (place.parent == SHIPPED_RUNS and place.name in SHIPPED_NAMES)


def check_own(run: Path, verb: str) -> None:
    """Refuse to go on with a run that came with an installed program.

    Raises:
        RunError: it did; what to do instead is said.
    """
    if came_installed(run):
        raise RunError(
            f"the run {run.name} came with the program and stays as it is; begin a run of your own with its "
            f"generations by {COMMAND} {verb} --branch {run.name} --generations N"
        )
