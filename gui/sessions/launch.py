"""Processes that the window starts: sessions, which outlive it, and estimates of their time and size."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import IO, Any

from game.errors import sentence
from game.installation import PROGRAM, START, STARTER

MOST_ERROR_BYTES, MOST_ANSWER_BYTES = 2000, 1 << 16
LOWEST_PRIORITY = 19
_started: list[Launched] = []  # kept until they end, so that no process is left as a zombie


class Launched:
    """A process of this program that the window has started.

    Args:
        errors, answer: the files for its error messages and its output; None if they are discarded.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], errors: IO[bytes] | None, answer: IO[bytes] | None = None
    ) -> None:
        self.process = process
        self._errors, self._answer = errors, answer
        self._last_error = ""

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def running(self) -> bool:
        if self.process.poll() is None:
            return True
        if self in _started:
            _started.remove(self)
            self._last_error = self._read()
        return False

    @property
    def trouble(self) -> str:
        """Its last error message if it failed; empty if it still runs or ended normally."""
        if self.running or self.process.returncode == 0:
            return ""
        code = self.process.returncode
        if code < 0 or 128 < code < 160:  # stopped or killed: its last message is unrelated
            return f"It was ended by signal {abs(code) & 127}."
        return sentence(self._last_error.removeprefix(f"{PROGRAM}: ")) or f"It ended with code {code}."

    @property
    def output(self) -> str:
        assert self._answer is not None
        with self._answer as file:
            file.seek(0)
            return file.read(MOST_ANSWER_BYTES).decode("utf-8", "replace")

    def end(self) -> None:
        self.process.kill()
        if self._answer is not None:
            self._answer.close()

    def _read(self) -> str:
        if self._errors is None:
            return ""
        try:
            with self._errors as file:  # the process is gone, so nothing else reads or writes here
                size = file.seek(0, os.SEEK_END)
                file.seek(max(size - MOST_ERROR_BYTES, 0))
                lines = file.read().decode("utf-8", "replace").strip().splitlines()
        except OSError:
            return ""
        return lines[-1].strip() if lines else ""


def start(
    arguments: Sequence[str], verb: str = "evolve", command: Sequence[str] = START, *, quiet: bool = False
) -> Launched:
    """Start the program with a verb and arguments, independent of this process.

    Args:
        quiet: whether it runs with the lowest priority.

    Raises:
        OSError: it cannot be started.
    """
    return _launch([*command, verb, *arguments], None, quiet=quiet)


def _launch(command: Sequence[str], answer: IO[bytes] | None, *, quiet: bool = False) -> Launched:
    for earlier in tuple(_started):
        _ = earlier.running  # collects it if it has ended
    errors = _open_nameless()
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL if answer is None else answer,
            stderr=subprocess.DEVNULL if errors is None else errors, env={**os.environ, STARTER: str(os.getpid())},
            **_apart(quiet=quiet or answer is not None),
        )  # fmt: skip
        if quiet and sys.platform != "win32":
            os.setpriority(os.PRIO_PROCESS, process.pid, LOWEST_PRIORITY)
    except OSError:
        for file in (errors, answer):
            if file is not None:
                file.close()
        raise
    launched = Launched(process, errors, answer)
    _started.append(launched)
    return launched


def ask(command: Sequence[str]) -> Launched:
    """Start a process whose output is read when it has ended.

    Raises:
        OSError: the process cannot be started.
    """
    answer = _open_nameless()
    if answer is None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return _launch(command, answer)


def foresee(arguments: Sequence[str], verb: str) -> Launched:
    """Start a process that estimates the time and size of a session; `arguments` contains ``--estimate``.

    Raises:
        OSError: the process cannot be started.
    """
    return ask([*START, verb, *arguments])


def _open_nameless() -> IO[bytes] | None:
    """Return a file that vanishes once window and session have closed it; None if there is no room on any disk."""
    try:
        return tempfile.TemporaryFile()
    except OSError:
        return None


def _apart(*, quiet: bool) -> dict[str, Any]:
    """Return options that keep a process alive when the window or its terminal ends; `quiet` lowers its priority."""
    if sys.platform == "win32":
        # Not DETACHED_PROCESS: without a console each worker would open its own window.
        flags = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
        return {"creationflags": flags | subprocess.BELOW_NORMAL_PRIORITY_CLASS * quiet}
    return {"start_new_session": True}
