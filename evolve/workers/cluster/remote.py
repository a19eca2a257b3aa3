"""What a worker of a cluster does, each time that Dask asks it to; plain data go in and out.

Dask knows these functions by their names, so a worker calls its own code, after it was found to be the same.
"""

from __future__ import annotations

import logging
import os
import platform
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from evolve.kinds import plugins
from evolve.kinds.plugins import Plugin
from evolve.workers import processes
from evolve.workers.cluster.conditions import conditions
from evolve.workers.processes import Rows
from game.external.program import close_all

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Preparation:
    """What a worker does before its first task.

    Attributes:
        plugins: a person's own files, whose kinds tasks may need.
        load: loads the compiled code that games need, or compiles it; None for nothing.
    """

    plugins: tuple[Plugin, ...] = ()
    load: Callable[[], object] | None = None


@dataclass(frozen=True)
class Answer:
    """What came of a task.

    Attributes:
        good: whether there is a result.
        value: the result, or the error in words.
        seconds: that the task took.
    """

    good: bool
    value: Any
    seconds: float


def introduce() -> tuple[str, dict[str, str]]:
    """Which machine and process this is, and what must be the same here as at the session."""
    return f"{platform.node()}, process {os.getpid()}", conditions()


def pack(*values: Any) -> bytes:
    """Values as bytes, by Dask's own means: they are read behind the plugins that they need, and errors are told."""
    from distributed.protocol.pickle import dumps

    return bytes(dumps(values))


def _unpacked(packed: bytes) -> Any:
    from distributed.protocol.pickle import loads

    return loads(packed)


class Runner:
    """Does the tasks of one session on a worker, one after the other: an actor of Dask.

    A worker may have several, whose tasks take turns in one thread; each finds its own genomes and plugins.
    """

    def __init__(self) -> None:
        self._plugins: tuple[Plugin, ...] = ()
        self._rows = Rows(np.zeros((0, 0), np.float32), np.zeros(0, np.float32))

    def load_plugins(self, files: tuple[Plugin, ...]) -> Answer:
        """Load a person's own files, before anything comes that is of their kinds."""
        self._plugins = files
        return _answered(_load_plugins, files)

    def prepare(self, packed: bytes) -> Answer:
        """Load compiled code by a function, so that no task waits for it."""
        return _answered(self._load, packed)

    def share(self, rows: Rows) -> Answer:
        """Keep the genomes that tasks refer to from now on."""
        self._rows = rows
        return Answer(True, None, 0.0)

    def perform(self, packed: bytes) -> Answer:
        """Do what a function makes of a task."""
        processes.share(self._rows)
        return _answered(self._do, packed)

    def end(self) -> Answer:
        """End the programs of players; those that another session asks again are started again."""
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


def _answered(function: Callable[[Any], Any], task: Any) -> Answer:
    began = time.perf_counter()
    try:
        return Answer(True, function(task), time.perf_counter() - began)
    except Exception as error:
        log.exception("a task failed")
        place = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{type(error).__name__}: {error} ({place.name}:{place.lineno})"
        return Answer(False, text, time.perf_counter() - began)
