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
    """Let `game.players.registry.player` find runs in this folder, other run folders, and CSV files.

    Args:
        network: network for CSV files; by default a shipped network with as many weights as the file.
    """

    def resolve(name: PlayerName) -> Player | None:
        from evolve.names import players

        return players.resolve(runs, network, name)

    registry.register_resolver("runs", resolve)
