"""Faults of recorded games in their variations."""

from __future__ import annotations

from collections.abc import Callable

from game.board import Position
from game.pdn.game import Fault, RawGame, make_fault
from gui.model.lines import KIND, find_broken


def find_faults(raw: RawGame, codes: list[int], position_after: Callable[[int], Position]) -> list[Fault]:
    """Return a fault for each variation, also inside another one, that cannot be played instead of its move.

    It listens to `extras.recorded.check.check`, which must read notes.
    """
    return [
        make_fault(raw.number, raw.place(ply - 1)[0], ply, why)
        for ply, kind, text in raw.read_notes()
        if kind == KIND and 0 < ply <= len(codes)
        for why in find_broken(position_after(ply - 1), text)
    ]
