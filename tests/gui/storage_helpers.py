"""Values and functions shared by `test_storage` and other tests."""

from __future__ import annotations

from pathlib import Path
from random import Random

from game import plain
from game.rules import DrawRules
from gui.model.game import GameModel
from gui.model.lines import Thought
from gui.model.seats import HUMAN, Seat
from gui.storage.autosave import Autosave, Kept

SEATS = (HUMAN, Seat("cowan-1@15:Gen15_0832", 4, 2.5, "the champion"))


def played(seed: int, plies: int = 20) -> GameModel:
    random = Random(seed)
    model = GameModel(SEATS, rules=DrawRules(3, 60, max_plies=200), tags=(("Event", "Friday"),))
    for ply in range(plies):
        if model.over:
            break
        move = random.choice(plain.legal_moves(model.last))
        thought = Thought(0.5 * ply, 0.005 * ply, 4, 1000 + ply, 0.25, (move,), "+0.50") if model.side else None
        model.play(move, thought)
    return model


def resume(autosave: Autosave, folder: Path) -> Kept | None:
    """Open the newest game below a data folder that no window has open; None if there is none."""
    paths = sorted(
        (folder / "games").glob("*.json"), key=lambda path: (path.stat().st_mtime_ns, path.name), reverse=True
    )
    return next(filter(None, map(autosave.take, paths)), None)
