"""Sweeps from the command line: playing a new or resumed one, and its report."""

from __future__ import annotations

import argparse
import contextlib
import copy
import itertools
import secrets
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from evolve.commands.options import print_result
from evolve.config.model import MAX_SEED, Config
from evolve.config.preset_files import ConfigError
from evolve.run.files import check_folder
from evolve.run.runs import checked_name
from evolve.run.status import lock
from evolve.session import command
from evolve.session.reporters import CountingLine
from evolve.workers.pool import worker_count
from extras.sweeps import results, search, sweep, trials
from extras.sweeps.playing import Playing
from extras.sweeps.sweep import SettingSearch, Sweep, SweepMember
from game.errors import InputError
from game.installation import check_extra
from game.number_text import count_text

if TYPE_CHECKING:
    from evolve.workers.pool import Machines


def run(options: argparse.Namespace, cluster: Machines | None) -> int:
    """Play a new or resumed sweep, and print its report.

    Args:
        options: the options of the verb, as `evolve.commands.options.add_session` declares them.
        cluster: plays the games; None for processes of this machine.

    Raises:
        InputError: the options, configurations or sweep cannot be used.
    """
    worker_count(options.workers)
    plan = _resumed(options) if options.resume is not None else _begun(options)
    if plan.search is not None:
        return trials.run(plan, options, cluster)
    with lock(plan.path):
        if options.generations is not None and options.generations != plan.generations:
            plan = replace(plan, generations=options.generations)
            sweep.write(plan)
        now = Playing(plan, options, cluster, CountingLine(quiet=options.json))
        which = [f"run {at} of {len(plan.members)}, {member.name}" for at, member in enumerate(plan.members, 1)]
        finished = all(map(now.play, plan.members, which))
    print_result(options, lambda: results.as_json(plan), lambda: results.report(plan, finished))
    return 0 if now.signal is None else 128 + now.signal


def _resumed(options: argparse.Namespace) -> Sweep:
    plan = sweep.find(options.out, options.resume)
    assert plan is not None
    for name in ("restart_from", "branch", "name", "preset", "config", "seed", "seeds", "network"):
        if getattr(options, name) is not None:
            raise InputError(
                f"--{'from' if name == 'restart_from' else name}: not with a sweep, whose runs keep their own"
            )
    if options.sweep or options.search or options.settings:
        can = "--generations" if plan.search is None else "--trials and --minutes"
        raise InputError(f"{plan.path.name}: the runs of a sweep keep their values; only {can} can change")
    if plan.verb != options.verb:
        raise InputError(f"{plan.path.name}: a sweep of the verb {plan.verb}; continue it with {plan.verb} --resume")
    newest = max(plan.run(member).manifest().newest for member in plan.members)
    if options.generations is not None and options.generations < newest:
        raise InputError(f"{plan.path.name}: already has generation {newest}, expected --generations of at least that")
    if plan.search is None:
        return plan
    if options.generations not in (None, plan.generations):
        raise InputError(f"{plan.path.name}: --generations: the trials of a search keep theirs, {plan.generations}")
    return replace(plan, search=_limited(plan.search, options))


def _limited(result: SettingSearch, options: argparse.Namespace) -> SettingSearch:
    """Return a search with the numbers of trials and the time of the command line."""
    number = result.trials if options.trials is None else options.trials
    most = sweep.MAX_RUNS // len(result.seeds)
    if not 1 <= number <= most:
        raise InputError(f"--trials: expected 1 to {most} (of {count_text(len(result.seeds), 'seed')}), got {number}")
    return replace(result, trials=number, budget=result.budget if options.minutes is None else 60 * options.minutes)


def _begun(options: argparse.Namespace) -> Sweep:
    """Create a sweep and all its runs before the first is played, so that an error in any is reported at once."""
    members, configs, searched = _planned(options)
    for config in configs:
        command.try_plugins(config)
    command.find_tablebases(configs[0])
    word = "sweep" if searched is None else "search"
    free = (f"{configs[0].preset}-{word}-{number}" for number in itertools.count(1))
    stem = (
        checked_name(options.name) if options.name else next(name for name in free if not (options.out / name).exists())
    )
    begun = Sweep(options.out / stem, options.verb, tuple(members), configs[0].generations, searched)
    sweep.make(begun, configs)
    with contextlib.suppress(OSError):
        what = count_text(len(members), "run") if searched is None else count_text(searched.trials, "trial")
        first = f"{word} {begun.path}, {what}"
        print(first, file=sys.stderr, flush=True)
    return begun


Planned = tuple[list[SweepMember], list[Config], SettingSearch | None]
"""The runs of a new sweep or those with which a search ends, their configurations, and the search."""


def _planned(options: argparse.Namespace) -> Planned:
    """Return what a new sweep begins with; a single error lists all mistakes."""
    if options.restart_from is not None:
        raise InputError("--from: only together with --resume")
    if options.seeds is not None and options.seed is not None:
        raise InputError("--seed: not together with --seeds")
    check_folder(options.out)
    drawn = [secrets.randbelow(2**32)] if options.seed is None else [options.seed]
    seeds = drawn if options.seeds is None else sweep.parse_seeds(options.seeds)
    if max(seeds) > MAX_SEED:
        raise InputError(f"--seeds: expected 0 to {MAX_SEED}, got {max(seeds)}")
    if options.search:
        return _planned_search(options, seeds)
    members, configs, errors = [], [], list[str]()
    for member, settings in sweep.combinations(options.sweep, seeds):
        own = copy.copy(options)
        own.settings, own.seed, own.name = [*options.settings, *settings], member.seed, None
        try:
            config = command.new_config(own)
        except ConfigError as error:
            errors += [line for line in error.lines if line not in errors]
            continue
        members.append(member)
        configs.append(replace(config, seed=member.seed))
    if errors:
        raise ConfigError(errors)
    of_setting = {member.setting: replace(config, seed=0) for member, config in zip(members, configs, strict=True)}
    for one, other in itertools.combinations(of_setting, 2):
        if of_setting[one] == of_setting[other]:
            raise InputError(f"--sweep: {one} and {other} are the same configuration: expected values that differ")
    if len(seeds) < len(members) and not all(config.rating.every for config in configs):
        raise InputError("--sweep: settings are compared by their ratings; expected rating.every above 0")
    return members, configs, None


def _planned_search(options: argparse.Namespace, seeds: list[int]) -> Planned:
    check_extra("--search needs Optuna", "sweeps", ("optuna",))
    result = _limited(SettingSearch(tuple(options.search), search.TRIALS, tuple(seeds)), options)
    if max(result.fresh) > MAX_SEED:
        raise InputError(f"--seeds: the best settings are played with later seeds, expected 0 to {MAX_SEED - 3}")
    own = copy.copy(options)
    own.seed, own.name = seeds[0], None
    config = command.new_config(own)
    trials.steps(config)
    search.parse_space(result.space, config)
    members = trials.members_to_come(result)
    return members, [replace(config, seed=member.seed) for member in members], result
