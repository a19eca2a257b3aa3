"""Numbers as people read them: with separators, a real minus sign, and their noun."""

from __future__ import annotations

from collections.abc import Sequence


def shown(value: float) -> str:
    """Whole numbers with separators, others with five digits that count."""
    return (f"{value:,}" if isinstance(value, int) else f"{value:.5g}").replace("-", "−")


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 game, 2 games."""
    return f"{shown(number)} {noun}" + ("" if abs(number) == 1 else "s")


def told(results: Sequence[int]) -> str:
    """Games, wins, draws, losses and points in words."""
    games, wins, draws, losses, points = results
    parts = f"{shown(wins)} won, {shown(draws)} drawn, {shown(losses)} lost"
    return f"{counted(games, 'game')}: {parts}; {counted(points, 'point')}"
