"""The verb ``move``: the move that a player chooses in a position."""

from __future__ import annotations

import argparse

from evolve.commands import options as shared

EXAMPLES = (("crownhead,depth=8 --fen W:W18,24,K10:B12,K22", "one line with the move"),)


def arguments(parser: argparse.ArgumentParser) -> None:
    shared.add_lots_seed(parser)
    shared.add_player(parser)
    shared.add_position(parser)
    shared.add_network(parser)
    shared.add_runs(parser)
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    from game import analysis

    (player,) = shared.players(options, options.player)
    choice = analysis.choose_move(player, shared.position(options.fen), shared.seed(options.seed))
    shared.print_result(
        options,
        lambda: analysis.choice_as_json(choice) | {"tablebase": player.tablebase},
        lambda: analysis.choice_report(choice),
    )
    return 0
