"""Sessions in notebooks and scripts, and an arena that plays games between your own genomes.

Sessions write the same bytes as on the command line.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evolve.config import toml
from evolve.config.model import Config
from evolve.kinds.pairing import Scores, Tally
from evolve.run.folder import Run
from evolve.run.runs import Runs, check_own
from evolve.run.status import lock
from evolve.session import create
from evolve.session.command import try_plugins
from evolve.session.frame import Summary, session_class
from evolve.session.reporters import Forwarder, GenerationReport, LineReporter, Reporter, with_own
from evolve.streams import Draw
from evolve.tournament.arena import PlayedPairings, TournamentArena
from evolve.workers.pool import open_workers, worker_count
from evolve.workers.processes import SharedRows
from extras.notebooks import recording
from extras.notebooks.recording import Recording
from game.errors import InputError
from game.networks.spec import Spec

Callback = Callable[[GenerationReport, Run], object]
"""Called with each finished generation and its run, in which it can be read. A setting or a list of settings changes
the following generations, which are those of a branch; another true result ends the session."""


def _chosen(config: Config | str, settings: Sequence[str], plugins: Sequence[Path] = ()) -> Config:
    """Return a configuration with changes; a string names a preset, or a TOML file if it ends in ``.toml``."""
    if isinstance(config, Config):
        return toml.apply_settings(config, settings) if settings else config
    file = Path(config) if config.endswith(".toml") else None
    return toml.load(None if file else config, file, settings, own=plugins)


def run(
    config: Config | str,
    callbacks: Sequence[Callback] = (),
    *,
    settings: Sequence[str] = (),
    plugins: Sequence[Path] = (),
    name: str | None = None,
    runs: Path | None = None,
    workers: int | None = None,
    progress: bool = False,
) -> Summary:
    """Begin a run, and play it to its last generation.

    Args:
        config: name of a preset, path of a TOML file, or the result of `evolve.config.toml.load`.
        callbacks: functions that may stop the session, change its settings, or record something. Each is called with
            the report of every generation and the run, from which it can read the generation. A true result ends the
            session. Settings, such as ``["variation.high=0.1"]``, are for the following generations: since a run keeps
            its configuration, it ends here, and a branch of it (docs/presets.md) continues with these values. The
            summary is that of the last branch.
        settings: changes, such as ``seed=1``, as for `--set`.
        plugins: files with custom operators (docs/operators.md).
        name: name of the run, by default the first free ``PRESET-N``.
        runs: folder of runs, by default ``populations``.
        workers: number of processes, by default one per core; it does not affect results.
        progress: whether to print progress to standard error, as the command does.

    Returns:
        The run folder, its newest generation, games, seconds, and the digest of all generations.

    Raises:
        TakenError: a run with this name exists.
        RunError: the name is not valid.
        ConfigError: a value is wrong, or a plugin is not deterministic.
        OSError: something could not be saved; complete generations are kept.
    """
    folder = Runs().folder if runs is None else Path(runs)
    worker_count(workers)
    config = _chosen(config, settings, plugins)
    try_plugins(config)
    begun = create.create_free(folder, name, config)
    return _play(begun, config, callbacks, workers, progress, plugins)


def resume(
    which: str | Path | Run,
    callbacks: Sequence[Callback] = (),
    *,
    generations: int | None = None,
    runs: Path | None = None,
    workers: int | None = None,
    progress: bool = False,
    plugins: Sequence[Path] = (),
) -> Summary:
    """Continue a run from its newest generation.

    Args:
        which: the run, its name, or the path of its folder.
        callbacks: see `run`.
        generations: new number of the last generation; by default unchanged.
        runs: folder of runs, by default ``populations``.
        workers: see `run`.
        progress: see `run`.
        plugins: the plugins of the run, which are executed only if they are given here (docs/operators.md).

    Raises:
        RunError: there is no such run, or it cannot be resumed.
        ConfigError: its configuration is wrong.
        DamagedRunError: a file of the run was changed or damaged.
        BusyError: another session is working on it.
    """
    run_folder = which if isinstance(which, Run) else Run.open(str(which), runs)
    check_own(run_folder.path, run_folder.verb)
    config, _ = create.reopen(run_folder, generations, [], own=plugins)
    return _play(run_folder, config, callbacks, workers, progress, plugins)


CALLS = 1 << 32
"""Calls of `Arena.play` are numbered from 0 to below this limit, since the number is a 32-bit key of a stream."""


class _Follower(Forwarder):
    """A reporter that also calls functions with each generation, once its rating is known and it is saved.

    Attributes:
        settings: the changes that they want.
    """

    reads = True

    def __init__(self, callbacks: Sequence[Callback], run: Run, config: Config, reporter: Reporter) -> None:
        super().__init__(reporter)
        self._callbacks, self._run, self._config, self._stops = callbacks, run, config, False
        self.settings: list[str] = []

    def on_generation(self, report: GenerationReport) -> None:
        super().on_generation(report)
        if not report.rating_follows:
            self._call(report)

    def on_rating(self, report: GenerationReport) -> None:
        super().on_rating(report)
        self._call(report)

    def _call(self, report: GenerationReport) -> None:
        for callback in self._callbacks:
            answer = callback(report, self._run)
            if isinstance(answer, str | list | tuple):
                settings = [answer] if isinstance(answer, str) else answer
                if not all(isinstance(setting, str) for setting in settings):
                    raise InputError(f"callbacks: expected settings such as 'variation.high=0.1', got {answer!r}")
                self.settings += settings
            else:
                self._stops = self._stops or bool(answer)
        if toml.apply_settings(self._config, self.settings) == self._config:
            self.settings = []

    @property
    def enough(self) -> bool:
        return self._stops or bool(self.settings)

    @property
    def goes_on(self) -> bool:
        return bool(self.settings) and not self._stops


def _play(
    run: Run,
    config: Config,
    callbacks: Sequence[Callback],
    workers: int | None,
    progress: bool,
    plugins: Sequence[Path] = (),
) -> Summary:
    """Play a run to its end, and the branches in which it continues with changed settings."""
    stem = f"{run.name}-branch"
    while True:
        columns, step = config.kind.progress_columns(), config.rating.every
        shown = LineReporter(columns=columns, step=step) if progress else Reporter()
        follower = _Follower(callbacks, run, config, shown) if callbacks else None
        with lock(run.path):
            reporter = with_own(follower or shown, run.path)
            try:
                summary = session_class(config).run(run, config, reporter, workers=worker_count(workers))
            finally:
                reporter.close()
        if follower is None or not follower.goes_on or summary.finished or summary.signal is not None:
            return summary
        source, last = run, summary.generations
        config, _ = create.branch_config(source, last, follower.settings, {}, plugins)
        branch = partial(create.branch, run.path.parent, source=source, generation=last, config=config)
        run = create.create_free(run.path.parent, None, config, branch, stem)


class Arena:
    """An arena that plays games between genomes in custom evolution loops.

    Network, openings, draw rules and search come from the configuration. Ballots depend on its seed and the number of
    the call, so the same calls play the same games with any number of workers. If the search depth changes with the
    generation, the depth of generation 0 is used.

    Args:
        config: network, games, search and seed, as for `run`.
        places: maximum number of genomes at a time.
        settings: changes, such as ``seed=1``.
        workers: number of processes, by default one per core.

    An arena starts worker processes, so use it in a ``with`` statement or call `close`.
    """

    def __init__(
        self, config: Config | str, places: int, *, settings: Sequence[str] = (), workers: int | None = None
    ) -> None:
        if places < 1:
            raise InputError(f"places: expected 1 or more, got {places}")
        config = _chosen(config, settings)
        self._config, self._genomes, self._tally = config, 0, Tally(0)
        shared = SharedRows(places, config.network.weights)
        self._workers = open_workers(
            worker_count(workers),
            None,
            shared=shared,
            timeout=config.workers.timeout,
            tick=lambda: None,
            start_method=config.workers.start_method,
        )
        self._arena = TournamentArena(config, self._workers.stream, len(self._workers), shared)
        self._next_call = 0

    @property
    def network(self) -> Spec:
        """The network of the genomes."""
        return self._config.network

    def put(self, genomes: ArrayLike, kings: ArrayLike | None = None) -> None:
        """Replace the genomes that the workers see.

        Args:
            genomes: float32 of shape (genomes, weights).
            kings: king value of each genome, shape (genomes,); by default the network's.

        Raises:
            InputError: the shape is wrong, there are more genomes than places, or a number is not finite.
        """
        rows, of_kings = recording.checked_genomes(genomes, kings, self.network, self._arena.shared.shape[0])
        self._arena.shared.put(rows, of_kings)
        self._genomes, self._tally = len(rows), Tally(len(rows))

    @overload
    def play(self, pairs: ArrayLike, *, call: int | None = None, keep: Literal[False] = False) -> Scores: ...

    @overload
    def play(
        self, pairs: ArrayLike, *, call: int | None = None, keep: Literal[True]
    ) -> tuple[Scores, PlayedPairings]: ...

    def play(
        self, pairs: ArrayLike, *, call: int | None = None, keep: bool = False
    ) -> Scores | tuple[Scores, PlayedPairings]:
        """Play pairings: one game each, or two on a random ballot with colours swapped (``games.swap``).

        Games depend only on the configuration, the genomes, the pairings and `call`, which selects the ballots. A loop
        that passes its step number as `call` can be continued in another process and plays the same games.

        Args:
            pairs: integers of shape (pairings, 2), indexes of genomes; the first has Black in the first game.
            call: number of the call, from 0 to 2**32 - 1; by default one more than in the last call, starting at 0.
            keep: whether to return the games as well, which takes slightly longer.

        Returns:
            Scores: ``first`` and ``second``, int64 of shape (pairings,): games won by each side; ``draws``;
            ``margin``: 1, 0 or -1; ``games``: number of games in a pairing. With `keep` also the games, in the order of
            the pairings: ``blacks`` and ``whites``, indexes of genomes; ``pieces``, the numbers of pieces left to Black
            and White, shape (games, 2); ``outcomes.results`` (1 if Black won), ``outcomes.plies``,
            ``outcomes.reasons``, all int64 of shape (games,); and ``record(game)``, whose ``moves`` are all moves of a
            game.

        Raises:
            InputError: the shape is wrong, an index has no genome, or `call` is out of range.
            TaskFailure: games could not be played.
        """
        indexes: NDArray[np.int64] = np.asarray(pairs, np.int64)
        if indexes.ndim != 2 or indexes.shape[1] != 2:
            raise InputError(f"pairs: expected shape (pairings, 2), got {indexes.shape}")
        if indexes.size and not (indexes.min() >= 0 and indexes.max() < self._genomes):
            raise InputError(f"pairs: expected indexes from 0 to {self._genomes - 1}")
        number = self._next_call if call is None else operator.index(call)
        if not 0 <= number < CALLS:
            raise InputError(f"call: expected a number from 0 to {CALLS - 1}, got {number}")
        self._next_call = number + 1
        scores = self._arena.play(indexes, (0, Draw.BALLOTS, (number,)), keep=keep)
        self._tally.add(indexes, scores, self._config.points)
        return (scores, self._arena.kept.pop()) if keep else scores

    def record(self, name: str, *, resume: bool = False, runs: Path | None = None) -> Recording:
        """Record a custom loop as a run with log, hall of fame, ratings and digest, for `inspect` and the window.

        Pass each generation to `Recording.generation`. Only the loop can continue such a run; `resume` cannot.

        Args:
            name: name of the run.
            resume: whether to continue the existing run with this name after its newest generation.
            runs: folder of runs, by default ``populations``.

        Raises:
            TakenError: a run with this name exists, and `resume` is false.
            RunError: the name is not valid; or the run to continue does not exist, was not recorded from a custom loop,
                or began with another configuration.
            DamagedRunError: a file of the run was changed or damaged.
            BusyError: another process is working on it.
            OSError: the folder cannot be created.
        """
        config = recording.own_config(self._config)
        if resume:
            run = Run.open(name, runs)
            config = recording.reopen(run, config)
        else:
            run = recording.begin(Runs().folder if runs is None else Path(runs), name, config)
        return Recording(run, config, self._arena, lambda: self._tally)

    def close(self) -> None:
        """End the worker processes."""
        self._workers.close()

    def __enter__(self) -> Arena:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: Any, where: TracebackType | None) -> None:
        self._workers.close(kill=kind is not None)
