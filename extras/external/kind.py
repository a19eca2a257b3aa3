"""The kind of player ``external:COMMAND``, which names and the window know without loading its code."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from game.players.names import PlayerName
    from game.players.player import Player

TARGET = "external"
OPTIONS = ("depth", "nodes", "time", "start", "timeout")
FORM = "external:COMMAND"
SEARCHES = False
CHOICES: dict[str, tuple[str, ...]] = {}


def make(name: PlayerName) -> Player:
    from extras.external.player import external_player

    return external_player(name)


def close() -> None:
    """End all programs of this process."""
    from extras.external.program import close_all

    close_all()
