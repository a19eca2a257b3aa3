"""The verb ``pdn``: ``pdn check`` summarises a file of games and reports its faults; exit code 2 if there are any."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from evolve.commands.options import add_json, piece_count, print_result
from game.errors import InputError

if TYPE_CHECKING:
    from game.endgame.reports import GameComparer

EXAMPLES = (
    ("check games.pdn", "replay recorded games, and report each error with its line"),
    ("check games.pdn --tablebase", "also report games that did not end as perfect play would"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", title="actions", required=True)
    check = actions.add_parser(
        "check", help="replay every game of a file, and print counts and each fault with its line"
    )
    check.add_argument("file", metavar="FILE", help="PDN file, or - for standard input")
    check.add_argument(
        "--tablebase",
        type=piece_count,
        nargs="?",
        const=0,
        metavar="N",
        help="compare results with perfect play, from the first position with at most N pieces (default: as many as "
        "the tables cover); must come after FILE",
    )
    add_json(check)


def run(options: argparse.Namespace) -> int:
    from game.pdn import check

    if options.file == "-" and sys.stdin is None:
        raise InputError("FILE: - is standard input, which is closed")
    source = sys.stdin.buffer if options.file == "-" else options.file
    comparing = None if options.tablebase is None else _comparing(options.tablebase)
    report = check.check(source, comparing)
    name = check.source_name(source)
    if comparing is None:
        print_result(options, report.as_json, lambda: report.text(name))
    else:
        result = comparing.result
        print_result(
            options,
            lambda: report.as_json() | {"tablebase": result.as_json()},
            lambda: f"{report.text(name)}\n\n{result.text(name)}",
        )
    return 2 if report.errors else 0


def _comparing(pieces: int) -> GameComparer:
    """Return an object that compares games with tables of up to `pieces` pieces; 0 for all tables.

    Raises:
        InputError: there are no such tables.
    """
    from game.endgame.reports import GameComparer, build_command
    from game.endgame.tables import open_tables

    tables = open_tables(pieces or None)
    if tables.pieces < pieces:
        there = f"--tablebase {pieces}: there are only tables of up to {tables.pieces} pieces"
        raise InputError(f"{there}; {build_command(pieces)} builds more")
    return GameComparer(tables)
