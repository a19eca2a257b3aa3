"""The verb ``engine``: answers on standard output what comes on standard input (docs/engine.md)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import BinaryIO

from evolve.commands import options as shared
from game.errors import InputError


def arguments(parser: argparse.ArgumentParser) -> None:
    shared.add_lots_seed(parser)
    shared.add_player(parser)
    shared.add_network(parser)
    shared.add_runs(parser)


def run(options: argparse.Namespace) -> int:
    """Answer until standard input ends or says so."""
    from game.engine import Engine

    seed = shared.seed(options.seed)
    (player,) = shared.players(options, options.player)
    if sys.stdin is None:
        raise InputError("standard input is closed: commands are read from there")
    Engine(player, lambda line: print(line, flush=True), seed=seed).run(_lines(sys.stdin.buffer))
    return 0


def _lines(stream: BinaryIO) -> Iterator[str]:
    """Lines as they come; of one that is too long only the beginning, since no part of it is a line of its own."""
    from game.engine import MAX_LINE

    while data := stream.readline(MAX_LINE + 2):
        yield data.decode("utf-8", "replace")
        while len(data) == MAX_LINE + 2 and not data.endswith(b"\n"):
            data = stream.readline(MAX_LINE + 2)
