"""Moves that throw away a proved result, marked in reviews and counted by player and number of pieces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cache
from itertools import accumulate
from typing import Any

from game import plain
from game.board import Position
from game.endgame.tables import complete_tables
from game.match import GameRecord
from game.moves import Move
from game.pdn.game import Game
from game.review.chances import KNOWN, Chances, count_pieces
from game.review.judged import Judged, Mark, ProvedMoves, Review, phase_of
from game.rules import BLACK, WHITE
from game.search.proof import Bounds, Prover

MOST_PIECES = 10
"""Number of pieces of the largest positions of games that are tried."""
PHASES = {"9 and more": 9, "7 and 8": 7, "5 and 6": 5, "up to 4": 0}
"""The least number of pieces of each phase."""


class ProvedReviews:
    """Reviews that mark the moves which throw away a proved result, and count them by player and phase.

    Attributes:
        counts: the moves of each player, by phase.
    """

    def __init__(self, prover: Prover) -> None:
        self._prover = prover
        self.name = prover.name
        self.counts: dict[str, dict[str, ProvedMoves]] = {}

    def review(self, game: Game, _depth: int, progress: Callable[[int, int], None]) -> Review:
        """Review a game from its end, as proofs of later positions help with those of earlier ones."""
        self._prover.forget()
        positions = list(accumulate(game.moves, plain.apply, initial=game.start))
        known: list[Bounds] = [(-1, 1)] * len(positions)
        for ply in range(len(game.moves), -1, -1):
            if count_pieces(positions[ply]) <= MOST_PIECES:
                known[ply] = self._prover.bounds(positions[ply])
            progress(len(positions) - ply, len(game.moves))
        chances = tuple(_chances(each, position) for each, position in zip(known, positions, strict=True))
        review = Review(self.name, 0, tuple(game.moves), chances, (), game.start.side, game.black_result)
        review = replace(review, positions=tuple(positions))
        for ply, kept in review.proved.items():
            position = positions[ply - 1]
            name = game.tag("Black" if position.side == BLACK else "White") or "?"
            phase = next(phase for phase, pieces in PHASES.items() if count_pieces(position) >= pieces)
            counts = self.counts.setdefault(name, dict.fromkeys(PHASES, ProvedMoves()))
            counts[phase] += ProvedMoves(1, not kept)
        thrown_away = [ply for ply, kept in review.proved.items() if not kept]
        return replace(review, marks=tuple(self._mark(ply, positions, known, review.moves) for ply in thrown_away))

    def _mark(self, ply: int, positions: list[Position], known: list[Bounds], moves: tuple[Move, ...]) -> Judged:
        """Return the mark of a move that threw a result away, with the lines that prove it."""
        position, after, least, worst = positions[ply - 1], positions[ply], known[ply - 1][0], known[ply][0]
        side, other, had, left = position.side, after.side, KNOWN[least], KNOWN[-worst]
        better = self._prover.line(position, side if least > 0 else other)
        wrong = self._prover.line(after, other if worst > 0 else side)
        results = (had.result, left.result, had, left)
        return Judged(ply, side, phase_of(position), Mark.BLUNDER, moves[ply - 1], *results, better, (), wrong)

    def as_json(self) -> dict[str, Any]:
        return {
            name: {phase: asdict(count) for phase, count in counts.items()}
            for name, counts in sorted(self.counts.items())
        }

    def report(self) -> str:
        """Return the moves with a proved result and those that threw it away, for each player, as a table."""
        width = max(len("player"), *map(len, self.counts), 0)
        lines = [f"{'player':{width}}" + "".join(f"  {phase:>14}" for phase in ("all", *PHASES))]
        for name, counts in sorted(self.counts.items()):
            together = sum(counts.values(), ProvedMoves())
            shares = [count.text if count.moves else "" for count in (together, *counts.values())]
            lines.append(f"{name:{width}}" + "".join(f"  {each:>14}" for each in shares))
        return "\n".join(["Moves that threw away a proved result, of those with one, by pieces:", *lines])


def proved_moves(record: GameRecord, pieces: int) -> tuple[ProvedMoves, ProvedMoves]:
    """Return the moves of Black and of White in a game with proved results, by tables of up to a number of pieces.

    Raises:
        InputError: these tables are not complete.
    """
    game = Game((), record.start, record.moves, record.pdn_result)
    review = ProvedReviews(_prover(pieces)).review(game, 0, lambda *_: None)
    return review.proved_of(BLACK), review.proved_of(WHITE)


@cache
def _prover(pieces: int) -> Prover:
    return Prover(complete_tables(pieces, "--proved"))


def _chances(known: Bounds, position: Position) -> Chances | None:
    """Return Black's chances if they are proved."""
    least, most = known
    return KNOWN[least if position.side == BLACK else -least] if least == most else None
