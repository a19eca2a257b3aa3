"""Starting sessions: each is a process of its own, the same as on the command line, which outlives the window."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from game.installation import PROGRAM, TREE
from gui.sessions.fields import sentence, workers_option

MAIN = TREE / "main.py"
MOST_TOLD = 2000
MOST_ANSWERED = 1 << 16
_started: list[Launched] = []  # kept until they end, so that none is left without being waited for


class Launched:
    """A session that this window has started.

    Attributes:
        process: the session.
    """

    def __init__(self, process: subprocess.Popen[bytes], told: IO[bytes] | None) -> None:
        self.process = process
        self._told = told
        self._words = ""

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self.process.pid

    @property
    def running(self) -> bool:
        """Whether it goes on."""
        if self.process.poll() is None:
            return True
        if self in _started:
            _started.remove(self)
            self._words = self._read()
        return False

    @property
    def trouble(self) -> str:
        """Why it ended, if it failed in its own last words; empty if it goes on or ended as it should."""
        if self.running or self.process.returncode == 0:
            return ""
        code = self.process.returncode
        if code < 0 or 128 < code < 160:  # it was asked to stop, or killed: its last message was not about this
            return f"It was ended by signal {abs(code) & 127}."
        return sentence(self._words.removeprefix(f"{PROGRAM}: ")) or f"It ended with code {code}."

    def _read(self) -> str:
        if self._told is None:
            return ""
        try:
            with self._told as file:  # its process is gone, so nobody else reads or writes here
                size = file.seek(0, os.SEEK_END)
                file.seek(max(size - MOST_TOLD, 0))
                lines = file.read().decode("utf-8", "replace").strip().splitlines()
        except OSError:
            return ""
        return lines[-1].strip() if lines else ""


def start(arguments: Sequence[str], main: Path = MAIN, verb: str = "evolve") -> Launched:
    """Start ``python main.py evolve ARGUMENTS``, or ``train``, apart from this process.

    Raises:
        OSError: it cannot be started.
    """
    for earlier in tuple(_started):
        _ = earlier.running
    told = _open_nameless()
    try:
        process = subprocess.Popen(
            [sys.executable, str(main), verb, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL if told is None else told,
            **_apart(),
        )
    except OSError:
        if told is not None:
            told.close()
        raise
    launched = Launched(process, told)
    _started.append(launched)
    return launched


def train(arguments: Sequence[str]) -> Launched:
    """Start ``python main.py train ARGUMENTS`` likewise.

    Raises:
        OSError: it cannot be started.
    """
    return start(arguments, verb="train")


class Asked(Launched):
    """A process that is asked for one answer.

    Args:
        process: it.
        told: what it says of mistakes.
        answer: what it answers.
    """

    def __init__(self, process: subprocess.Popen[bytes], told: IO[bytes] | None, answer: IO[bytes]) -> None:
        super().__init__(process, told)
        self._answer = answer

    @property
    def output(self) -> str:
        """The answer of one that has ended."""
        with self._answer as file:
            file.seek(0)
            return file.read(MOST_ANSWERED).decode("utf-8", "replace")

    def end(self) -> None:
        """It is not waited for any more."""
        self.process.kill()


def foresee(arguments: Sequence[str], verb: str) -> Asked:
    """Ask what a session would take; `arguments` has ``--estimate``.

    Raises:
        OSError: it cannot be asked.
    """
    for earlier in tuple(_started):
        _ = earlier.running
    told, answer = _open_nameless(), _open_nameless()
    if answer is None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    process = subprocess.Popen(
        [sys.executable, str(MAIN), verb, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=answer,
        stderr=subprocess.DEVNULL if told is None else told,
        **_apart(),
    )
    asked = Asked(process, told, answer)
    _started.append(asked)
    return asked


def _open_nameless() -> IO[bytes] | None:
    """A file that is gone with the last who has it open, be it the window or the session; None if no disk takes one."""
    try:
        return tempfile.TemporaryFile()
    except OSError:
        return None


def _apart() -> dict[str, Any]:
    """What keeps a process alive when the window, its terminal or a Ctrl-C there ends."""
    if sys.platform == "win32":
        # Not DETACHED_PROCESS: without any console each worker would open a window of its own.
        return {"creationflags": subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def resuming(path: Path, generations: int | None = None, workers: str = "", restart: int | None = None) -> list[str]:
    """The options that go on with a run; what came after the generation `restart` is given up."""
    more = [
        f"--{name}={value}" for name, value in (("from", restart), ("generations", generations)) if value is not None
    ]
    return [f"--resume={path.resolve()}", *more, *([workers_option(workers)] if workers else [])]
