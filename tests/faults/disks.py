"""F5: a disk that is full, by a limit on the size of files."""

from __future__ import annotations

import resource
import shutil
from collections.abc import Callable
from pathlib import Path

from evolve.run import manifest
from tests.faults.harness import TINY, Bench, Ended, differences, snapshot
from tests.faults.report import Report

KIB = 1024


def _limited(size: int) -> Callable[[], None]:
    """For a child: no file may grow beyond this size."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


def told_once(ended: Ended, folder: Path, reasons: tuple[str, ...]) -> str:
    """What is wrong with how a full disk was told; empty if it was one line with path and reason, and code 74."""
    line = ended.complaints[-1] if ended.complaints else ""
    if ended.code != 74 or not ended.clean or len(ended.complaints) != 1:
        return ended.summary()
    if (str(folder) not in line and "shared memory" not in line) or not any(reason in line for reason in reasons):
        return f"told as {line!r}"
    return ""


def full_disks(report: Report, bench: Bench) -> None:
    """No file may grow beyond a limit: at the start of a run, and at a generation in its middle."""
    reference = bench.reference("--generations", 3, settings=TINY)
    sizes = {path.name: path.stat().st_size for path in reference.folder.iterdir()}
    generation = min(size for name, size in sizes.items() if name.startswith("generation_"))
    limits = (0, 1, 700, 4 * KIB, generation // 2, generation - 1)
    with report.row(
        "F5", "files limited in size (RLIMIT_FSIZE), new run: one line, exit 74; then the same digest"
    ) as row:
        for limit in limits[:: 1 if not bench.quick else 4]:
            name = bench.fresh()
            options = {"settings": TINY, "name": name}
            session = bench.start("--generations", 3, **options, preexec_fn=_limited(limit))
            ended = session.process.end()
            wrong = told_once(ended, bench.work, ("File too large",))
            wrong = wrong or _finished(bench, session.folder, reference.folder, ("--generations", 3), TINY)
            row.check(not wrong, f"limit {limit}: {wrong}")
    with report.row(
        "F5", "the same, run resumed at its third generation: old bytes untouched; then the same digest"
    ) as row:
        half = bench.reference("--generations", 1, settings=TINY)
        for limit in limits[:: 1 if not bench.quick else 4]:
            name = bench.fresh()
            shutil.copytree(half.folder, bench.work / name)
            before = snapshot(bench.work / name)
            session = bench.start("--generations", 3, resume=name, preexec_fn=_limited(limit))
            ended = session.process.end()
            wrong = told_once(ended, bench.work, ("File too large",)) or _old_bytes(before, session.folder, bench)
            wrong = wrong or _finished(bench, session.folder, reference.folder, ("--generations", 3), TINY)
            row.check(not wrong, f"limit {limit}: {wrong}")


def _old_bytes(before: dict[str, str], folder: Path, bench: Bench) -> str:
    """Complete generations and the manifest are as they were; what grows may have grown, until resume cuts it."""
    after = snapshot(folder)
    kept = {name: sha for name, sha in before.items() if name.startswith("generation_")}
    changed = [name for name, sha in kept.items() if after.get(name) != sha]
    temporary = [name for name in after if name.endswith(".tmp")]
    newest = manifest.read(folder).newest
    if newest < len(kept) - 1 or (newest == len(kept) - 1 and after["manifest.csv"] != before["manifest.csv"]):
        changed.append("manifest.csv")
    return f"changed {changed}, left over {temporary}" if changed or temporary else ""


def _finished(bench: Bench, folder: Path, reference: Path, arguments: tuple[object, ...], settings: object) -> str:
    """Go on without the limit; what differs from the undisturbed run."""
    there = (folder / "config.toml").is_file()
    options = {"resume": folder.name} if there else {"name": folder.name, "settings": settings}
    ended = bench.start(*arguments, **options, out=folder.parent).process.end()  # type: ignore[arg-type]
    return ended.summary() if ended.code else differences(folder, reference)
