"""Saving a ranked population: its rows, its numbers for the log, and its bytes on disk."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.config.model import Config
from evolve.kinds.individual import Fitness, Individual
from evolve.report.genomes import distinct_genomes, moments
from evolve.run import append_only, generation_csv, weights_file
from evolve.run.folder import Run
from evolve.run.generation_csv import Generation
from evolve.run.log import ESTIMATE, LOG_COLUMNS, RATED_COLUMNS, Log
from evolve.run.manifest import Manifest
from evolve.strength.elo import RatingEstimate
from evolve.tournament.arena import Counts
from evolve.tournament.tournament import Ranking

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
    """Return the log entry of a generation by `LOG_COLUMNS`, with the statistics of `points`."""
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
    return config.network.weights * (2 if config.has_steps else 1) + -(-config.state_size // config.individuals)


def generation_bytes(config: Config) -> float:
    if weights_file.has_files(config):
        width = config.network.weights
        return 4.0 * width * (1 + -(-config.state_size // width))
    size, weights = config.individuals, config.network.weights
    return size * (BYTES_A_NUMBER * (numbers_of(config) - weights) + _weights_bytes(config) + BYTES_A_ROW)


def _weights_bytes(config: Config) -> float:
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


class Saver:
    """Saves generations, each in its own thread, while the next one is played.

    Generations that need not keep everything are thinned once they are no longer among the newest.
    """

    def __init__(self, run: Run, config: Config) -> None:
        self._run, self._rules = run, config.saving
        self._columns = log_columns(run, config)
        self._arrays = weights_file.has_files(config)
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
        saved = Future[Manifest]()
        weights, whole = None, rows
        if self._arrays:
            weights = weights_file.to_bytes(rows.weights[0], rows.state_numbers)
            rows = replace(rows, weights=rows.weights[:, :0], state=None, genomes=[weights_file.digest(weights)])
        champion = replace(rows.head(1), steps=None, state=None)

        def work() -> None:
            try:
                data = generation_csv.to_csv(rows)
                if not self._rules.keeps(generation):
                    self._thinned[generation] = generation_csv.to_csv(whole.thinned())
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
        threading.Thread(target=work, name="save", daemon=True).start()
        return saved

    def _text_of(self, generation: int) -> bytes:
        if generation in self._thinned:
            return self._thinned.pop(generation)
        return generation_csv.to_csv(self._run.read_generation(generation, thinned=True).thinned())


def diversity(weights: NDArray[np.float32]) -> float:
    """Return the root mean square distance between two individuals drawn independently from the population."""
    return round(float(np.sqrt(2.0 * moments(weights)[1].sum())), 6)
