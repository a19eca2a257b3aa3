"""Moves that throw away a proved result, marked in reviews and counted by player and number of pieces."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

from game import plain
from game.board import Position
from game.pdn.game import Game
from game.review.chances import KNOWN, Chances, count_pieces
from game.review.judged import Judged, Mark, Review, phase_of
from game.rules import BLACK
from game.search.proof import Bounds, Prover

MOST_PIECES = 10
"""Number of pieces of the largest positions of games that are tried."""
PHASES = {"9 and more": 9, "7 and 8": 7, "5 and 6": 5, "up to 4": 0}
"""The least number of pieces of each phase."""


class ProvedReviews:
    """Reviews that mark the moves which throw away a proved result, and count them by player and phase.

    A move counts if there was a choice, the position before it is proved to be won or drawn, and the result after it is
    proved, too.

    Attributes:
        counts: for each player and phase the number of these moves, and of those that threw the result away.
    """

    def __init__(self, prover: Prover) -> None:
        self._prover = prover
        self.name = prover.name
        self.counts: dict[str, dict[str, list[int]]] = {}

    def review(self, game: Game, _depth: int, progress: Callable[[int, int], None]) -> Review:
        """Review a game from its end, as proofs of later positions help with those of earlier ones."""
        self._prover.forget()
        positions = list(accumulate(game.moves, plain.apply, initial=game.start))
        known: list[Bounds] = [(-1, 1)] * len(positions)
        marks = list[Judged]()
        for ply in range(len(game.moves), -1, -1):
            if count_pieces(positions[ply]) <= MOST_PIECES:
                known[ply] = self._prover.bounds(positions[ply])
                if ply < len(game.moves) and (mark := self._judge(game, ply, positions, known)) is not None:
                    marks.insert(0, mark)
            progress(len(positions) - ply, len(game.moves))
        chances = tuple(_chances(each, position) for each, position in zip(known, positions, strict=True))
        return Review(self.name, 0, tuple(game.moves), chances, tuple(marks), game.start.side, game.black_result)

    def _judge(self, game: Game, ply: int, positions: list[Position], known: list[Bounds]) -> Judged | None:
        """Count a move if it is proved, and return its mark if it threw a result away."""
        position, after, move = positions[ply], positions[ply + 1], game.moves[ply]
        (least, most), (worst, best) = known[ply], known[ply + 1]
        if least != most or worst != best or least < 0 or len(plain.legal_moves(position)) < 2:
            return None
        name = game.tag("Black" if position.side == BLACK else "White") or "?"
        phase = next(phase for phase, pieces in PHASES.items() if count_pieces(position) >= pieces)
        count = self.counts.setdefault(name, {each: [0, 0] for each in PHASES})[phase]
        count[0] += 1
        if -worst == least:
            return None
        count[1] += 1
        side, other, had, left = position.side, after.side, KNOWN[least], KNOWN[-worst]
        better = self._prover.line(position, side if least > 0 else other)
        wrong = self._prover.line(after, other if worst > 0 else side)
        results = (had.result, left.result, had, left)
        return Judged(ply + 1, side, phase_of(position), Mark.BLUNDER, move, *results, better, (), wrong)

    def as_json(self) -> dict[str, Any]:
        return {
            name: {phase: dict(zip(("moves", "thrown_away"), count, strict=True)) for phase, count in counts.items()}
            for name, counts in sorted(self.counts.items())
        }

    def report(self) -> str:
        """Return the moves with a proved result and those that threw it away, for each player, as a table."""
        width = max(len("player"), *map(len, self.counts), 0)
        lines = [f"{'player':{width}}" + "".join(f"  {phase:>14}" for phase in ("all", *PHASES))]
        for name, counts in sorted(self.counts.items()):
            together = [sum(column) for column in zip(*counts.values(), strict=True)]
            shares = [f"{thrown:,} of {moves:,}" if moves else "" for moves, thrown in (together, *counts.values())]
            lines.append(f"{name:{width}}" + "".join(f"  {each:>14}" for each in shares))
        return "\n".join(["Moves that threw away a proved result, of those with one, by pieces:", *lines])


def _chances(known: Bounds, position: Position) -> Chances | None:
    """Return Black's chances if they are proved."""
    least, most = known
    return KNOWN[least if position.side == BLACK else -least] if least == most else None
