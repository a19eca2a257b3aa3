"""Pictures of positions in SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from game.board import Position

TEXTS = {"position": "draw a position"}
PACKAGES = ()


def of_position(position: Position, size: int, flipped: bool) -> bytes:
    from extras.export.svg import board_svg

    return board_svg(position, size, flipped=flipped).encode()
