"""The verb ``bench``: the speed of this machine, or the signature of the program's behaviour."""

from __future__ import annotations

import argparse

from evolve.commands.options import add_json, print_result
from game.errors import InputError

EXAMPLES = (
    ("", "every figure of this machine"),
    ("--only search,games", "two groups of figures"),
    ("--signature", "one number that changes whenever the program's behaviour does"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--signature", action="store_true", help="print only the number that changes with behaviour")
    text = "figures or groups: perft, games, search, sessions, signature"
    parser.add_argument("--only", metavar="NAME,...", help=text)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from evolve.session.reporters import CountingLine

    line = CountingLine(quiet=options.json)
    if options.signature:
        if options.only is not None:
            raise InputError("--only: not together with --signature")
        from extras.bench.signature import signature

        number = signature()
        print_result(options, lambda: {"signature": number}, lambda: number)
        return 0
    from extras.bench import figures, speed

    result = figures.measure((speed.probes,), figures.names(options.only), line.count)[1]
    print_result(options, lambda: result, lambda: figures.text(result))
    return 0
