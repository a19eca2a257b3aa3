"""Processes in tests: which of them are alive, without failing when one ends in the meantime."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil

USUAL: dict[int, Any] = {
    getattr(signal, name): signal.SIG_DFL for name in ("SIGHUP", "SIGQUIT", "SIGTERM") if hasattr(signal, name)
} | {signal.SIGINT: signal.default_int_handler}
"""What signals do in a program that a terminal starts. Shells ignore some of them in the background, as does nohup."""


@contextlib.contextmanager
def usual_signals() -> Iterator[None]:
    """Let signals do what they do in a terminal until the end of the context, also in processes that it starts."""
    before = {number: signal.signal(number, handler) for number, handler in USUAL.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _as_in_a_terminal() -> None:
    """Do in a new process what a terminal does: a handler does not outlive the start of a program, SIG_IGN does."""
    for number in USUAL:
        signal.signal(number, signal.SIG_DFL)


def completed(command: Sequence[Any], *, check: bool = False, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a process to its end, and return its output as text."""
    return subprocess.run(command, capture_output=True, text=True, check=check, **options)


@contextlib.contextmanager
def running(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Run a process until the end of the context at the latest, so that a failing test does not wait for it.

    Ctrl+C and other signals work there, even if the tests run in the background of a shell, which ignores them.
    """
    if sys.platform != "win32":
        options |= {"preexec_fn": _as_in_a_terminal}
    with subprocess.Popen(command, **options) as process:
        try:
            yield process
        finally:
            process.kill()


def alive(pid: int) -> bool:
    """Return whether there is a process with this id that is not a zombie."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def gone(pids: Iterable[int], within: float = 60.0) -> bool:
    """Return whether all of them have ended, or end within this number of seconds."""
    left = list(pids)
    end = time.monotonic() + within
    while (left := [pid for pid in left if alive(pid)]) and time.monotonic() < end:
        time.sleep(0.01)
    return not left


def children(pid: int) -> list[int]:
    """Return the living child processes of a process; none if it is gone."""
    try:
        return [child.pid for child in psutil.Process(pid).children() if alive(child.pid)]
    except psutil.NoSuchProcess:
        return []


def settle(pid: int, most: float = 5.0) -> None:
    """Wait until a window has nothing to do: none of its threads runs or wants to during 0.3 s. What never rests is
    given up after `most` seconds. Unlike a fixed time, this is as long as a loaded machine needs."""
    process, end, quiet = psutil.Process(pid), time.monotonic() + most, 0
    while quiet < 12 and time.monotonic() < end:
        time.sleep(0.025)
        with contextlib.suppress(psutil.NoSuchProcess):
            quiet = 0 if any(_runs(pid, thread.id) for thread in process.threads()) else quiet + 1


def _runs(pid: int, thread: int) -> bool:
    """Return whether a thread runs or waits for a processor or a disk."""
    try:
        stat = Path(f"/proc/{pid}/task/{thread}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] in "RD"


_VERSION = 0x20080522  # of capset(2), with two words for each set
_READS_AND_WRITES_ALL = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def has_rights() -> bool:
    """Return whether file permissions can be applied to this process."""
    return hasattr(os, "geteuid") and (os.geteuid() != 0 or sys.platform == "linux")


@contextlib.contextmanager
def ordinary_rights() -> Iterator[None]:
    """Apply file permissions to this thread, and to threads that it starts, within the context."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header, sets = _Header(_VERSION, 0), (_Sets * 2)()
    if libc.capget(ctypes.byref(header), sets) != 0:
        raise OSError(ctypes.get_errno(), "capget")
    before = sets[0].effective

    def change(effective: int) -> None:
        sets[0].effective = effective
        if libc.capset(ctypes.byref(header), sets) != 0:
            raise OSError(ctypes.get_errno(), "capset")

    change(before & ~_READS_AND_WRITES_ALL)
    try:
        yield
    finally:
        change(before)
