"""Sweeps: runs that differ in seeds and in some settings, in one folder, played one after the other.

Each is an ordinary run, so a sweep that was stopped or killed continues with the runs that are not complete.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from evolve.config.model import Config
from evolve.run import status
from evolve.run.files import SWEEP, RunError, sync_folder, write_atomically
from evolve.run.folder import Run
from evolve.run.log import read_log
from evolve.run.runs import Runs, checked_name
from evolve.run.status import lock
from evolve.session import create
from evolve.strength import elo, means
from game import toml_file
from game.errors import InputError, one_line

MAX_RUNS = 1000
OF_ALL = {"generations": "--generations for all of them", "seed": "--seeds"}
"""Keys that have their own options, and are no settings."""
LEAST_SEEDS = 3
"""Least seeds of each setting if settings may be stopped: fewer runs do not show how much the runs of a setting
scatter."""
MAX_REASON = 200
"""Number of characters, less than a status has room for."""


@dataclass(frozen=True)
class SweepMember:
    """A run of a sweep.

    Attributes:
        setting: its setting, such as ``step=0.05``; empty where only seeds differ.
        seed: of the run.
        name: of its folder.
    """

    setting: str
    seed: int
    name: str


@dataclass(frozen=True)
class SettingStop:
    """The end of a setting that is behind another one.

    Attributes:
        setting: the stopped setting.
        generation: the last that its runs have.
        reason: the difference, and the setting that is ahead.
    """

    setting: str
    generation: int
    reason: str

    def __str__(self) -> str:
        return f"stopped in generation {self.generation}: {self.reason}"


@dataclass(frozen=True)
class Sweep:
    """The runs of one folder.

    Attributes:
        path: of the folder.
        verb: the command that plays them.
        members: in the order in which they are played.
        generations: number of the last generation.
        looks: generations after which settings that are behind are stopped. They are planned when the sweep begins,
            since each look has its share of the probability of stopping a setting wrongly.
        stopped: settings that were stopped.
    """

    path: Path
    verb: str
    members: tuple[SweepMember, ...]
    generations: int
    looks: tuple[int, ...] = ()
    stopped: tuple[SettingStop, ...] = ()

    def run(self, member: SweepMember) -> Run:
        return Run(self.path / member.name)

    @property
    def settings(self) -> list[str]:
        return list(dict.fromkeys(member.setting for member in self.members))

    def runs(self, setting: str) -> dict[int, Run]:
        return {member.seed: self.run(member) for member in self.members if member.setting == setting}

    def stop(self, setting: str) -> SettingStop | None:
        return next((each for each in self.stopped if each.setting == setting), None)


def plan_looks(every: int, generations: int) -> tuple[int, ...]:
    """Return the generations after which settings are compared: every N, except the last one, which ends them all."""
    return tuple(range(every, generations, every)) if every else ()


def parse_seeds(text: str) -> list[int]:
    """Return the seeds of a text such as ``1-8`` or ``1,2,5-7``.

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
    """Return each run with its settings: all combinations of the values of the keys, each with all seeds.

    Raises:
        InputError: as `parse_values`, a key that occurs twice, or too many runs.
    """
    keys = [parse_values(text) for text in sweeps]
    names = [key for key, _ in keys]
    for name, option in OF_ALL.items():
        if name in names:
            raise InputError(f"--sweep {name}: no setting that runs can be compared by; use {option}")
    if len(set(names)) < len(names):
        raise InputError(f"--sweep: {next(name for name in names if names.count(name) > 1)} comes twice")
    if math.prod([len(seeds), *(len(values) for _, values in keys)]) > MAX_RUNS:
        raise InputError(f"--sweep: more than {MAX_RUNS} runs")
    last = [name.rpartition(".")[2] for name in names]
    shown = [short if last.count(short) == 1 else name for name, short in zip(names, last, strict=True)]
    members = []
    for values in itertools.product(*(values for _, values in keys)):
        setting = " ".join(f"{key}={value}" for key, value in zip(shown, values, strict=True))
        given = [f"{name}={value}" for name, value in zip(names, values, strict=True)]
        for seed in seeds:
            parts = [*setting.split(), f"s{seed}"]
            members.append((SweepMember(setting, seed, _as_name("_".join(parts))), given))
    return members


def _as_name(text: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "._=-+" else "-" for letter in text)


def make(sweep: Sweep, configs: Sequence[Config]) -> None:
    """Make the folder of a sweep with those of all its runs: all of it, or nothing.

    Raises:
        TakenError: the name is taken.
        RunError: the name is not valid.
        OSError: it cannot be made.
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
        "# A sweep: the runs of this folder differ in seeds and settings. `--resume` goes on with all of them.",
        f"verb = {_quoted(sweep.verb)}",
        f"generations = {sweep.generations}",
        f"looks = {list(sweep.looks)}  # generations after which settings that are behind are stopped",
    ]
    for stop in sweep.stopped:
        lines += ["", "[[stopped]]", f"setting = {_quoted(stop.setting)}", f"generation = {stop.generation}"]
        lines += [f"reason = {_quoted(stop.reason)}"]
    for member in sweep.members:
        lines += ["", "[[runs]]", f"name = {_quoted(member.name)}"]
        lines += [f"setting = {_quoted(member.setting)}", f"seed = {member.seed}"]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def find(runs: Path, name: str) -> Sweep | None:
    """Return the sweep of this name in the folder of runs, or at this path; None if there is none.

    Raises:
        RunError: its file is not what was written.
    """
    path = next((path for path in (runs / name, Path(name)) if _is_sweep(path)), None)
    return None if path is None else read(path)


def read(path: Path) -> Sweep:
    """Return the sweep in a folder.

    Raises:
        RunError: its file is not what was written.
    """
    try:
        values = toml_file.read_toml(path / SWEEP)
        members = tuple(SweepMember(str(one["setting"]), int(one["seed"]), str(one["name"])) for one in values["runs"])
        stopped = [
            SettingStop(str(one["setting"]), int(one["generation"]), one_line(str(one["reason"]))[:MAX_REASON])
            for one in values.get("stopped", ())
        ]
        sweep = Sweep(path, str(values["verb"]), members, int(values.get("generations", 0)), (), tuple(stopped))
        for member in members:
            checked_name(member.name)  # no path that leads elsewhere
        if not members:
            raise ValueError("expected at least one run")
        if "looks" in values:
            return replace(sweep, looks=tuple(sorted(map(int, values["looks"]))))
        every = int(values["stop_behind"])
    except (KeyError, TypeError, ValueError, InputError) as error:
        raise RunError(f"{path / SWEEP}: damaged, not what a sweep writes: {error}") from error
    # Older sweeps kept how often they look; their runs keep up to where.
    last = max(sweep.run(member).config().generations for member in members)
    return replace(sweep, generations=last, looks=plan_looks(every, last))


def write(sweep: Sweep) -> None:
    """Save the changes of a sweep.

    Raises:
        OSError: it could not be written.
    """
    write_atomically(sweep.path / SWEEP, _text(sweep).encode())


def _is_sweep(path: Path) -> bool:
    with contextlib.suppress(OSError, ValueError):  # no name that a file can have
        return (path / SWEEP).is_file()
    return False


# --- playing ---------------------------------------------------------------------------------------------------------


Play = Callable[[SweepMember, int], bool]
"""Plays a run to a generation; returns whether it is complete."""


def play(sweep: Sweep, play_run: Play, say: Callable[[str], None]) -> bool:
    """Play all runs to the last generation, or until their settings are behind.

    Looks of earlier sessions are repeated: they give the same results, and later ones depend on them.

    Args:
        sweep: the runs.
        play_run: plays one of them further.
        say: reports each setting that is stopped.

    Returns:
        Whether all runs are complete; False if a session was ended before.
    """
    last, behind = sweep.generations, np.zeros((len(sweep.settings),) * 2, np.bool_)
    for goal in (*(look for look in sweep.looks if look < last), last):
        for member in sweep.members:
            stop = sweep.stop(member.setting)
            if (stop is None or goal <= stop.generation) and not play_run(member, goal):
                return False
        if goal == last:
            break
        behind, new = _look(sweep, goal, behind)
        if new:
            sweep = replace(sweep, stopped=(*sweep.stopped, *new))
            write(sweep)
            for stop in new:
                say(f"{stop.setting}: {stop}")
        for stop in sweep.stopped:
            if stop.generation == goal:
                _tell_runs(sweep, stop)
    return True


def _look(sweep: Sweep, goal: int, before: means.Behind) -> tuple[means.Behind, list[SettingStop]]:
    """Compare the settings that are still played; return the settings behind others, and those to stop now."""
    stops = [sweep.stop(setting) for setting in sweep.settings]
    played = [
        setting for setting, stop in zip(sweep.settings, stops, strict=True) if stop is None or stop.generation >= goal
    ]
    known = {setting: ratings_of(sweep, setting, goal) for setting in played}
    generation = common_generation([of_run for each in known.values() for of_run in each.values()])
    if generation is None:
        return before, []
    seeds = sorted({member.seed for member in sweep.members})
    ratings = np.full((len(sweep.settings), len(seeds)), np.nan)
    errors = ratings.copy()
    for setting, of_seed in known.items():
        for column, seed in enumerate(seeds):
            row = sweep.settings.index(setting)
            ratings[row, column], errors[row, column] = of_seed[seed][generation]
    behind = means.find_behind(ratings, errors, means.LEVEL / len(sweep.looks), before)
    new = []
    for row, setting in enumerate(sweep.settings):
        if stops[row] is None and behind[row].any():
            others = [at for at in np.flatnonzero(behind[row]) if np.isfinite(ratings[at]).all()]
            best = max(others, key=lambda at: float(ratings[at].mean()))
            error = np.hypot(errors[best], errors[row])
            less = means.mean((ratings[best] - ratings[row]).tolist(), error.tolist())
            reason = f"{less.value:.0f} Elo behind {sweep.settings[best]} in generation {generation}"
            new.append(SettingStop(setting, goal, reason[:MAX_REASON]))
    return behind, new


def _tell_runs(sweep: Sweep, stop: SettingStop) -> None:
    """Write the reason why a setting has ended into the status of each of its runs."""
    for run in sweep.runs(stop.setting).values():
        last_status, reason = status.read(run.path), f"its sweep: {stop.reason}"
        if last_status is not None and (last_status.state, last_status.reason) != (status.State.STOPPED, reason):
            with lock(run.path):
                changed = replace(last_status, state=status.State.STOPPED, generations=sweep.generations, reason=reason)
                status.write(run.path, changed)


Ratings = dict[int, tuple[float, float]]
"""Rating and its standard error, by generation."""


def ratings_of(sweep: Sweep, setting: str, last: int | None = None) -> dict[int, Ratings]:
    return {seed: read_ratings(run, last) for seed, run in sweep.runs(setting).items()}


def read_ratings(run: Run, last: int | None = None) -> Ratings:
    newest = run.manifest().newest
    log = read_log(run, newest if last is None else min(last, newest))
    # An interval of 95 % extends to both sides by the root of the 95 % point of chi-squared, in standard errors.
    width = 2 * math.sqrt(elo.THRESHOLD)
    return {
        number: (rating[0], (rating[2] - rating[1]) / width)
        for number in range(len(log))
        if (rating := log.rating(number)) is not None
    }


def common_generation(runs: Sequence[Ratings]) -> int | None:
    """Return the last generation that all of these runs have rated; None if there is none."""
    rated = [set(ratings) for ratings in runs]
    return max(set.intersection(*rated), default=None) if rated else None
