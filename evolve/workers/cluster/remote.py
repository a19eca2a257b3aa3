"""Functions that run on a worker of a cluster; arguments and results are plain data.

Dask refers to these functions by name, so a worker runs its own copy of the code. Therefore its versions of packages
and hashes of sources are first compared with those of the session.
"""

from __future__ import annotations

import hashlib
import logging
import os
import platform
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from evolve.kinds import plugins
from evolve.kinds.plugins import Plugin
from evolve.workers import processes
from evolve.workers.processes import Rows
from game.compiled import kernel_cache
from game.compiled.jit import is_compiled_source
from game.errors import InputError
from game.external.program import close_all
from game.installation import INSTALLED, TREE

PACKAGES = ("numpy", "numba", "llvmlite", "dask", "distributed")
_DIGITS = 12  # of a hash


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that affect results or the protocol between machines."""
    python = f"{platform.python_implementation()} {sys.version_info.major}.{sys.version_info.minor}"
    return {"Python": python, **{name: metadata.version(name) for name in PACKAGES}}


def conditions() -> dict[str, str]:
    """Return versions, the build, and hashes of the sources of compiled code and of all sources of `game` and `evolve`.

    Raises:
        OSError: a source cannot be read.
        InputError: a source has changed since this process started, so the process may run different code.
    """
    sources = sorted(path for top in ("game", "evolve") for path in (TREE / top).rglob("*.py"))
    kernels = [path for path in sources if is_compiled_source(path.name)]
    build = "installed" if INSTALLED else "checkout"
    return {**versions(), "build": build, "kernels": _hash(kernels), "program": _hash(sources)}


def _hash(sources: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in sources:
        if kernel_cache.STARTED < path.stat().st_mtime <= time.time():
            raise InputError(f"{path} was changed since process {os.getpid()} started: restart it")
        text = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{path.relative_to(TREE).as_posix()}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()[:_DIGITS]


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """Describe the differences between the conditions here and there; empty if there are none."""
    names = [*here, *(name for name in there if name not in here)]
    return ", ".join(
        f"{name} {there.get(name, 'none')} there and {here.get(name, 'none')} here"
        for name in names
        if here.get(name) != there.get(name)
    )


log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Preparation:
    """The preparation of a worker before its first task.

    Attributes:
        plugins: the user's own files, which tasks may need.
        load: loads or compiles the code that games need; None for nothing.
    """

    plugins: tuple[Plugin, ...] = ()
    load: Callable[[], object] | None = None


@dataclass(frozen=True)
class TaskAnswer:
    """The result of a task.

    Attributes:
        good: whether there is a result.
        value: the result, or a description of the error.
        seconds: the time that the task took.
    """

    good: bool
    value: Any
    seconds: float


def introduce() -> tuple[str, dict[str, str]]:
    """Return the name of this machine and process, and the conditions that must equal the session's."""
    return f"{platform.node()}, process {os.getpid()}", conditions()


def pack(*values: Any) -> bytes:
    """Serialise values with Dask's pickle; the runner unpacks them itself, after loading the plugins that they need."""
    from distributed.protocol.pickle import dumps

    return bytes(dumps(values))


def _unpacked(packed: bytes) -> Any:
    from distributed.protocol.pickle import loads

    return loads(packed)


class Runner:
    """A Dask actor that does the tasks of one session on a worker, one after the other.

    A worker may have several actors, one for each session, which take turns in one thread; each has its own genomes
    and plugins.
    """

    def __init__(self) -> None:
        self._plugins: tuple[Plugin, ...] = ()
        self._rows = Rows(np.zeros((0, 0), np.float32), np.zeros(0, np.float32))

    def load_plugins(self, files: tuple[Plugin, ...]) -> TaskAnswer:
        """Load the user's own files, before tasks that need them arrive."""
        self._plugins = files
        return _answered(_load_plugins, files)

    def prepare(self, packed: bytes) -> TaskAnswer:
        """Load compiled code by calling a packed function, so that tasks do not have to wait for it."""
        return _answered(self._load, packed)

    def share(self, rows: Rows) -> TaskAnswer:
        """Store the genomes that tasks refer to from now on."""
        self._rows = rows
        return TaskAnswer(True, None, 0.0)

    def perform(self, packed: bytes) -> TaskAnswer:
        processes.share(self._rows)
        return _answered(self._do, packed)

    def end(self) -> TaskAnswer:
        """End external programs; if another session needs them, they are started again."""
        return _answered(lambda _: close_all(), None)

    def _load(self, packed: bytes) -> None:
        _load_plugins(self._plugins)
        _unpacked(packed)[0]()

    def _do(self, packed: bytes) -> Any:
        _load_plugins(self._plugins)
        function, task = _unpacked(packed)
        return function(task)


def _load_plugins(files: tuple[Plugin, ...]) -> None:
    if files != plugins.loaded():
        plugins.load(files)


def _answered(function: Callable[[Any], Any], task: Any) -> TaskAnswer:
    began = time.perf_counter()
    try:
        return TaskAnswer(True, function(task), time.perf_counter() - began)
    except Exception as error:
        log.exception("a task failed")
        place = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{type(error).__name__}: {error} ({place.name}:{place.lineno})"
        return TaskAnswer(False, text, time.perf_counter() - began)
