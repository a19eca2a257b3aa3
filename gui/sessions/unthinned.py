"""Generations from which a run can go on: those that kept their weights. No pygame."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

MOST_SPANS = 6
"""Of numbers in one sentence."""


def find_unthinned(path: Path) -> list[int]:
    """Generations of a run that kept their weights; none if it cannot be read, as going on with it will tell."""
    from evolve.run.folder import Run
    from game.errors import InputError

    try:
        return Run(path).manifest().whole
    except (InputError, OSError):
        return []


def join_spans(numbers: Sequence[int]) -> str:
    """Ascending numbers in words: ``0, 5, 10 and 13 to 15``; of very many the first and the last."""
    starts = [at for at in range(len(numbers)) if at == 0 or numbers[at] != numbers[at - 1] + 1]
    found = []
    for first, end in pairwise([*starts, len(numbers)]):
        low, high = numbers[first], numbers[end - 1]
        found.append(f"{low:,}" if low == high else f"{low:,} to {high:,}")
    if len(found) > MOST_SPANS:
        found = [*found[: MOST_SPANS // 2], "…", *found[-MOST_SPANS // 2 + 1 :]]
    return " and ".join([", ".join(found[:-1]), found[-1]] if len(found) > 1 else found)
