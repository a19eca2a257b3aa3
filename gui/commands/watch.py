"""The verb ``watch``: a game between two players in the window."""

from __future__ import annotations

import argparse

from evolve.commands.options import add_runs
from game.players.names import FORMS

EXAMPLES = (
    ("mine@15 mine@5", "two champions of one run"),
    ("crownhead material,depth=6", "a shipped player against a piece count"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", metavar="A", help=f"plays Black: {FORMS}")
    parser.add_argument("b", metavar="B", help="plays White; depth=4 or time=2 after a comma limits its searches")
    add_runs(parser)


def run(options: argparse.Namespace) -> int:
    from gui import entry_points

    entry_points.watch(options.runs, options.a, options.b)
    return 0
