"""A board to try lines on, from a position of any game: both sides are moved by hand, and nothing of it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from game.moves import Move
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.measures import GAP
from gui.model.endings import SIDE_NAME
from gui.screens.play.game_parts import StatusText
from gui.screens.play.play import Play
from gui.widgets.base import Widget
from gui.widgets.button import button
from gui.widgets.commands import Command, by_id

LEFT_AWAY = ("draw", "resign", "move-now", "rematch", "swap", "play-on")
"""Commands of a game that make no sense where nobody plays."""

BUTTONS = ("undo", "redo", "hint", "flip", "copy", "save", "set-up", "new-game", "menu")
SHORT = {"set-up": "Set up", "save": "Save", "copy": "Copy", "new-game": "Play on"}


class Exploring(Play):
    """Lines of the explorer and of one's own."""

    def _name(self) -> None:
        self.title = "Explore"

    @property
    def _only_shown(self) -> bool:
        """Nothing is kept."""
        return True

    def commands(self) -> Sequence[Command]:
        """Those of a game that make sense here."""
        return [command for command in super().commands() if command.id not in LEFT_AWAY]

    def follow(self, move: Move) -> None:
        """Play a move from the position that is shown; what followed is brought again by Redo."""
        self._leave_line()
        self.play_text(str(move))

    def _leave_line(self) -> None:
        """A move from an earlier position begins another line."""
        if not self.model.at_end:
            self._play_on()

    def _touch(self, square: int) -> None:
        self._leave_line()
        super()._touch(square)

    def _grab(self, square: int) -> bool:
        self._leave_line()
        return super()._grab(square)

    def new_game(self) -> None:
        """Choose whom to play on against from the position that is shown."""
        branch = self.model.branch()
        self.app.open(self.app.screens.chooser(position=branch.last, game=branch, from_here=True))

    def escape(self) -> bool:
        """Esc: a piece in the hand, unfinished hops; an old position does not keep one here."""
        self._banner = False
        return self.model.at_end and super().escape()

    def status(self, rect: Rect) -> StatusText:
        """That this is nobody's game, and who moves."""
        found = super().status(rect)
        if self.refused is not None or self.model.turn.hopping or (self.model.over and self.model.at_end):
            return found
        head = f"Exploring: {SIDE_NAME[self.model.shown.side]} to move"
        return replace(found, head=head, text="Nothing of this is kept. Esc goes back.", icon="tree", tone="normal")

    def buttons(self, rect: Rect, look: Look) -> list[Widget]:
        """Three rows of three."""
        found = by_id(self.commands())
        return [
            replace(button(found[name], f"do.{name}", place), text=SHORT.get(name, found[name].name))
            for name, place in zip(BUTTONS, rect.grid(3, 3, look.px(GAP)), strict=True)
        ]
