"""An external program as a process: exchanging lines with it, and ending it with its group."""

from __future__ import annotations

import contextlib
import os
import queue
import shlex
import signal
import subprocess
import sys
import threading
import time
from typing import IO, Any

from game.errors import Failure, FailureKind, InputError

NEW_GROUP = 0x08000200
"""On Windows: a group of processes without a window (CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW)."""

MAX_LINE = 64 * 1024
"""Maximum length of a line in bytes; a longer line is a flood."""

WAITING_LINES = 1000
"""Maximum number of lines that wait to be read; if there are more, the program has to wait."""

SHOWN_ERRORS = 200
"""Maximum length of the program's last error in a message, in characters."""

END_SECONDS = 5.0
LAST_WORDS_SECONDS = 1.0
LOOK_SECONDS = 0.5
"""Seconds between two looks whether a silent program has ended."""
_READ = 64 * 1024
_KEPT_ERRORS, _READ_ERRORS = 4096, 1 << 20  # bytes of standard error that are kept, and that are read in total


class ProcessEnded(Failure):
    """The program has ended or wrote too much; the message says which."""


class Process:
    """A running program.

    Args:
        command: a command line as for a shell; it is run without one.

    Raises:
        InputError: there is no such program.
        OSError: it cannot be started.
    """

    def __init__(self, command: str) -> None:
        self._lines: queue.Queue[bytes | None] = queue.Queue(WAITING_LINES)
        self._written: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._errors = b""
        self._ended = self._closed = False
        self._flooded = False
        pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        # In a group of its own, Ctrl-C reaches only Crownhead, which then ends it.
        own = {"creationflags": NEW_GROUP} if sys.platform == "win32" else {"start_new_session": True}
        self._popen = subprocess.Popen(split_command(command), **pipes, **own)
        self._streams: list[Any] = [self._popen.stdin, self._popen.stdout, self._popen.stderr]
        self._threads = [
            threading.Thread(target=function, args=(stream,), name="external", daemon=True)
            for function, stream in zip((self._write, self._read, self._read_errors), self._streams, strict=True)
        ]
        for thread in self._threads:
            thread.start()

    def send(self, line: str) -> None:
        """Send a line without waiting until the program reads it."""
        self._written.put(line.encode("utf-8", "replace") + b"\n")

    def drain(self) -> None:
        """Discard the lines that wait to be read."""
        with contextlib.suppress(queue.Empty):
            for _ in range(2 * WAITING_LINES):  # limited, because a flood would refill the queue
                if self._lines.get_nowait() is None:
                    self._ended = True
                    break

    def line(self, seconds: float) -> str | None:
        """Return the next line; None if there is none in time.

        Raises:
            ProcessEnded: no more lines will come.
        """
        end = time.monotonic() + seconds
        while not self._ended:
            left, gone = end - time.monotonic(), self._popen.poll() is not None
            try:
                line = self._lines.get(timeout=min(max(left, 0.0), LOOK_SECONDS))
            except queue.Empty:
                if left <= LOOK_SECONDS:
                    return None
                self._ended = gone  # something that it has started may still have its output
                continue
            if line is not None:
                return line.decode("utf-8", "replace").strip()
            self._ended = True
        raise ProcessEnded(self._last_words(), FailureKind.FLOOD if self._flooded else FailureKind.CRASH)

    def close(self) -> None:
        """End the program and the processes of its group, at once. Further calls do nothing."""
        if self._closed:
            return
        self._closed = True
        self._written.put(None)
        if sys.platform == "win32":
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(self.pid)], capture_output=True, check=False)
        else:
            with contextlib.suppress(OSError):
                os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(END_SECONDS)
        for thread, stream in zip(self._threads, self._streams, strict=True):
            thread.join(LAST_WORDS_SECONDS)
            if stream is self._popen.stdin and thread.is_alive():
                continue  # something outside the group has the full pipe; closing it would wait for the writer
            with contextlib.suppress(OSError):
                stream.close()

    def forget(self) -> None:
        """Close the inherited copies of the pipes after a fork; the program belongs to the parent process."""
        self._closed = True
        for stream in self._streams:
            with contextlib.suppress(OSError):
                os.close(stream.fileno())
        self._popen.returncode = 0  # the process that started it calls wait

    @property
    def pid(self) -> int:
        return self._popen.pid

    def _last_words(self) -> str:
        if self._flooded:
            return f"it wrote a line of more than {MAX_LINE:,} bytes"
        code = None
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._popen.wait(LAST_WORDS_SECONDS)
        self._threads[2].join(1.0)
        words = self._errors.decode("utf-8", "replace").strip().splitlines()
        last = f": {words[-1].strip()[:SHOWN_ERRORS]}" if words else ""
        if code is None:
            return f"it closed its output{last}"
        return f"it ended with {f'signal {-code}' if code < 0 else f'code {code}'}{last}"

    def _write(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):  # `_read` notices that the program has gone
            while (data := self._written.get()) is not None:
                stream.write(data)
                stream.flush()

    def _read(self, stream: IO[bytes]) -> None:
        rest = b""
        with contextlib.suppress(OSError, ValueError):
            while data := os.read(stream.fileno(), _READ):
                *lines, rest = (rest + data).split(b"\n")
                if len(rest) > MAX_LINE or any(len(line) > MAX_LINE for line in lines):
                    self._flooded = True
                    break
                for line in lines:
                    if not self._put(line):
                        return
        self._put(None)

    def _put(self, line: bytes | None) -> bool:
        """Queue a line as soon as there is room; return False if the process was closed meanwhile."""
        while not self._closed:
            with contextlib.suppress(queue.Full):
                self._lines.put(line, timeout=0.1)
                return True
        return False

    def _read_errors(self, stream: IO[bytes]) -> None:
        total = 0
        with contextlib.suppress(OSError, ValueError):
            while total < _READ_ERRORS and (data := os.read(stream.fileno(), _READ)):
                total += len(data)
                self._errors = (self._errors + data)[-_KEPT_ERRORS:]


def split_command(command: str) -> list[str]:
    """Split a command line into words.

    Raises:
        InputError: the command is empty, a quote is not closed, or there is no such program.
    """
    import shutil

    try:
        # On Windows, backslashes are parts of paths and not escapes.
        words = shlex.split(command, posix=os.name == "posix")
    except ValueError as error:
        raise InputError(f"external program {command!r}: {str(error).lower()}") from None
    if not words:
        raise InputError("external program: expected a command after the colon, as in external:'COMMAND ARGUMENT'")
    if os.name != "posix":
        words = [word[1:-1] if len(word) > 1 and word[0] == word[-1] == '"' else word for word in words]
    if shutil.which(words[0]) is None:
        raise InputError(f"external program {words[0]!r}: there is no such program")
    return words
