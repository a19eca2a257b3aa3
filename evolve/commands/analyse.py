"""The verb ``analyse``: every move of a position with its score."""

from __future__ import annotations

import argparse

from evolve.commands import options as shared


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--depth", type=int, metavar="N", help="plies (default: the player's own limits)")
    parser.add_argument("--nodes", type=int, metavar="N", help="positions visited")
    parser.add_argument("--time", type=float, metavar="SECONDS")
    shared.add_player(parser)
    shared.add_position(parser)
    shared.add_network(parser)
    shared.add_runs(parser)
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Analyse the position and print the table."""
    from game import analysis
    from game.search.limits import Limits

    given = (options.depth, options.nodes, options.time)
    limits = None if given == (None, None, None) else Limits(*given)
    (player,) = shared.players(options, options.player)
    position = shared.position(options.fen)
    found = analysis.analyse(player, position, limits)
    shared.print_result(
        options,
        lambda: analysis.as_json(position, found) | {"tablebase": player.tablebase},
        lambda: analysis.report(player, position, found),
    )
    return 0
