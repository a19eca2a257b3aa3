"""The verb ``inspect``: report on runs, generations, individuals and CSV files, and list all runs."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from evolve.commands.options import add_json, add_network, add_runs, add_workers, exit_at_signals, group, is_given
from extras import modules
from game.errors import InputError

if TYPE_CHECKING:
    from evolve.inspection.results import Report

    Write = Callable[[Report, Callable[[str], None]], Report]

EXAMPLES = (
    ("", "list all runs, with their tags and notes"),
    ("mine", "report on a run, its champion and its ancestry, with warnings in words"),
    ("mine@15:Gen15_0001", "an individual: its origin, results and ancestors"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    several = "".join(f"several runs, or {module.WORD}, to compare; " for module in modules("several"))
    text = (
        "RUN, RUN@15, RUN@15:NAME, RUN:back-row=4 (cells of a map), FILE.csv or FILE.csv:NAME; "
        f"{several}without a target all runs are listed"
    )
    parser.add_argument("targets", metavar="TARGET", nargs="*", help=text)
    report = group(parser, "report")
    text = (
        "games of the best individual against random and material, at the depth with which it evolved; 0: none "
        "(default: 200; fewer for players that search, such as 100 at depth 4)"
    )
    report.add_argument("--games", type=int, metavar="N", help=text)
    add_json(parser)
    add_workers(parser)
    add_network(parser)
    add_runs(parser)


def run(options: argparse.Namespace) -> int:
    return show_report(options) if options.targets else _list(options)


def show_report(options: argparse.Namespace, write: Write | None = None) -> int:
    """Print a report; `write` writes it elsewhere, too, and returns it with the names of the files."""
    from evolve.inspection import command
    from evolve.session.reporters import CountingLine

    line = CountingLine(quiet=options.json)
    with exit_at_signals():
        report = command.inspect(options, line.count)
        report = report if write is None else write(report, line.count)
        line.count()
    print(json.dumps(report.plain())) if options.json else report.show()
    return 0


def _list(options: argparse.Namespace) -> int:
    from evolve.inspection import run_list, terminal

    for name in ("games", "network"):
        if is_given(options, name):
            raise InputError(f"--{name}: expected a TARGET: a run, a generation, an individual or a file")
    entries = run_list.list_runs(options.runs)
    if options.json:
        print(json.dumps({"kind": "list", "runs": entries}))
    else:
        terminal.show(run_list.contents(entries, options.runs))
    return 0
