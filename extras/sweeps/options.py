"""The options of sweeps, which the verbs of sessions have."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from evolve.commands.options import group
from game.errors import InputError

if TYPE_CHECKING:
    from evolve.workers.pool import Machines
    from extras.sweeps.runs_report import RunsReport

WORD = "a sweep"
EXAMPLES = (("--seeds 1-8 --sweep variation.high=0.1,0.2 --name high", "compare two values over eight seeds"),)


def add(parser: argparse.ArgumentParser) -> None:
    several = group(parser, "sweeps: several runs in one folder, compared by rating, resumable as a whole")
    several.add_argument("--seeds", metavar="A-B", help="play a run for each of these seeds, such as 1-8 or 1,2,5")
    text = "play runs for each of these values and each seed; may be repeated, for all combinations"
    several.add_argument("--sweep", metavar="KEY=A,B,...", action="append", default=[], help=text)


def are_meant(options: argparse.Namespace) -> bool:
    """Return whether the options mean a sweep, new or resumed.

    Raises:
        InputError: options of a sweep contradict others.
    """
    there = None
    if options.resume is not None:
        from extras.sweeps import sweep

        there = sweep.find(options.out, options.resume)
    if options.minutes is not None and (there is not None or options.seeds or options.sweep):
        raise InputError("--minutes: not with a sweep, whose runs all have the same generations")
    if there is not None:
        return True
    given = "seeds" if options.seeds is not None else "sweep" if options.sweep else ""
    if not given:
        return False
    for other in ("resume", "branch"):
        if getattr(options, other) is not None:
            raise InputError(f"--{given}: not together with --{other}, the run keeps its own")
    if options.estimate:
        raise InputError(f"--{given}: not together with --estimate, which is about a single run")
    return True


def run(options: argparse.Namespace, machines: Machines | None) -> int:
    from extras.sweeps import command

    return command.run(options, machines)


def report(options: argparse.Namespace) -> RunsReport | None:
    from extras.sweeps import runs_report

    return runs_report.report(options)
