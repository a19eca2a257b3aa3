"""How a game ended, by the rules of `game.match` and by what people may do besides: resign, agree on a draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from game import plain
from game.board import Position
from game.endings import Reason, draw_reason
from game.rules import BLACK, DrawRules
from gui.model.ply import Ply

SIDE_NAME = ("Black", "White")
"""By side."""

PDN_RESULT = {1: "1-0", -1: "0-1", 0: "1/2-1/2"}
"""By result: 1 Black won, -1 White won, 0 a draw."""


class Cause(StrEnum):
    """The rule by which a game ended."""

    NO_PIECES = "no pieces"
    NO_MOVE = "no move"
    REPETITION = "repetition"
    QUIET = "quiet"
    LENGTH = "length"
    RESIGNED = "resigned"
    AGREED = "agreed"
    FAILED = "failed"
    RECORDED = "recorded"


BY_MOVES = (Cause.NO_PIECES, Cause.NO_MOVE, Cause.REPETITION, Cause.QUIET, Cause.LENGTH)
"""Causes that follow from the moves; the others are declared by a player."""

_CAUSES = {Reason.REPETITION: Cause.REPETITION, Reason.QUIET: Cause.QUIET, Reason.LENGTH: Cause.LENGTH}


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a game.

    Attributes:
        result: 1 Black won, -1 White won, 0 a draw.
        cause: by which rule.
        detail: more words, such as what went wrong with a player.
    """

    result: int
    cause: Cause
    detail: str = ""

    @property
    def winner(self) -> int | None:
        """The side that won; None for a draw."""
        return None if self.result == 0 else (1 - self.result) // 2

    @property
    def pdn_result(self) -> str:
        """As PDN writes it: ``1-0`` means that Black, the first mover, won."""
        return PDN_RESULT[self.result]

    @property
    def headline(self) -> str:
        """The winner, in two words."""
        return "Draw" if self.winner is None else f"{SIDE_NAME[self.winner]} wins"

    @property
    def reason(self) -> str:
        """By which rule, in one sentence."""
        loser = "" if self.winner is None else SIDE_NAME[1 - self.winner]
        text = {
            Cause.NO_PIECES: f"{loser} has no pieces left.",
            Cause.NO_MOVE: f"{loser} has no legal move.",
            Cause.REPETITION: "The position has occurred for the third time.",
            Cause.QUIET: "40 moves of each side without a capture or a move of a man.",
            Cause.LENGTH: "The longest game allowed was reached.",
            Cause.RESIGNED: f"{loser} resigned.",
            Cause.AGREED: "Both sides agreed on a draw.",
            Cause.FAILED: f"{loser} could not go on.",
            Cause.RECORDED: "So the record of the game says.",
        }[self.cause]
        return f"{text} ({self.detail})" if self.detail else text


def find_ending(start: Position, plies: Sequence[Ply], rules: DrawRules) -> Ending | None:
    """How the moves end the game, if they do: the first that applies of no move, repetition, quiet plies, length."""
    position = plies[-1].after if plies else start
    if not plain.legal_moves(position):
        result = -1 if position.side == BLACK else 1
        return Ending(result, Cause.NO_MOVE if position.own else Cause.NO_PIECES)
    if not plies:
        return None
    back = len(plies)
    while back and plies[back - 1].reversible:
        back -= 1
    reversible = [plies[back - 1].after if back else start, *(ply.after for ply in plies[back:])]
    quiet = 0
    for ply in reversed(plies):
        if ply.move.captured or (rules.men_reset and not ply.reversible):
            break
        quiet += 1
    reason = draw_reason(reversible, quiet, len(plies), rules)
    return None if reason is None else Ending(0, _CAUSES[reason])
