"""The verb ``bench``: speeds of this machine, or the signature of the program's behaviour."""

from __future__ import annotations

import argparse

from evolve.commands.options import add_json, print_result
from game.errors import InputError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--signature", action="store_true", help="only the number that stands for all behaviour")
    parser.add_argument("--quick", action="store_true", help="tiny samples, to see that everything runs")
    parser.add_argument(
        "--only",
        metavar="NAME,...",
        help="figures or groups: perft, evaluations, games, search, sessions, workers, start, runs, window, peers, "
        "signature",
    )
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Measure and print."""
    if options.signature:
        if options.only is not None or options.quick:
            raise InputError(f"--{'quick' if options.only is None else 'only'}: not together with --signature")
        from evolve.bench.signature import signature

        number = signature()
        print_result(options, lambda: {"signature": number}, lambda: number)
        return 0
    from evolve.bench import report
    from evolve.session.reporters import CountingLine

    only = None if options.only is None else [name.strip() for name in options.only.split(",") if name.strip()]
    result = report.measure(quick=options.quick, only=only, show=CountingLine(quiet=options.json).count)
    print_result(options, lambda: result, lambda: report.text(result))
    return 0
