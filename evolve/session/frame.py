"""The framework of every session."""

from __future__ import annotations

import contextlib
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from evolve.config.model import Config
from evolve.kinds import plugins
from evolve.kinds.individual import Individual
from evolve.run import status
from evolve.run.folder import SESSION_LOG, Run
from evolve.run.generation_csv import Generation
from evolve.run.going_back import ASIDE
from evolve.run.log import Log, read_log
from evolve.run.manifest import Manifest
from evolve.run.status import State
from evolve.session import champion_rating, create, level_tests, saving
from evolve.session.compiled_code import CompiledCode, load_all
from evolve.session.control import Control, StopNow
from evolve.session.reporters import GenerationReport, Reporter
from evolve.strength.elo import RatingEstimate
from evolve.strength.verdict import LevelState
from evolve.workers.logs import QUIETLY, LogFile
from evolve.workers.pool import follow, open_workers
from evolve.workers.processes import SharedRows, Workers
from game.compiled import compiling
from game.errors import describe
from game.installation import imported
from game.number_text import span_text

if TYPE_CHECKING:
    from evolve.session.forecast import Schedule
    from evolve.workers.pool import Machines

log = logging.getLogger(__name__)

SAVE_GRACE_SECONDS = 0.3

Report = Callable[[GenerationReport], None]
"""The method of a reporter for a new generation, or for its rating if that follows later."""


@dataclass(frozen=True, repr=False)
class Summary:
    """The result of a session.

    Attributes:
        generations: number of the last complete generation; -1 if there is none.
        seconds: time from the session's first game until its last file is on disk, except waiting for compilation.
    """

    run: Run
    generations: int
    individuals: int
    games: int
    evaluations: int
    seconds: float
    champion: str
    digest: str
    finished: bool
    signal: int | None

    def __repr__(self) -> str:
        return f"Summary({self.run!r}, {self.games:,} games in {span_text(self.seconds)})"


@dataclass(frozen=True)
class Made:
    """A new generation, before it is rated and saved.

    Attributes:
        record: returns the numbers for the log, given seconds and the champion's rating.
        since: name of the champion when it first became champion in this session; empty if it is a new champion.
    """

    rows: Generation
    champion: Individual
    record: Callable[[float, RatingEstimate | None], dict[str, Any]]
    games: bytes = b""
    since: str = ""


class Session(ABC):
    """A session: it plays one run from its newest generation to its last, or for the time of its schedule.

    Attributes:
        map: applies a function to tasks in the open workers, and yields the results in the order of the tasks.
    """

    map: Callable[..., Iterator[Any]]
    threads: ClassVar[bool] = False
    """True if this process has other threads when workers are started."""

    def __init__(
        self,
        run: Run,
        config: Config,
        reporter: Reporter,
        workers: int,
        cluster: Machines | None = None,
        schedule: Schedule | None = None,
    ) -> None:
        self.run_folder, self.config, self.reporter, self.worker_count = run, config, reporter, workers
        self.cluster, self._schedule = cluster, schedule
        self.control = Control(run.path, reporter, config.generations, lambda: self._games_before + self.games_in_hand)
        self.control.cluster = "" if cluster is None else cluster.address
        self._games_before = 0
        self._level_state: LevelState | None = None
        self._code = CompiledCode(config, self._on_loading, lambda: self._on_compiling("", 0))
        self._saving: Future[Manifest] | None = None
        self._began = 0.0
        self._step = ""

    @classmethod
    def run(
        cls,
        run: Run,
        config: Config,
        reporter: Reporter,
        *,
        workers: int,
        cluster: Machines | None = None,
        restart_from: int | None = None,
        notes: Sequence[str] = (),
        schedule: Schedule | None = None,
        pause_at: int | None = None,
    ) -> Summary:
        """Play a run to its last generation, with its log open; the caller holds its lock.

        Raises:
            DamagedRunError: a file of the run differs from what was written.
            OSError: a generation could not be saved; complete generations are kept.
            TaskFailure: games could not be played.
        """
        with LogFile(run.path / SESSION_LOG, reporter.on_message):
            for note in notes:
                reporter.on_message(note)
            session = cls(run, config, reporter, workers, cluster, schedule)
            session.control.pause_at = pause_at
            with session.control.signals():
                try:
                    manifest = session.prepare(restart_from)
                except Exception as error:
                    log.error("not begun: %s", describe(error), extra=QUIETLY)
                    raise
                log.info("%s: complete to generation %d of %d", run.name, manifest.newest, config.generations)
                return session.play(manifest)

    @property
    @abstractmethod
    def places(self) -> int:
        """The number of genomes that must fit in shared memory."""

    @abstractmethod
    def begin(self, manifest: Manifest, workers: Workers, shared: SharedRows) -> None:
        """Get ready to make the first generation of this session."""

    @abstractmethod
    def make(self, generation: int) -> Made:
        """Make a generation: breed and play, or learn."""

    @property
    def games_in_hand(self) -> int:
        """The number of games finished in the current generation; 0 after `settle`, or if they are not counted."""
        return 0

    def settle(self) -> None:  # noqa: B027 (most have nothing to settle)
        """Reset `games_in_hand`, since the session now includes these games in its total."""

    def prepare(self, restart_from: int | None) -> Manifest:
        """Make a run folder ready to be continued, and log if the previous session ended without a report."""
        run = self.run_folder
        status.take_requests(run.path)  # these were for a session that has ended
        status.take_pause_at(run.path)
        last = status.read(run.path)
        if last is not None and last.state not in status.ENDED:
            log.info(
                "the previous session (process %d) ended without a report: it was killed, or power failed", last.pid
            )
        manifest = run.manifest()
        self.control.generation = min(manifest.newest + 1, self.config.generations)
        if restart_from is not None:
            before, manifest = manifest.newest, create.check_files_up_to(run, manifest, restart_from)
            if manifest.newest < before:
                which = f"generations {manifest.newest + 1} to {before} are"
                if manifest.newest + 1 == before:
                    which = f"generation {before} is"
                self.reporter.on_message(f"{which} set aside in files that end in {ASIDE}")
            if -1 < manifest.newest < before:
                self.reporter.on_message(
                    "the same bytes will follow, since everything derives from the seed; for different ones branch: "
                    f"{run.verb} --branch {run.cli_name}@{manifest.newest}"
                )
        else:
            run.check(manifest)
        create.keep_config(run, self.config)
        manifest = run.rewind(manifest.newest)
        run.finish_thinning(manifest)
        return manifest

    def play(self, manifest: Manifest) -> Summary:
        control = self.control
        played = read_log(self.run_folder, manifest.newest)
        self._games_before = played.total("games")
        self._level_state = level_tests.begun(played)
        control.generation = min(manifest.newest + 1, self.config.generations)
        if manifest.newest >= self.config.generations:
            control.state = State.DONE
            control.say_if_new()  # a run that was already complete must not change by a byte
            return self._summary(manifest, played, 0.0)
        control.say()
        self._began = control.clock()
        try:
            manifest = self._played(manifest)
        except BaseException as error:
            control.fail(error)
            raise
        seconds = control.clock() - self._began
        control.generation = max(manifest.newest, 0)
        played = read_log(self.run_folder, manifest.newest)
        self._games_before = played.total("games")
        self.settle()
        control.say()
        control.log_end()
        log.info("complete to generation %d, digest %s", manifest.newest, manifest.digest() or "-")
        return self._summary(manifest, played, seconds)

    def _played(self, manifest: Manifest) -> Manifest:
        """Play to the last generation or until the session is stopped; wait for any save, even after an error."""
        try:
            with contextlib.closing(self._code), self._open_workers(manifest):
                self._began = self.control.clock()
                manifest = self._generations(manifest)
                self._finish_code("all generations are done; the session ends")
        except StopNow:
            manifest = self._saved_in_time()
        except BaseException:
            if self._saving is not None:
                wait([self._saving])
            raise
        self.control.state = State.DONE if manifest.newest >= self.config.generations else State.STOPPED
        return manifest

    def _finish_code(self, then: str) -> None:
        """Wait for the code of other commands and of levels; this time does not count toward the session."""
        if not self.control.stop_after:
            began = self.control.clock()
            self._code.finish(partial(self._on_finishing, then), self.control.tick)
            self._began += self.control.clock() - began
            self.control.work = ""

    def _generations(self, manifest: Manifest) -> Manifest:
        saver = saving.Saver(self.run_folder, self.config)
        generation = manifest.newest
        while generation < self.config.generations:
            generation += 1
            began = self.control.clock()
            self.control.generation = generation
            self._choose_last(generation)
            made = self._make(generation)
            manifest = self._previous_save(manifest)
            record, report = self._rated(generation, made, began)
            if self._schedule is not None:
                self._schedule.add(generation, record["seconds"], rated=self._is_rated(generation))
            self._saving = saver.save(manifest, made.rows, record, made.games)
            self._games_before += record["games"]
            self.settle()
            if self.reporter.reads:
                manifest = self._previous_save(manifest)
            report(self._report(record, made))
            log.info("generation %d: champion %s, %d games", generation, made.rows.names[0], record["games"])
            del made
            self.control.tick()
            if self.control.pause_at is not None and generation >= self.control.pause_at:
                manifest = self._previous_save(manifest)
                self.control.wait_at(generation)
            if self.control.stop_after or self.reporter.enough:
                break
        return self._previous_save(manifest)

    def _choose_last(self, generation: int) -> None:
        if self._schedule is None:
            return
        self.control.ends = self._began + self._schedule.seconds
        last = self._schedule.last(generation, self.control.clock() - self._began, self.config.generations)
        if last != self.config.generations:
            self.config = replace(self.config, generations=last)
            create.keep_config(self.run_folder, self.config)
            self.control.last = last

    def _is_rated(self, generation: int) -> bool:
        ends = self._schedule is not None and generation == self.config.generations
        return champion_rating.is_due(self.config, generation) or (ends and self.config.rating.every > 0)

    def _report(self, record: dict[str, Any], made: Made) -> GenerationReport:
        counting = self.config.network.piece_difference
        return GenerationReport.of(record, self.config.generations, made.since, counting=counting)

    def _rated(self, generation: int, made: Made, began: float) -> tuple[dict[str, Any], Report]:
        """Rate the champion of a generation if it is to be rated; return the record, and the method that reports it.

        At the first start, the code for ratings may not be compiled yet.
        """
        report: Report = self.reporter.on_generation
        rating, tested, session_began = None, dict[str, int | None](), self._began
        rated = self._is_rated(generation)
        if (rated or self.config.rating.estimates) and not self._code.rates:
            now = self.control.clock()
            report(replace(self._report(made.record(now - began, None), made), rating_follows=True))
            self._code.load_for_ratings(self.control.tick)
            self._began += self.control.clock() - now
            report = self.reporter.on_rating
        if rated:
            rating = champion_rating.rate(self.config, made.champion, generation, self.map, self.follow)
            tested = self._tested(generation, made.champion, rating)
        estimated = champion_rating.estimate(self.config, made.champion, generation, self.map)
        waited = self._began - session_began
        return made.record(self.control.clock() - began - waited, rating) | tested | estimated, report

    def _tested(self, generation: int, champion: Individual, rating: RatingEstimate) -> dict[str, int | None]:
        """Test what a champion beats, if that is worth it; return the columns of the log; none in an older log."""
        if self._level_state is None:
            return {}
        ready = partial(self._finish_code, "the games against levels begin")
        self._level_state = level_tests.continued(
            self._level_state, self.config, champion, generation, rating.low, self.map, self.follow, ready
        )
        return self._level_state.numbers()

    def _make(self, generation: int) -> Made:
        try:
            with plugins.plugin_errors():
                return self.make(generation)
        except plugins.PluginError as error:
            run, last = self.run_folder, generation - 1
            ways = [f"{run.resume_command} {plugins.options_of(plugins.copies(run.path, self.config.plugins.files))}"]
            if last >= 0:
                ways.append(f"with a corrected file: {run.verb} --branch {run.cli_name}@{last} --plugin FILE")
            kept = f"generation {last} is kept, continue" if last >= 0 else "begin again"
            raise plugins.PluginError(f"generation {generation}: {error}; {kept} with {', or '.join(ways)}") from error

    def _previous_save(self, manifest: Manifest) -> Manifest:
        if self._saving is not None:
            while not self._saving.done():
                self.control.tick()
                time.sleep(0.002)
            manifest, self._saving = self._saving.result(), None
        return manifest

    def _saved_in_time(self) -> Manifest:
        """Wait a moment for the save in progress, then cancel it unless writing has begun; return the manifest."""
        if self._saving is not None:
            wait([self._saving], SAVE_GRACE_SECONDS)
            if not self._saving.cancel():
                return self._saving.result()
        return self.run_folder.manifest()

    @contextlib.contextmanager
    def _open_workers(self, manifest: Manifest) -> Iterator[None]:
        """Load or compile the code, start the workers, and get ready; on an error kill all workers."""
        with compiling.notify(self._on_compiling):
            self._code.load_for_games()
        shared = SharedRows(self.places, self.config.network.weights)
        workers = open_workers(
            self.worker_count, self.cluster, start_method=self.config.workers.start_method, threads=self.threads,
            shared=shared, timeout=self.config.workers.timeout, tick=self.control.tick,
            load=partial(load_all, self.config), tell=self._on_waiting,
        )  # fmt: skip
        finished = False
        try:
            self.map = workers.stream
            if self._code.rest:
                rest = " and ".join(self._code.rest)
                self.reporter.on_message(f"compiling {rest} for matches and the window during the first games")
            self.reporter.on_started(self.control.generation, self.config.generations, len(workers))
            self.control.begin()
            self.begin(manifest, workers, shared)
            yield
            finished = True
        finally:
            workers.close(kill=not finished)

    def _on_waiting(self, text: str) -> None:
        self.control.enter(text)
        self.reporter.on_message(text)

    def _on_loading(self, what: str, number: int, steps: int) -> None:
        self._step = f"{what}, {number} of {steps}"
        self.control.enter(f"loading {self._step}")
        self.reporter.on_loading(what, number, steps)

    def _on_finishing(self, then: str, what: str, number: int, steps: int) -> None:
        self.control.work = f"compiling {what}, {number} of {steps}"
        self.reporter.on_message(
            f"{then} when {what} is compiled for matches and the window ({number} of {steps}; only the first time)"
        )

    def _on_compiling(self, kernel: str, number: int) -> None:
        self.control.enter(f"compiling {self._step}")
        self.reporter.on_compiling(kernel, number)

    def follow(self, results: Iterable[Any], sizes: Sequence[int], what: str) -> Iterator[Any]:
        return follow(results, sizes, what, self.on_work)

    def on_work(self, what: str, done: int, total: int) -> None:
        self.control.work = f"{what}: {done:,} of {total:,}" if done < total else ""
        self.reporter.on_work(self.control.generation, what, done, total)

    def _summary(self, manifest: Manifest, played: Log, seconds: float) -> Summary:
        return Summary(
            self.run_folder,
            manifest.newest,
            self.config.individuals,
            played.total("games"),
            played.total("evaluations"),
            seconds,
            played.champions[-1] if played.champions else "",
            manifest.digest(),
            self.control.state == State.DONE,
            self.control.signal,
        )


def session_class(config: Config) -> type[Session]:
    config.kind.check_installed()
    made: type[Session] = imported(config.kind.session)
    return made
