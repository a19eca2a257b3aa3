"""Making runs and CSV files known as players. Loads no numba: players load it when they are made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from game.players import registry
from game.players.names import PlayerName

if TYPE_CHECKING:
    from game.networks.spec import Spec
    from game.players.protocol import Player


def register(runs: Path, network: Spec | None = None) -> None:
    """Let `game.players.registry.player` find runs under this folder, run folders and CSV files.

    Args:
        runs: folder of runs.
        network: what the genomes of CSV files are for; by default a shipped network, known by its width.
    """

    def resolve(name: PlayerName) -> Player | None:
        from evolve.names import players

        return players.resolve(runs, network, name)

    registry.register_resolver("runs", resolve)
