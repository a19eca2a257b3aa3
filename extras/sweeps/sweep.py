"""Sweeps: runs in one folder with different seeds and settings, played one after the other.

Each is an ordinary run, so a sweep that was stopped or killed resumes its incomplete runs.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evolve.config.model import Config
from evolve.run.files import SWEEP, RunError, write_atomically
from evolve.run.folder import Run
from evolve.run.log import read_log
from evolve.run.runs import Runs, checked_name
from evolve.session import create
from evolve.strength import elo
from game import toml_file
from game.errors import InputError
from game.regular_files import sync_folder
from game.toml_file import toml_text

MAX_RUNS = 1000
OF_ALL = {"generations": "use --generations for all of them", "seed": "use --seeds"}
"""Keys that cannot be settings because they have separate options."""
NOT_COMPARED = ("rating", "saving", "workers")
"""Sections with keys that decide how runs are measured, kept and played, not what evolves in them."""


@dataclass(frozen=True)
class SweepMember:
    """A run of a sweep.

    Attributes:
        setting: its setting, such as ``step=0.05``; empty if only seeds differ.
    """

    setting: str
    seed: int
    name: str


@dataclass(frozen=True)
class Sweep:
    """The runs of one folder.

    Attributes:
        members: the runs, in the order in which they are played.
        searched: True if an earlier version proposed the settings, whose runs are reported but not continued.
    """

    path: Path
    verb: str
    members: tuple[SweepMember, ...]
    generations: int
    searched: bool = False

    def run(self, member: SweepMember) -> Run:
        return Run(self.path / member.name)

    @property
    def settings(self) -> list[str]:
        return list(dict.fromkeys(member.setting for member in self.members))

    def runs(self, setting: str) -> dict[int, Run]:
        return {member.seed: self.run(member) for member in self.members if member.setting == setting}


def parse_seeds(text: str) -> list[int]:
    """Parse seeds such as ``1-8`` or ``1,2,5-7``.

    Raises:
        InputError: the text is not of this form, a seed occurs twice, or there are too many.
    """
    seeds: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not (first.isascii() and first.isdigit() and (not dash or (last.isascii() and last.isdigit()))):
            raise InputError(f"--seeds: expected numbers such as 1-8 or 1,2,5, got {text!r}")
        low, high = int(first), int(last) if dash else int(first)
        if high < low:
            raise InputError(f"--seeds: expected the lower seed first, such as {high}-{low}, got {part.strip()!r}")
        if high - low >= MAX_RUNS:
            raise InputError(f"--seeds: expected at most {MAX_RUNS} seeds, got {part.strip()!r}")
        seeds += range(low, high + 1)
    if len(set(seeds)) < len(seeds):
        raise InputError(f"--seeds: {next(seed for seed in seeds if seeds.count(seed) > 1)} comes twice")
    return seeds


def parse_values(text: str) -> tuple[str, list[str]]:
    """Return the key and the values of ``key=a,b,c``.

    Raises:
        InputError: the text is not of this form, or a value occurs twice.
    """
    key, equals, values = text.partition("=")
    given = [value.strip() for value in values.split(",")]
    if not equals or not key.strip() or not all(given):
        raise InputError(f"--sweep {text}: expected key=value,value, such as variation.step=0.05,0.1")
    if len(set(given)) < len(given):
        raise InputError(f"--sweep {text}: a value comes twice")
    return key.strip(), given


def combinations(sweeps: Sequence[str], seeds: Sequence[int]) -> list[tuple[SweepMember, list[str]]]:
    """Return the runs and their settings: every combination of values with every seed.

    Raises:
        InputError: a text is malformed (see `parse_values`), a key occurs twice, or there are too many runs.
    """
    keys = [parse_values(text) for text in sweeps]
    names = [key for key, _ in keys]
    check_keys(names)
    if math.prod([len(seeds), *(len(values) for _, values in keys)]) > MAX_RUNS:
        raise InputError(f"--sweep: more than {MAX_RUNS} runs")
    members = []
    for values in itertools.product(*(values for _, values in keys)):
        given = [f"{name}={value}" for name, value in zip(names, values, strict=True)]
        members += [(member(setting_text(names, values), seed), given) for seed in seeds]
    return members


def check_keys(names: Sequence[str]) -> None:
    """Check that runs can be compared by these keys.

    Raises:
        InputError: they cannot, or a key occurs twice.
    """
    for name in names:
        section = name.partition(".")[0]
        why = OF_ALL.get(name) or (
            "it decides how they are measured, or saved; use --set" if section in NOT_COMPARED else ""
        )
        if why:
            raise InputError(f"--sweep {name}: runs cannot be compared by this key; {why}")
        if names.count(name) > 1:
            raise InputError(f"--sweep: {name} comes twice")


def setting_text(names: Sequence[str], values: Sequence[object]) -> str:
    """Return a setting, with the last parts of its keys where they tell them apart, without values that are None."""
    last = [name.rpartition(".")[2] for name in names]
    labels = [short if last.count(short) == 1 else name for name, short in zip(names, last, strict=True)]
    return " ".join(f"{key}={value}" for key, value in zip(labels, values, strict=True) if value is not None)


def member(setting: str, seed: int) -> SweepMember:
    name = "_".join([*setting.split(), f"s{seed}"])
    return SweepMember(setting, seed, "".join(sign if sign.isalnum() or sign in "._=-+" else "-" for sign in name))


def make(sweep: Sweep, configs: Sequence[Config]) -> None:
    """Create the folders of a sweep and all its runs; a failure leaves nothing behind.

    Raises:
        TakenError: the name is taken.
        RunError: the name is not valid.
        OSError: a folder cannot be created.
    """
    checked_name(sweep.path.name)
    sweep.path.parent.mkdir(parents=True, exist_ok=True)
    if (there := Runs(sweep.path.parent).path(sweep.path.name)).exists():
        raise create.taken(there)
    half = sweep.path.with_name(f".{sweep.path.name}.{os.getpid()}.new")
    try:
        half.mkdir()
        for member, config in zip(sweep.members, configs, strict=True):
            create.create(half, member.name, config)
        write(replace(sweep, path=half))
        half.rename(sweep.path)
    except (OSError, InputError):
        shutil.rmtree(half, ignore_errors=True)
        raise
    sync_folder(sweep.path.parent)


def _text(sweep: Sweep) -> str:
    lines = [
        "# A sweep: the runs of this folder differ in seeds and settings. `--resume` continues all of them.",
        f"verb = {toml_text(sweep.verb)}",
        f"generations = {sweep.generations}",
    ]
    for member in sweep.members:
        lines += ["", "[[runs]]", f"name = {toml_text(member.name)}"]
        lines += [f"setting = {toml_text(member.setting)}", f"seed = {member.seed}"]
    return "\n".join(lines) + "\n"


def find(runs: Path, name: str) -> Sweep | None:
    """Return the sweep with this name in the folder of runs, or at this path; None if there is none.

    Raises:
        RunError: its file is damaged.
    """
    path = next((path for path in (runs / name, Path(name)) if _is_sweep(path)), None)
    return None if path is None else read(path)


def read(path: Path) -> Sweep:
    """Return the sweep in a folder.

    Raises:
        RunError: its file is damaged.
    """
    try:
        values = toml_file.read_toml(path / SWEEP)
        members = tuple(SweepMember(str(one["setting"]), int(one["seed"]), str(one["name"])) for one in values["runs"])
        for member in members:
            checked_name(member.name)  # a path could lead outside the folder
        if not members:
            raise ValueError("expected at least one run")
        return Sweep(path, str(values["verb"]), members, int(values["generations"]), "search" in values)
    except (KeyError, TypeError, ValueError, InputError) as error:
        raise RunError(f"{path / SWEEP}: damaged, not what a sweep writes: {error}") from error


def write(sweep: Sweep) -> None:
    """Save the changes of a sweep.

    Raises:
        OSError: it could not be written.
    """
    write_atomically(sweep.path / SWEEP, _text(sweep).encode())


def _is_sweep(path: Path) -> bool:
    with contextlib.suppress(OSError, ValueError):  # not every text is a valid path
        return (path / SWEEP).is_file()
    return False


Ratings = dict[int, tuple[float, float]]
"""Ratings and their standard errors by generation."""


def read_ratings(run: Run) -> Ratings:
    log = read_log(run, run.manifest().newest)
    return {
        number: (rating[0], elo.standard_error(*rating[1:]))
        for number in range(len(log))
        if (rating := log.rating(number)) is not None
    }
