"""The verb ``play``: a game in the window."""

from __future__ import annotations

import argparse
from pathlib import Path

from evolve.commands.options import add_runs
from game.errors import InputError

EXAMPLES = (
    ("crownhead,depth=6 --colour white", "a game against a shipped player"),
    ("Champion", "a game against a level: Beginner, Casual, Club, Strong, Expert or Champion"),
    ("mine", "a game against the champion of your own run"),
    ("--pdn games.pdn", "look at recorded games"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "player", metavar="PLAYER", nargs="?", help="your opponent, also a level such as Expert (default: the last one)"
    )
    parser.add_argument("--colour", choices=("black", "white", "random"), help="your colour (default: the last one)")
    parser.add_argument("--fen", metavar="FEN", help="begin from this position")
    parser.add_argument(
        "--open",
        metavar="FILE",
        nargs="?",
        const="",
        help="open this file in the window, as if dropped there: games, a position, or players (CSV)",
    )
    parser.add_argument("--pdn", metavar="FILE", type=Path, help="show the games of this file instead")
    add_runs(parser)


def run(options: argparse.Namespace) -> int:
    from gui import entry_points

    if options.open is not None:
        others = (options.player, options.colour, options.fen, options.pdn)
        if others != (None, None, None, None):
            raise InputError("--open: not together with PLAYER, --colour, --fen or --pdn")
        entry_points.open_file(options.runs, options.open)
        return 0
    entry_points.play(options.runs, options.player, options.colour, options.fen, options.pdn)
    return 0
