"""A rated game in a window, and rated games on disk, for several tests."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from gui.model.ending import Cause, Ending
from gui.rating.career import Career
from gui.rating.rating import level_opponents
from gui.screens.play.play import Play
from gui.screens.play.rated import begin_rated
from gui.storage.game_text import to_text
from tests.gui.hands import Hands, Opened

SHIPPED = Path("populations")


def begin(hands: Hands) -> None:
    """Begin a rated game against a level, or ask about an unfinished one."""
    begin_rated(hands.app, level_opponents()[2], lambda model: hands.app.open(hands.app.screens.play(model)))


def begun(opened: Opened, **settings: Any) -> Hands:
    """Return a window with a rated game against a level in which the person is to move first."""
    hands = opened(**settings)
    begin(hands)
    assert isinstance(hands.app.screen, Play)
    return hands


def climbed(folder: Path) -> None:
    """Write two rated games into a data folder; the second one is no longer kept."""
    career = Career(folder)
    for points, kept in ((1.0, True), (0.0, False)):
        model = career.begin(level_opponents()[1])
        career.finish(career.game_of(model), points, [ply.move for ply in model.plies])
        while career.step() or career.busy:
            time.sleep(0.001)
        if kept:
            model.end(Ending(1, Cause.RESIGNED))
            (folder / "games").mkdir()
            (folder / "games" / "kept.json").write_text(to_text(model), encoding="utf-8")
    (folder / "games" / "damaged.json").write_text('{"tags": [["Rated", "x"]]}', encoding="utf-8")
