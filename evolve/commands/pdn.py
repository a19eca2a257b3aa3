"""The verb ``pdn``: ``pdn check`` sums up a file of games and tells what is wrong in it; exit code 2 if anything is."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from evolve.commands.options import add_json, piece_count, print_result
from game.errors import InputError

if TYPE_CHECKING:
    from game.endgame.reports import Comparing


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    check = actions.add_parser("check", help="replay every game of a file: counts, and every fault with its line")
    check.add_argument("file", metavar="FILE", help="PDN file, or - for standard input; it is read as a stream")
    check.add_argument(
        "--tablebase",
        type=piece_count,
        nargs="?",
        const=0,
        metavar="N",
        help="compare results with perfect play, from the first position with at most N pieces (default: with as many "
        "as there are tables for); FILE stands before it",
    )
    add_json(check)


def run(options: argparse.Namespace) -> int:
    """Check the file and print what was found."""
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


def _comparing(pieces: int) -> Comparing:
    """What compares games with tables of so many pieces; 0 for all that are there.

    Raises:
        InputError: they are not there.
    """
    from game.endgame.reports import Comparing, build_command
    from game.endgame.tables import open_tables

    tables = open_tables(pieces or None)
    if tables.pieces < pieces:
        there = f"--tablebase {pieces}: tables of up to {tables.pieces} pieces are there"
        raise InputError(f"{there}; more are built by {build_command(pieces)}")
    return Comparing(tables)
