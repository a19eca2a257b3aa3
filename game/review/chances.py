"""Chances of a win, a draw and a loss, computed from scores."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from game.bitboard import squares_of
from game.board import Position
from game.endgame.verdict import Verdict
from game.players.names import INDIVIDUAL_OPTIONS, RESERVED
from game.scores import SearchInfo
from game.search.interface import WON

LIKELY = 2 / 3
"""Probability above which a win or a loss is the expected result; below it, the game is open."""

MOST_PIECES, FEWEST_PIECES = 24, 4


class GameKind(StrEnum):
    """The kind of games to which a curve is fitted. With the same lead, people win more often than programs."""

    PEOPLE = "people"
    PROGRAMS = "programs"


def games_of(tags: Mapping[str, str]) -> GameKind:
    """Infer the kind of a recorded game from its tags: `PROGRAMS` if both players are programs.

    A player is a program if its tag `BlackType` or `WhiteType` says so, or if its name has the form that `match` and
    the window give to players of this program: a reserved word, or a run with its generation or options, such as
    ``crownhead,depth=4``.
    """
    return GameKind.PROGRAMS if all(_is_program(tags, side) for side in ("Black", "White")) else GameKind.PEOPLE


def _is_program(tags: Mapping[str, str], side: str) -> bool:
    name = tags.get(side, "")
    target, _, rest = name.partition(",")
    return (
        tags.get(f"{side}Type", "").lower() == "program"
        or target.partition(":")[0] in RESERVED
        or _GENERATION.search(target) is not None
        or _LIMIT.match(rest) is not None
    )


_GENERATION = re.compile(r"@[0-9]+(:|$)")
_LIMIT = re.compile(rf" no look-ahead| ?({'|'.join(INDIVIDUAL_OPTIONS)})[= ]")
"""Options after the name of a player: ``,depth=4`` on the command line, ``, depth 4`` in the window."""


@dataclass(frozen=True, slots=True)
class ChanceCurve:
    """A curve from scores to chances, by the number of pieces on the board.

    Attributes:
        level: lead in men at which a win has probability 1/2, with all pieces on the board and with the fewest pieces.
        spread: change in men that multiplies the odds of a win by e, with all pieces and with the fewest pieces.
    """

    level: tuple[float, float]
    spread: tuple[float, float]

    def at(self, score: float, pieces: int) -> Chances:
        """Return the chances of a side from its score in men.

        The probability of a win is 1 / (1 + exp((level - score) / spread)), a loss is a win of the other side, and the
        rest is a draw. Source: Rao and Kupper (1967), ties in paired comparisons.
        """
        part = min(max((MOST_PIECES - pieces) / (MOST_PIECES - FEWEST_PIECES), 0.0), 1.0)
        level, spread = (full + part * (few - full) for full, few in (self.level, self.spread))
        win, loss = (1 / (1 + math.exp(min(max((level - lead) / spread, -40), 40))) for lead in (score, -score))
        return Chances(win, max(1 - win - loss, 0.0), loss)


class Result(StrEnum):
    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"


@dataclass(frozen=True, slots=True)
class Chances:
    """Probabilities of the results of a game, for one side; the three add up to 1.

    Attributes:
        win, draw, loss: probability of each result.
        certain: whether the result is known from tablebases or a proved win.
    """

    win: float
    draw: float
    loss: float
    certain: bool = False

    @property
    def points(self) -> float:
        """The expected points: 1 for a win, half a point for a draw."""
        return self.win + self.draw / 2

    @property
    def reversed(self) -> Chances:
        return Chances(self.loss, self.draw, self.win, self.certain)

    @property
    def result(self) -> Result:
        return Result.WIN if self.win >= LIKELY else Result.LOSS if self.loss >= LIKELY else Result.DRAW


KNOWN = {
    1: Chances(1.0, 0.0, 0.0, certain=True),
    0: Chances(0.0, 1.0, 0.0, certain=True),
    -1: Chances(0.0, 0.0, 1.0, certain=True),
}
"""Chances of games whose result is known."""

CURVES = {
    GameKind.PEOPLE: ChanceCurve(level=(0.356, 0.456), spread=(0.309, 0.125)),
    GameKind.PROGRAMS: ChanceCurve(level=(0.331, 0.497), spread=(0.522, 0.087)),
}
"""Curves for the scores of the default analyst at depth 12. docs/ratings.md has the commands that fitted them
and their performance on other games. Other analysts give scores in the same unit and use the same curves."""

AT_START = 0.37
"""The share by which scores count less before the first move; after each ply, a third of it is left.

Results after different first moves differ less than scores do: often a lot chose these moves and the next two, and they
have been studied. The share was fitted to games of people (docs/ratings.md).
"""


def find_chances(
    score: float,
    pieces: int,
    verdict: Verdict | None = None,
    games: GameKind = GameKind.PEOPLE,
    plies: int | None = None,
) -> Chances:
    """Return the chances of the side to move, from tablebases, a proved win or loss, or the curve.

    Args:
        score: score of the side to move, in men; a proved win as in `game.search.interface`.
        verdict: the tablebases' verdict for the side to move.
        plies: plies since the start of the game (`plies_played`); None if a piece has been captured.
    """
    if verdict is not None:
        return KNOWN[verdict.value]
    if abs(score) > WON:
        return KNOWN[1 if score > 0 else -1]
    share = 1.0 if plies is None else 1 - AT_START * 3.0**-plies
    return CURVES[games].at(share * score, pieces)


def position_chances(position: Position, finding: SearchInfo, games: GameKind = GameKind.PEOPLE) -> Chances | None:
    """Return the chances of the side to move from a search result; None if it has no score, as from a policy."""
    if finding.score is None and finding.verdict is None:
        return None
    return score_chances(position, finding.score or 0.0, finding.verdict, games)


def score_chances(
    position: Position, score: float, verdict: Verdict | None = None, games: GameKind = GameKind.PEOPLE
) -> Chances:
    """Return the chances of the side to move in a position, from the score of the position or of one of its moves."""
    return find_chances(score, count_pieces(position), verdict, games, plies_played(position))


def count_pieces(position: Position) -> int:
    return (position.black | position.white).bit_count()


def plies_played(position: Position) -> int | None:
    """Return the plies from the start to a position with all 24 men; None if there are fewer, or kings.

    Without captures, each ply has moved one man by one row.
    """
    if position.kings or count_pieces(position) < MOST_PIECES:
        return None
    rows = sum((square - 1) // 4 for square in squares_of(position.black))
    return rows + sum(7 - (square - 1) // 4 for square in squares_of(position.white)) - 2 * _ROWS_AT_START


_ROWS_AT_START = 12
"""The sum of the rows of a side's men before the first move, counted from its own edge."""
