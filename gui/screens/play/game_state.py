"""States of a game on its screen: it is watched, its opponent evolves, or it only tries lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gui.geometry import Rect, Size
from gui.model.table import TableEvent
from gui.screens.play.layout import GameLayout, Px, game_layout
from gui.storage.settings import Preferences
from gui.widgets.base import Command, Widget

if TYPE_CHECKING:
    from gui.look.canvas import Look
    from gui.screens.play.game_parts import StatusText, Strip


class GameState:
    """An ordinary game, about which nothing is special; other states change what the screen asks for.

    Attributes:
        title: of the screen; empty for the players.
        read_only: whether nothing is saved.
    """

    title = ""
    read_only = False

    @property
    def extra(self) -> dict[str, object]:
        """Values that are saved with the game."""
        return {}

    @property
    def buttons(self) -> tuple[Sequence[str], str] | None:
        """The ids of the commands on the buttons, and that of the main one; None for those of a game."""
        return None

    @property
    def pace(self) -> float:
        """Maximum seconds until the next `tick`."""
        return math.inf

    def begin(self) -> None:
        """React to the beginning of another game on the same screen."""

    def on_touch(self) -> None:
        """React before a piece is touched or a move is typed."""

    def on_step(self, cursor: int) -> None:
        """React before another position is shown."""

    def on_display(self, chosen: dict[str, Any]) -> None:
        """React before display settings change."""

    def react(self, event: TableEvent) -> None:
        """React to an event of the table before the screen does."""

    def tick(self, now: float) -> bool:
        """Let time pass; return whether something changed."""
        return False

    def settings(self, chosen: Preferences) -> Preferences:
        return chosen

    def commands(self, own: list[Command]) -> list[Command]:
        return own

    def steps(self, own: list[Command]) -> list[Command]:
        return own

    def tabs(self, own: list[Command]) -> list[Command]:
        return own

    def status(self, status: StatusText) -> StatusText:
        return status

    def strip(self, strip: Strip) -> Strip:
        return strip

    def layout(self, size: Size, px: Px, *, steps: bool) -> GameLayout:
        return game_layout(size, px, rows=2, tabs=True, steps=steps)

    def panel(self, body: Rect, look: Look) -> list[Widget] | None:
        """Return the panel; None for that of a game."""
        return None

    def controls(self, rect: Rect, look: Look) -> list[Widget] | None:
        """Return what is below the panel; None for `buttons`."""
        return None
