"""Where runs are: a person's own, and those that came with the program. In a checkout both are in one folder."""

from __future__ import annotations

from pathlib import Path

from evolve.run.errors import RunError
from game.installation import COMMAND, INSTALLED, TREE, data_folder

SHIPPED_RUNS = TREE / "populations"
"""Where the runs are that came with the program."""
DEFAULT_RUNS = data_folder().resolve() / "populations" if INSTALLED else SHIPPED_RUNS
"""Where runs are if nobody says otherwise."""
SHIPPED_NAMES = ("cowan-deep", "crownhead", "crownhead-1", "policy", "q-learning")
"""Names of the shipped runs. In a checkout your own runs lie beside them."""


def searched_folders(runs: Path) -> tuple[Path, ...]:
    """Where a name is looked up: in a folder of runs, and if that is the usual one, among the shipped runs besides."""
    beside = DEFAULT_RUNS != SHIPPED_RUNS and runs.resolve() == DEFAULT_RUNS
    return (runs, SHIPPED_RUNS) if beside else (runs,)


def path_of(runs: Path, name: str) -> Path:
    """Where a run or file of this name is; if there is none, where it would be."""
    folders = searched_folders(runs)
    return next((folder / name for folder in folders if (folder / name).exists()), runs / name)


def found_by_name(path: Path, runs: Path) -> bool:
    """Whether a run or file is where names are looked up."""
    return path.resolve().parent in [folder.resolve() for folder in searched_folders(runs)]


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
