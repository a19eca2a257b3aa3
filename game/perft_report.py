"""Perft with timing, as plain values and as text."""

from __future__ import annotations

import time
from typing import Any

from game import moves
from game.board import Position
from game.errors import InputError

MAX_DEPTH = 30


def measure(position: Position, depth: int, *, divide: bool, distinct: bool, bulk: bool) -> dict[str, Any]:
    """Run perft and time it, not counting the time to load compiled code.

    Args:
        position: the root.
        depth: plies, at most `MAX_DEPTH`.
        divide: count each root move separately.
        distinct: count moves that lead to the same position once.
        bulk: count the last ply without making its moves.

    Raises:
        InputError: impossible depth.
    """
    if not 0 <= depth <= MAX_DEPTH:
        raise InputError(f"DEPTH: expected 0 to {MAX_DEPTH} plies, got {depth}")
    if divide and depth == 0:
        raise InputError("--divide: expected a DEPTH of 1 or more")
    moves.perft(position, 2, distinct=distinct, bulk=bulk)
    started = time.perf_counter()
    divided: dict[str, Any] = {}
    if divide:
        divided = {"moves": moves.divide(position, depth, distinct=distinct, bulk=bulk)}
        nodes = sum(divided["moves"].values())
    else:
        nodes = moves.perft(position, depth, distinct=distinct, bulk=bulk)
    seconds = time.perf_counter() - started
    rate = round(nodes / max(seconds, 1e-9))
    return {"depth": depth, "nodes": nodes, "seconds": seconds, "nodes_per_second": rate} | divided


def text(result: dict[str, Any]) -> str:
    """Return the result of `measure` as text."""
    rate = f"{result['nodes_per_second'] / 1e6:.1f} million/s"
    total = f"perft {result['depth']}: {result['nodes']:,} nodes in {result['seconds']:.3f} s ({rate})"
    return "\n".join([*(f"{move:>12} {nodes:>16,}" for move, nodes in result.get("moves", {}).items()), total])
