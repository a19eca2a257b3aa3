"""What a search found, in words that people and files use."""

from __future__ import annotations

from dataclasses import dataclass

from game.moves import Move

WIN = 1_000_000.0
"""Score of a game that is won; won after n plies it is n less. A loss is negative."""

WON = 900_000.0
"""Scores beyond this, either way, are proved. Evaluations are shown clamped at it."""


def plies_to_win(score: float) -> int | None:
    """Plies until the game is won, negative until it is lost; None if nothing is proved."""
    if abs(score) <= WON:
        return None
    plies = round(WIN - abs(score))
    return plies if score > 0 else -plies


def score_text(score: float) -> str:
    """A score for people: ``+0.53``, ``win in 23``, ``loss in 8`` (plies)."""
    plies = plies_to_win(score)
    if plies is None:
        return f"{score:+.2f}"
    return f"win in {plies}" if score > 0 else f"loss in {-plies}"


@dataclass(frozen=True, slots=True)
class RootMove:
    """One move of the position that was searched.

    Attributes:
        move: the move.
        score: its value to the side that moves.
        exact: whether that is its value; otherwise it is worth at most this.
        depth: plies of the iteration that found this.
    """

    move: Move
    score: float
    exact: bool
    depth: int


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found: what its last complete iteration did, with one exception.

    A search may be given up within an iteration that has already found a better move than the last complete one. Then
    that is the best move; its score, the principal variation and the scores of the moves that were judged again are
    those of the deeper iteration. Each root move tells its depth.

    Attributes:
        move: the best move; the first of them, as the mover sees the board.
        score: its value to the side that moves, in the evaluation's units; proved results are `WIN` less the plies.
        depth: plies of the last complete iteration; those of the best move are `root[0].depth`.
        nodes: positions visited.
        evaluations: network results.
        seconds: time it took.
        pv: the principal variation; shorter than the depth where the table knew the rest.
        root: every move, best first; those that were judged in a deeper iteration come before all others.
    """

    move: Move
    score: float
    depth: int
    nodes: int
    evaluations: int
    seconds: float
    pv: tuple[Move, ...]
    root: tuple[RootMove, ...]
