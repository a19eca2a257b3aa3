"""Changes in the play of a family, from recorded games, which the thinking process works out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run.append_only import CHAMPIONS
from gui.evolving.games import LOOK_BACK, Change, play_change, recorded_games

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from game.traits import TraitMean

CERTAIN = 4.0
"""Least change for a row of its own, in standard errors: it is the largest of many that are compared."""

MOST_CHANGES = 3
APART = LOOK_BACK // 2
"""Least number of generations between such a row and any other."""


def changes_of_play(
    path: Path, members: Iterable[tuple[int, tuple[str, ...]]], rows: Sequence[int], wants_more: bool
) -> dict[int, Change]:
    """Return what is new in the play of a family at its rows, by generation.

    Args:
        members: generations, each with the names of the family's members.
        wants_more: whether generations in which the play changed much become rows, too.
    """
    from game.traits import means

    measured = _measured(path, dict(members))

    def play(after: int, until: int) -> tuple[TraitMean, ...]:
        return means([traits for number, traits in measured if after < number <= until])

    changes: dict[int, Change] = {}
    if wants_more:
        numbers = range(min(rows) + APART, max(rows) - APART + 1)
        results = (
            (number, play_change(play(number - LOOK_BACK, number), play(number, number + LOOK_BACK)))
            for number in numbers
        )
        certain = [(number, change) for number, change in results if change is not None and change.sure >= CERTAIN]
        for number, change in sorted(certain, key=lambda one: -one[1].sure):
            if len(changes) < MOST_CHANGES and all(abs(number - other) >= APART for other in (*rows, *changes)):
                changes[number] = change
    for before, number in pairwise(sorted({*rows})):
        new = play_change(play(-1, before), play(before, number))
        changes |= {} if new is None else {number: new}
    return changes


def _measured(path: Path, members: Mapping[int, tuple[str, ...]]) -> list[tuple[int, NDArray[np.float64]]]:
    from game.traits import measure_moves

    try:
        size = (path / CHAMPIONS).stat().st_size
    except OSError:
        return []
    measured = []
    for number, players, _, start, played in recorded_games(path, (0, size)):
        sides = [side for side in (0, 1) if players[side] in members.get(number, ())]
        if sides:
            traits = measure_moves(played, start)
            measured += [(number, traits[side]) for side in sides]
    return measured
