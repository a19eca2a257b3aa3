"""What tablebases say of a game, in words. Unlike what an analyst says it is certain."""

from __future__ import annotations

from game.endgame.verdict import Verdict
from game.number_text import plies_text
from gui.model.analyses import Analysis
from gui.model.endings import SIDE_NAME

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
