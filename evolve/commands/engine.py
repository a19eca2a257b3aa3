"""The verb ``engine``: answers on standard output what comes on standard input (docs/engine.md)."""

from __future__ import annotations

import argparse
import sys

from evolve.commands import options as shared
from game.errors import InputError


def arguments(parser: argparse.ArgumentParser) -> None:
    shared.add_lots_seed(parser)
    shared.add_player(parser)
    shared.add_network(parser)
    shared.add_runs(parser)


def run(options: argparse.Namespace) -> int:
    """Answer until standard input ends or says so."""
    from game.engine import MAX_LINE, Engine

    seed = shared.seed(options.seed)
    (player,) = shared.players(options, options.player)
    if sys.stdin is None:
        raise InputError("standard input is closed: commands are read from there")
    lines = iter(lambda: sys.stdin.buffer.readline(MAX_LINE + 2).decode("utf-8", "replace"), "")
    Engine(player, lambda line: print(line, flush=True), seed=seed).run(lines)
    return 0
