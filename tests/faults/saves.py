"""Saves, what resume does before it plays, and starts of runs, each of whose system calls goes wrong once."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from evolve.config.model import Config
from evolve.run import append_only, manifest
from evolve.run.files import CONFIG
from evolve.run.folder import Run
from evolve.run.generation_csv import to_csv
from evolve.run.manifest import Manifest, sha256
from evolve.session import create
from tests.faults.harness import snapshot
from tests.faults.inject import Fault, Injector, calls_of, in_child, temporary_files
from tests.runs import growing_lines, random_rows

GROWING = (append_only.LOG, append_only.HALL_OF_FAME, append_only.CHAMPIONS)
ROWS, WEIGHTS = 6, 247
Check = Callable[[Path, int], str]
"""What is wrong with a folder after a child has ended with this code; empty if nothing is."""


@dataclass(frozen=True)
class Saved:
    data: bytes
    additions: dict[str, bytes]
    thinned: bytes


@functools.cache
def made(generation: int) -> Saved:
    rows = random_rows(generation, ROWS, WEIGHTS)
    return Saved(to_csv(rows), growing_lines(rows, generation), to_csv(rows.thinned()))


def run_of(folder: Path, generations: int) -> Run:
    run = create.create(folder.parent, folder.name, Config())
    known = Manifest()
    for generation in range(generations):
        saved = made(generation)
        known = run.save(known, saved.data, saved.additions)
    return run


def save_next(folder: Path) -> None:
    run = Run(folder)
    known = run.manifest()
    saved = made(known.newest + 1)
    run.save(known, saved.data, saved.additions)


def save_and_thin(folder: Path) -> None:
    """What a session does that keeps no more than the newest generation."""
    run = Run(folder)
    known = run.manifest()
    saved = made(known.newest + 1)
    run.save(known, saved.data, saved.additions, (known.newest, made(known.newest).thinned))


def resume(folder: Path, generation: int | None = None) -> None:
    """What a resumed session does before it plays, by default from the newest generation on."""
    run = Run(folder)
    known = run.manifest()
    if generation is None:
        run.check(known)
    else:
        known = create.check_files_up_to(run, known, generation)
    run.finish_thinning(run.rewind(known.newest))


def is_like(folder: Path, whole: Path, generation: int) -> str:
    """What differs from the first generations of an undisturbed run; empty if nothing does."""
    run, other = Run(folder), Run(whole)
    known = run.manifest()
    if known.damage or known != other.manifest().up_to(generation):
        return f"the manifest ends at {known.newest}, expected {generation} ({known.damage})"
    run.check(known)
    if generation >= 0 and sha256(run.generation_path(generation).read_bytes()) != known.entries[-1].first:
        return "the newest generation has other bytes"
    if generation >= 0 and len(run.read_generation().names) != ROWS:
        return "the newest generation cannot be read"
    for name in GROWING:
        expected = b"".join(made(number).additions[name] for number in range(generation + 1))
        result = (folder / name).read_bytes() if (folder / name).exists() else b""
        if result != expected:
            return f"{name} has {len(result)} bytes, expected {len(expected)}"
    beyond = {path.name for path in folder.glob("generation_*.csv")} - {entry.file for entry in known.entries}
    return f"left over: {sorted(beyond)}" if beyond else ""


def checked_save(whole: Path, before: int) -> Check:
    """A save may end before or after the generation, and what comes next leads to the undisturbed run."""

    def check(folder: Path, code: int) -> str:
        temporary = temporary_files(folder)
        if code >= 0 and temporary:
            return f"after an error there is {temporary}"
        newest = Run(folder).manifest().newest
        if newest not in (before, before + 1) or (code == 0 and newest == before):
            return f"at generation {newest}"
        resume(folder)
        if wrong := is_like(folder, whole, newest) or ", ".join(temporary_files(folder)):
            return wrong
        if newest == before:
            save_next(folder)
        return is_like(folder, whole, before + 1)

    return check


def checked_thinning(whole: Path) -> Check:
    """A save that thins may end before or after the generation, and what comes next leads to the undisturbed run."""

    def check(folder: Path, code: int) -> str:
        if code >= 0 and temporary_files(folder):
            return f"after an error there is {temporary_files(folder)}"
        before = Run(whole).manifest().newest - 1
        if Run(folder).manifest().newest not in (before, before + 1):
            return "at another generation"
        resume(folder)
        if Run(folder).manifest().newest == before:
            save_and_thin(folder)
        differing = [name for name, data in snapshot(whole).items() if snapshot(folder).get(name) != data]
        return ", ".join([*differing, *temporary_files(folder)])

    return check


def checked_resume(whole: Path, generation: int, again: Callable[[Path], None]) -> Check:
    """What resume does can be done again, whatever became of it, and ends in the same state."""

    def check(folder: Path, code: int) -> str:
        if code >= 0 and temporary_files(folder) and code != 0:
            left = [name for name in temporary_files(folder) if name != ".generation_0003.csv.tmp"]
            if left:
                return f"after an error there is {left}"
        again(folder)
        if wrong := is_like(folder, whole, generation) or ", ".join(temporary_files(folder)):
            return wrong
        save_next(folder)
        return is_like(folder, whole, generation + 1)

    return check


def each_point(
    work: Path,
    before: Path,
    action: Callable[[Path], object],
    check: Check,
    faults: tuple[Fault, ...],
    *,
    in_turn: bool = False,
) -> Iterator[tuple[str, str]]:
    """Each call of an action with each fault: what it was, and what is wrong afterwards (empty: nothing)."""
    copy = work / "copy" / before.name  # the name of a run stands in its messages
    shutil.copytree(before, copy)
    calls = calls_of(lambda: action(copy))
    for at, what in enumerate(calls):
        applying = [fault for fault in faults if _applies(fault, what, last=at == len(calls) - 1)]
        for fault in [applying[at % len(applying)]] if in_turn else applying:
            shutil.rmtree(copy)
            shutil.copytree(before, copy)
            code = in_child(lambda: action(copy), Injector(at, fault))
            expected = (-9,) if fault.kills else (0,) if fault is Fault.SHORT else (0, 74)
            place = f"{fault} at call {at} ({what.replace(str(copy), '')}), exit {code}"
            if code not in expected:
                yield place, f"expected exit {expected}"
                continue
            try:
                yield place, check(copy, code)
            except Exception as error:
                yield place, f"{type(error).__name__}: {error}"
    shutil.rmtree(copy.parent)


def _applies(fault: Fault, what: str, *, last: bool) -> bool:
    """Whether this is a point of its own: KILL after a call is KILL before the next."""
    if fault in (Fault.KILL_HALF, Fault.SHORT):
        return what.startswith("write")
    return fault is not Fault.KILL_AFTER or last


def torn(folder: Path) -> Path:
    """A run of three generations as a kill leaves it in the middle of saving the fourth, at the worst moment."""
    run_of(folder, 3)
    saved = made(3)
    (folder / manifest.generation_name(3)).write_bytes(saved.data)
    (folder / f".{manifest.generation_name(3)}.tmp").write_bytes(saved.data[:100])
    for name, addition in saved.additions.items():
        with (folder / name).open("ab") as file:
            file.write(addition[: len(addition) * 2 // 3])
    return folder


def start(folder: Path) -> None:
    create.create(folder, "new", Config())


def checked_start(folder: Path, code: int) -> str:
    """A run is there and can be resumed, or the same command starts it."""
    new = folder / "new"
    if not (new / CONFIG).is_file():
        if code == 0:
            return "no run"
        start(folder)
    if code >= 0 and temporary_files(folder):
        return f"left over: {temporary_files(folder)}"
    resume(new)
    save_next(new)
    names = sorted(snapshot(folder))
    wanted = [f"new/{name}" for name in (*GROWING, CONFIG, manifest.generation_name(0), "manifest.csv")]
    return "" if names == sorted(wanted) else f"files: {names}"
