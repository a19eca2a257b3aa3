"""The kept games of a data folder that a window may open, for tests."""

from __future__ import annotations

from pathlib import Path

from gui.storage.autosave import Autosave, Kept
from gui.storage.kept_games import KeptGames


def kept_games(data: Path) -> list[Kept]:
    """Read the games that are over or not open in any window, newest first."""
    kept, autosave = KeptGames(data), Autosave(data)
    paths = [kept.path(game) for game in kept.read_all() if game.over or autosave.is_free(kept.path(game))]
    return [result for result in map(autosave.read, paths) if result is not None]
