"""The folder of runs: finding and naming runs.

This loads neither numpy nor the modules that read the files of a run.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from evolve.run.files import CONFIG, MEMORY, SWEEP, RunError
from extras import missing
from game.errors import near_names
from game.installation import COMMAND, INSTALLED, TREE, data_folder
from game.players.names import RESERVED
from game.regular_files import read_regular

SHIPPED_RUNS = (TREE / "populations").resolve()
"""The folder of the shipped runs, which may be a link; runs are compared with it to protect them."""
DEFAULT_RUNS = data_folder().resolve() / "populations" if INSTALLED else SHIPPED_RUNS
"""The default folder of runs; in a checkout it is the folder of the shipped runs."""
SHIPPED = {
    "cast": ("The cast", "Many styles"),
    "cowan-deep": ("Cowan's network", "Looks ahead"),
    "crownhead": ("Crownhead", "Self-taught"),
    "crownhead-1": ("Crownhead 1", "From scratch"),
    "crownhead-2": ("Crownhead 2", "From a piece count"),
    "endgame": ("Taught by endings", "By tables of perfect play"),
    "first": ("First evolution", "A minute of evolution"),
    "people": ("As people play", "Human mistakes"),
    "plain": ("By games alone", "Untaught"),
    "policy": ("Taught by games", "Recorded games, no search"),
    "q-learning": ("Q-learning", "Published in 2022, mended"),
    "search-free": ("Without search", "Taught by the champion's searches"),
    "zero": ("From nothing", "Taught itself by tree search"),
    "blondie24-840.csv": ("Blondie24", "From 2001"),
}
"""The shipped runs and the shipped file: what people call them, and what they are, in a few words."""
SHIPPED_NAMES = tuple(name for name in SHIPPED if not name.endswith(".csv"))
"""Names of the shipped runs. New runs cannot have them; runs elsewhere that have one must be named by their path."""
CHAMPION_RUN = "crownhead"
"""The shipped run of the strongest player: the analyst, and the highest level in the window."""
FROZEN_RUN = "crownhead-2"
"""The shipped run whose networks never change: anchors, yardsticks and the level Expert are its champions."""
PEOPLE_RUN = "people"
"""The shipped run that plays the levels below Expert."""
RATED_TABLES = {"crownhead-1": 12, FROZEN_RUN: 12}
"""The transposition tables with which the players of some runs were rated, as log 2 of their entries. They search with
no other, whatever their limits, unless their name says so: so the ratings of anchors and levels hold."""
FROZEN_SHA256 = {
    CHAMPION_RUN: "790d6da235c174bae3bc19b5672a89495c465d9c34d2d43266e3d047f57b2255",
    PEOPLE_RUN: "0e36b40c9cec2cbb334595647e229b4918b4b13df6160511a4702bfb7e91fe3a",
    FROZEN_RUN: "efdd6eb2704b96394dfed2c39b4d8c354431259848177b41a677fd1ce530ad67",
}
"""SHA-256 of their configuration, their manifest, which contains the checksums of all generations, and any memory."""

MAX_NAME = 100
"""Maximum length of a name in characters."""
_FORBIDDEN = set("/\\:,@\"'")


def run_title(name: str) -> str:
    """Return what people call the run or file of this name."""
    return SHIPPED.get(name, (name,))[0]


@dataclass(frozen=True)
class Runs:
    """A folder in which runs and CSV files are found by name.

    In an installed program, the default folder includes the shipped runs, whose names always refer to them.
    """

    folder: Path = field(default_factory=lambda: DEFAULT_RUNS)

    def folders(self, name: str = "") -> tuple[Path, ...]:
        if DEFAULT_RUNS == SHIPPED_RUNS or self.folder.resolve() != DEFAULT_RUNS:
            return (self.folder,)
        return (SHIPPED_RUNS, self.folder) if name in SHIPPED_NAMES else (self.folder, SHIPPED_RUNS)

    def path(self, name: str) -> Path:
        """Return the path of the run or file of this name, or the path it would have if there is none."""
        paths = (folder / name for folder in self.folders(name))
        return next((path for path in paths if os.path.exists(path)), self.folder / name)

    def find(self, name: str) -> Path | None:
        """Return the folder of the run with this name or path; None if there is no run."""
        for path in (*(folder / name for folder in self.folders(name)), Path(name)):
            with contextlib.suppress(OSError, ValueError):
                if (path / CONFIG).is_file():
                    return path
        return None

    def names(self) -> list[str]:
        folders = [folder for folder in self.folders() if folder.is_dir()]
        paths = [path for folder in folders for path in folder.iterdir()]
        return sorted({self.player_name(path) for path in paths if (path / CONFIG).is_file() and path.name[0] != "."})

    def sweep_names(self) -> list[str]:
        """Return the names of the runs of all sweeps, such as ``high/high=0.1_s1``, sorted."""
        paths = [path for sweep in self.folder.glob(f"*/{SWEEP}") for path in sweep.parent.glob(f"[!.]*/{CONFIG}")]
        return sorted(path.parent.relative_to(self.folder).as_posix() for path in paths)

    def file_names(self) -> list[str]:
        """Return the names of the CSV files in the folder, without extension, sorted."""
        return sorted({path.stem for folder in self.folders() for path in folder.glob("*.csv")})

    def file(self, name: str) -> Path | None:
        """Return the path of the CSV file of this name, with or without extension; None if there is none."""
        stem = name.removesuffix(".csv")
        return self.path(f"{stem}.csv") if stem in self.file_names() else None

    def player_name(self, path: Path) -> str:
        """Return the name of a run or CSV file as a player: its name if that is unambiguous, else its path."""
        absolute = os.path.abspath(path)
        name = os.path.basename(absolute)
        ambiguous = name in RESERVED or (
            name in SHIPPED_NAMES and path.parent != SHIPPED_RUNS and path.resolve().parent != SHIPPED_RUNS
        )
        ambiguous = ambiguous or (name.lower().endswith(".csv") and path.is_dir())
        return name if not ambiguous and self.finds(path) else absolute

    def finds(self, path: Path) -> bool:
        """Return whether the name of a run or file leads to this path."""
        named = self.path(os.path.basename(os.path.abspath(path)))
        return named == path or named.resolve() == path.resolve()

    def split_generation(self, target: str) -> tuple[str, str | None]:
        """Split ``RUN`` or ``RUN@GENERATION``, unchecked; the generation is None if there is none."""
        name, at, number = target.rpartition("@")
        if not at or self.find(target) is not None:  # a path may contain an @
            return target, None
        return name, number

    def hint(self, name: str, *others: str) -> str:
        """Return the end of an error about a name that no run has: why it has none, or similar names, also `others`."""
        needs = missing(SWEEP)
        if needs is not None and os.path.isfile(self.path(name) / SWEEP):
            return f"; its {needs}"
        return near_names(name, [*self.names(), *others])


def checked_name(name: str) -> str:
    """Return a name after checking that a new run may have it."""
    bad = sorted({letter for letter in name if letter in _FORBIDDEN or not letter.isprintable()})
    if bad:
        raise RunError(f"run name {name!r}: must not contain {' '.join(map(repr, bad))}")
    if not name or name != name.strip() or name[0] in ".-":
        raise RunError(f"run name {name!r}: must start with a letter or digit, without spaces at the ends")
    if name in RESERVED:
        raise RunError(f"run name {name!r}: reserved for a player ({', '.join(RESERVED)})")
    if name in SHIPPED_NAMES:
        raise RunError(f"run name {name!r}: there is a shipped run of this name; choose another name")
    if name.lower().endswith(".csv"):
        raise RunError(f"run name {name!r}: as a player it would mean a file; leave out .csv")
    if len(name.encode()) > MAX_NAME * 2 or len(name) > MAX_NAME:
        raise RunError(f"run name {name[:20]!r}...: at most {MAX_NAME} characters")
    return name


def free_names(stem: str) -> Iterator[str]:
    """Yield the default names of new runs: STEM-1, STEM-2 and so on, except the names of shipped runs."""
    return (name for number in itertools.count(1) if (name := f"{stem}-{number}") not in SHIPPED_NAMES)


def came_installed(run: Path) -> bool:
    """Return whether a run is part of an installation; such runs are never changed."""
    return DEFAULT_RUNS != SHIPPED_RUNS and run.resolve().parent == SHIPPED_RUNS


def is_shipped(run: Path) -> bool:
    """Return whether a run or file is one of the shipped ones, installed or in a checkout."""
    place = run.resolve()
    return came_installed(run) or (place.parent == SHIPPED_RUNS and place.name in SHIPPED)


def is_as_shipped(run: Path, name: str = FROZEN_RUN) -> bool:
    """Return whether a run is one of `FROZEN_SHA256`, unchanged."""
    from evolve.run import manifest

    try:
        files = CONFIG, manifest.NAME, *([MEMORY] if name == PEOPLE_RUN else [])
        data = b"".join(read_regular(run / file) for file in files)
        return hashlib.sha256(data).hexdigest() == FROZEN_SHA256[name]
    except OSError:
        return False


def check_own(run: Path, verb: str) -> None:
    """Check before continuing a run that it is not part of an installation."""
    if came_installed(run):
        raise RunError(
            f"the run {run.name} came with the program and cannot be changed; to continue it as your own run, use "
            f"{COMMAND} {verb} --branch {run.name} --generations N"
        )


def recorded_again(name: str) -> str:
    """Return the call with which a user's own loop continues the run that it has recorded."""
    return f"record({name!r}, resume=True)"
