"""The verb ``play``: a game in the window."""

from __future__ import annotations

import argparse

from evolve.commands.options import add_runs, group
from game.errors import InputError

EXAMPLES = (
    ("crownhead,depth=6 --colour white", "a game against a shipped player"),
    ("Champion", "a game against a level: Beginner, Casual, Club, Strong, Expert, Master or Champion"),
    ("mine", "a game against the champion of your own run"),
    (
        "policy,sampling=best-3",
        "a policy that draws among its three best moves (sampling=epsilon-0.1: now and then any)",
    ),
    ("--evolving", "a game against an opponent that evolves while you play"),
    ("--open games.pdn", "look at recorded games"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    text = "your opponent, also a level such as Expert (default: the last one)"
    parser.add_argument("player", metavar="PLAYER", nargs="?", help=text)
    parser.add_argument("--colour", choices=("black", "white", "random"), help="your colour (default: the last one)")
    parser.add_argument("--fen", metavar="FEN", help="begin from this position")
    text = "open this file in the window, as if dropped there: games, a position, or players (CSV)"
    parser.add_argument("--open", metavar="FILE", nargs="?", const="", help=text)
    evolving = group(parser, "an opponent that evolves while you play")
    text = "play against it; RUN evolves on (default: a new run)"
    evolving.add_argument("--evolving", metavar="RUN", nargs="?", const="", help=text)
    evolving.add_argument("--preset", metavar="NAME", help="preset of the new run (default: living)")
    text = (
        "generations for each of your moves: 2, 8 or 32, or free: as many as fit while you think (default: 8, or "
        "the last choice)"
    )
    evolving.add_argument("--pace", metavar="N", choices=("2", "8", "32", "free"), help=text)
    evolving.add_argument("--seed", type=int, metavar="N", help="seed of the new run (default: random)")
    add_runs(parser)


def run(options: argparse.Namespace) -> int:
    if options.open is not None:
        from gui.display import show_at_once

        show_at_once()
    from gui import entry_points
    from gui.evolving.opponent import Beginning

    beginning = Beginning.of_options(options)
    if beginning is not None:
        entry_points.evolving(options.runs, beginning)
        return 0
    if options.open is not None:
        if (options.player, options.colour, options.fen) != (None, None, None):
            raise InputError("--open: not together with PLAYER, --colour or --fen")
        entry_points.open_file(options.runs, options.open)
        return 0
    entry_points.play(options.runs, options.player, options.colour, options.fen)
    return 0
