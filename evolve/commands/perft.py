"""The verb ``perft``: count move sequences. The seconds do not include loading compiled code."""

from __future__ import annotations

import argparse

from evolve.commands.options import add_json, end_at_ctrl_c, position, print_result


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("depth", type=int, metavar="DEPTH", help="depth in plies")
    parser.add_argument("--fen", metavar="FEN", help="start from this position")
    parser.add_argument("--divide", action="store_true", help="count each root move separately")
    parser.add_argument("--distinct", action="store_true", help="count moves that lead to the same position once")
    parser.add_argument("--no-bulk", action="store_true", help="make every move of the last ply, to measure speed")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Count and print."""
    from game import perft_report

    with end_at_ctrl_c():
        result = perft_report.measure(
            position(options.fen),
            options.depth,
            divide=options.divide,
            distinct=options.distinct,
            bulk=not options.no_bulk,
        )
    print_result(options, lambda: result, lambda: perft_report.text(result))
    return 0
