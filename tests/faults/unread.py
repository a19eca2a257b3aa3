"""F15: nobody reads what a session says, because its reader, its terminal or the disk of its log is gone."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import subprocess
import termios
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from evolve.run.folder import SESSION_LOG, Run
from tests.called import evolve_cowan
from tests.faults.harness import PATIENCE, TINY, Bench, differences
from tests.faults.report import Report, Row

OPTIONS = ("--workers", 1, "--generations", 12)
NOTED = "progress can no longer be written"


def unread(report: Report, bench: Bench) -> None:
    """Each way in which nobody is left to read."""
    reference = bench.reference(*OPTIONS, settings=TINY).folder
    for what, start in (
        ("the reader of progress and report goes away (| head -1)", _piped),
        ("progress and report on a full disk (/dev/full)", _full),
        ("no standard input, output and error at all (0<&- 1>&- 2>&-)", _closed),
        ("its terminal vanishes, SIGHUP is ignored (nohup)", _vanished),
    ):
        noted = 0 if start is _closed else 1
        kept = f"exit 0, all generations{', noted once' * noted}; same digest"
        with report.row("F15", f"{what}: {kept}") as row:
            for _ in range(bench.times(3, 1)):
                folder, code = start(bench)
                row.check(code == 0 and _log(folder).count(NOTED) == noted, f"exit {code}, {_log(folder)[-200:]}")
                row.check(not (wrong := differences(folder, reference)), wrong)
    with report.row("F15", "its terminal is closed: generation in hand saved, exit 129; resumed: same digest") as row:
        for _ in range(bench.times(3, 1)):
            _hung_up(row, bench, reference)


def _piped(bench: Bench) -> tuple[Path, int]:
    reading, writing = os.pipe()
    folder, process = _begun(bench, writing)
    os.close(writing)
    os.read(reading, 1)
    os.close(reading)
    return folder, process.wait(PATIENCE)


def _full(bench: Bench) -> tuple[Path, int]:
    full = os.open("/dev/full", os.O_WRONLY)
    folder, process = _begun(bench, full)
    os.close(full)
    return folder, process.wait(PATIENCE)


def _closed(bench: Bench) -> tuple[Path, int]:
    folder, process = _begun(bench, subprocess.DEVNULL, lambda: os.closerange(0, 3))
    return folder, process.wait(PATIENCE)


def _vanished(bench: Bench) -> tuple[Path, int]:
    folder, process, terminal = _on_a_terminal(bench, ignoring=True)
    os.close(terminal)
    return folder, process.wait(PATIENCE)


def _hung_up(row: Row, bench: Bench, reference: Path) -> None:
    folder, process, terminal = _on_a_terminal(bench, ignoring=False)
    os.close(terminal)
    code, newest = process.wait(PATIENCE), Run(folder).manifest().newest
    text = "SIGHUP" in _log(folder) and "stopped" in _log(folder)
    row.check(code == 128 + signal.SIGHUP and 0 <= newest < OPTIONS[-1] and text, f"exit {code} at {newest}")
    ended = bench.start(resume=folder.name).process.end()
    wrong = ended.summary() if ended.code else differences(folder, reference)
    row.check(not wrong, wrong)


def _on_a_terminal(bench: Bench, *, ignoring: bool) -> tuple[Path, subprocess.Popen[bytes], int]:
    """A session that plays, with a terminal of its own; the other end of that."""
    ours, theirs = pty.openpty()

    def own() -> None:
        fcntl.ioctl(1, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGHUP, signal.SIG_IGN if ignoring else signal.SIG_DFL)

    folder, process = _begun(bench, theirs, own)
    os.close(theirs)
    shown = b""
    while b"Gen01_" not in shown:
        shown += os.read(ours, 1 << 12)
    return folder, process, ours


def _begun(bench: Bench, stream: int, before: Callable[[], None] | None = None) -> tuple[Path, subprocess.Popen[bytes]]:
    """A new session with this as standard output and error."""
    name = bench.fresh()
    line: Sequence[Any] = evolve_cowan("--out", bench.work, "--name", name, "--seed", 1, *OPTIONS)
    command = bench.command(*line, *(f"--set={setting}" for setting in TINY))
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=stream,
        stderr=stream,
        start_new_session=True,
        preexec_fn=before,  # noqa: PLW1509 (a system call or two)
    )
    return bench.work / name, process


def _log(folder: Path) -> str:
    return (folder / SESSION_LOG).read_text(encoding="utf-8")
