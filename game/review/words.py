"""What a review says, in words: one place for the window, the command line and annotated games."""

from __future__ import annotations

from game.review.chances import Result
from game.review.judged import Judged, Mark, Phase, Summary
from game.rules import BLACK, WHITE

SIDES = {BLACK: "Black", WHITE: "White"}
MARK_WORDS = {Mark.SLIP: "Inaccurate", Mark.MISTAKE: "Mistake", Mark.BLUNDER: "Blunder"}


def percent(points: float, *, certain: bool = False) -> str:
    """What can be expected of a game: ``62 %``. What is an opinion is never told as 0 or 100."""
    share = round(100 * points)
    return f"{share if certain else min(max(share, 1), 99)} %"


def judgement(mark: Judged) -> str:
    """What a move did: ``Mistake: from even to losing``, for certain ``from drawn to lost``."""
    head = MARK_WORDS[mark.mark]
    if not mark.mistake:
        return head
    words = CERTAIN_WORDS if mark.certain else LIKELY_WORDS
    return f"{head}: from {words[mark.had]} to {words[mark.left]}"


LIKELY_WORDS = {Result.WIN: "winning", Result.DRAW: "even", Result.LOSS: "losing"}
CERTAIN_WORDS = {Result.WIN: "won", Result.DRAW: "drawn", Result.LOSS: "lost"}
"""What is expected of a game, and what is known of it, for who moves."""


def counted(number: int, what: str) -> str:
    """``no mistakes``, ``1 mistake``, ``1,200 mistakes``."""
    return f"{f'{number:,}' if number else 'no'} {what}{'' if number == 1 else 's'}"


def side_summary(side: int, summary: Summary) -> str:
    """``Black: 2 mistakes (opening 1, endgame 1)``."""
    counts = summary[side]
    total = sum(counts.values())
    where = ", ".join(f"{phase.value} {counts[phase]}" for phase in Phase if counts[phase])
    return f"{SIDES[side]}: {counted(total, 'mistake')}{f' ({where})' if where else ''}"


def summary_words(summary: Summary) -> str:
    """Both sides in one line."""
    return "; ".join(side_summary(side, summary) for side in (BLACK, WHITE))
