"""The verb ``pdn``: ``pdn check`` sums up a file of games and tells what is wrong in it; exit code 2 if anything is."""

from __future__ import annotations

import argparse
import sys

from evolve.commands.options import add_json, print_result
from game.errors import InputError


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    check = actions.add_parser("check", help="replay every game of a file: counts, and every fault with its line")
    check.add_argument("file", metavar="FILE", help="PDN file, or - for standard input; it is read as a stream")
    add_json(check)


def run(options: argparse.Namespace) -> int:
    """Check the file and print what was found."""
    from game.pdn import check

    if options.file == "-" and sys.stdin is None:
        raise InputError("FILE: - is standard input, which is closed")
    source = sys.stdin.buffer if options.file == "-" else options.file
    report = check.check(source)
    print_result(options, report.as_json, lambda: report.text(check.source_name(source)))
    return 2 if report.errors else 0
