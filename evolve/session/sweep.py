"""Sweeps: runs that differ in seeds and in some settings, in one folder, played one after the other.

Each is a run like any other, so a sweep that was stopped or killed goes on with whatever is not complete.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evolve.config.model import Config
from evolve.run.errors import RunError
from evolve.run.files import SWEEP, sync_folder, write_atomically
from evolve.run.folder import RunFolder
from evolve.run.log import Log, read_log
from evolve.run.names import checked_name
from evolve.run.places import path_of
from evolve.session import create
from evolve.strength import student
from game import toml_file
from game.errors import InputError
from game.installation import COMMAND

MAX_RUNS = 1000
SEEDS_TO_TELL = 3
"""So many runs of a setting say how they scatter; below, the interval of each rating has to do."""


@dataclass(frozen=True)
class Member:
    """A run of a sweep.

    Attributes:
        setting: what it is beside the others, such as ``step=0.05``; empty where only seeds differ.
        seed: of the run.
        name: of its folder.
    """

    setting: str
    seed: int
    name: str


@dataclass(frozen=True)
class Sweep:
    """Runs of one folder.

    Attributes:
        path: of the folder.
        verb: that plays them.
        members: in the order in which they are played.
        stop_behind: after every so many generations settings that are clearly behind are stopped; 0: never.
    """

    path: Path
    verb: str
    members: tuple[Member, ...]
    stop_behind: int = 0

    def run(self, member: Member) -> RunFolder:
        """The folder of a member."""
        return RunFolder(self.path / member.name)

    @property
    def settings(self) -> list[str]:
        """Those that there are, in the order in which they were given."""
        return list(dict.fromkeys(member.setting for member in self.members))


def parse_seeds(text: str) -> list[int]:
    """Seeds such as ``1-8`` or ``1,2,5-7``.

    Raises:
        InputError: it is none of that, a seed comes twice, or there are too many.
    """
    seeds: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not (first.isascii() and first.isdigit() and (not dash or (last.isascii() and last.isdigit()))):
            raise InputError(f"--seeds: expected numbers such as 1-8 or 1,2,5, got {text!r}")
        low, high = int(first), int(last) if dash else int(first)
        if high < low or high - low >= MAX_RUNS:
            raise InputError(f"--seeds: expected at most {MAX_RUNS}, from low to high, got {part.strip()!r}")
        seeds += range(low, high + 1)
    if len(set(seeds)) < len(seeds):
        raise InputError(f"--seeds: {next(seed for seed in seeds if seeds.count(seed) > 1)} comes twice")
    return seeds


def parse_values(text: str) -> tuple[str, list[str]]:
    """Key and values of ``key=a,b,c``.

    Raises:
        InputError: it is not that, or a value comes twice.
    """
    key, equals, values = text.partition("=")
    found = [value.strip() for value in values.split(",")]
    if not equals or not key.strip() or not all(found):
        raise InputError(f"--sweep {text}: expected key=value,value, such as variation.step=0.05,0.1")
    if len(set(found)) < len(found):
        raise InputError(f"--sweep {text}: a value comes twice")
    return key.strip(), found


def combinations(sweeps: Sequence[str], seeds: Sequence[int]) -> list[tuple[Member, list[str]]]:
    """Each run with its settings: all values of each key with all of the others, and each of these with all seeds.

    Raises:
        InputError: as `parse_values`, a key that comes twice, or too many runs.
    """
    keys = [parse_values(text) for text in sweeps]
    names = [key for key, _ in keys]
    if len(set(names)) < len(names):
        raise InputError(f"--sweep: {next(name for name in names if names.count(name) > 1)} comes twice")
    if math.prod([len(seeds), *(len(values) for _, values in keys)]) > MAX_RUNS:
        raise InputError(f"--sweep: more than {MAX_RUNS} runs")
    last = [name.rpartition(".")[2] for name in names]
    shown = [short if last.count(short) == 1 else name for name, short in zip(names, last, strict=True)]
    found = []
    for values in itertools.product(*(values for _, values in keys)):
        setting = " ".join(f"{key}={value}" for key, value in zip(shown, values, strict=True))
        given = [f"{name}={value}" for name, value in zip(names, values, strict=True)]
        for seed in seeds:
            parts = [*setting.split(), f"s{seed}"]
            found.append((Member(setting, seed, _as_name("_".join(parts))), given))
    return found


def _as_name(text: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "._=-+" else "-" for letter in text)


def make(sweep: Sweep, configs: Sequence[Config]) -> None:
    """Make the folder of a sweep with those of all its runs: all of it, or nothing.

    Raises:
        TakenError: the name is taken.
        RunError: the name cannot be one.
        OSError: it cannot be made.
    """
    checked_name(sweep.path.name)
    sweep.path.parent.mkdir(parents=True, exist_ok=True)
    if path_of(sweep.path.parent, sweep.path.name).exists():
        how = f"; go on with it by {sweep.verb} --resume {sweep.path.name}" if (sweep.path / SWEEP).is_file() else ""
        raise create.TakenError(f"{sweep.path.name}: there is something of this name already{how}")
    half = sweep.path.with_name(f".{sweep.path.name}.{os.getpid()}.new")
    try:
        half.mkdir()
        for member, config in zip(sweep.members, configs, strict=True):
            create.create(half, member.name, config)
        write_atomically(half / SWEEP, _text(sweep).encode())
        half.rename(sweep.path)
    except (OSError, InputError):
        shutil.rmtree(half, ignore_errors=True)
        raise
    sync_folder(sweep.path.parent)


def _text(sweep: Sweep) -> str:
    lines = [
        "# A sweep: the runs of this folder differ in seeds and settings. `--resume` goes on with all of them.",
        f'verb = "{sweep.verb}"',
        f"stop_behind = {sweep.stop_behind}",
    ]
    for member in sweep.members:
        lines += ["", "[[runs]]", f"name = {json.dumps(member.name, ensure_ascii=False)}"]
        lines += [f"setting = {json.dumps(member.setting, ensure_ascii=False)}", f"seed = {member.seed}"]
    return "\n".join(lines) + "\n"


def find(runs: Path, name: str) -> Sweep | None:
    """The sweep of this name under the folder of runs, or at this path; None if there is none.

    Raises:
        RunError: its file is not what was written.
    """
    path = next((path for path in (runs / name, Path(name)) if _is_sweep(path)), None)
    if path is None:
        return None
    try:
        values = toml_file.read_toml(path / SWEEP)
        members = tuple(Member(str(one["setting"]), int(one["seed"]), str(one["name"])) for one in values["runs"])
        found = Sweep(path, str(values["verb"]), members, int(values["stop_behind"]))
    except (KeyError, TypeError, ValueError, InputError) as error:
        raise RunError(f"{path / SWEEP}: damaged, not what a sweep writes: {error}") from error
    for member in members:
        checked_name(member.name)  # no path that leads elsewhere
    return found


def _is_sweep(path: Path) -> bool:
    with contextlib.suppress(OSError, ValueError):  # no name that a file can have
        return (path / SWEEP).is_file()
    return False


# --- playing ---------------------------------------------------------------------------------------------------------


Play = Callable[[Member, int], bool]
"""Plays a run to a generation; whether it came there."""


def play(sweep: Sweep, last: int, play_run: Play, say: Callable[[str], None]) -> bool:
    """Play all runs to their last generation, or until their settings are clearly behind.

    Args:
        sweep: the runs.
        last: number of the last generation.
        play_run: plays one of them further.
        say: told what was stopped and why.

    Returns:
        Whether all came to where they end; False if somebody ended it.
    """
    every = sweep.stop_behind or last
    goals = [*range(every, last, every), last] if every else [last]
    behind: set[str] = set()
    for goal in goals:
        for member in sweep.members:
            if member.setting not in behind and not play_run(member, goal):
                return False
        if goal < last:
            for setting, why in clearly_behind(sweep, goal, behind).items():
                behind.add(setting)
                say(f"{setting}: stopped in generation {goal}, {why}")
    return True


def clearly_behind(sweep: Sweep, generation: int, without: set[str]) -> dict[str, str]:
    """Settings that are behind the best for certain, each with why.

    With `SEEDS_TO_TELL` common seeds or more: the 95 % interval of the mean difference, seed by seed, is below 0. With
    fewer: the interval of each of its ratings is below that of the best with the same seed.

    Args:
        sweep: the runs.
        generation: the newest that counts.
        without: settings that were stopped before.
    """
    found = {setting: _ratings(sweep, setting, generation) for setting in sweep.settings if setting not in without}
    rated = {setting: ratings for setting, ratings in found.items() if ratings}
    if len(rated) < 2:
        return {}
    best = max(rated, key=lambda setting: math.fsum(one[0] for one in rated[setting].values()) / len(rated[setting]))
    behind = {}
    for setting, ratings in rated.items():
        common = ratings.keys() & rated[best].keys()
        if setting == best or not common:
            continue
        if len(common) >= SEEDS_TO_TELL:
            difference = student.mean([ratings[seed][0] - rated[best][seed][0] for seed in sorted(common)])
            if difference.high < 0:
                behind[setting] = (
                    f"{difference.value:+.0f} ({difference.low:+.0f} to {difference.high:+.0f}) beside {best}"
                )
        elif all(ratings[seed][2] < rated[best][seed][1] for seed in common):
            behind[setting] = f"each rating is below the interval of {best}"
    return behind


Rating = tuple[float, float, float]
"""Value, lower and upper end."""


def _ratings(sweep: Sweep, setting: str, generation: int | None) -> dict[int, Rating]:
    """By seed the newest rating up to a generation (None: of all) of the runs of a setting."""
    found = {}
    for member in sweep.members:
        if member.setting == setting:
            rating = newest_rating(sweep.run(member), generation)
            if rating is not None:
                found[member.seed] = rating[1]
    return found


def newest_rating(run: RunFolder, generation: int | None = None) -> tuple[int, Rating] | None:
    """The newest rating of a run up to a generation, with the generation that it is of."""
    newest = run.manifest().newest
    log: Log = read_log(run, newest if generation is None else min(generation, newest))
    rated = [(number, rating) for number in range(len(log)) if (rating := log.rating(number)) is not None]
    return rated[-1] if rated else None


# --- what came of it -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Result:
    """What came of a setting.

    Attributes:
        setting: which.
        generations: of each of its runs the newest.
        rating: mean over seeds of the newest ratings; None without any.
        beside: mean difference to the first setting, seed by seed; None of the first itself, or without common seeds.
    """

    setting: str
    generations: tuple[int, ...]
    rating: student.Mean | None
    beside: student.Mean | None


def results(sweep: Sweep) -> list[Result]:
    """What came of each setting, in their order."""
    ratings = {setting: _ratings(sweep, setting, None) for setting in sweep.settings}
    first = ratings[sweep.settings[0]]
    found = []
    for setting, mine in ratings.items():
        runs = [sweep.run(member) for member in sweep.members if member.setting == setting]
        common = sorted(mine.keys() & first.keys()) if mine is not first else []
        found.append(
            Result(
                setting,
                tuple(run.manifest().newest for run in runs),
                student.mean([rating[0] for rating in mine.values()]) if mine else None,
                student.mean([mine[seed][0] - first[seed][0] for seed in common]) if common else None,
            )
        )
    return found


def as_json(sweep: Sweep) -> dict[str, Any]:
    """What came of it, as plain values."""

    def plain(mean: student.Mean | None) -> dict[str, Any] | None:
        if mean is None:
            return None
        values = {"value": mean.value, "low": mean.low, "high": mean.high, "probability": mean.probability}
        return {name: value if math.isfinite(value) else None for name, value in values.items()} | {"seeds": mean.count}

    return {
        "sweep": str(sweep.path),
        "runs": [
            {
                "name": member.name,
                "setting": member.setting,
                "seed": member.seed,
                "generations": (known := sweep.run(member).manifest()).newest,
                "rating": None if (rated := newest_rating(sweep.run(member))) is None else rated[1][0],
                "digest": known.digest(),
            }
            for member in sweep.members
        ],
        "settings": [
            {
                "setting": one.setting,
                "generations": list(one.generations),
                "rating": plain(one.rating),
                "beside_the_first": plain(one.beside),
            }
            for one in results(sweep)
        ],
    }


def report(sweep: Sweep, finished: bool) -> str:
    """What came of it, for people."""
    found = results(sweep)
    newest = max(max(one.generations) for one in found)
    several = len(found) > 1
    rows = [("setting" if several else "", "seeds", "rating", "beside the first" if several else "", "")]
    for one in found:
        beside = _interval(one.beside) if one.beside else "-" if several else ""
        if one.beside and math.isfinite(one.beside.probability):
            beside += f", p = {one.beside.probability:.3f}"
        stopped = min(one.generations)
        note = f"to generation {stopped}" if stopped < newest else ""
        rows.append(
            (one.setting, str(len(one.generations)), _interval(one.rating) if one.rating else "-", beside, note)
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [f"sweep        {sweep.path}, {len(sweep.members)} runs, generations 0 to {newest}", ""]
    lines += ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    lines += [
        "",
        "Ratings of the newest champions that were rated, means over seeds with 95 % intervals (Student's t).",
    ]
    if several:
        lines.append("Differences are taken seed by seed; p is how often chance alone gives as much or more.")
    if not finished:
        lines.append(f"go on with   {COMMAND} {sweep.verb} --resume {sweep.path.name}")
    return "\n".join(lines)


def _interval(mean: student.Mean) -> str:
    if not math.isfinite(mean.low):
        return f"{mean.value:+.0f}"
    return f"{mean.value:+.0f} ({mean.low:+.0f} to {mean.high:+.0f})"
