"""The verb ``perft``: count move sequences. The seconds do not include loading compiled code."""

from __future__ import annotations

import argparse
import time
from typing import Any

from evolve.commands.options import add_json, end_at_ctrl_c, position, print_result
from game.board import Position
from game.errors import InputError

MAX_DEPTH = 30

EXAMPLES = (
    ("10", "18,391,564 sequences of ten moves"),
    ("6 --divide --fen W:W18,24,K10:B12,K22", "by root move, from a position"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("depth", type=int, metavar="DEPTH", help="depth in plies")
    parser.add_argument("--fen", metavar="FEN", help="start from this position")
    parser.add_argument("--divide", action="store_true", help="count each root move separately")
    parser.add_argument("--distinct", action="store_true", help="count moves that lead to the same position once")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    with end_at_ctrl_c():
        result = measure(position(options.fen), options.depth, divide=options.divide, distinct=options.distinct)
    print_result(options, lambda: result, lambda: _text(result))
    return 0


def measure(position: Position, depth: int, *, divide: bool, distinct: bool) -> dict[str, Any]:
    """Run perft and time it, not counting the time to load compiled code.

    Args:
        depth: plies, at most `MAX_DEPTH`.

    Raises:
        InputError: the depth is out of range, or 0 with `divide`.
    """
    if not 0 <= depth <= MAX_DEPTH:
        raise InputError(f"DEPTH: expected 0 to {MAX_DEPTH} plies, got {depth}")
    if divide and depth == 0:
        raise InputError("--divide: expected a DEPTH of 1 or more")
    from extras.bench import counting  # its kernels load Numba

    counting.perft(position, 2, distinct=distinct)
    started = time.perf_counter()
    divided: dict[str, Any] = {}
    if divide:
        divided = {"moves": counting.divide(position, depth, distinct=distinct)}
        nodes = sum(divided["moves"].values())
    else:
        nodes = counting.perft(position, depth, distinct=distinct)
    seconds = time.perf_counter() - started
    rate = round(nodes / max(seconds, 1e-9))
    return {"depth": depth, "nodes": nodes, "seconds": seconds, "nodes_per_second": rate} | divided


def _text(result: dict[str, Any]) -> str:
    rate = f"{result['nodes_per_second'] / 1e6:.1f} million/s"
    total = f"perft {result['depth']}: {result['nodes']:,} nodes in {result['seconds']:.3f} s ({rate})"
    return "\n".join([*(f"{move:>12} {nodes:>16,}" for move, nodes in result.get("moves", {}).items()), total])
