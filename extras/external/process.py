"""An external program as a process: exchanging lines with it, and ending it with everything that it has started."""

from __future__ import annotations

import contextlib
import os
import queue
import shlex
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from game.errors import Failure, FailureKind, InputError

GUARD = Path(__file__).with_name("guard.py")
MAX_LINE = 64 * 1024
"""Maximum length of a line in bytes; a longer line is a flood."""

WAITING_LINES = 1000
"""Maximum number of lines that wait to be read; if there are more, the program has to wait."""

SHOWN_ERRORS = 200
"""Maximum length of the program's last error in a message, in characters."""

END_SECONDS = 5.0
LAST_WORDS_SECONDS = 1.0
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
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        self._group = ProcessGroup(split_command(command), **pipes)
        popen = self._group.popen
        assert popen.stdin and popen.stdout and popen.stderr
        self._threads = [
            threading.Thread(target=function, args=(stream,), name="external", daemon=True)
            for function, stream in (
                (self._write, popen.stdin),
                (self._read, popen.stdout),
                (self._read_errors, popen.stderr),
            )
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
        if not self._ended:
            try:
                line = self._lines.get(timeout=max(seconds, 0.0))
            except queue.Empty:
                return None
            if line is not None:
                return line.decode("utf-8", "replace").strip()
            self._ended = True
        raise ProcessEnded(self._last_words(), FailureKind.FLOOD if self._flooded else FailureKind.CRASH)

    def close(self) -> None:
        """End the program and everything it has started, at once. Further calls do nothing."""
        if self._closed:
            return
        self._closed = True
        self._written.put(None)
        self._group.kill()
        for thread in self._threads:
            thread.join(END_SECONDS)
        for stream in (self._group.popen.stdin, self._group.popen.stdout, self._group.popen.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def forget(self) -> None:
        """Close the inherited copies of the pipes after a fork; the program belongs to the parent process."""
        self._closed = True
        self._group.forget()

    @property
    def pid(self) -> int:
        """The process id of the guard, or on Windows of the program."""
        return self._group.popen.pid

    def _last_words(self) -> str:
        if self._flooded:
            return f"it wrote a line of more than {MAX_LINE:,} bytes"
        code = self._group.wait(LAST_WORDS_SECONDS)
        self._threads[2].join(1.0)
        words = self._errors.decode("utf-8", "replace").strip().splitlines()
        said = f": {words[-1].strip()[:SHOWN_ERRORS]}" if words else ""
        if code is None:
            return f"it closed its output{said}"
        code = 128 - code if code < 0 else code
        how = f"signal {code - 128}" if os.name == "posix" and 128 < code < 160 else f"code {code}"
        return f"it ended with {how}{said}"

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


class _Started:
    """A running program with everything that it starts.

    Attributes:
        popen: the process of the program itself, or of its guard.
    """

    popen: subprocess.Popen[bytes]

    def wait(self, seconds: float) -> int | None:
        """Return the exit code; None if the program is still running."""
        try:
            return self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            return None


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _KILL_ON_JOB_CLOSE = 0x2000
    _EXTENDED_LIMIT_INFORMATION = 9

    class _BasicLimits(ctypes.Structure):
        _fields_ = (
            ("PerProcessUserTimeLimit", ctypes.c_int64),
            ("PerJobUserTimeLimit", ctypes.c_int64),
            ("LimitFlags", wintypes.DWORD),
            ("MinimumWorkingSetSize", ctypes.c_size_t),
            ("MaximumWorkingSetSize", ctypes.c_size_t),
            ("ActiveProcessLimit", wintypes.DWORD),
            ("Affinity", ctypes.c_size_t),
            ("PriorityClass", wintypes.DWORD),
            ("SchedulingClass", wintypes.DWORD),
        )

    class _ExtendedLimits(ctypes.Structure):
        _fields_ = (
            ("BasicLimitInformation", _BasicLimits),
            ("IoInfo", ctypes.c_uint64 * 6),
            ("ProcessMemoryLimit", ctypes.c_size_t),
            ("JobMemoryLimit", ctypes.c_size_t),
            ("PeakProcessMemoryUsed", ctypes.c_size_t),
            ("PeakJobMemoryUsed", ctypes.c_size_t),
        )

    def _kernel() -> Any:
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.CreateJobObjectW.restype = wintypes.HANDLE
        kernel.CreateJobObjectW.argtypes = (wintypes.LPVOID, wintypes.LPCWSTR)
        kernel.SetInformationJobObject.argtypes = (wintypes.HANDLE, ctypes.c_int, wintypes.LPVOID, wintypes.DWORD)
        kernel.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
        kernel.CloseHandle.argtypes = (wintypes.HANDLE,)
        return kernel

    def _create_job() -> int:
        """Create a job whose processes end when its handle is closed.

        Raises:
            OSError: the system refuses.
        """
        kernel = _kernel()
        handle = kernel.CreateJobObjectW(None, None)
        limits = _ExtendedLimits()
        limits.BasicLimitInformation.LimitFlags = _KILL_ON_JOB_CLOSE
        done = handle and kernel.SetInformationJobObject(
            handle, _EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits), ctypes.sizeof(limits)
        )
        if not done:
            raise ctypes.WinError(ctypes.get_last_error())
        return int(handle)

    def _assign_job(handle: int, process: Any) -> None:
        """Put a process that was just started into the job.

        Raises:
            OSError: the system refuses.
        """
        if not _kernel().AssignProcessToJobObject(handle, int(process._handle)):
            raise ctypes.WinError(ctypes.get_last_error())

    class ProcessGroup(_Started):
        """A program in a job, all of whose processes end when the last handle of the job is closed."""

        def __init__(self, words: Sequence[str], **options: Any) -> None:
            self._job = _create_job()
            flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
            self.popen = subprocess.Popen(words, creationflags=flags, **options)
            _assign_job(self._job, self.popen)

        def kill(self) -> None:
            _kernel().CloseHandle(self._job)
            with contextlib.suppress(OSError):
                self.popen.kill()
            self.wait(END_SECONDS)

        def forget(self) -> None:
            """Do nothing: Windows does not fork."""

else:

    class ProcessGroup(_Started):
        """A program behind a guard."""

        def __init__(self, words: Sequence[str], **options: Any) -> None:
            ours, self._lifeline = os.pipe()
            try:
                self.popen = subprocess.Popen(
                    [sys.executable, "-I", "-S", str(GUARD), str(ours), *words],
                    pass_fds=(ours,),
                    start_new_session=True,  # Ctrl-C should reach only Crownhead, which then ends the program
                    **options,
                )
            except OSError:
                os.close(self._lifeline)
                raise
            finally:
                os.close(ours)

        def kill(self) -> None:
            """Have the guard end the program and everything it has started; kill the guard if it does not exit."""
            self._cut()
            with contextlib.suppress(OSError):
                self.popen.terminate()  # cutting the lifeline is not enough if a forked process still holds it
            if self.wait(2 * END_SECONDS) is None:
                with contextlib.suppress(OSError):
                    self.popen.kill()
                self.popen.wait()

        def forget(self) -> None:
            """Close the inherited copies of the pipes, in a forked process."""
            self._cut()
            for stream in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        os.close(stream.fileno())
            self.popen.returncode = 0  # the process that started it calls wait

        def _cut(self) -> None:
            if self._lifeline >= 0:
                with contextlib.suppress(OSError):
                    os.close(self._lifeline)
                self._lifeline = -1
