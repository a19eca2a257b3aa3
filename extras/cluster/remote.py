"""The part of a session that runs on each worker of a cluster, as an actor of Dask.

A worker runs its own copy of the code, so its versions of packages and hashes of sources are first compared.
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
from importlib import metadata
from typing import Any, NamedTuple

from evolve.kinds import plugins
from evolve.kinds.plugins import Plugin
from evolve.workers import processes
from extras import modules
from game.compiled import kernel_cache
from game.errors import InputError
from game.installation import INSTALLED, TREE

log = logging.getLogger(__name__)


def conditions() -> dict[str, str]:
    """Return versions, the build, and a hash of all sources but the window's."""
    python = f"{platform.python_implementation()} {sys.version_info.major}.{sys.version_info.minor}"
    versions = {"Python": python, **{name: metadata.version(name) for name in ("numpy", "numba", "dask")}}
    paths = (path for top in ("game", "evolve", "extras") for path in (TREE / top).rglob("*.py"))
    sources = sorted(path for path in paths if "tests" not in path.relative_to(TREE).parts)
    digest = hashlib.sha256()
    for path in sources:
        if kernel_cache.STARTED < path.stat().st_mtime <= time.time():
            raise InputError(f"{path} was changed since process {os.getpid()} started: restart it")
        text = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{path.relative_to(TREE).as_posix()}\0{len(text)}\0".encode() + text)
    build = "installed" if INSTALLED else "checkout"
    return {**versions, "build": build, "program": digest.hexdigest()[:12]}


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """Describe the differences between the conditions here and there; empty if there are none."""
    return ", ".join(
        f"{name} {there.get(name, 'none')} there and {here.get(name, 'none')} here"
        for name in {**here, **there}
        if here.get(name) != there.get(name)
    )


def pack(*values: Any) -> bytes:
    """Serialise values with Dask's pickle; a worker unpacks them itself, once it has the plugins that they need."""
    from distributed.protocol.pickle import dumps

    return bytes(dumps(values))


class TaskAnswer(NamedTuple):
    """A result, or a description of an error, and the seconds that it took."""

    good: bool
    value: Any
    seconds: float = 0.0


def prepare(load: Callable[[], object] | None) -> str:
    """Load the code of a session, and return machine and process: the first task of each worker."""
    if load is not None:
        load()
    return f"{platform.node()}, process {os.getpid()}"


class SessionActor:
    """A session on a worker, which does one thing at a time for all its sessions."""

    def __init__(self, files: tuple[Plugin, ...]) -> None:
        self._files, self._rows = files, None

    def put(self, rows: bytes) -> None:
        """Receive the genomes to which the next tasks refer."""
        (self._rows,) = self._unpacked(rows)

    def run(self, packed: bytes) -> TaskAnswer:
        """Do a task: a function and its argument."""
        began = time.perf_counter()
        try:
            function, task = self._unpacked(packed)
            if self._rows is not None:
                processes.share(self._rows)
            return TaskAnswer(True, function(task), time.perf_counter() - began)
        except Exception as error:
            log.exception("a task failed")
            place = traceback.extract_tb(error.__traceback__)[-1]
            return TaskAnswer(False, f"{type(error).__name__}: {error} ({place.name}:{place.lineno})")

    def __del__(self) -> None:
        for kind in modules("players"):
            kind.close()

    def _unpacked(self, packed: bytes) -> Any:
        from distributed.protocol.pickle import loads

        if self._files != plugins.loaded():  # those of another session may be loaded
            plugins.load(self._files)
        return loads(packed)
