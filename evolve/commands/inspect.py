"""The verb ``inspect``: a report on a run, a generation, an individual or a CSV file, or many runs; a list of all."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from evolve.commands.interruption import exit_at_sigterm
from evolve.commands.options import add_json, add_network, add_runs, add_workers, print_result
from game.errors import InputError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "targets",
        metavar="TARGET",
        nargs="*",
        help="RUN, RUN@15, RUN@15:NAME, FILE.csv or FILE.csv:NAME; or several runs, or a sweep, to compare; none: a "
        "list of all runs",
    )
    parser.add_argument(
        "--games",
        type=int,
        metavar="N",
        help="the best against random and material, all as far as it evolved; 0: none (default: as for progress)",
    )
    parser.add_argument("--champions", action="store_true", help="of a run: let its champions play each other, too")
    parser.add_argument("--compare", metavar="RUN", help="of a run: only what differs from this one")
    parser.add_argument(
        "--column",
        metavar="NAME",
        action="append",
        default=[],
        help="of several runs: a column of their logs to show, may be repeated (default: rating and diversity)",
    )
    parser.add_argument(
        "--plots", metavar="DIR", type=Path, help="write figures into this folder (needs the extra figures)"
    )
    parser.add_argument(
        "--html",
        metavar="FILE",
        type=Path,
        help="write one page with everything, figures included (needs the extra figures)",
    )
    parser.add_argument("--note", metavar="TEXT", help="of a run: keep this note about it; an empty one takes it away")
    parser.add_argument(
        "--tags",
        metavar="A,B",
        help="of a run: keep these tags; of several runs, or of all: show only those that have them all",
    )
    parser.add_argument(
        "--archive",
        action=argparse.BooleanOptionalAction,
        help="of one or more runs: lists leave them out from now on, or show them again",
    )
    parser.add_argument(
        "--delete", action="store_true", help="of one or more runs: delete them for good, after a question"
    )
    parser.add_argument("--yes", action="store_true", help="with --delete: do not ask")
    add_workers(parser)
    add_network(parser)
    add_runs(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Read, play, draw, and print the report."""
    from evolve.inspection import run_list

    if run_list.is_meant(options):
        done = run_list.keep(options, run_list.ask_here)
        print_result(options, lambda: done, lambda: run_list.in_words(done))
        return 0
    if options.yes:
        raise InputError("--yes: only together with --delete")
    if not options.targets:
        return _list(options)
    from evolve.inspection import command
    from evolve.session.reporters import CountingLine

    with exit_at_sigterm():
        report = command.inspect(options, CountingLine(quiet=options.json).count)
    print(json.dumps(report.plain())) if options.json else report.show()
    return 0


def _list(options: argparse.Namespace) -> int:
    """Print all runs."""
    from evolve.inspection import run_list, terminal
    from evolve.run import notes

    for name in ("games", "champions", "compare", "column", "plots", "html", "note", "network"):
        if getattr(options, name) is not False and getattr(options, name) not in (None, []):
            raise InputError(f"--{name}: of what? Name a run, a generation, an individual or a file")
    tags = notes.checked_tags(options.tags or "")
    if options.tags is not None and not tags:
        raise InputError("--tags: expected one or more tags that the runs have, such as good,kept")
    entries = run_list.list_runs(options.runs, tags)
    if options.json:
        print(json.dumps({"kind": "list", "runs": entries}))
    else:
        terminal.show(run_list.contents(entries, options.runs))
    return 0
