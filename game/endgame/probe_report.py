"""What tables say of one position and its moves, as plain values and in words."""

from __future__ import annotations

from typing import Any

from game.board import Position
from game.diagram import LEGEND, diagram, mover
from game.endgame.slices import MOST_BUILT
from game.endgame.tables import Tables, Verdict
from game.errors import InputError
from game.installation import COMMAND
from game.moves import Move

VALUES = {1: "win", 0: "draw", -1: "loss"}
PLIES = "Plies are counted until the loser has no legal move, the next move being the first."
NO_PLIES = "Tables of so many pieces know who wins, not how many plies it takes."


def build_command(pieces: int) -> str:
    """The command that builds all tables up to a number of pieces."""
    return f"{COMMAND} tablebase build --pieces {pieces}"


def probe(tables: Tables, position: Position) -> tuple[Verdict, list[tuple[Move, Verdict]]]:
    """What becomes of a position, and every legal move with what it leads to for the side that makes it, best first.

    The best is the fastest win; of draws and of equal moves the first in the order of moves; the slowest loss. Among
    wins those of unknown length come last, among losses first.

    Raises:
        InputError: the position has too many pieces.
    """
    verdict = tables.probe(position)
    if verdict is None:
        raise InputError(too_many(position, tables.pieces))
    known = [(move, after) for move, after in tables.moves(position) if after is not None]
    return verdict, sorted(known, key=lambda each: each[1].merit, reverse=True)


def too_many(position: Position, covered: int) -> str:
    """What to do about a position with more pieces than tables cover."""
    pieces = (position.black | position.white).bit_count()
    there = f"{position.fen()}: {pieces} pieces, and tables of up to {covered} are there"
    if pieces > MOST_BUILT:
        return f"{there}; they can be built for up to {MOST_BUILT}"
    return f"{there}; more are built by {build_command(pieces)}"


def as_json(found: tuple[Verdict, list[tuple[Move, Verdict]]]) -> dict[str, Any]:
    """The result of `probe` as plain values."""
    verdict, moves = found
    return _plain(verdict) | {"moves": [{"move": str(move)} | _plain(after) for move, after in moves]}


def text(position: Position, found: tuple[Verdict, list[tuple[Move, Verdict]]]) -> str:
    """The result of `probe` for people."""
    verdict, moves = found
    side = mover(position).split()[0]
    lines = [diagram(position), "", f"{mover(position)} ({LEGEND})", position.fen(), ""]
    if not moves:
        return "\n".join([*lines, f"{side} has no legal move and has lost."])
    lines += [f"{verdict.text}, with perfect play of both sides"]
    verdicts = [verdict, *(after for _, after in moves)]
    lines += [PLIES] if any(each.plies is not None for each in verdicts) else []
    lines += [NO_PLIES] if any(each.value != 0 and each.plies is None for each in verdicts) else []
    width = max(len("move"), *(len(str(move)) for move, _ in moves))
    lines += ["", f"{'move':{width}}  result for {side}"]
    return "\n".join([*lines, *(f"{move!s:{width}}  {after.text}" for move, after in moves)])


def _plain(verdict: Verdict) -> dict[str, Any]:
    return {"value": VALUES[verdict.value], "plies": verdict.plies}
