"""Playing a session with the options of ``evolve`` or ``train``, and reporting its result."""

from __future__ import annotations

import argparse
import logging
import secrets
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.config import preset_files, toml
from evolve.config.anchors import shown_text
from evolve.config.model import MAX_SEED, Config
from evolve.config.preset_files import ConfigError
from evolve.config.search import MAX_GENERATIONS
from evolve.kinds import plugins
from evolve.run.append_only import whole_number
from evolve.run.files import check_folder
from evolve.run.folder import Run
from evolve.run.runs import Runs, check_own, checked_name
from evolve.run.status import lock
from evolve.session import create
from evolve.session.reporters import LineReporter, Reporter, TerminalReporter, rating_curve, with_own
from evolve.strength.verdict import RunVerdict
from evolve.workers.logs import QUIETLY
from evolve.workers.pool import worker_count
from extras import missing
from game.errors import InputError
from game.installation import COMMAND
from game.number_text import clock_text
from game.terminal import OptionalStream

if TYPE_CHECKING:
    from evolve.session.forecast import Schedule
    from evolve.session.frame import Summary
    from evolve.workers.pool import Machines

log = logging.getLogger(__name__)

MOST_MINUTES = 1_000_000
UNREAD = "progress can no longer be written (%s); the session continues without it"


def play(options: argparse.Namespace, *, terminal: bool, cluster: Machines | None = None) -> Summary:
    """Run a session with the options of the command line."""
    if options.resume is not None:
        run, config, notes = _resumed(options)
    elif options.branch is not None:
        run, config, notes = _branched(options)
    else:
        run, config, notes = _begun(options)
    with lock(run.path):
        if options.resume is not None:
            find_tablebases(config)
        # Imported after acquiring the lock, so that a second session is refused at once.
        from evolve.session.frame import session_class
        from evolve.workers.processes import TaskFailure

        reporter = _reporter(run, config, options, terminal=terminal)
        try:
            workers = worker_count(options.workers)
            done = run.manifest().newest if options.restart_from is None else options.restart_from
            config, schedule, forecast = _forecast(run, config, workers, done, cluster, options)
            return session_class(config).run(
                run, config, reporter, workers=workers, cluster=cluster, restart_from=options.restart_from,
                notes=[*forecast, *notes], schedule=schedule, pause_at=options.pause_at,
            )  # fmt: skip
        except TaskFailure as error:
            text = f"{error}; complete generations are on disk: continue with {options.verb} --resume"
            raise type(error)(text) from error
        finally:
            reporter.close()


def _resumed(options: argparse.Namespace) -> tuple[Run, Config, list[str]]:
    _refuse(options, "resume", "branch", "name", "preset", "config", "seed", "network")
    worker_count(options.workers)
    run = Run.open(options.resume, options.out)
    if run.verb != options.verb:
        there = f"{run.name}: this run belongs to {run.verb}"
        raise InputError(missing(run.verb) or f"{there}: continue it with {run.resume_command}")
    check_own(run.path, run.verb)
    last = _generations(options.generations)
    reopened = create.reopen(run, last, options.settings, options.restart_from, options.plugin)
    _check_known(options, reopened[0])
    return run, *reopened


def _begun(options: argparse.Namespace) -> tuple[Run, Config, list[str]]:
    if options.restart_from is not None:
        raise InputError("--from: only together with --resume")
    config = new_config(options)
    find_tablebases(config)
    try_plugins(config)
    return _made(options, config), config, []


def _reporter(run: Run, config: Config, options: argparse.Namespace, *, terminal: bool) -> Reporter:
    # Progress may go to a pipe or a file, but a closed pipe or a full disk must not end the run.
    stream: Any = OptionalStream(
        sys.stderr, lambda error: log.warning(UNREAD, getattr(error, "strerror", error), extra=QUIETLY)
    )
    table = TerminalReporter if terminal else LineReporter
    silence = 0.0 if options.every_generation else None
    reporter: Reporter = table(stream, silence, columns=config.kind.progress_columns(), step=config.rating.every)
    return with_own(reporter, run.path)


def _forecast(
    run: Run, config: Config, workers: int, done: int, cluster: Machines | None, options: argparse.Namespace
) -> tuple[Config, Schedule | None, list[str]]:
    """Return the configuration and the schedule of a session with ``--minutes``, and messages about its needs."""
    from evolve.session.estimate import estimate, needs
    from evolve.session.forecast import Schedule

    messages, schedule = list[str](), None
    if cluster is None and options.pause_at is None:  # the speed of other machines, and the pauses, are unknown
        expected = estimate(config, workers, done, within=_seconds(options))
        messages.append(expected.words)
        if options.minutes is not None and expected.forecast is not None:
            schedule = Schedule(expected.forecast, 60 * options.minutes)
            if options.generations is None:
                config = replace(config, generations=expected.last)
    return (
        config,
        schedule,
        [f"run {shown_path(run.path)}, seed {config.seed}", *needs(config, workers, run.path), *messages],
    )


def check_times(options: argparse.Namespace) -> None:
    """Refuse ``--minutes`` and ``--pause-at`` where they have no meaning."""
    if options.pause_at is not None and not 0 <= options.pause_at <= MAX_GENERATIONS:
        raise InputError(f"--pause-at: expected a generation from 0 to {MAX_GENERATIONS:,}, got {options.pause_at}")
    if options.minutes is None:
        return
    if options.pause_at is not None:
        raise InputError("--minutes: not together with --pause-at, since the time of pauses is unknown")
    if not 0 < options.minutes <= MOST_MINUTES:
        raise InputError(f"--minutes: expected more than 0 and at most {MOST_MINUTES:,}, got {options.minutes:g}")
    if getattr(options, "cluster", None) is not None:
        raise InputError("--minutes: not together with --cluster, since the speed of other machines is unknown")


def _seconds(options: argparse.Namespace) -> float | None:
    return None if options.minutes is None or options.generations is not None else 60 * options.minutes


def _check_known(options: argparse.Namespace, config: Config) -> None:
    from evolve.session.estimate import why_unknown

    if options.minutes is not None and (unknown := why_unknown(config)):
        raise InputError(f"--minutes: time unknown before the start, {unknown}; choose --generations instead")


def _refuse(options: argparse.Namespace, verb: str, *others: str) -> None:
    given = [name for name in others if getattr(options, name) is not None]
    if given:
        raise InputError(f"--{given[0].replace('_', '-')}: not together with --{verb}, the run keeps its own")


def _branch_of(options: argparse.Namespace) -> tuple[Run, int, Config, list[str]]:
    _refuse(options, "branch", "preset", "config", "network")
    if options.restart_from is not None:
        raise InputError("--from: only together with --resume; --branch RUN@GENERATION says where a branch begins")
    errors = _wrong("seed", options.seed, MAX_SEED) + _wrong("generations", options.generations, MAX_GENERATIONS)
    if errors:
        raise ConfigError(errors)
    worker_count(options.workers)
    target, number = Runs(options.out).split_generation(options.branch)
    source = Run.open(target, options.out)
    generation = source.manifest().newest if number is None else whole_number(number.encode())
    if number is not None and generation < 0:
        raise InputError(f"--branch: expected RUN or RUN@GENERATION, got {options.branch!r}")
    if source.verb != options.verb:
        there = f"{source.name}: this run belongs to {source.verb}"
        raise InputError(missing(source.verb) or f"{there}: branch it with {source.verb} --branch")
    instead = {name: getattr(options, name) for name in ("seed", "generations") if getattr(options, name) is not None}
    config, notes = create.branch_config(source, generation, options.settings, instead, options.plugin)
    return source, generation, config, notes


def _branched(options: argparse.Namespace) -> tuple[Run, Config, list[str]]:
    source, generation, config, notes = _branch_of(options)
    find_tablebases(config)
    try_plugins(config)
    notes.append(f"generations 0 to {generation} are copied from {source.name}, which stays unchanged")

    def make(name: str) -> Run:
        return create.branch(options.out, name, source, generation, config)

    return _made(options, config, make, f"{source.name}-branch"), config, notes


def as_json(summary: Summary) -> dict[str, Any]:
    names = ("generations", "individuals", "games", "evaluations", "seconds", "champion", "digest")
    return {"run": str(summary.run.path)} | {name: getattr(summary, name) for name in names}


def report(summary: Summary) -> str:
    run = summary.run
    curve, rating = _ratings(summary)
    lines = [
        *curve,
        f"run          {shown_path(run.path)}",
        f"generations  0 to {summary.generations}"
        + (f", {summary.individuals:,} {_members(run)}" if summary.individuals > 1 else "")
        if summary.generations >= 0
        else "generations  none complete yet",
        f"games        {summary.games:,} ({summary.evaluations:,} evaluations)",
        f"time         {clock_text(summary.seconds)} ({summary.seconds:.2f} s)",
        f"champion     {summary.champion or '-'}",
        *rating,
        f"digest       {summary.digest or '-'}",
    ]
    if summary.generations >= 0:
        lines += [f"play it      {COMMAND} play {run.cli_name}", f"next         {_next(run, summary.generations)}"]
    if not summary.finished:
        lines.append(f"continue     {COMMAND} {run.resume_command}")
    return "\n".join(lines)


def _members(run: Run) -> str:
    return "individuals each" if run.kind is None else run.kind.members


def _ratings(summary: Summary) -> tuple[list[str], list[str]]:
    import numpy as np

    from evolve.run.log import read_history

    history = read_history(summary.run, summary.run.manifest())
    verdict = RunVerdict.last(history.column, counting=summary.run.counts_pieces())
    shown = [f"verdict      {verdict.text}"] if verdict and verdict.text else []
    ratings = history.interval("rating")
    if ratings is None:
        return [], shown
    value, low, high = ratings
    rated = {generation: float(value[generation]) for generation in np.flatnonzero(np.isfinite(value)).tolist()}
    if not rated:
        return [], shown
    newest = max(rated)
    best, least, most = (shown_text(float(column[newest])) for column in (value, low, high))
    text = f"{best} ({least} to {most})"
    text += "" if newest == summary.generations else f", in generation {newest}"
    curve = rating_curve(rated, summary.generations)
    return ["", *curve, ""] if curve else [], [f"rating       {text}", *shown]


def shown_path(path: Path) -> Path:
    """Return a path as the user would type it: relative if it is below the working folder."""
    here = Path.cwd()
    return path.resolve().relative_to(here) if path.resolve().is_relative_to(here) else path


def _next(run: Run, newest: int) -> str:
    """Return a command that measures progress: a match of the last champion against the first.

    After generation 0 alone, the opponent is a player that counts pieces.
    """
    from evolve.strength import effort

    how = run.conditions(newest)
    opponent = f"{run.cli_name}@0" if newest > 0 else effort.material_player(how).name
    return f"{COMMAND} match {run.cli_name} {opponent} --games {effort.usual_games(how)}"


def _generations(wanted: int | None) -> int | None:
    wrong = _wrong("generations", wanted, MAX_GENERATIONS)
    if wrong:
        raise ConfigError(wrong)
    return wanted


def _wrong(option: str, value: int | None, high: int) -> list[str]:
    return [] if value is None or 0 <= value <= high else [f"--{option}: expected 0 to {high}, got {value}"]


def new_config(options: argparse.Namespace) -> Config:
    """Read the configuration of a new run; a single error lists all mistakes in the options."""
    errors = _wrong("seed", options.seed, MAX_SEED) + _wrong("generations", options.generations, MAX_GENERATIONS)
    config = Config()
    instead: dict[str, Any] = {"generations": options.generations, "seed": options.seed}
    checks: tuple[Callable[[], object], ...] = (
        lambda: worker_count(options.workers),
        lambda: options.name is None or checked_name(options.name),
    )
    for check in checks:
        try:
            check()
        except InputError as error:
            errors.append(str(error))
    try:
        if options.network is not None:
            from evolve.names.players import find_network

            # As a founder, a run is looked up beside the new run, then in the default folder.
            folders = (options.out, Runs().folder)
            runs = next((folder for folder in folders if Runs(folder).find(options.network)), options.out)
            instead["network"] = find_network(runs, options.network)
    except InputError as error:
        errors.append(str(error))
    try:
        given = {name: value for name, value in instead.items() if value is not None}
        preset = options.preset
        if preset is None and options.config is None:
            preset = toml.DEFAULT_PRESET
            if preset not in preset_files.preset_names(options.verb):
                presets = ", ".join(preset_files.listed_preset_names(options.verb))
                raise ConfigError([f"--preset: expected {presets}{preset_files.OTHERS}, or a file by --config"])
        config = toml.load(preset, options.config, options.settings, given, options.plugin)
        if config.verb != options.verb:
            errors.append(f"preset {config.preset}: belongs to the verb {config.verb}, not {options.verb}")
        else:
            config = config.kind.begun(config, options.out)
    except ConfigError as error:
        errors.extend(error.lines)
    except InputError as error:
        errors.append(str(error))
    if errors:
        raise ConfigError(errors)
    drawn = options.seed is not None or any(
        setting.replace(" ", "").startswith("seed=") for setting in options.settings
    )
    in_file = options.config is not None and "seed" in preset_files.read_toml(options.config)
    return config if drawn or in_file else replace(config, seed=secrets.randbelow(2**32))


def try_plugins(config: Config) -> None:
    """Refuse plugins that are not loaded, or with which a run could not be repeated."""
    if config.plugins.files:
        loaded = {plugin.sha256 for plugin in plugins.loaded()}
        for name, sha in zip(config.plugins.files, config.plugins.sha256, strict=True):
            if sha not in loaded:  # never requested, or another configuration has been read since
                raise ConfigError([f"plugin {name}: its code is not loaded; load the configuration with own=[FILE]"])
        from evolve.session.evolution import check_repeatable

        check_repeatable(config)


def find_tablebases(config: Config) -> None:
    """Open the tablebases that end games, or build them."""
    if config.games.adjudicate:
        from game.endgame.tables import adjudicating_tables

        try:
            adjudicating_tables(config.games.adjudicate)
        except InputError as error:
            raise ConfigError([f"games.{error}"]) from error


def _made(options: argparse.Namespace, config: Config, make: create.Make | None = None, stem: str = "") -> Run:
    check_folder(options.out)
    _check_known(options, config)
    return create.create_free(options.out, options.name, config, make, stem)


def foresee(options: argparse.Namespace) -> dict[str, Any]:
    """Return the expected time and needs of a new run or a branch, as values and as text, without starting it."""
    from evolve.session.estimate import LONG_SAMPLE_SECONDS, briefly, estimate, needs

    if options.resume is not None:
        raise InputError("--resume: not together with --estimate, which is about a new run")
    done, notes = -1, list[str]()
    if options.branch is None:
        config = new_config(options)
    else:
        _, done, config, notes = _branch_of(options)
    workers = worker_count(options.workers)
    expected = estimate(config, workers, done, LONG_SAMPLE_SECONDS, _seconds(options))
    config = replace(config, generations=expected.last)
    first, *more = needs(config, workers, options.out)
    brief = [expected.brief, briefly(config, workers), *more]
    words = [expected.words, first, *more, *notes]
    values = {"seconds": expected.seconds, "between": expected.between, "games": expected.games}
    return values | {"generations": expected.last, "words": words, "brief": brief}
