"""Values and functions shared by `test_kept_list` and other tests."""

from __future__ import annotations

import json
from pathlib import Path

from gui.model.game import GameModel
from gui.storage.autosave import Autosave
from gui.storage.game_text import to_text
from tests.gui.kept_games_helpers import game

REVIEW = {"review": {"summary": {"black": {"opening": 1, "endgame": 2}, "white": {"opening": 4}}}}


def keep(data: Path, model: GameModel, extra: dict[str, object] | None = None) -> None:
    autosave = Autosave(data)
    assert autosave.save(model, extra)
    autosave.release()


def many(data: Path, count: int) -> None:
    """Make copies of one game, one second apart."""
    folder = data / "games"
    folder.mkdir(parents=True, exist_ok=True)
    model = game(0, 1, 2, 3)
    model.resign(0)
    values = json.loads(to_text(model))
    for number in range(count):
        (folder / f"{number:06}-1.json").write_text(json.dumps(values | {"when": 1_000_000.0 + number}))
