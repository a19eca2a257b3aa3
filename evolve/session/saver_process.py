"""A process that writes large generations, so that breeding, pairing and games do not wait for their text.

It works as a worker of `evolve.workers.processes`: with shared memory, and tasks through a pipe. It only writes a
temporary file; the session renames that, together with the growing files and the manifest. So nothing is lost with this
process, and the session can do the same work by itself.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from evolve.config.model import Config
from evolve.run import files, generation_csv
from evolve.run.folder import Written
from evolve.run.generation_csv import Generation
from evolve.workers.processes import (
    SharedRows,
    TaskFailure,
    WorkerProcesses,
    choose_start_method,
    get_shared_rows,
)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SaveTask:
    """A generation to write; plain data.

    Attributes:
        path: the final path of its file.
        temporary: where it is written.
        rows: its individuals, without the values in shared memory: weights, step sizes, king values.
        weights: number of weights of each individual.
        has_steps: whether each has step sizes.
        has_kings: whether each has its own king value.
        thinned: also return the generation without its weights.
    """

    path: Path
    temporary: Path
    rows: Generation
    weights: int
    has_steps: bool
    has_kings: bool
    thinned: bool


@dataclass(frozen=True)
class SaveResult:
    """The result of a task.

    Attributes:
        written: the file.
        thinned: the generation without weights as CSV, if that was asked for.
    """

    written: Written
    thinned: bytes | None


def write(task: SaveTask, shared: SharedRows | None = None) -> SaveResult | OSError:
    """Write a generation; an error of the disk is returned and not raised, since it is no fault of a worker.

    Args:
        task: the generation.
        shared: its values; in a worker, the memory shared with its parent.
    """
    memory = get_shared_rows() if shared is None else shared
    count = len(task.rows.names)
    numbers = memory.genomes()[:count]
    rows = replace(
        task.rows,
        weights=numbers[:, : task.weights],
        steps=numbers[:, task.weights :] if task.has_steps else None,
        kings=memory.kings()[:count] if task.has_kings else None,
    )
    digest = hashlib.sha256()

    def pieces() -> Iterator[bytes]:
        for piece in generation_csv.pieces(rows):
            digest.update(piece)
            yield piece

    try:
        files.write_new(task.temporary, pieces(), task.path)
    except OSError as error:
        return error
    thinned = generation_csv.to_csv(rows.thinned()) if task.thinned else None
    return SaveResult(Written(task.temporary, digest.hexdigest()), thinned)


class SaverProcess:
    """The process, and the memory that holds the values of a generation until it is on disk.

    Args:
        config: sizes.
        tick: called about ten times a second while a generation is written; it may raise to give up.
        threads: whether this process has its own threads.
    """

    def __init__(self, config: Config, tick: Callable[[], None], *, threads: bool = False) -> None:
        self._weights, self._has_steps = config.network.weights, config.has_steps
        self._shared = SharedRows(config.individuals, self._weights * (1 + self._has_steps))
        self._tick = tick
        self._temporary: Path | None = None
        self._process: WorkerProcesses | None = WorkerProcesses(
            1,
            start_method=choose_start_method(config.workers.start_method, threads=threads),
            shared=self._shared,
            timeout=config.workers.timeout,
            tick=tick,
            name="saver",
            tries=1,
        )

    def take(self, path: Path, rows: Generation, *, thinned: bool) -> SaveTask:
        """Copy a generation to the shared memory, which no other one uses any more; return the task."""
        numbers, count = self._shared.genomes(), len(rows.names)
        numbers[:count, : self._weights] = rows.weights
        if rows.steps is not None:
            numbers[:count, self._weights :] = rows.steps
        if rows.kings is not None:
            self._shared.kings()[:count] = rows.kings
        # The name is unique to this session: a process that outlives it for a moment must not disturb the next one.
        temporary = self._temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        bare = replace(rows, weights=rows.weights[:, :0].copy(), steps=None, kings=None)
        return SaveTask(path, temporary, bare, self._weights, self._has_steps, rows.kings is not None, thinned)

    def write(self, task: SaveTask) -> SaveResult:
        """Have a generation written, by this process if the other one is lost.

        Raises:
            OSError: it could not be written; nothing of it is left.
        """
        done: SaveResult | OSError | None = None
        if self._process is not None:
            try:
                (done,) = self._process.map(write, [task])
            except TaskFailure as error:
                self._tick()  # perhaps it was ended because the generation was given up
                log.warning("%s; the session saves by itself from now on", error)
                self.close()
        if done is None:
            done = write(task, self._shared)
        if isinstance(done, OSError):
            raise done
        return done

    def close(self) -> None:
        """End the process at once, and remove its unfinished file."""
        if self._process is not None:
            self._process.close(kill=True)
            self._process = None
            if self._temporary is not None:
                self._temporary.unlink(missing_ok=True)
