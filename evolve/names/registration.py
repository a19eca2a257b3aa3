"""Registration of runs and CSV files as players. This does not load numba; making a player does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from game.players import registry
from game.players.names import PlayerName

if TYPE_CHECKING:
    from game.networks.spec import Spec
    from game.players.player import Player


def register(runs: Path, network: Spec | None = None) -> None:
    """Let `game.players.registry.player` find runs in this folder, other run folders, and CSV files."""

    registry.register_resolver("runs", lambda name: resolve(name, runs, network))


def resolve(name: PlayerName, runs: Path, network: Spec | None = None) -> Player | None:
    """Return the player of a run or of a CSV file in a folder, without registering the folder; None without one."""
    from evolve.names import players

    return players.resolve(runs, network, name)
