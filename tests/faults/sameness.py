"""F10 and F16: what must not change any result: how the work is spread, names and places, the clock."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from tests.called import evolve_cowan
from tests.faults.harness import ROOT, TINY, Bench, Process, Session, differences
from tests.faults.report import Report, Row

GENERATIONS = ("--generations", 3)


def _same(row: Row, session: Session, reference: Path, what: str) -> bool:
    ended = session.process.end()
    wrong = differences(session.folder, reference) if ended.code == 0 and ended.clean else ended.summary()
    row.check(not wrong, f"{what}: {wrong}")
    return not wrong


def spread(report: Report, bench: Bench) -> None:
    """F10: workers, chunks, ways of starting them."""
    reference = bench.reference(*GENERATIONS, settings=TINY)
    trials: list[tuple[str, tuple[object, ...], list[str]]] = [
        *((f"{count} workers", ("--workers", count), []) for count in (1, 2, 4, 8)),
        *((f"chunks of {chunk}", ("--workers", 2), [f"workers.chunk={chunk}"]) for chunk in (1, 7, 64)),
        *((method, ("--workers", 2), [f"workers.start_method={method}"]) for method in ("fork", "forkserver", "spawn")),
        ("8 workers, chunks of 1, spawn", ("--workers", 8), ["workers.chunk=1", "workers.start_method=spawn"]),
    ]
    with report.row("F10", "1, 2, 4, 8 workers; chunks of 1, 7, 64; fork, forkserver, spawn: one digest") as row:
        for what, arguments, settings in trials[:: 3 if bench.quick else 1]:
            session = bench.start(*GENERATIONS, *arguments, settings=[*TINY, *settings])
            _same(row, session, reference.folder, what)


# F16 --------------------------------------------------------------------------------------------------------------

CLOCK = """
import sys, time
sys.path.insert(0, {root!r})
real, began = time.time, time.time()
def backwards():
    "A clock that is set back by a day after a second, and by ten years after two."
    passed = real() - began
    return began + passed - (0 if passed < 1 else 86_400 if passed < 2 else 315_360_000)
time.time = backwards
import main
sys.exit(main.main(sys.argv[1:]))
"""


def places(report: Report, bench: Bench) -> None:
    """F16: names, paths, links, modes, the clock; each run is resumed once too."""
    reference = bench.reference(*GENERATIONS, settings=TINY)
    base = bench.work / "F16"
    base.mkdir()
    long = "x" * 200
    deep = base / ("d" * 100) / ("e" * 90)
    names: dict[str, tuple[Path, str]] = {
        "spaces": (base / "a folder  with spaces", "a run"),
        "non-ASCII letters": (base / "Dämespiel-шашки-西洋跳棋-👑", "Läufe-日本"),
        "a folder of 200 letters": (base / long, "run"),
        "a path of 200 letters, a name of 100": (deep, "n" * 100),
        "quotes and signs": (base / 'it\'s; $(echo) "so" & *.csv %s {x} \\n', "run-1"),
        "a folder that is no UTF-8": (base / os.fsdecode(b"caf\xe9"), "run"),
        "a folder that looks like an option": (base / "--help", "run"),
    }
    with report.row(
        "F16", "spaces, non-ASCII, 200 letters, signs in paths: played, resumed, player, same digest"
    ) as row:
        for what, (out, name) in list(names.items())[:: 3 if bench.quick else 1]:
            _there_and_back(row, bench, reference.folder, what, out, name)
        strict = dict(os.environ) | {"PYTHONIOENCODING": "utf-8:strict"}
        line = bench.command("evolve", "--out", names["a folder that is no UTF-8"][0], "--resume", "run")
        if not bench.quick:
            ended = Process(line, env=strict).end()
            row.check(ended.code == 0 and ended.clean, f"what is no UTF-8, told to a person: {ended.summary()}")
    with report.row("F16", "umask 077, a relative path, another working folder, a clock set back: same digest") as row:
        _there_and_back(
            row, bench, reference.folder, "umask", base / "umask", "run", preexec_fn=lambda: os.umask(0o077)
        )
        wrapper = [sys.executable, "-c", CLOCK.format(root=str(ROOT))]
        _there_and_back(row, bench, reference.folder, "clock", base / "clock", "run", wrapper=wrapper)
        relative = base / "relative"
        relative.mkdir()
        arguments = evolve_cowan(*GENERATIONS, "--json", "--out", "runs", "--name", "run", "--seed", 1, "--workers", 2)
        settings = [word for setting in TINY for word in ("--set", setting)]
        process = Process(bench.command(*arguments, *settings), cwd=relative)
        _same(row, Session(relative / "runs" / "run", process), reference.folder, "relative path")
        modes = {path.stat().st_mode & 0o077 for path in (base / "umask" / "run").iterdir()}
        row.check(modes == {0}, f"modes under umask 077: {modes}")
    with report.row(
        "F16", "the folder of runs and the run itself through symbolic links: played, resumed, same digest"
    ) as row:
        real, link = base / "real", base / "link"
        real.mkdir()
        link.symlink_to(real, target_is_directory=True)
        _there_and_back(row, bench, reference.folder, "a linked folder of runs", link, "run")
        other = base / "linked-run"
        other.symlink_to(real / "run", target_is_directory=True)
        session = bench.start("--generations", 3, resume="linked-run", out=base)
        _same(row, session, reference.folder, "a linked run, by name")
        session = bench.start("--generations", 3, resume=str(other), out=bench.work)
        _same(row, session, reference.folder, "a linked run, by path")


def _there_and_back(row: Row, bench: Bench, reference: Path, what: str, out: Path, name: str, **options: Any) -> None:
    """Play a run to generation 1, resume it to 3, and use it as a player."""
    first = bench.start("--generations", 1, settings=TINY, name=name, out=out, **options).process.end()
    if first.code or not first.clean:
        row.check(False, f"{what}: {first.summary()}")
        return
    session = bench.start("--generations", 3, resume=name, out=out, **options)
    if not _same(row, session, reference, what):
        return
    match = Process(bench.command("match", f"{name}@2", "random", "--games", 2, "--seed", 1, "--runs", out, "--json"))
    ended = match.end()
    row.check(ended.code == 0 and ended.clean, f"{what}, as a player: {ended.summary()}")
