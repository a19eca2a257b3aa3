"""The generation loop: breed, play, rank, save; and everything that can interrupt it."""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np
from deap import tools

from evolve import champions, generation_file, runs, statistics, status, store, tournament
from evolve.arena import Arena, ballots
from evolve.breeding import founders, make_toolbox, next_generation
from evolve.config import Config
from evolve.generation_file import Generation
from evolve.individual import Individual
from evolve.logs import LogFile
from evolve.manifest import Manifest
from evolve.randomness import Draw, stream
from evolve.reporters import GenerationReport, Reporter
from evolve.status import Request, State
from evolve.store import RunFolder
from evolve.tournament import Ranking
from evolve.workers import SharedRows, Workers, choose_start_method
from game.networks import cnn247

log = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 1.0
CONTROL_SECONDS = 0.2
SAVE_GRACE_SECONDS = 0.5

LOG_COLUMNS = (
    "generation", "champion", "individuals", "games", "draws", "failures", "plies", "evaluations",
    "best_points", "mean_points", "worst_points", "distinct", "diversity", "seconds",
)  # fmt: skip


class StopNow(BaseException):
    """Raised inside the loop to give up the generation in progress at once."""


@dataclass(frozen=True)
class Summary:
    """What a session has done.

    Attributes:
        run: the run folder.
        generations: number of the last complete generation; -1 if there is none.
        individuals: in each generation.
        games: of the whole run.
        evaluations: of the whole run.
        seconds: of this call, from the first game to the last file on disk.
        champion: name of the last champion.
        digest: of the whole run.
        finished: whether the last generation that was asked for is there.
        signal: number of the signal that ended it; None if none did.
    """

    run: RunFolder
    generations: int
    individuals: int
    games: int
    evaluations: int
    seconds: float
    champion: str
    digest: str
    finished: bool
    signal: int | None = None


class Session:
    """One run, from where it stands to its last generation.

    Args:
        run: the run folder, locked by the caller.
        config: as saved in it.
        reporter: told what happens.
        workers: number of processes.
    """

    def __init__(self, run: RunFolder, config: Config, reporter: Reporter, workers: int) -> None:
        self.run_folder, self.config, self.reporter, self.worker_count = run, config, reporter, workers
        self.state = State.RUNNING
        self.signal: int | None = None
        self._stop_after = False
        self._last_heartbeat = self._last_control = 0.0
        self._generation = 0
        self._games_before = 0
        self._arena: Arena | None = None
        self._saving: Future[Manifest] | None = None

    def play(self, manifest: Manifest) -> Summary:
        """Play on from a manifest whose run folder was rewound to it.

        Raises:
            OSError: a generation could not be saved; what was complete before stays so.
            TaskFailure: games could not be played.
        """
        totals = runs.totals(self.run_folder)
        if manifest.newest >= self.config.generations:
            return self._summary(manifest, totals, 0.0, finished=True)
        self._games_before = totals.games
        self._generation = manifest.newest + 1
        self._say()
        with self._signals(), ThreadPoolExecutor(1, "save") as saver, self._arena_open() as toolbox:
            started = time.perf_counter()
            try:
                manifest = self._generations(manifest, toolbox, saver)
                self.state = State.DONE if manifest.newest >= self.config.generations else State.STOPPED
            except StopNow:
                manifest = self._saved_in_time(manifest)
                self.state = State.STOPPED
            except BaseException:
                self.state = State.STOPPED
                self._say()
                raise
            seconds = time.perf_counter() - started
        self._say()
        finished = self.state == State.DONE
        log.info("%s at generation %d, digest %s", self.state, manifest.newest, manifest.digest())
        return self._summary(manifest, runs.totals(self.run_folder), seconds, finished=finished)

    def _generations(self, manifest: Manifest, toolbox: Any, saver: ThreadPoolExecutor) -> Manifest:
        parents = runs.parents(self.run_folder, manifest, self.config)
        hall = tools.HallOfFame(self.config.generations + 1, similar=np.array_equal)
        logbook = tools.Logbook()
        arena = self._the_arena()
        for generation in range(manifest.newest + 1, self.config.generations + 1):
            began = time.perf_counter()
            self._generation = generation
            arena.reset()
            if generation == 0:
                population = founders(self.config, arena)
            else:
                population = next_generation(parents, generation, self.config, toolbox)
            ranking: Ranking = toolbox.evaluate(population, generation)
            parents = toolbox.select(population, self.config.population.parents)
            hall.insert(parents[0])
            manifest = self._previous_save(manifest)
            seconds = time.perf_counter() - began
            weights = arena.shared.array()[: len(population)].copy()
            record = self._record(generation, parents[0], ranking, weights, seconds)
            logbook.record(**record)
            rows = _rows(population, ranking)
            games = champions.games_text(arena, ranking, rows, generation, self.config)
            line = statistics.log_row(logbook, LOG_COLUMNS)
            job = functools.partial(save, self.run_folder, manifest, rows, line, games)
            self._saving = saver.submit(job)
            self._games_before += arena.counts.games
            arena.reset()
            self.reporter.generation(GenerationReport(**record, last=self.config.generations))
            log.info("generation %d: champion %s, %d games", generation, parents[0].name, record["games"])
            self._tick()
            if self._stop_after:
                break
        return self._previous_save(manifest)

    def _previous_save(self, manifest: Manifest) -> Manifest:
        """Wait for the save in progress, if there is one; only one generation is ever waiting for the disk."""
        if self._saving is not None:
            while not self._saving.done():
                self._tick()
                time.sleep(0.002)
            manifest, self._saving = self._saving.result(), None
        return manifest

    def _saved_in_time(self, manifest: Manifest) -> Manifest:
        """The manifest with the save in progress, if that ends within a moment."""
        if self._saving is not None:
            with contextlib.suppress(TimeoutError):
                return self._saving.result(SAVE_GRACE_SECONDS)
        return manifest

    def _record(
        self, generation: int, champion: Individual, ranking: Ranking, weights: Any, seconds: float
    ) -> dict[str, Any]:
        counts = self._the_arena().counts
        return {
            "generation": generation,
            "champion": champion.name,
            "individuals": len(weights),
            "games": counts.games,
            "draws": counts.draws,
            "failures": counts.failures,
            "plies": counts.plies,
            "evaluations": counts.evaluations,
            **statistics.points_statistics().compile(ranking.tally.points),
            "distinct": statistics.distinct_genomes(weights),
            "diversity": statistics.diversity(weights),
            "seconds": round(seconds, 6),
        }

    def _the_arena(self) -> Arena:
        assert self._arena is not None
        return self._arena

    @contextlib.contextmanager
    def _arena_open(self) -> Iterator[Any]:
        """Compile, start the workers, and give the toolbox; the workers end with the block, at once on an error."""
        self.reporter.compiling()
        warm_up(self.config)
        shared = SharedRows(2 * self.config.population.size, cnn247.WEIGHTS)
        workers = Workers(
            self.worker_count,
            start_method=choose_start_method(self.config.workers.start_method),
            shared=shared,
            timeout=self.config.workers.timeout,
            tick=self._tick,
        )
        toolbox = make_toolbox(self.config, workers)
        self._arena = Arena(self.config, toolbox.map, self.worker_count, shared, self.reporter.games)
        toolbox.register("evaluate", evaluate, config=self.config, arena=self._arena)
        self.reporter.started(self._generation, self.config.generations, self.worker_count)
        try:
            yield toolbox
        except BaseException:
            workers.close(kill=True)
            raise
        workers.close(kill=self.state != State.DONE)

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """SIGINT and SIGTERM: the first finishes the generation in hand, the second stops at once."""

        def interrupted(number: int, _frame: FrameType | None) -> None:
            if self._stop_after and self.signal is not None:
                raise StopNow
            self.signal, self._stop_after = number, True
            self.state = State.STOPPING
            self.reporter.message(f"finishing generation {self._generation}; once more stops at once")

        try:
            before = {number: signal.signal(number, interrupted) for number in (signal.SIGINT, signal.SIGTERM)}
        except ValueError:  # not in the main thread: whoever runs this handles signals
            yield
            return
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _tick(self) -> None:
        """Called about ten times a second: heartbeat, and requests of other programs."""
        now = time.monotonic()
        if now - self._last_control >= CONTROL_SECONDS:
            self._last_control = now
            self._obey()
        if now - self._last_heartbeat >= HEARTBEAT_SECONDS:
            self._last_heartbeat = now
            self._say()

    def _obey(self) -> None:
        for what in status.take_requests(self.run_folder.path):
            log.info("request: %s", what)
            if what == Request.STOP:
                raise StopNow
            if what == Request.STOP_AFTER_GENERATION:
                self._stop_after, self.state = True, State.STOPPING
            elif what == Request.PAUSE and not self._stop_after:
                self._pause()

    def _pause(self) -> None:
        self.state = State.PAUSED
        self.reporter.message("paused")
        while self.state == State.PAUSED and not self._stop_after:
            self._say()
            time.sleep(CONTROL_SECONDS)
            for what in status.take_requests(self.run_folder.path):
                log.info("request: %s", what)
                if what == Request.STOP:
                    raise StopNow
                if what == Request.STOP_AFTER_GENERATION:
                    self._stop_after = True
                if what in (Request.RESUME, Request.STOP_AFTER_GENERATION):
                    self.state = State.RUNNING
        self.state = State.STOPPING if self._stop_after else State.RUNNING
        self.reporter.message("going on")

    def _say(self) -> None:
        games = self._games_before + (self._arena.counts.games if self._arena else 0)
        words = status.now(self.state, os.getpid(), self._generation, self.config.generations, games)
        # A full disk must not end a session that could still finish its generation.
        with contextlib.suppress(OSError):
            status.write(self.run_folder.path, words)

    def _summary(self, manifest: Manifest, totals: runs.Totals, seconds: float, *, finished: bool) -> Summary:
        return Summary(
            self.run_folder,
            manifest.newest,
            self.config.population.size,
            totals.games,
            totals.evaluations,
            seconds,
            totals.champion,
            manifest.digest(),
            finished,
            self.signal,
        )


def evaluate(population: list[Individual], generation: int, *, config: Config, arena: Arena) -> Ranking:
    """Play the tournament of a generation; the fitness of each individual becomes its rank."""
    arena.put(np.stack([np.asarray(individual) for individual in population]))

    def play(pairs: Any, key: tuple[int, ...], keep: bool) -> Any:
        return arena.play(pairs, (generation, Draw.BALLOTS, key), keep=keep)

    ranking = tournament.run(config, stream(config.seed, generation, Draw.TOURNAMENT), play)
    for rank, index in enumerate(ranking.order, 1):
        population[index].fitness.values = (float(rank),)
    return ranking


def warm_up(config: Config) -> None:
    """Compile the kernels, or load them from the cache, so that forked workers have them."""
    from game.batch.games import Field, play_all

    genomes = np.zeros((2, cnn247.WEIGHTS), np.float32)
    openings = ballots(config.games.openings)
    for keep in (False, True):
        play_all(Field.of_networks(genomes), [0], [1], openings=openings, rules=config.games.rules(), keep=keep)


def save(run: RunFolder, manifest: Manifest, rows: Generation, log_line: str, games: bytes) -> Manifest:
    """In the saver's thread: put a generation on disk.

    Raises:
        OSError: something could not be written.
    """
    generation = manifest.newest + 1
    new = generation == 0
    champion = Generation(
        rows.names[:1], rows.weights[:1], _part(rows.ranks), _part(rows.origins), _part(rows.parents), _part(rows.counts)
    )
    header = ",".join(LOG_COLUMNS) + "\n" if new else ""
    additions = {
        store.LOG: (header + log_line).encode(),
        store.HALL_OF_FAME: generation_file.to_csv(champion, header=new, first=("generation", generation)),
        store.CHAMPIONS: games,
    }
    return run.save(manifest, generation_file.to_csv(rows), additions)


def _part(column: Any) -> Any:
    return None if column is None else column[:1]


def _rows(population: list[Individual], ranking: Ranking) -> Generation:
    """The generation as it is saved, in order of rank."""
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
    )


def evolve(
    run: RunFolder,
    config: Config,
    reporter: Reporter,
    *,
    workers: int,
    restart_from: int | None = None,
) -> Summary:
    """Play a run to its last generation, alone, with its log open.

    Args:
        run: an existing run folder with its configuration.
        config: what to play.
        reporter: told what happens.
        workers: number of processes.
        restart_from: give up the generations after this one first.

    Raises:
        BusyError: another process works on the run.
        DamagedRunError: a file of the run is not what a session wrote.
    """
    with store.lock(run), LogFile(run.path / store.SESSION_LOG):
        status.take_requests(run.path)  # those of a session that is no more
        manifest = run.manifest()
        if restart_from is not None:
            manifest = runs.sound_up_to(run, manifest, restart_from)
        else:
            run.check(manifest)
        manifest = run.rewind(manifest.newest)
        log.info("%s: generation %d of %d is complete, %d workers", run.name, manifest.newest, config.generations, workers)
        return Session(run, config, reporter, workers).play(manifest)

