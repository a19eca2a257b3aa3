"""What all fault trials use: sessions as separate processes, what is left of them, and whether two runs are the same.

Linux only, like the faults themselves: processes are found through /proc.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evolve.run import manifest, status

ROOT = Path(__file__).parents[2]
MARK = "CROWNHEAD_FAULT_TRIAL"
PATIENCE = 240.0
"""Seconds after which a process that should have ended counts as hung; nothing here is a measure of speed."""

TINY = ("population.parents=4", "stages.0.rounds=2", "stages.1.rounds=2")
"""Settings of a population of 64, played in some tens of milliseconds a generation."""


MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""For `tempfile`: where waiting for the disk takes no time; the usual place if there is none."""


def wait_until(condition: Callable[[], object], seconds: float = PATIENCE) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def _stat(pid: int) -> tuple[str, int] | None:
    """State and parent of a process; None if it is gone."""
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except (OSError, ValueError):
        return None
    return state, int(parent)


def children(pid: int) -> list[int]:
    """Living processes that this process has started."""
    results = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            stat = _stat(int(entry))
            if stat is not None and stat[1] == pid and stat[0] not in "ZX":
                results.append(int(entry))
    return sorted(results)


def marked(mark: str) -> list[int]:
    """Living processes with this mark in their environment, whoever their parent is by now."""
    results = []
    for entry in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if entry.isdigit() and f"{MARK}={mark}\0".encode() in Path(f"/proc/{entry}/environ").read_bytes():
                results.append(int(entry))
    return sorted(results)


def kill(pids: Sequence[int], number: int = signal.SIGKILL) -> list[int]:
    """Send a signal to processes; those that got it."""
    hit = []
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
            hit.append(pid)
    return hit


@dataclass
class Ended:
    code: int
    err: str
    seconds: float

    @property
    def complaints(self) -> list[str]:
        """Lines of standard error that report an error."""
        return [line for line in self.err.splitlines() if line.startswith("main.py: ")]

    @property
    def clean(self) -> bool:
        """No traceback, and nothing that Python says on its own."""
        return not re.search(r"Traceback|Exception|Warning|Error\b.*\n\s+File|object at 0x", self.err)

    def summary(self) -> str:
        return f"exit {self.code}, {self.err.strip().splitlines()[-3:]}"


class Process:
    """A command of the program in a process group of its own, with a mark to find it and its children by."""

    _number = 0

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        Process._number += 1
        self.mark = f"{os.getpid()}-{Process._number}"
        environment = dict(options.pop("env", os.environ)) | {MARK: self.mark}
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            command,
            **({"cwd": ROOT} | options),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.pid = self.process.pid
        # By pipes, not files: what limits the files of the program must not limit what it says.
        self._texts = [bytearray(), bytearray()]
        streams = (self.process.stdout, self.process.stderr)
        self._readers = [
            threading.Thread(target=self._read, args=pair, daemon=True)
            for pair in zip(streams, self._texts, strict=True)
        ]
        for reader in self._readers:
            reader.start()

    @staticmethod
    def _read(stream: Any, text: bytearray) -> None:
        with stream:
            while data := os.read(stream.fileno(), 1 << 16):
                text += data

    def err(self) -> str:
        return self._texts[1].decode("utf-8", "replace")

    @property
    def over(self) -> bool:
        return self.process.poll() is not None

    def wait_for(self, condition: Callable[[], object]) -> bool:
        wait_until(lambda: self.over or condition())
        return bool(condition())

    def wait_for_text(self, text: str) -> bool:
        """Whether this appeared on standard error before the process ended."""
        return self.wait_for(lambda: text in self.err())

    def signal(self, number: int, *, group: bool = False) -> None:
        """Send a signal to the process, or, as a terminal does, to its whole group."""
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if group else os.kill)(self.pid, number)

    def end(self) -> Ended:
        """Wait for the end; after too long everything is killed and the exit code is that of SIGKILL."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE)
        seconds = time.monotonic() - self.began
        if not self.over:
            kill(marked(self.mark))
        code = self.process.wait()
        for reader in self._readers:
            reader.join(5.0)  # children that live on may hold the pipes
        return Ended(code, self.err(), seconds)


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def snapshot(folder: Path, *, without: Sequence[str] = ("status.json", "session.log", ".lock")) -> dict[str, str]:
    """Checksums of all files of a run, except those that only speak of now."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in without)
    return {path.relative_to(folder).as_posix(): sha256(path) for path in files}


def log_rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "log.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row.pop("seconds")
    return rows


def differences(folder: Path, other: Path) -> str:
    """In what a run differs from another that should be the same; empty if in nothing."""
    results = []
    mine, theirs = manifest.read(folder), manifest.read(other)
    if mine.damage or mine.digest() != theirs.digest():
        results.append(
            f"digest {mine.digest()[:8]} at {mine.newest}, expected {theirs.digest()[:8]} at {theirs.newest}"
        )
    names = {path.name for path in other.glob("generation_*")} | {"hall_of_fame.csv", "champions.pdn", "manifest.csv"}
    results += [name for name in sorted(names) if not _same(folder / name, other / name)]
    if log_rows(folder) != log_rows(other):
        results.append("log.csv")
    left = {path.name for path in folder.iterdir()} - {path.name for path in other.iterdir()} - {"session.log"}
    return ", ".join([*results, *sorted(f"left over: {name}" for name in left)])


def _same(path: Path, other: Path) -> bool:
    return path.is_file() and path.read_bytes() == other.read_bytes()


@dataclass
class Session:
    folder: Path
    process: Process

    def newest(self) -> int:
        return manifest.read(self.folder).newest

    def state(self) -> str:
        """Its state; empty before it has one."""
        result = status.read(self.folder)
        return result.state.value if result is not None and result.pid == self.process.pid else ""

    def wait_ready(self) -> bool:
        return self.process.wait_for_text("ready after")

    def ask(self, what: status.Request) -> None:
        status.request(self.folder, what)


@dataclass
class Bench:
    work: Path
    _references: dict[tuple[str, ...], Reference] = field(default_factory=dict)
    _names: int = 0

    def fresh(self) -> str:
        """A name that nothing has yet."""
        self._names += 1
        return f"run-{self._names}"

    def start(
        self,
        *arguments: object,
        settings: Sequence[str] = (),
        name: str | None = None,
        resume: str | None = None,
        wrapper: Sequence[str] | None = None,
        verb: str = "evolve",
        **options: Any,
    ) -> Session:
        """Start a session: a new run with this name (or a fresh one), or an old one."""
        run = resume or name or self.fresh()
        line: list[object] = [verb, "--json", "--out", self.work]
        line += ["--resume", run] if resume else ["--name", run]
        if not resume and "--seed" not in arguments:
            line += ["--seed", 1]
        if not resume and verb == "evolve":
            line += ["--preset", "cowan"]
        for setting in settings:
            line += ["--set", setting]
        command = [*(wrapper or (sys.executable, str(ROOT / "main.py"))), *map(str, (*line, *arguments))]
        return Session(self.work / run, Process(command, **options))

    def reference(self, *arguments: object, settings: Sequence[str] = ()) -> Reference:
        key = (*map(str, arguments), "--", *settings)
        if not self._references:  # so that no time of a reference is that of the compiler
            self.start("--generations", 0, settings=TINY).process.end()
        if key not in self._references:
            session = self.start(*arguments, settings=settings, name=f"reference-{len(self._references)}")
            session.wait_ready()
            ready = time.monotonic() - session.process.began
            ended = session.process.end()
            if ended.code != 0:
                raise RuntimeError(f"the undisturbed run failed: {ended.summary()}")
            self._references[key] = Reference(session.folder, ready, ended.seconds)
        return self._references[key]


@dataclass
class Reference:
    folder: Path
    ready: float
    seconds: float

    @property
    def playing(self) -> float:
        return self.seconds - self.ready


@contextlib.contextmanager
def processes_ended() -> Iterator[None]:
    """Leave no process behind, whatever happens; only those that were started here end."""
    try:
        yield
    finally:
        own = f"{MARK}={os.getpid()}-".encode()
        for entry in os.listdir("/proc"):
            with contextlib.suppress(OSError):
                if entry.isdigit() and own in Path(f"/proc/{entry}/environ").read_bytes():
                    os.kill(int(entry), signal.SIGKILL)
