"""``analyse --proved`` of one position: what is proved of it and of its moves."""

from __future__ import annotations

from typing import Any

from extras.analysis.position import VALUES, board_lines
from game import plain
from game.analysis import check_alive
from game.board import Position
from game.search.proof import Prover

WORDS = {(-1, 1): "not settled", (0, 1): "drawn or won", (-1, 0): "drawn or lost"} | {
    (value, value): words[1] for value, words in VALUES.items()
}


def prove(prover: Prover, position: Position) -> dict[str, Any]:
    """Return what is proved of a position, by which line, and of each of its moves.

    Raises:
        InputError: there is no legal move.
    """
    check_alive(position)
    known = prover.bounds(position)
    shown = position.side if known in ((1, 1), (-1, 0)) else 1 - position.side
    after = [(move, prover.bounds(each)) for move, each in plain.successors(position)]
    return {
        "fen": position.fen(),
        "result": WORDS[known],
        "line": [str(move) for move in prover.line(position, shown)],
        "moves": [{"move": str(move), "result": WORDS[-most, -least]} for move, (least, most) in after],
    }


def report(prover: Prover, position: Position, proved: dict[str, Any]) -> str:
    """Describe in plain text what `prove` has found."""
    return "\n".join(
        [
            *board_lines(position),
            f"{proved['result']}, by {prover.name}",
            "",
            *(f"{each['move']:8}{each['result']}" for each in proved["moves"]),
            *(["", f"line  {' '.join(proved['line'])}"] if proved["line"] else []),
        ]
    )
