"""The analyst's evaluations of a game's positions, and tablebase verdicts in words."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from game import plain
from game.board import Position
from game.endgame.slices import MOST_BUILT
from game.endgame.verdict import Verdict
from game.number_text import moves_text
from game.review.chances import Chances, GameKind, position_chances
from game.rules import BLACK
from game.scores import SearchInfo
from gui.model.ending import SIDE_NAME
from gui.model.game import GameModel
from gui.model.seats import Seat

ANALYST = Seat("material", 12, 10.0)
"""The default analyst."""


def black_chances(position: Position, finding: SearchInfo | None, games: GameKind) -> Chances | None:
    """Return Black's chances in a position; None without a score or verdict."""
    chances = None if finding is None else position_chances(position, finding, games)
    return chances if chances is None or position.side == BLACK else chances.reversed


@dataclass(frozen=True, slots=True)
class Analysis:
    """The analysis of a position.

    Attributes:
        final: whether the analysis has ended.
    """

    position: Position
    finding: SearchInfo
    final: bool
    games: GameKind = GameKind.PEOPLE

    @property
    def side(self) -> int:
        return self.position.side

    @property
    def verdict(self) -> Verdict | None:
        return self.finding.verdict

    @property
    def black_score(self) -> float | None:
        """The score in men, from Black's point of view."""
        score = self.finding.score
        return score if score is None or self.side == BLACK else -score

    @property
    def black_chances(self) -> Chances | None:
        return black_chances(self.position, self.finding, self.games)


@dataclass
class Analyses:
    """The analyst and its analyses of a game, keyed by number of moves and position."""

    analyst: Seat = ANALYST
    _known: dict[tuple[int, Position], Analysis] = field(default_factory=dict)

    def find(self, model: GameModel, cursor: int) -> Analysis | None:
        return self._known.get((cursor, model.position_at(cursor)))

    def learn(self, cursor: int, position: Position, finding: SearchInfo, ended: bool, games: GameKind) -> None:
        """Store an analysis, unless a deeper one is known."""
        place, depth = (cursor, position), finding.depth or 0
        known = self._known.get(place)
        if known is None or depth >= (known.finding.depth or 0):
            self._known[place] = Analysis(position, finding, ended, games)
        elif ended:
            self._known[place] = replace(known, final=True)

    def is_wanted(self, model: GameModel) -> bool:
        """Return whether the visible position is still to be analysed."""
        known = self.find(model, model.cursor)
        return (known is None or not known.final) and bool(plain.legal_moves(model.shown))

    def forget_unjudged(self) -> None:
        """Forget positions without a verdict that newly opened tablebases may cover."""
        for place in [place for place, known in self._known.items() if known.verdict is None]:
            if (place[1].black | place[1].white).bit_count() <= MOST_BUILT:
                del self._known[place]

    def forget(self) -> None:
        self._known.clear()


CERTAIN = "certain by tablebase"


def verdict_words(side: int, verdict: Verdict) -> str:
    """Return a verdict in words, given the side to move: ``Black wins in 12 moves``, ``Draw``."""
    if not verdict.value:
        return "Draw"
    winner = SIDE_NAME[side if verdict.value > 0 else 1 - side]
    return f"{winner} wins" if verdict.plies is None else f"{winner} wins in {moves_text(verdict.plies)}"


def certain_words(side: int, verdict: Verdict) -> str:
    """Return the verdict and its source: ``Black wins in 12 moves: certain by tablebase``."""
    return f"{verdict_words(side, verdict)}: {CERTAIN}"
