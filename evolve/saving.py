"""From a ranked population to the bytes of its generation on disk."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any

import numpy as np
from deap import tools

from evolve import generation_file, growing, statistics
from evolve.arena import Counts
from evolve.generation_file import Generation
from evolve.individual import Individual
from evolve.manifest import Manifest
from evolve.store import RunFolder
from evolve.tournament import Ranking

LOG_COLUMNS = (
    "generation",
    "champion",
    "individuals",
    "games",
    "draws",
    "failures",
    "plies",
    "evaluations",
    "best_points",
    "mean_points",
    "worst_points",
    "distinct",
    "diversity",
    "seconds",
)
"""Of ``log.csv``; timing comes last, since it is all that differs between equal runs."""


def rows_of(population: list[Individual], ranking: Ranking, *, with_kings: bool) -> Generation:
    """The generation as it is saved, in order of rank; `with_kings` if each individual has a king value of its own."""
    ordered = [population[index] for index in ranking.order]
    tally = ranking.tally
    counts = np.stack([tally.games, tally.wins, tally.draws, tally.losses, tally.points], axis=1)
    return Generation(
        [individual.name for individual in ordered],
        np.stack([np.asarray(individual) for individual in ordered]),
        np.arange(1, len(ordered) + 1),
        [individual.origin for individual in ordered],
        [individual.parents for individual in ordered],
        counts[ranking.order],
        np.array([individual.king for individual in ordered], np.float32) if with_kings else None,
    )


def log_record(generation: int, rows: Generation, counts: Counts, ranking: Ranking, seconds: float) -> dict[str, Any]:
    """The numbers of a generation for the logbook, by `LOG_COLUMNS`."""
    return {
        "generation": generation,
        "champion": rows.names[0],
        "individuals": len(rows.names),
        "games": counts.games,
        "draws": counts.draws,
        "failures": counts.failures,
        "plies": counts.plies,
        "evaluations": counts.evaluations,
        **statistics.points_statistics().compile(ranking.tally.points),
        "distinct": statistics.distinct_genomes(rows.weights),
        "diversity": statistics.diversity(rows.weights),
        "seconds": round(seconds, 6),
    }


def save(
    run: RunFolder, manifest: Manifest, rows: Generation, logbook: tools.Logbook, games: bytes
) -> Future[Manifest]:
    """Put a generation on disk, in a thread of its own, while the next one is played.

    Args:
        run: the run folder.
        manifest: as it is before this generation.
        rows: the generation.
        logbook: its last record is this generation's.
        games: the champion's games, PDN.

    Returns:
        The manifest with the generation, or the OSError that kept it from the disk. It can be cancelled until it
        touches the disk: making the text takes longer than writing it, and a session may want to end at once.
    """
    generation = manifest.newest + 1
    new = generation == 0
    header = ",".join(LOG_COLUMNS) + "\n" if new else ""
    record = logbook.select(*LOG_COLUMNS)
    line = ",".join(str(column[generation - logbook[0]["generation"]]) for column in record) + "\n"
    saved: Future[Manifest] = Future()

    def work() -> None:
        try:
            data = generation_file.to_csv(rows)
            hall = generation_file.to_csv(rows.head(1), header=new, first=("generation", generation))
            additions = {
                growing.LOG: (header + line).encode(),
                growing.HALL_OF_FAME: hall,
                growing.CHAMPIONS: games,
            }
            if saved.set_running_or_notify_cancel():
                saved.set_result(run.save(manifest, data, additions))
        except BaseException as error:
            if not saved.cancelled():
                saved.set_exception(error)

    # A daemon, or the end of the process would wait for a save that was given up.
    threading.Thread(target=work, name="save", daemon=True).start()
    return saved
