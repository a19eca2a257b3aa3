"""The verb ``inspect``: report on runs, generations, individuals and CSV files, list all runs, and keep notes."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from evolve.commands.options import (
    add_json,
    add_network,
    add_runs,
    add_workers,
    exit_at_signals,
    group,
    is_given,
    print_result,
)
from extras import modules
from game.errors import InputError

if TYPE_CHECKING:
    from evolve.inspection.results import Report

    Write = Callable[[Report, Callable[[str], None]], Report]

EXAMPLES = (
    ("", "list all runs, with their tags and notes"),
    ("mine", "report on a run, its champion and its ancestry, with warnings in words"),
    ("mine@15:Gen15_0001", "an individual: ancestors, weights, kernels"),
    ('mine --tags good --note "the best so far"', "keep tags and a note"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    several = "".join(f"several runs, or {module.WORD}, to compare; " for module in modules("several"))
    parser.add_argument(
        "targets",
        metavar="TARGET",
        nargs="*",
        help="RUN, RUN@15, RUN@15:NAME, RUN:back-row=4 or RUN:cell=17 (cells of a map), FILE.csv or FILE.csv:NAME; "
        f"{several}without a target all runs are "
        "listed",
    )
    report = group(parser, "report")
    report.add_argument(
        "--games",
        type=int,
        metavar="N",
        help="games of the best individual against random and material, at the depth with which it evolved; 0: none "
        "(default: 200; fewer for players that search, such as 100 at depth 4)",
    )
    add_json(parser)
    notes = group(parser, "keep, hide and delete runs")
    notes.add_argument("--note", metavar="TEXT", help="of a run: keep this note; an empty note removes it")
    notes.add_argument(
        "--tags",
        metavar="A,B",
        help="of a run: set these tags; of several runs, or without a target: include only runs with all these tags",
    )
    notes.add_argument(
        "--archive",
        action=argparse.BooleanOptionalAction,
        help="of one or more runs: leave them out of lists, or list them again",
    )
    notes.add_argument("--delete", action="store_true", help="delete one or more runs permanently, after asking")
    notes.add_argument("--yes", action="store_true", help="with --delete: do not ask")
    add_workers(parser)
    add_network(parser)
    add_runs(parser)


def run(options: argparse.Namespace) -> int:
    from evolve.inspection import run_list

    if run_list.is_meant(options):
        done = run_list.keep(options, run_list.ask_here)
        print_result(options, lambda: done, lambda: run_list.in_words(done))
        return 0
    return show_report(options) if options.targets else _list(options)


def show_report(options: argparse.Namespace, write: Write | None = None) -> int:
    """Print a report; `write` writes it elsewhere, too, and returns it with the names of the files."""
    if options.yes:
        raise InputError("--yes: only together with --delete")
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
    from evolve.run import notes

    for name in ("games", "note", "network"):
        if is_given(options, name):
            raise InputError(f"--{name}: expected a TARGET: a run, a generation, an individual or a file")
    tags = notes.checked_tags(options.tags or "")
    if options.tags is not None and not tags:
        raise InputError("--tags: expected one or more tags, such as good,kept")
    entries = run_list.list_runs(options.runs, tags)
    if options.json:
        print(json.dumps({"kind": "list", "runs": entries}))
    else:
        terminal.show(run_list.contents(entries, options.runs))
    return 0
