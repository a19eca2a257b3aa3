"""Networks as ONNX models, for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from game.players.player import Player

TEXTS = {"player": "write its network as an ONNX model"}
PACKAGES = ("onnx",)


def of_player(player: Player, runs: Path) -> bytes:
    from extras.export.network_model import onnx_model

    assert player.network is not None
    return onnx_model(player.name, player.network)
