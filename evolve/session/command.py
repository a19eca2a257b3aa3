"""The verbs ``evolve`` and ``train``: from options to a session, and its report."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import logging
import secrets
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.config import toml
from evolve.config.model import MAX_GENERATIONS, MAX_SEED, Config
from evolve.config.toml import ConfigError
from evolve.run.folder import RunFolder
from evolve.run.lock import lock
from evolve.run.names import checked_name, existing_run
from evolve.session import create
from evolve.session.reporters import LineReporter, Reporter, TerminalReporter
from evolve.workers.logs import QUIETLY
from evolve.workers.pool import worker_count
from game.errors import InputError
from game.networks.network_file import find_network
from game.number_text import clock_text
from game.output import OptionalStream

if TYPE_CHECKING:
    from evolve.session.frame import Session, Summary

log = logging.getLogger(__name__)

UNREAD = "progress can no longer be written (%s); the session goes on without it"


def play(options: argparse.Namespace, session: Callable[[], type[Session]], *, terminal: bool) -> Summary:
    """Run a session from the options of the command line.

    Args:
        options: of the verb, as `evolve.commands.options.add_session` declares them.
        session: imports the kind of session.
        terminal: show a live view instead of lines.

    Raises:
        InputError: options, configuration or run cannot be used.
    """
    if options.resume is not None:
        given = [
            f"--{name}"
            for name in ("name", "preset", "config", "seed", "network")
            if getattr(options, name) is not None
        ]
        if given:
            raise InputError(f"{given[0]}: not together with --resume, the run keeps its own")
        worker_count(options.workers)
        run = existing_run(options.out, options.resume)
        if run.verb != options.verb:
            raise InputError(f"{run.name}: a run of the verb {run.verb}: go on with it by {run.resume_command}")
        last = _generations(options.generations)
        config, notes = create.reopen(run, last, options.settings, options.restart_from)
    else:
        if options.restart_from is not None:
            raise InputError("--from: only together with --resume")
        config = _new_config(options)
        _find_tablebases(config)
        run, notes = _created(options, config), []
    with lock(run.path):
        if options.resume is not None:
            _find_tablebases(config)
        # Imported after the lock is taken, so that a second session is refused at once.
        from evolve.session import needs
        from evolve.workers.processes import TaskFailure

        # Whoever reads the progress may go away, or the disk of its log be full: nothing of the run is lost with it.
        stream: Any = OptionalStream(
            sys.stderr, lambda error: log.warning(UNREAD, getattr(error, "strerror", error), extra=QUIETLY)
        )
        method = config.learning.method
        learnt = ("samples", "loss", *(method.shown or method.columns)) if config.learns else None
        reporter: Reporter = TerminalReporter(stream, learnt) if terminal else LineReporter(stream, learnt=learnt)
        if options.tensorboard:
            from evolve.session.tensorboard import TensorBoard

            reporter = TensorBoard(run, reporter)
        try:
            workers = worker_count(options.workers)
            told = needs.needs(config, workers, run.path)
            notes = [f"run {shown_path(run.path)}, seed {config.seed}", *told, *notes]
            return session().run(run, config, reporter, workers=workers, restart_from=options.restart_from, notes=notes)
        except TaskFailure as error:
            raise TaskFailure(f"{error}; what was complete is on disk: go on with {options.verb} --resume") from error
        finally:
            reporter.close()


def as_json(summary: Summary) -> dict[str, Any]:
    """What a session has done, for programs."""
    names = ("generations", "individuals", "games", "evaluations", "seconds", "champion", "digest")
    return {"run": str(summary.run.path)} | {name: getattr(summary, name) for name in names}


def report(summary: Summary) -> str:
    """What a session has done, for people."""
    run = summary.run
    lines = [
        f"run          {shown_path(run.path)}",
        f"generations  0 to {summary.generations}"
        + (f", {summary.individuals:,} individuals each" if summary.individuals > 1 else "")
        if summary.generations >= 0
        else "generations  none complete yet",
        f"games        {summary.games:,} ({summary.evaluations:,} evaluations)",
        f"time         {clock_text(summary.seconds)} ({summary.seconds:.2f} s)",
        f"champion     {summary.champion or '-'}",
        f"digest       {summary.digest}",
    ]
    if summary.generations >= 0:
        lines.append(f"next         {_next(run, summary.generations)}")
    if not summary.finished:
        lines.append(f"go on with   python main.py {run.resume_command}")
    return "\n".join(lines)


def shown_path(path: Path) -> Path:
    """A path as a person would type it: relative where it lies below the folder that they work in."""
    here = Path.cwd()
    return path.resolve().relative_to(here) if path.resolve().is_relative_to(here) else path


def _next(run: RunFolder, newest: int) -> str:
    """The command that shows what was learnt: the last champion against the first, or a piece count as deep."""
    from evolve.strength import as_evolved

    how = run.conditions(newest)
    opponent = f"{run.cli_name}@0" if newest > 0 else as_evolved.material_player(how).name
    return f"python main.py match {run.cli_name} {opponent} --games {as_evolved.usual_games(how)}"


def _generations(wanted: int | None) -> int | None:
    wrong = _wrong("generations", wanted, MAX_GENERATIONS)
    if wrong:
        raise ConfigError(wrong)
    return wanted


def _wrong(option: str, value: int | None, high: int) -> list[str]:
    return [] if value is None or 0 <= value <= high else [f"--{option}: expected 0 to {high}, got {value}"]


def _new_config(options: argparse.Namespace) -> Config:
    """The configuration of a new run; one error names everything that is wrong with the options."""
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
        instead["network"] = find_network(options.network) if options.network is not None else None
    except InputError as error:
        errors.append(str(error))
    try:
        given = {name: value for name, value in instead.items() if value is not None}
        if options.verb == "train" and options.preset is None and options.config is None:
            raise ConfigError(
                [f"--preset: expected {' or '.join(toml.learning_preset_names())}, or a file by --config"]
            )
        config = toml.load(options.preset, options.config, options.settings, given)
        if config.verb != options.verb:
            errors.append(f"preset {config.preset}: of the verb {config.verb}, not {options.verb}")
        else:
            config = replace(config, learning=replace(config.learning, method=config.learning.method.begun()))
    except ConfigError as error:
        errors.extend(error.lines)
    except InputError as error:
        errors.append(str(error))
    if errors:
        raise ConfigError(errors)
    drawn = options.seed is not None or any(
        setting.replace(" ", "").startswith("seed=") for setting in options.settings
    )
    in_file = options.config is not None and "seed" in toml.read_toml(options.config)
    return config if drawn or in_file else replace(config, seed=secrets.randbelow(2**32))


def _find_tablebases(config: Config) -> None:
    """Open the tablebases that end games, or build them.

    Raises:
        ConfigError: they are not there, and take too long to build by the way.
    """
    if config.games.adjudicate:
        from game.endgame.adjudication import adjudicating_tables

        try:
            adjudicating_tables(config.games.adjudicate)
        except InputError as error:
            raise ConfigError([f"games.{error}"]) from error


def _created(options: argparse.Namespace, config: Config) -> RunFolder:
    """The folder of a new run, by the name that was asked for or the first free ``PRESET-N``."""
    above = next((each for each in (options.out, *options.out.parents) if each.exists()), None)
    if above is not None and not above.is_dir():
        raise InputError(f"--out: {options.out}: expected a folder, {above} is a file")
    if options.name is not None:
        return create.create(options.out, options.name, config)
    for number in itertools.count(1):
        # Between a look and the making of a folder another session may take the name, so the making decides.
        with contextlib.suppress(create.TakenError):
            return create.create(options.out, f"{config.preset}-{number}", config)
    raise AssertionError("numbers do not end")
