"""The end of a game: its result, its cause, and the draw rules that end it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from game import plain
from game.board import Position
from game.endings import Reason, draw_reason
from game.rules import BLACK, DrawRules
from gui.model.lines import Ply

SIDE_NAME = ("Black", "White")
"""The names of the sides, indexed by side."""

PDN_RESULT = {1: "1-0", -1: "0-1", 0: "1/2-1/2"}
"""The notation of a result in PDN. The keys are 1 if Black won, -1 if White won, 0 for a draw."""


class Cause(StrEnum):
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
"""Causes that follow from the moves; the other causes do not."""

_CAUSES = {Reason.REPETITION: Cause.REPETITION, Reason.QUIET: Cause.QUIET, Reason.LENGTH: Cause.LENGTH}


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a game.

    Attributes:
        result: 1 if Black won, -1 if White won, 0 for a draw.
    """

    result: int
    cause: Cause
    detail: str = ""

    @property
    def winner(self) -> int | None:
        return None if self.result == 0 else (1 - self.result) // 2

    @property
    def pdn_result(self) -> str:
        return PDN_RESULT[self.result]

    @property
    def headline(self) -> str:
        """The winner, or a draw, in at most two words."""
        return "Draw" if self.winner is None else f"{SIDE_NAME[self.winner]} wins"

    def reason(self, person: int | None = None) -> str:
        """Return the cause, in one sentence that calls the side of a person “You”; None for no person."""
        loser, has = ("", "") if self.winner is None else (SIDE_NAME[1 - self.winner], "has")
        if person is not None and self.winner == 1 - person:
            loser, has = "You", "have"
        text = {
            Cause.NO_PIECES: f"{loser} {has} no pieces left.",
            Cause.NO_MOVE: f"{loser} {has} no legal move.",
            Cause.REPETITION: "The position has occurred for the third time.",
            Cause.QUIET: "Each side has made 40 moves without a capture or a move of a man.",
            Cause.LENGTH: "The game has reached its maximum length.",
            Cause.RESIGNED: f"{loser} resigned.",
            Cause.AGREED: "Both sides agreed on a draw.",
            Cause.FAILED: f"{loser} failed.",
            Cause.RECORDED: "According to the record of the game.",
        }[self.cause]
        return f"{text} ({self.detail})" if self.detail else text


@dataclass(frozen=True, slots=True)
class Undone:
    """The moves taken back by one `undo`."""

    plies: tuple[Ply, ...]
    ending: Ending | None


def find_ending(start: Position, plies: Sequence[Ply], rules: DrawRules) -> Ending | None:
    """Return the ending by lack of moves, repetition, quiet plies or length; None if the game goes on."""
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
