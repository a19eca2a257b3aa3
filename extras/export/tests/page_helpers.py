"""A climb on disk, and the data of a page of games; shared by tests."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

from gui.climb.career import Career
from gui.climb.ladder import level_opponents
from gui.model.ending import Cause, Ending
from gui.storage.game_text import to_text


def data_of(page: str) -> Any:
    (text,) = re.findall(r'<script type="application/json" id="game">(.*?)</script>', page, re.S)
    return json.loads(text)


def climbed(folder: Path) -> None:
    """Write a climb of two games into a data folder; the second one is no longer kept."""
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
