"""The verb ``engine``: read commands from standard input and answer on standard output (docs/engine.md)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import BinaryIO

from evolve.commands import options as shared
from game.errors import InputError

EXAMPLES = (("crownhead,depth=8", "read commands such as `position` and `go`, and answer, until `quit`"),)


def arguments(parser: argparse.ArgumentParser) -> None:
    shared.add_lots_seed(parser)
    shared.add_player(parser)
    shared.add_network(parser)
    shared.add_runs(parser)


def run(options: argparse.Namespace) -> int:
    from extras.engine.engine import Engine

    seed = shared.seed(options.seed)
    (player,) = shared.players(options, options.player)
    if sys.stdin is None:
        raise InputError("standard input is closed, but commands are read from it")
    Engine(player, _write, seed=seed).run(_lines(sys.stdin.buffer))
    return 0


def _write(line: str) -> None:
    print(line, flush=True)


def _lines(stream: BinaryIO) -> Iterator[str]:
    """Yield lines as they arrive; a line that is too long is truncated."""
    from extras.engine.engine import MAX_LINE

    while data := stream.readline(MAX_LINE + 2):
        yield data.decode("utf-8", "replace")
        while len(data) == MAX_LINE + 2 and not data.endswith(b"\n"):
            data = stream.readline(MAX_LINE + 2)
