"""Runs made by a user's own loop: each generation is saved as a session would save it.

The record of such a run contains `LOOP`, since no session can continue it.
"""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evolve.breeding.loop import points_statistics
from evolve.config.begun import deciding_values
from evolve.config.model import Config
from evolve.kinds.individual import Individual
from evolve.kinds.pairing import Tally
from evolve.run import status
from evolve.run.files import RunError
from evolve.run.folder import LOOP, Run
from evolve.run.log import read_log
from evolve.run.manifest import Manifest
from evolve.run.status import State
from evolve.session import champion_rating, create, level_tests, saving
from evolve.strength.effort import ballot_game
from evolve.tournament.arena import TournamentArena
from evolve.tournament.tournament import Ranking
from game.errors import InputError, describe
from game.networks.spec import Spec

MOST_PARENTS = 2


def own_config(config: Config) -> Config:
    """Return the part of a configuration that applies to a user's own loop: network, games, search and ratings."""
    names = ("preset", "network", "seed", "games", "search", "points", "rating", "saving", "workers")
    return Config(generations=0, **{name: getattr(config, name) for name in names})


def own_name(generation: int, index: int) -> str:
    """Return the name of an individual; unlike names in sessions, it does not determine which weights it inherited."""
    return f"Own{generation:02d}_{index:04d}"


def checked_genomes(
    genomes: ArrayLike, kings: ArrayLike | None, network: Spec, most: int | None = None
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return genomes and their values of a king as arrays.

    Raises:
        InputError: a shape is wrong, or a number is not finite.
    """
    rows = np.asarray(genomes, np.float32)
    if rows.ndim != 2 or rows.shape[1] != network.weights or not 1 <= len(rows) <= (most or len(rows)):
        count = "1 or more" if most is None else f"1 to {most}"
        raise InputError(f"genomes: expected shape ({count}, {network.weights}), got {rows.shape}")
    if not np.isfinite(rows).all():
        raise InputError("genomes: expected finite numbers")
    of_kings = np.asarray(np.full(len(rows), network.king) if kings is None else kings, np.float32)
    if of_kings.shape != (len(rows),):
        raise InputError(f"kings: expected shape ({len(rows)},), got {of_kings.shape}")
    return rows, of_kings


class Recording:
    """A run that your own loop makes, one `generation` after another; use it in a ``with`` statement.

    It is made by `crownhead.Arena.record`. A generation is on disk when `generation` returns. When the ``with``
    statement ends, the run is complete; after an error it counts as failed, and keeps its generations.

    Attributes:
        run: the run, for reading.
        newest: number of the newest generation on disk; -1 if there is none.
        wanted: False once a user has asked the loop to stop, in the window or by a request; the loop should then end.
    """

    def __init__(self, run: Run, config: Config, arena: TournamentArena, results: Callable[[], Tally]) -> None:
        self.run, self.wanted = run, True
        self._config, self._arena, self._results = config, arena, results
        self._manifest = Manifest()

    @property
    def newest(self) -> int:
        return self._manifest.newest

    @property
    def digest(self) -> str:
        """The digest of all generations: the same for loops that record the same genomes and points."""
        return self._manifest.digest()

    def __enter__(self) -> Recording:
        self._lock = status.acquire(self.run.path, self.run.name)
        try:
            status.take_requests(self.run.path)
            manifest = self.run.manifest()
            self.run.check(manifest)
            self._manifest = self.run.rewind(manifest.newest)
            self.run.finish_thinning(self._manifest)
            self._saver = saving.Saver(self.run, self._config)
            self._games = int(self.run.log()["games"].sum()) if self.newest >= 0 else 0
            self._last = self._genomes() if self.newest >= 0 else np.empty((0, 0), np.float32)
            self._say(State.RUNNING)
        except BaseException:
            self._lock.release()
            raise
        self._arena.reset()
        self._began = time.perf_counter()
        return self

    def generation(
        self,
        genomes: ArrayLike,
        points: ArrayLike | None = None,
        *,
        parents: Sequence[Sequence[int]] | None = None,
        kings: ArrayLike | None = None,
    ) -> None:
        """Save the next generation; every n-th champion is rated (``rating.every``).

        If `Arena.put` was given these genomes, games, wins, draws and losses are counted from then on; otherwise they
        are saved as 0. The log counts all games since the last generation.

        Args:
            genomes: float32 of shape (individuals, weights).
            points: whole numbers of shape (individuals,), the more the better; the first individual with the most
                points is the champion. By default, points come from the games since `Arena.put`, by the rules of the
                configuration.
            parents: for each individual the indexes of up to two parents among the genomes of the last generation; none
                for new ones.
            kings: king value of each genome, shape (individuals,); by default the network's.

        Raises:
            InputError: wrong shapes or numbers, or no points for genomes that have not played.
            TaskFailure: rating games could not be played.
            OSError: it could not be saved; earlier generations are kept.
        """
        number, config = self.newest + 1, self._config
        rows, of_kings = checked_genomes(genomes, kings, config.network)
        tally = self._tally(rows, points)
        names = [own_name(number, index) for index in range(len(rows))]
        family = self._parents(len(rows), parents)
        population = [
            Individual(row, name, self._origin(row, those), tuple(own_name(self.newest, one) for one in those), king)
            for row, name, those, king in zip(rows, names, family, of_kings.tolist(), strict=True)
        ]
        ranking = Ranking(tally.best_first(np.arange(len(rows))), tally)
        saved = saving.rows_of(population, ranking, with_kings=config.network.evolving_king)
        champion, second = (population[int(ranking.order[place])] for place in (0, min(1, len(rows) - 1)))
        rating, tested = None, dict[str, int | None]()
        if champion_rating.is_due(config, number):
            rating = champion_rating.rate(config, champion, number, self._arena.map)
            before = level_tests.begun(read_log(self.run, self.newest))
            if before is not None:
                after = level_tests.continued(before, config, champion, number, rating.low, self._arena.map)
                tested = after.numbers()
        estimated = champion_rating.estimate(config, champion, number, self._arena.map)
        seconds = time.perf_counter() - self._began
        statistics = points_statistics(int).compile(tally.points)
        record = saving.log_record(number, saved, self._arena.counts, statistics, seconds, rating)
        record |= tested | estimated
        self._config = config = replace(config, generations=number)
        create.keep_config(self.run, config)
        game = ballot_game(config, number, champion, second)
        self._manifest = self._saver.save(self._manifest, saved, record, game).result()
        self._last = rows.copy()
        self._games += self._arena.counts.games
        self._arena.reset()
        self._began = time.perf_counter()
        asked = status.take_requests(self.run.path)
        self.wanted = self.wanted and not {status.Request.STOP, status.Request.STOP_AFTER_GENERATION}.intersection(
            asked
        )
        self._say(State.RUNNING)

    def _tally(self, genomes: NDArray[np.float32], points: ArrayLike | None) -> Tally:
        played, tally = self._results(), Tally(len(genomes))
        if np.array_equal(self._arena.shared.genomes()[: played.size], genomes):
            tally = copy.copy(played)
        elif points is None:
            raise InputError("points: these genomes were not the last to be put into the arena, so they have no points")
        if points is not None:
            given = np.asarray(points)
            if given.shape != (len(genomes),) or given.dtype.kind not in "iub":
                raise InputError(
                    f"points: expected whole numbers of shape ({len(genomes)},), got {given.dtype} of {given.shape}"
                )
            tally.points = given.astype(np.int64)
        return tally

    def _parents(self, count: int, parents: Sequence[Sequence[int]] | None) -> Sequence[Sequence[int]]:
        family = [()] * count if parents is None else parents
        if len(family) != count:
            raise InputError(f"parents: expected one entry for each of {count} genomes, got {len(family)}")
        for each in family:
            if len(each) > MOST_PARENTS or not all(0 <= index < len(self._last) for index in each):
                raise InputError(
                    f"parents: expected up to {MOST_PARENTS} indexes below {len(self._last)}, the size of the last "
                    f"generation, got {list(each)}"
                )
        return family

    def _origin(self, genome: NDArray[np.float32], parents: Sequence[int]) -> str:
        if len(parents) == 1 and np.array_equal(self._last[parents[0]], genome):
            return "survivor"
        return ("founder", "mutated", "recombined")[len(parents)]

    def _genomes(self) -> NDArray[np.float32]:
        rows = self.run.read_generation()
        order = sorted(range(len(rows.names)), key=lambda row: int(rows.names[row].rpartition("_")[2]))
        return rows.weights[order]

    def _say(self, state: State, reason: str = "") -> None:
        generation = max(self.newest, 0) if state in status.ENDED else self.newest + 1
        last = max(self.newest, generation)
        status.write(self.run.path, status.now(state, os.getpid(), generation, last, self._games, reason=reason))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        try:
            failed = error is not None and not isinstance(error, KeyboardInterrupt)
            state = State.DONE if error is None else State.FAILED if failed else State.STOPPED
            self._say(state, describe(error) if failed and error is not None else "")
        finally:
            self._lock.release()


def begin(folder: Path, name: str, config: Config) -> Run:
    """Make the folder of a run for a user's own loop; for errors see `evolve.session.create.create`."""
    return create.create(folder, name, config, {LOOP: True})


def reopen(run: Run, config: Config) -> Config:
    """Return the configuration of a run that a user's own loop continues.

    Raises:
        RunError: a session made the run, or its games differ from those of the arena.
    """
    if not run.check_format().get(LOOP):
        raise RunError(f"{run.name}: a session made this run: continue it with {run.resume_command}")
    known = run.config()
    old, new = deciding_values(known), deciding_values(config)
    differing = [key for key in old.keys() | new.keys() if old.get(key) != new.get(key)]
    if differing:
        raise RunError(f"{run.name}: begun with another configuration: {', '.join(sorted(differing))}")
    return known
