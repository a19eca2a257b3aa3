"""The verb ``inspect``: finding the subject named by its options, and making the report."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.inspection.results import Report
from evolve.report.ancestry import Ancestor
from evolve.report.overview import (
    IndividualOverview,
    RunOverview,
    Subject,
    file_overview,
    generation_overview,
    run_overview,
)
from evolve.run.append_only import whole_number
from evolve.run.files import RunError
from evolve.run.folder import Run
from evolve.run.runs import Runs
from evolve.workers.pool import Pool, worker_count
from extras import missing, modules
from game.errors import InputError
from game.installation import COMMAND, imported
from game.networks.named import find_network
from game.networks.spec import Spec
from game.players.names import RESERVED, TABLES, parse_name

if TYPE_CHECKING:
    from evolve.config.model import RunKind
    from evolve.inspection.games import Strength

DEPTH = 3
"""Number of earlier generations in the tree of an individual's ancestors."""


def inspect(options: argparse.Namespace, show: Callable[[str], None]) -> Report:
    workers = worker_count(options.workers)
    if options.games is not None and (options.games < 0 or options.games % 2):
        raise InputError(f"--games: expected an even number of 0 or more, got {options.games}")
    network = None if options.network is None else find_network(options.network)
    show("reading")
    several = next(filter(None, (module.report(options) for module in modules("several"))), None)
    if several is not None:
        report: Report = several
        return report
    [target, *others] = options.targets
    if others:
        raise InputError(missing("comparison", "inspect.") or f"{others[0]}: expected a single TARGET")
    subject = _subject(target, options.runs, network)
    with Pool(workers) as pool:
        more = (module.part(subject, options, show, pool) for module in modules("parts"))
        parts = tuple(part for part in more if part is not None)
        if isinstance(subject, RunOverview):
            report = _of_run(subject, options, show, pool, parts)
        else:
            one = subject if isinstance(subject, IndividualOverview) else subject.individual()
            strength = None if options.games == 0 else _strength(one, options.games, show, pool)
            report = _report_class(one.of.kind)(subject, strength, tree=_tree(subject), parts=parts)
    return report


def _of_run(
    subject: RunOverview, options: argparse.Namespace, show: Callable[[str], None], pool: Pool, parts: tuple[Any, ...]
) -> Report:
    strength = None
    if options.games != 0:
        from evolve.inspection import games

        best, learnt = games.champion_player(subject), not subject.kind.breeds
        strength = games.strength(best, options.games, show, pool=pool, learnt=learnt)
    return _report_class(subject.kind)(subject, strength, parts=parts)


def _report_class(kind: RunKind) -> type[Report]:
    made: type[Report] = imported(kind.report)
    return made


def _strength(one: IndividualOverview, count: int | None, show: Callable[[str], None], pool: Pool) -> Strength | None:
    from evolve.inspection import games

    player = games.individual_player(one)
    known = one.of.search is not None and one.of.generation is not None
    if player is None:
        return None
    return games.strength(player, count, show, pool=pool, evolved=known, learnt=not one.of.kind.breeds)


def _subject(target: str, runs: Path, network: Spec | None) -> Subject:
    name = parse_name(target)
    if name.options:
        raise InputError(
            f"{target}: expected a run, RUN@GENERATION, RUN@GENERATION:NAME or a CSV file, without options"
        )
    file = _file(name.target, runs)
    if file is not None:
        run_of, generation = Run.of_file(file)
        config = None if run_of is None else run_of.config()
        rows = file_overview(file, network or (None if config is None else config.network))
        if config is not None:
            rows = replace(rows, search=config.search, generation=generation)
        return rows if name.member is None else rows.individual(name.member)
    run, number = named_run(name.target, runs)
    if network is not None:
        raise InputError(f"--network: only for CSV files, {run.name} has its own")
    if number is None and name.member is None:
        return run_overview(run)
    rows = generation_overview(run, number)
    return rows if name.member is None else rows.individual(name.member)


def _file(target: str, runs: Path) -> Path | None:
    """Return the CSV file of a name: a path, or a file in the folder of runs, as for players; None for a run."""
    if Run.find(runs, target) is not None:
        return None
    if target.lower().endswith(TABLES) and os.path.exists(target):
        return Path(target)
    file = Runs(runs).file(target)
    return Path(target) if file is None and target.lower().endswith(TABLES) else file


def named_run(target: str, runs: Path) -> tuple[Run, int | None]:
    """Return the run that a target names, and its generation if there is one."""
    name, number = Runs(runs).split_generation(target)
    if name in RESERVED:
        raise RunError(f"{name}: a player without a file, so there is nothing to inspect")
    run = Run.find(runs, name)
    if run is None:
        if os.path.isfile(name) and any(name.lower().endswith(module.ENDING) for module in modules("files")):
            raise RunError(f"{name}: a player without a run to inspect; {COMMAND} match {name} random lets it play")
        if number is not None and Runs(runs).file(name) is not None:
            raise RunError(f"{target}: {name} is a CSV file, which has no generations")
        near = Runs(runs).hint(name, *Runs(runs).file_names())
        raise RunError(f"{name}: no run of this name under {runs}, no run folder, and no CSV file there{near}")
    if number is None:
        return run, None
    if whole_number(number.encode()) < 0:
        raise RunError(f"{target}: expected a generation after @, got {number[:40]!r}")
    return run, int(number)


def _tree(subject: Subject) -> Ancestor | None:
    if not isinstance(subject, IndividualOverview) or subject.of.pedigree is None or subject.of.generation is None:
        return None
    if not subject.of.kind.breeds:  # each generation has only one parent, the previous generation
        return None
    return subject.of.pedigree.tree(subject.of.generation, subject.name, DEPTH)
