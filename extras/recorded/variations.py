"""Faults of recorded games in their variations."""

from __future__ import annotations

from extras.recorded.check import Plies
from game.pdn.game import Fault, RawGame, make_fault
from gui.model.lines import KIND, find_broken


def find_faults(raw: RawGame, plies: Plies) -> list[Fault]:
    """Return a fault for each variation, also inside another one, that cannot be played instead of its move.

    It listens to `extras.recorded.check.check`, which must read notes.
    """
    return [
        make_fault(raw.number, raw.place(ply - 1)[0], ply, why)
        for ply, kind, text in raw.read_notes()
        if kind == KIND and 0 < ply <= len(plies)
        for why in find_broken(plies[ply - 1][0], text)
    ]
