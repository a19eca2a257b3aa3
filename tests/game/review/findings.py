"""Results of searches with given scores, for tests of reviews."""

from __future__ import annotations

from game import plain
from game.board import Position
from game.endgame.verdict import Verdict
from game.scores import MEN, Line, SearchInfo
from game.search.interface import score_text


def finding(position: Position, *scores: float, verdicts: tuple[int, ...] = (), pv: int = 1) -> SearchInfo:
    moves = plain.legal_moves(position)
    lines = [
        Line(
            move,
            (score := scores[min(number, len(scores) - 1)]),
            MEN.share(score),
            score_text(score),
            verdict=Verdict(verdicts[min(number, len(verdicts) - 1)], None) if verdicts else None,
        )
        for number, move in enumerate(moves)
    ]
    lines.sort(key=lambda line: line.verdict.merit if line.verdict else (line.score, 0), reverse=True)
    best = lines[0]
    return SearchInfo(best.move, best.score, best.share, 12, 1, 0.0, (best.move,)[:pv], "", tuple(lines), best.verdict)
