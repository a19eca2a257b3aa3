"""The option ``--traits`` of the verb ``analyse``."""

from __future__ import annotations

import argparse
import sys

from evolve.commands.options import group, is_given
from extras.analysis import command as analyse
from game.errors import InputError

EXAMPLES = (("--pdn games.pdn --traits", "the styles of the players of a file"),)


def arguments(parser: argparse.ArgumentParser) -> None:
    text = "with --pdn: instead of a review, report the traits of each player of the file (docs/traits.md)"
    group(parser, analyse.GAMES).add_argument("--traits", action="store_true", help=text)


def run(options: argparse.Namespace) -> int | None:
    """Report on the traits of the players of a file, if the options ask for it; return 2 if the file has faults."""
    if not options.traits:
        return None
    from evolve.session.reporters import CountingLine
    from extras.traits import report as traits

    if options.pdn is None:
        raise InputError(analyse.for_games("traits"))
    for option in ("player", "fen", "nodes", "time", "depth", "proved", "out", "games"):
        if is_given(options, option):
            name = "PLAYER" if option == "player" else f"--{option}"
            raise InputError(f"{name}: not with --traits, which reports on all games of the file")
    line = CountingLine(quiet=options.json)
    report = traits.of_file(analyse.source_of(options), line.count)
    line.count()
    report.print(as_json=options.json)
    for fault in report.faults:
        print(fault, file=sys.stderr)
    return 2 if report.faults else 0
