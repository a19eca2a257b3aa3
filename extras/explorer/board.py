"""The board for trying lines, your own or from the explorer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from game.moves import Move
from gui.geometry import Rect
from gui.model.ending import SIDE_NAME
from gui.model.game import GameModel
from gui.screens.play.game_parts import StatusText
from gui.screens.play.game_screen import GameScreen
from gui.screens.play.play import GAME, Play
from gui.widgets.base import Command

if TYPE_CHECKING:
    from gui.app import App

LEFT_AWAY = ("draw", "resign", "move-now", "rematch", "swap", "play-on")
"""Commands for games that do not apply to lines."""

EXPLORING_BUTTONS = ("undo", "hint", "play-on", "menu")


class Exploring(Play):
    """A board for trying lines, your own or from the explorer; nothing is saved."""

    def _name(self) -> None:
        self.title = "Explore"

    @property
    def _read_only(self) -> bool:
        return True

    def commands(self) -> Sequence[Command]:
        return [
            *(command for command in super().commands() if command.id not in LEFT_AWAY),
            Command(id="play-on", name="Play on from here", keys=("p",), run=self.new_game, icon="resume",
                    about="Choose an opponent for a game from the visible position", group=GAME),
        ]  # fmt: skip

    def try_move(self, move: Move) -> None:
        """Play a move from the visible position; Redo restores the moves that followed."""
        self._leave_line()
        self.play_text(str(move))

    def _leave_line(self) -> None:
        if not self.model.at_end:
            self._play_on()

    def _touch(self, square: int) -> None:
        self._leave_line()
        super()._touch(square)

    def _grab(self, square: int) -> bool:
        self._leave_line()
        return super()._grab(square)

    def new_game(self) -> None:
        branch = self.model.branch()
        self.app.open(self.app.screens.chooser(position=branch.last, game=branch, from_here=True))

    def escape(self) -> bool:
        """Release a dragged piece or undo a hop; otherwise leave, even from an earlier position."""
        return self.model.at_end and super().escape()

    def status(self, rect: Rect) -> StatusText:
        status = super().status(rect)
        if self.refused is not None or self.model.turn.hopping or (self.model.over and self.model.at_end):
            return status
        head = f"Exploring: {SIDE_NAME[self.model.shown.side]} to move"
        return replace(status, head=head, text="Nothing here is saved.", icon="tree", tone="normal")

    @property
    def _shown_buttons(self) -> tuple[Sequence[str], str]:
        return EXPLORING_BUTTONS, "play-on"


def show_explorer(app: App, model: GameModel) -> None:
    app.change_settings(panel="explorer")
    app.open(Exploring(app, model))


def follow(screen: GameScreen, move: Move) -> None:
    """Show the position after a move: in the game if it comes next, otherwise on a board for trying lines.

    Two people at the end of their game play it.
    """
    model = screen.model
    if isinstance(screen, Exploring):
        screen.try_move(move)
    elif isinstance(screen, Play) and screen.takes_moves_of_both:
        screen.play_text(str(move))
    elif not model.at_end and model.plies[model.cursor].move.path == move.path:
        screen.go_to(model.cursor + 1)
    else:
        branch = model.branch()
        branch.play(move)
        screen.app.open(Exploring(screen.app, branch, flipped=screen.flipped))
