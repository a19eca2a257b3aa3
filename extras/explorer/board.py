"""The state of a game in which lines are tried, your own or from the explorer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from game.moves import Move
from gui.geometry import Size
from gui.model.ending import SIDE_NAME
from gui.model.game import GameModel
from gui.screens.play.game_parts import StatusText
from gui.screens.play.game_screen import GameScreen
from gui.screens.play.game_state import GameState
from gui.screens.play.layout import GameLayout, Px, game_layout
from gui.screens.play.play import GAME, Play
from gui.widgets.base import Command

if TYPE_CHECKING:
    from gui.app import App

LEFT_AWAY = ("draw", "resign", "move-now", "rematch", "swap", "play-on")
"""Commands for games that do not apply to lines."""

EXPLORING_BUTTONS = ("hint", "play-on", "menu")


class Exploring(GameState):
    """Lines are tried, your own or from the explorer; nothing is saved."""

    title = "Explore"
    read_only = True
    buttons = EXPLORING_BUTTONS, "play-on"

    def __init__(self, screen: Play) -> None:
        self._screen = screen

    def commands(self, own: list[Command]) -> list[Command]:
        return [
            *(command for command in own if command.id not in LEFT_AWAY),
            Command(id="play-on", name="Play from here", keys=("p",), run=self._play_on, icon="resume",
                    about="Choose an opponent for a game from the visible position", group=GAME),
        ]  # fmt: skip

    def layout(self, size: Size, px: Px, *, steps: bool) -> GameLayout:
        return game_layout(size, px, rows=1, tabs=True, steps=steps)

    def on_touch(self) -> None:
        """Leave the line at the visible position; Redo restores the moves that followed."""
        if not self._screen.model.at_end:
            self._screen.model.play_on_from_here()

    def _play_on(self) -> None:
        branch, app = self._screen.model.branch(), self._screen.app
        app.open(app.screens.chooser(app, position=branch.last, game=branch, from_here=True))

    def status(self, status: StatusText) -> StatusText:
        model = self._screen.model
        if self._screen.refused is not None or model.turn.hopping or (model.over and model.at_end):
            return status
        head = f"Exploring: {SIDE_NAME[model.shown.side]} to move"
        return replace(status, head=head, text="Nothing here is saved.", icon="tree", tone="normal")


def show_explorer(app: App, model: GameModel) -> None:
    app.change_settings(panel="explorer")
    app.open(Play(app, model, make_state=Exploring))


def follow(screen: GameScreen, move: Move) -> None:
    """Show the position after a move: in the game if it comes next, otherwise on a board for trying lines.

    Two people at the end of their game play it.
    """
    model = screen.model
    if isinstance(screen, Play) and (isinstance(screen.state, Exploring) or screen.takes_moves_of_both):
        screen.play_text(str(move))
    elif not model.at_end and model.plies[model.cursor].move.path == move.path:
        screen.go_to(model.cursor + 1)
    else:
        branch = model.branch()
        branch.play(move)
        screen.app.open(Play(screen.app, branch, flipped=screen.flipped, make_state=Exploring))
