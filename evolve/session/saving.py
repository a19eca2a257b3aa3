"""Saving a ranked population: its rows, its numbers for the log, and its bytes on disk."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.config.model import Config
from evolve.kinds.individual import Fitness, Individual
from evolve.report.genomes import distinct_genomes
from evolve.run import append_only, files, generation_csv, weights_file
from evolve.run.folder import Run, Written
from evolve.run.generation_csv import Generation
from evolve.run.log import ESTIMATE, LOG_COLUMNS, RATED_COLUMNS, Log
from evolve.run.manifest import Manifest
from evolve.strength.elo import RatingEstimate
from evolve.tournament.arena import Counts
from evolve.tournament.tournament import Ranking
from evolve.workers.processes import (
    NoSharedMemory,
    SharedRows,
    TaskFailure,
    WorkerProcesses,
    choose_start_method,
    get_shared_rows,
)

log = logging.getLogger(__name__)

LARGE = 8e6
"""A generation of at least this size in bytes is written by a separate process."""

CLOSE_SECONDS = 2.0

BYTES_A_NUMBER = 11.5
"""Bytes of a weight or a step size as text, with its comma. Measured."""

BYTES_A_ROW = 75
"""Bytes of an individual without its weights. Measured."""


def rows_of(population: list[Individual], ranking: Ranking, *, with_kings: bool) -> Generation:
    """Convert a ranked population to rows for saving, best first; `with_kings` includes king values."""
    ordered = [population[index] for index in ranking.order]
    weights = np.empty((len(ordered), len(ordered[0])), np.float32)
    tally = ranking.tally
    counts = np.stack([tally.games, tally.wins, tally.draws, tally.losses, tally.points], axis=1)
    steps = [individual.steps for individual in ordered if individual.steps is not None]
    return Generation(
        [individual.name for individual in ordered],
        np.concatenate(ordered, out=weights.reshape(-1)).reshape(weights.shape),
        np.arange(1, len(ordered) + 1),
        [individual.origin for individual in ordered],
        [individual.parents for individual in ordered],
        counts[ranking.order],
        np.array([individual.king for individual in ordered], np.float32) if with_kings else None,
        np.concatenate(steps).reshape(len(steps), -1) if steps else None,
        state=None if ordered[0].state is None else spread(ordered[0].state, len(ordered)),
        columns={} if type(ordered[0].fitness) is Fitness else _fitness_columns(ordered),
    )


def _fitness_columns(individuals: Sequence[Individual]) -> dict[str, list[str]]:
    columns = zip(*(one.fitness.values for one in individuals), strict=True)
    return {f"fitness_{at}": [repr(value) for value in values] for at, values in enumerate(columns)}


def spread(state: NDArray[np.float32], rows: int) -> NDArray[np.float32]:
    """Reshape the state of an optimiser to (rows, columns), padded with zeros; float32."""
    columns = -(-len(state) // rows)
    return np.concatenate([state, np.zeros(rows * columns - len(state), np.float32)]).reshape(rows, columns)


def log_record(
    generation: int,
    rows: Generation,
    counts: Counts,
    points: Mapping[str, float],
    seconds: float,
    rating: RatingEstimate | None = None,
) -> dict[str, Any]:
    """Return the log entry of a generation, keyed by `LOG_COLUMNS`; None for a missing rating.

    Args:
        points: `points_statistics` of the individuals.
        seconds: time since the previous generation was saved.
    """
    return {
        "generation": generation,
        "champion": rows.names[0],
        "individuals": len(rows.names),
        "games": counts.games,
        "draws": counts.draws,
        "failures": counts.failures,
        "plies": counts.plies,
        "evaluations": counts.evaluations,
        **points,
        "distinct": distinct_genomes(rows.weights),
        "diversity": diversity(rows.weights),
        **rating_numbers(rating),
        "seconds": round(seconds, 6),
    }


def rating_numbers(rating: RatingEstimate | None) -> dict[str, float | None]:
    """Return `RATED_COLUMNS`: a rating and its interval, the others None; all None if there is no rating."""
    ends = () if rating is None else (rating.value, rating.low, rating.high)
    return dict.fromkeys(RATED_COLUMNS) | {
        name: round(value, 1) for name, value in zip(RATED_COLUMNS, ends, strict=False)
    }


def numbers_of(config: Config) -> int:
    """Return the number of values of an individual: weights, step sizes, and its part of the optimiser's state."""
    return config.network.weights * (2 if config.has_steps else 1) + -(-config.state_size // config.individuals)


def generation_bytes(config: Config) -> float:
    if weights_file.has_files(config):
        return 4.0 * (config.network.weights + _state_numbers(config))
    size, weights = config.individuals, config.network.weights
    return size * (BYTES_A_NUMBER * (numbers_of(config) - weights) + _weights_bytes(config) + BYTES_A_ROW)


def _state_numbers(config: Config) -> int:
    width = config.network.weights
    return -(-config.state_size // width) * width


def _weights_bytes(config: Config) -> float:
    """Return the approximate size of the weights of an individual, as text or in a separate file."""
    if weights_file.has_files(config):
        return 4.0 * config.network.weights
    return BYTES_A_NUMBER * config.network.weights


def run_bytes(config: Config) -> float:
    last, saving, size = config.generations, config.saving, config.individuals
    whole = {generation for generation in range(last + 1) if saving.keeps(generation)}
    whole |= set(range(max(0, last + 1 - saving.newest), last + 1))
    rows = (last + 1) * size * BYTES_A_ROW  # thinned generations keep these
    kept = generation_bytes(config) - size * BYTES_A_ROW
    if weights_file.has_files(config):  # the hall of fame refers to the same file
        kept -= _weights_bytes(config)
    return len(whole) * kept + (last + 1) * _weights_bytes(config) + rows


def plan(config: Config) -> str:
    """Describe which generations will keep everything, and the size of the run."""
    last, saving, megabytes = config.generations, config.saving, run_bytes(config) / 1e6
    kept = "every generation"
    if saving.thins:
        kept = f"generations 0, {saving.every}, {2 * saving.every}, ... and " if saving.every else ""
        kept += f"the newest {saving.newest}"
        kept += f" (of the others only {config.kind.thinned})"
    return f"saving {kept}: about {max(megabytes, 1):,.0f} MB for generations 0 to {last}"


def log_columns(run: Run, config: Config) -> tuple[str, ...]:
    """Return the columns of a run's log: from its file, which may be from an older version, else the current ones."""
    columns = config.kind.log_columns() or LOG_COLUMNS
    log = Log(run.path)
    log.step()
    if log.header and set(log.header) <= {*columns, ESTIMATE}:
        return log.header
    return (*columns[:-1], ESTIMATE, columns[-1]) if config.rating.estimates else columns


@dataclass(frozen=True)
class SaveTask:
    """A generation to write; plain data.

    Attributes:
        rows: its individuals without weights, step sizes and king values, which are in shared memory.
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
    """The result of a `SaveTask`."""

    written: Written
    thinned: bytes | None


def write_generation(task: SaveTask, shared: SharedRows | None = None) -> SaveResult | OSError:
    """Write a generation; disk errors are returned, not raised, since the worker is not at fault.

    Args:
        shared: the memory with its values; by default, the memory that a worker shares with its parent.
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
    """A process that writes large generations, so that breeding and playing do not wait for it.

    It is a worker of `evolve.workers.processes` with shared memory, which holds the values of a generation until it is
    on disk. It writes only a temporary file; the session renames it when it saves the growing files and the manifest.

    Args:
        tick: called about ten times a second while a generation is written; it may raise to give up.
    """

    def __init__(self, config: Config, tick: Callable[[], None], *, threads: bool = False) -> None:
        self._weights, self._has_steps = config.network.weights, config.has_steps
        self._shared = SharedRows(config.individuals, self._weights * (1 + self._has_steps))
        self._tick = tick
        self._temporary: Path | None = None
        self._process: WorkerProcesses | None = None
        with contextlib.suppress(NoSharedMemory):  # then the session saves by itself
            self._process = WorkerProcesses(
                1,
                start_method=choose_start_method(config.workers.start_method, threads=threads),
                shared=self._shared,
                timeout=config.workers.timeout,
                tick=tick,
                name="saver",
                tries=1,
            )

    def take(self, path: Path, rows: Generation, *, thinned: bool) -> SaveTask:
        """Copy a generation to the shared memory, which must no longer be in use; return the task."""
        numbers, count = self._shared.genomes(), len(rows.names)
        numbers[:count, : self._weights] = rows.weights
        if rows.steps is not None:
            numbers[:count, self._weights :] = rows.steps
        if rows.kings is not None:
            self._shared.kings()[:count] = rows.kings
        # Unique to this session, whose saver process may briefly outlive it and must not overwrite a later one's file.
        temporary = self._temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        bare = replace(rows, weights=rows.weights[:, :0].copy(), steps=None, kings=None)
        return SaveTask(path, temporary, bare, self._weights, self._has_steps, rows.kings is not None, thinned)

    def write(self, task: SaveTask) -> SaveResult:
        """Have the process write a generation, or write it here if the process is lost.

        Raises:
            OSError: it could not be written; no part of it is left.
        """
        done: SaveResult | OSError | None = None
        if self._process is not None:
            try:
                (done,) = self._process.map(write_generation, [task])
            except TaskFailure as error:
                self._tick()  # raises if the generation was given up, which ends the process
                log.warning("%s; the session saves by itself from now on", error)
                self.close()
        if done is None:
            done = write_generation(task, self._shared)
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


class Saver:
    """Saves generations, each in its own thread, while the next one is played.

    A process writes large generations, because making the text in a thread would delay the breeding of the next one.
    Generations that need not keep everything are thinned once they are no longer among the newest.

    Args:
        large: minimum size in bytes of a generation written by the process.
    """

    def __init__(self, run: Run, config: Config, large: float = LARGE, *, threads: bool = False) -> None:
        self._run, self._rules = run, config.saving
        self._columns = log_columns(run, config)
        self._arrays = weights_file.has_files(config)
        self._saved: Future[Manifest] = Future()
        self._thread: threading.Thread | None = None
        self._process: SaverProcess | None = None
        if generation_bytes(config) >= large and not self._arrays:
            self._process = SaverProcess(config, self._check_wanted, threads=threads)
        self._thinned: dict[int, bytes] = {}  # the future contents of generations that will be thinned

    def save(self, manifest: Manifest, rows: Generation, record: dict[str, Any], games: bytes) -> Future[Manifest]:
        """Start saving a generation.

        Returns:
            A future of the new manifest; it raises OSError if saving failed. It can be cancelled until writing begins,
            so that a session can end at once: making the text takes longer than writing it.
        """
        generation = manifest.newest + 1
        new = generation == 0
        header = ",".join(self._columns) + "\n" if new else ""
        line = ",".join("" if record[column] is None else str(record[column]) for column in self._columns) + "\n"
        saved = self._saved = Future()
        weights, whole = None, rows
        if self._arrays:
            weights = weights_file.to_bytes(rows.weights[0], rows.state_numbers)
            rows = replace(rows, weights=rows.weights[:, :0], state=None, genomes=[weights_file.digest(weights)])
        champion = replace(rows.head(1), steps=None, state=None)
        text = self._text_by(rows, generation, whole)

        def work() -> None:
            try:
                data = text()
                additions = {
                    append_only.LOG: (header + line).encode(),
                    append_only.HALL_OF_FAME: generation_csv.to_csv(
                        champion, header=new, first=("generation", generation)
                    ),
                    append_only.CHAMPIONS: games,
                }
                old = generation - self._rules.newest
                thinned = None if old < 0 or self._rules.keeps(old) else (old, self._text_of(old))
                if saved.set_running_or_notify_cancel():
                    changeable = self._rules.newest if self._rules.thins else 0
                    saved.set_result(self._run.save(manifest, data, additions, thinned, changeable, weights))
            except BaseException as error:
                if not saved.cancelled():
                    saved.set_exception(error)

        # A daemon thread, so that an abandoned save does not keep the process from exiting.
        self._thread = threading.Thread(target=work, name="save", daemon=True)
        self._thread.start()
        return saved

    def _text_by(self, rows: Generation, generation: int, whole: Generation) -> Callable[[], bytes | Written]:
        """Return a function that makes the file of a generation.

        If a process writes it, the values are copied to shared memory before this returns.
        """
        thin = not self._rules.keeps(generation)
        if (process := self._process) is not None:
            task = process.take(self._run.generation_path(generation), rows, thinned=thin)

            def by_process() -> Written:
                done = process.write(task)
                if done.thinned is not None:
                    self._thinned[generation] = done.thinned
                return done.written

            return by_process

        def by_thread() -> bytes:
            data = generation_csv.to_csv(rows)
            if thin:
                self._thinned[generation] = generation_csv.to_csv(whole.thinned())
            return data

        return by_thread

    def _check_wanted(self) -> None:
        if self._saved.cancelled():
            raise CancelledError

    def close(self) -> None:
        """End the process that writes large generations, if any, after waiting a moment for a save in progress."""
        if self._process is not None:
            if self._thread is not None:
                self._thread.join(CLOSE_SECONDS)
            self._process.close()

    def _text_of(self, generation: int) -> bytes:
        if generation in self._thinned:
            return self._thinned.pop(generation)
        return generation_csv.to_csv(self._run.read_generation(generation, thinned=True).thinned())


COLUMNS = 64


def diversity(weights: NDArray[np.float32]) -> float:
    """Return the root mean square distance between two individuals drawn independently from the population.

    Args:
        weights: float32 of shape (individuals, weights).
    """
    # A few columns at a time: a float64 copy of a large generation would take twice its memory.
    parts = np.array_split(weights, -(-weights.shape[1] // COLUMNS), axis=1)
    variances = np.concatenate([np.var(part, axis=0, dtype=np.float64) for part in parts])
    return round(float(np.sqrt(2.0 * variances.sum())), 6)
