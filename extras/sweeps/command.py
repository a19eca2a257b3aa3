"""Sweeps from the command line: playing a new or resumed one, and its report."""

from __future__ import annotations

import argparse
import contextlib
import copy
import itertools
import secrets
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from evolve.commands.options import print_result
from evolve.config.anchors import shown_text
from evolve.config.model import MAX_SEED, Config
from evolve.config.preset_files import ConfigError
from evolve.run.files import check_folder
from evolve.run.runs import checked_name
from evolve.run.status import lock
from evolve.session import command, create
from evolve.session.reporters import CountingLine, GenerationReport, Reporter, with_own
from evolve.workers.pool import worker_count
from extras.sweeps import results, sweep
from extras.sweeps.sweep import Sweep, SweepMember, read_ratings
from game.errors import InputError
from game.number_text import count_text

if TYPE_CHECKING:
    from evolve.workers.pool import Machines


@dataclass
class Playing:
    """Plays runs of a sweep and shows their progress.

    Attributes:
        signal: the signal that ended the session of the last run; None if none did.
    """

    plan: Sweep
    options: argparse.Namespace
    cluster: Machines | None
    line: CountingLine
    signal: int | None = field(default=None, init=False)

    def play(self, member: SweepMember, what: str) -> bool:
        """Play a run from its newest generation to the last one; return whether it has got there."""
        plan, run = self.plan, self.plan.run(member)
        if run.manifest().newest >= plan.generations:
            return True
        config, _ = create.reopen(run, plan.generations, [], own=self.options.plugin)
        with lock(run.path):
            from evolve.session.frame import session_class

            follower = _Follower(plan.generations, lambda *parts: self.line.count(what, *parts))
            reporter, workers = with_own(follower, run.path), worker_count(self.options.workers)
            try:
                summary = session_class(config).run(run, config, reporter, workers=workers, cluster=self.cluster)
            finally:
                reporter.close()
        self.line.count()
        rated = read_ratings(run)
        rating = f", rating {shown_text(rated[max(rated)][0])}" if rated else ""
        self.line.step(f"{what}: generation {summary.generations}{rating}")
        self.signal = summary.signal
        return summary.signal is None and summary.generations >= plan.generations


class _Follower(Reporter):
    """A reporter that shows the generation of a run."""

    def __init__(self, last: int, show: Callable[..., None]) -> None:
        self._last, self._show = last, show

    def on_loading(self, what: str, number: int, steps: int) -> None:
        self._show(f"loading {what}")

    def on_generation(self, report: GenerationReport) -> None:
        self._show(f"generation {report.generation} of {self._last}")


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
    if options.sweep or options.settings:
        raise InputError(f"{plan.path.name}: the runs of a sweep keep their values; only --generations can change")
    if plan.searched:
        raise InputError(f"{plan.path.name}: its settings were searched by an earlier version; inspect compares them")
    if plan.verb != options.verb:
        raise InputError(f"{plan.path.name}: a sweep of the verb {plan.verb}; continue it with {plan.verb} --resume")
    newest = max(plan.run(member).manifest().newest for member in plan.members)
    if options.generations is not None and options.generations < newest:
        raise InputError(f"{plan.path.name}: already has generation {newest}, expected --generations of at least that")
    return plan


def _begun(options: argparse.Namespace) -> Sweep:
    """Create a sweep and all its runs before the first is played, so that an error in any is reported at once."""
    members, configs = _planned(options)
    for config in configs:
        command.try_plugins(config)
    command.find_tablebases(configs[0])
    free = (f"{configs[0].preset}-sweep-{number}" for number in itertools.count(1))
    stem = (
        checked_name(options.name) if options.name else next(name for name in free if not (options.out / name).exists())
    )
    begun = Sweep(options.out / stem, options.verb, tuple(members), configs[0].generations)
    sweep.make(begun, configs)
    with contextlib.suppress(OSError):
        print(f"sweep {begun.path}, {count_text(len(members), 'run')}", file=sys.stderr, flush=True)
    return begun


def _planned(options: argparse.Namespace) -> tuple[list[SweepMember], list[Config]]:
    """Return the runs of a new sweep and their configurations; a single error lists all mistakes."""
    if options.restart_from is not None:
        raise InputError("--from: only together with --resume")
    if options.seeds is not None and options.seed is not None:
        raise InputError("--seed: not together with --seeds")
    check_folder(options.out)
    drawn = [secrets.randbelow(2**32)] if options.seed is None else [options.seed]
    seeds = drawn if options.seeds is None else sweep.parse_seeds(options.seeds)
    if max(seeds) > MAX_SEED:
        raise InputError(f"--seeds: expected 0 to {MAX_SEED}, got {max(seeds)}")
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
    return members, configs
