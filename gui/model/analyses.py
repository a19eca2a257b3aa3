"""The analyst's evaluations of the positions of a game, and the verdicts of tablebases in words."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from game import plain
from game.board import Position
from game.endgame.slices import MOST_BUILT
from game.endgame.verdict import Verdict
from game.finding import SearchInfo
from game.number_text import plies_text
from game.review.chances import Chances, Games, position_chances
from game.rules import BLACK
from gui.model.game import SIDE_NAME, GameModel
from gui.model.seats import Seat

ANALYST = Seat("material", 12, 10.0, "Piece counter")
"""Who analyses if nobody was named."""

OTHERS_SECONDS = 2.0
"""For the analysis of a position that is not shown."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the analyst thinks of a position.

    Attributes:
        position: that was analysed; scores are seen by its mover.
        finding: depth, scores of all moves, best line.
        final: whether nothing more comes.
        games: whose games the curve from scores to chances is of.
    """

    position: Position
    finding: SearchInfo
    final: bool
    games: Games = Games.PEOPLE

    @property
    def side(self) -> int:
        """The side to move."""
        return self.position.side

    @property
    def verdict(self) -> Verdict | None:
        """What tablebases know, seen by the side to move."""
        return self.finding.verdict

    @property
    def black_score(self) -> float | None:
        """How Black stands, in men, as the analyst thinks."""
        score = self.finding.score
        return score if score is None or self.side == BLACK else -score

    @property
    def black_chances(self) -> Chances | None:
        """Chances of Black to win, draw and lose, as in a review of the game; None without a score."""
        chances = position_chances(self.position, self.finding, self.games)
        return chances if chances is None or self.side == BLACK else chances.reversed

    @property
    def black_share(self) -> float | None:
        """The points that Black can expect, from -1 (a loss) to 1 (a win)."""
        chances = self.black_chances
        return None if chances is None else 2 * chances.points - 1

    @property
    def scoreless(self) -> bool:
        """True if the analyst judged the position without a score, as a policy does, and no table knows it."""
        return self.black_share is None

    @property
    def tells_draws(self) -> bool:
        """True if the analyst's network tells draws apart, and no table knows the result."""
        return self.finding.results is not None and self.verdict is None


@dataclass
class Analyses:
    """The analyst and what it has said of a game, by number of moves and position.

    Attributes:
        analyst: who analyses.
    """

    analyst: Seat = ANALYST
    _known: dict[tuple[int, Position], Analysis] = field(default_factory=dict)
    _settled: set[tuple[int, Position]] = field(default_factory=set)  # nothing more comes unless they are shown

    def find(self, model: GameModel, cursor: int) -> Analysis | None:
        """What it thinks of the position after so many moves; None if it has not said."""
        return self._known.get((cursor, model.position_at(cursor)))

    def learn(
        self, cursor: int, position: Position, seat: Seat, finding: SearchInfo, ended: bool, games: Games = Games.PEOPLE
    ) -> None:
        """Keep what it says, unless it has said it of a greater depth.

        Args:
            cursor, position: where.
            seat: the analyst, or the same with less time.
            finding: what it says.
            ended: whether it has ended.
            games: whose games the curve from scores to chances is of.
        """
        place, depth = (cursor, position), finding.depth or 0
        known = self._known.get(place)
        if ended:
            self._settled.add(place)
        final = ended and (seat == self.analyst or depth >= self.analyst.depth)
        if known is None or depth >= (known.finding.depth or 0):
            self._known[place] = Analysis(position, finding, final, games)
        elif final:
            self._known[place] = replace(known, final=True)

    def next_place(self, model: GameModel, *, whole: bool) -> tuple[int, Seat] | None:
        """The position of the game to analyse next, and by whom: that which is shown, then others, the latest first.

        Args:
            model: the game.
            whole: whether others count.
        """
        known = self.find(model, model.cursor)
        if (known is None or not known.final) and plain.legal_moves(model.shown):
            return model.cursor, self.analyst
        for cursor in range(len(model.plies), -1, -1) if whole else ():
            position = model.position_at(cursor)
            if (cursor, position) not in self._settled and plain.legal_moves(position):
                return cursor, replace(self.analyst, seconds=OTHERS_SECONDS)
        return None

    def forget_unjudged(self) -> None:
        """Tablebases were opened: forget positions of few pieces of which none were known."""
        for place in [place for place, known in self._known.items() if known.verdict is None]:
            if (place[1].black | place[1].white).bit_count() <= MOST_BUILT:
                del self._known[place]
                self._settled.discard(place)

    def forget(self) -> None:
        """Another game, or another analyst."""
        self._known.clear()
        self._settled.clear()


CERTAIN = "certain by tablebase"


def verdict_words(side: int, verdict: Verdict) -> str:
    """Return what becomes of a position with this side to move: ``Black wins in 23 plies``, ``Draw``."""
    if not verdict.value:
        return "Draw"
    winner = SIDE_NAME[side if verdict.value > 0 else 1 - side]
    return f"{winner} wins" if verdict.plies is None else f"{winner} wins in {plies_text(verdict.plies)}"


def certain_words(side: int, verdict: Verdict) -> str:
    """Return the verdict and how it is known: ``Black wins in 23 plies: certain by tablebase``."""
    return f"{verdict_words(side, verdict)}: {CERTAIN}"


def verdict_mark(verdict: Verdict) -> str:
    """Return a verdict in the few letters that a bar has room for, in three lines."""
    if not verdict.value:
        return "="
    return "win" if verdict.plies is None else f"win {plies_text(verdict.plies)}".replace(" ", "\n")


def thrown_away(before: Analysis | None, after: Analysis | None) -> str:
    """What a move has thrown away, as tablebases know: ``a win``, ``a draw``; empty if nothing, or nobody knows.

    Args:
        before, after: of the positions before and after it.
    """
    had, left = (None if known is None else known.verdict for known in (before, after))
    if had is None or left is None or -left.value >= had.value:
        return ""
    return "a win" if had.value else "a draw"
