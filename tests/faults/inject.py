"""Faults at chosen system calls: the functions that change files are wrapped, counted, and made to fail.

A trial runs in a forked child, so that KILL is a real SIGKILL, and so that nothing of the wrapping stays.
"""

from __future__ import annotations

import builtins
import contextlib
import errno
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

WRAPPED = (
    *("open", "write", "fsync", "replace", "rename", "unlink", "remove", "close", "mkdir"),
    *("rmdir", "ftruncate", "truncate", "link", "symlink"),
)
NEEDS_SPACE = ("open", "write", "fsync", "replace", "rename", "mkdir")
"""Calls that a full disk refuses; closing and deleting still work."""

NO_NAME = 73
"""Exit code of a child whose error did not name a file."""


class Fault(StrEnum):
    KILL = "KILL before it"
    KILL_HALF = "KILL in its middle"
    KILL_AFTER = "KILL after it"
    ENOSPC = "ENOSPC"
    FULL = "ENOSPC from it on"
    EIO = "EIO"
    SHORT = "half of it done"

    @property
    def kills(self) -> bool:
        return self.name.startswith("KILL")


@dataclass
class Injector:
    at: int | None = None
    fault: Fault = Fault.KILL
    calls: list[str] = field(default_factory=list)
    _real: dict[str, Any] = field(default_factory=dict)

    def __enter__(self) -> Injector:
        self._real = {name: getattr(os, name) for name in WRAPPED}
        self._real["file"] = builtins.open
        for name in WRAPPED:
            setattr(os, name, self._wrapped(name, self._real[name]))
        builtins.open = self._open_file  # type: ignore[assignment]
        return self

    def __exit__(self, *_exception: object) -> None:
        builtins.open = self._real["file"]
        for name in WRAPPED:
            setattr(os, name, self._real[name])

    def _wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            if name == "open" and not arguments[1] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                if not os.path.isdir(arguments[0]):  # reading changes nothing
                    return real(*arguments, **options)
                name_here = "open folder"
            else:
                name_here = name
            what = f"{name_here} {arguments[0] if not isinstance(arguments[0], int) else ''}"
            if name == "write":
                return self.call(name, what, lambda data: real(arguments[0], data), data=arguments[1])
            path = None if isinstance(arguments[0], int) else os.fspath(arguments[0])
            return self.call(name, what, lambda: real(*arguments, **options), path)

        return call

    def _open_file(self, path: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        real = self._real["file"]
        if mode in ("r", "rb"):
            return real(path, mode, *arguments, **options)
        opened = self.call("open", f"open {path}", lambda: real(path, mode, *arguments, **options), str(path))
        return _File(opened, self, str(path))

    def call(self, name: str, what: str, real: Callable[..., Any], path: str | None = None, data: Any = None) -> Any:
        """Do a call, or what goes wrong with it; as in Python, only calls that take a path tell it in their error."""
        number, given = len(self.calls), () if data is None else (data,)
        self.calls.append(what)
        half = () if data is None else (memoryview(data)[: len(data) // 2],)
        if self.at is None or number < self.at:
            return real(*given)
        if number > self.at:
            if self.fault is Fault.FULL and name in NEEDS_SPACE:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
            return real(*given)
        if self.fault is Fault.KILL_HALF and data is not None:
            real(*half)
        if self.fault is Fault.KILL_AFTER:
            with contextlib.suppress(OSError):
                real(*given)
        if self.fault.kills:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.fault is Fault.SHORT:
            return real(*half) if data is not None else real(*given)
        if data is not None:
            real(*half)
        elif name == "close":  # a file is closed even if that fails
            real()
        elif name not in NEEDS_SPACE and self.fault is not Fault.EIO:
            return real(*given)
        number = errno.EIO if self.fault is Fault.EIO else errno.ENOSPC
        raise OSError(number, os.strerror(number), path)


class _File:
    def __init__(self, file: Any, injector: Injector, path: str) -> None:
        self._file, self._injector, self._path = file, injector, path

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def fileno(self) -> int:
        return int(self._file.fileno())

    def close(self) -> None:
        self._injector.call("close", f"close {self._path}", self._file.close)

    def flush(self) -> None:
        self._file.flush()

    def truncate(self, size: int) -> None:
        self._injector.call("truncate", f"truncate {self._path}", lambda: self._file.truncate(size))

    def write(self, data: bytes) -> int:
        return int(self._injector.call("write", f"write {self._path}", self._file.write, data=data))


def in_child(action: Callable[[], object], injector: Injector | None) -> int:
    """Do something in a forked child under an injector; its exit code, negative for a signal.

    0: done; 74: an OSError that names a file; NO_NAME: one that does not; 70: any other exception.
    """
    pid = os.fork()
    if pid == 0:
        leave, code = os._exit, 70
        try:
            with injector or contextlib.nullcontext():
                action()
            code = 0
        except OSError as error:
            code = 74 if error.filename else NO_NAME
        finally:
            leave(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def calls_of(action: Callable[[], object]) -> list[str]:
    """What an undisturbed action calls, in order; it is done once, here."""
    with Injector() as counter:
        action()
    return counter.calls


def temporary_files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.name.endswith(".tmp"))
