"""Functions that run on a worker of a cluster; arguments and results are plain data.

Dask refers to these functions by name, so a worker runs its own copy of the code. Therefore its versions of packages
and hashes of sources are first compared with those of the session.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import platform
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from evolve.kinds import plugins
from evolve.kinds.plugins import Plugin
from evolve.workers import processes
from evolve.workers.processes import Rows
from game.compiled import kernel_cache
from game.compiled.jit import is_compiled_source
from game.errors import InputError
from game.external.program import close_all
from game.installation import INSTALLED, TREE

log = logging.getLogger(__name__)

PACKAGES = ("numpy", "numba", "llvmlite", "dask", "distributed")
_DIGITS = 12  # of a hash


def conditions() -> dict[str, str]:
    """Return versions, the build, and hashes of the sources of compiled code and of all sources but the window's.

    Raises:
        OSError: a source cannot be read.
        InputError: a source has changed since this process started, so the process may run different code.
    """
    python = f"{platform.python_implementation()} {sys.version_info.major}.{sys.version_info.minor}"
    versions = {"Python": python, **{name: metadata.version(name) for name in PACKAGES}}
    found = (path for top in ("game", "evolve", "extras") for path in (TREE / top).rglob("*.py"))
    sources = sorted(path for path in found if "tests" not in path.relative_to(TREE).parts)
    kernels = [path for path in sources if is_compiled_source(path.name)]
    build = "installed" if INSTALLED else "checkout"
    return {**versions, "build": build, "kernels": _hash(kernels), "program": _hash(sources)}


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


def pack(*values: Any) -> bytes:
    """Serialise values with Dask's pickle; the worker unpacks them itself, after loading the plugins that they need."""
    from distributed.protocol.pickle import dumps

    return bytes(dumps(values))


def _unpacked(packed: bytes) -> Any:
    from distributed.protocol.pickle import loads

    return loads(packed)


class TaskAnswer(NamedTuple):
    """The result of a task, or a description of its error, and the seconds that it took."""

    good: bool
    value: Any
    seconds: float = 0.0


def join(session: str, files: tuple[Plugin, ...], load: bytes) -> TaskAnswer:
    """Load plugins and code of a session, and accept its tasks from now on; return the name of machine and process."""

    def prepare() -> str:
        _load_plugins(files)
        (function,) = _unpacked(load)
        if function is not None:
            function()
        _offer(session, 1.0)
        return f"{platform.node()}, process {os.getpid()}"

    return _answered(prepare)


def leave(session: str) -> None:
    _offer(session, 0.0)
    close_all()


def run_task(session: str, files: tuple[Plugin, ...], version: int | None, packed: bytes) -> TaskAnswer:
    """Run a task.

    Args:
        files: the plugins of the session; those of another one may be loaded.
        version: the version of the genomes that the task refers to; None for no genomes.
    """

    def do() -> Any:
        _load_plugins(files)
        if version is not None:
            processes.share(_rows(session, version))
        function, task = _unpacked(packed)
        return function(task)

    return _answered(do)


def _fetch_rows(session: str, version: int) -> Rows:
    found: tuple[int, bytes] = _in_loop(lambda worker: worker.scheduler.get_metadata(keys=[session]))
    if found[0] != version:
        raise LookupError(f"genomes {version} are no longer needed")
    (rows,) = _unpacked(found[1])
    assert isinstance(rows, Rows)
    return rows


_rows = functools.lru_cache(maxsize=4)(_fetch_rows)


def _offer(session: str, quantity: float) -> None:
    _in_loop(lambda worker: worker.set_resources(**{session: quantity}))


def _in_loop(ask: Callable[[Any], Awaitable[Any]]) -> Any:
    from distributed import get_worker
    from distributed.utils import sync

    worker = get_worker()
    return sync(worker.loop, ask, worker)


def _load_plugins(files: tuple[Plugin, ...]) -> None:
    if files != plugins.loaded():
        plugins.load(files)


def _answered(function: Callable[[], Any]) -> TaskAnswer:
    began = time.perf_counter()
    try:
        return TaskAnswer(True, function(), time.perf_counter() - began)
    except Exception as error:
        log.exception("a task failed")
        place = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{type(error).__name__}: {error} ({place.name}:{place.lineno})"
        return TaskAnswer(False, text, time.perf_counter() - began)
