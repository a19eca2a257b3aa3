"""What a review says, in words: one place for the window, the command line and annotated games."""

from __future__ import annotations

from game.review.chances import Chances, Result
from game.review.judged import Judged, Mark, Phase, Review
from game.rules import BLACK, WHITE

SIDES = {BLACK: "Black", WHITE: "White"}
MARK_WORDS = {Mark.SLIP: "Inaccurate", Mark.MISTAKE: "Mistake", Mark.BLUNDER: "Blunder"}


def percent(points: float, *, certain: bool = False) -> str:
    """What can be expected of a game: ``62 %``. What is an opinion is never told as 0 or 100."""
    share = round(100 * points)
    return f"{share if certain else min(max(share, 1), 99)} %"


def result_percents(chances: Chances) -> tuple[str, str, str]:
    """Return the chances of a win, a draw and a loss."""
    win, draw, loss = (percent(each, certain=chances.certain) for each in (chances.win, chances.draw, chances.loss))
    return win, draw, loss


def chance_text(points: float) -> str:
    """Return the same of a position of a review, where only a known result is exactly 0, a half or 1."""
    return percent(points, certain=points in (0.0, 0.5, 1.0))


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


def side_summary(side: int, review: Review) -> str:
    """Return ``Black: 2 mistakes (opening 1, endgame 1)``, or where the chances went without a single mistake."""
    counts = review.summary[side]
    total = sum(counts.values())
    if not total and (slipped := slide_words(side, review)):
        return f"{SIDES[side]}: no single mistake, {slipped}"
    where = ", ".join(f"{phase.value} {counts[phase]}" for phase in Phase if counts[phase])
    return f"{SIDES[side]}: {counted(total, 'mistake')}{f' ({where})' if where else ''}"


def slide_words(side: int, review: Review) -> str:
    """Return ``chances from 52 % to 8 % between moves 14 and 21``; empty unless they slipped, or the side lost."""
    slide = review.slide_of(side)
    if slide is not None:
        first, last = ((ply - 1 + review.first) // 2 + 1 for ply in (slide.first, slide.last))
        where = f"in move {first}" if first == last else f"between moves {first} and {last}"
        return f"chances from {chance_text(slide.before)} to {chance_text(slide.after)} {where}"
    if review.mistakes_of(side) or review.result_of(side) != -1:
        return ""
    known = [points for points in review.points if points is not None]
    if not known:
        return "lost"
    left = chance_text(known[-1] if side == BLACK else 1 - known[-1])
    return f"lost with chances of {left} at the end"


def summary_words(review: Review) -> str:
    """Return both sides in one line."""
    return "; ".join(side_summary(side, review) for side in (BLACK, WHITE))
