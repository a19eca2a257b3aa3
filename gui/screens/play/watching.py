"""The state of a game in which two programs play each other, which is watched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.look.theme import GAP
from gui.model.game import GameModel
from gui.model.seats import HUMAN, names_of
from gui.model.table import SPEEDS, Watch
from gui.screens.play.game_parts import StatusText
from gui.screens.play.game_state import GameState
from gui.screens.play.layout import GameLayout, Px, game_layout
from gui.storage.settings import Preferences
from gui.widgets.base import Command, Widget, by_id
from gui.widgets.button import Slider, button, button_row

if TYPE_CHECKING:
    from gui.screens.play.play import Play

SPEED_TEXT = ("very slow", "slow", "normal", "fast", "very fast", "at once")
LEFT_AWAY = ("undo", "redo", "hint", "type", "move-now", "draw", "resign", "new-game")
"""Commands for a person who plays."""


class Watching(GameState):
    """Two programs play each other.

    Args:
        worth: whether to begin with the worth of their pieces.
    """

    def __init__(self, screen: Play, *, worth: bool = False) -> None:
        self._screen, self._worth = screen, worth
        self._watch = screen.watch = Watch(screen.table)
        self.begin()

    def begin(self) -> None:
        self._watch.playing = True
        self.title = " against ".join(names_of(self._screen.model.seats))

    def settings(self, chosen: Preferences) -> Preferences:
        return replace(chosen, worth=True) if self._worth else chosen

    def on_display(self, chosen: dict[str, Any]) -> None:
        self._worth = self._worth and "worth" not in chosen

    def on_step(self, cursor: int) -> None:
        if cursor < len(self._screen.model.plies):
            self._watch.playing = False

    def commands(self, own: list[Command]) -> list[Command]:
        watch, over = self._watch, self._screen.model.over
        known = by_id(command for command in own if command.id not in LEFT_AWAY)
        changed: dict[str, tuple[str, Callable[[], object], str]] = {
            "rematch": ("Rematch", partial(self._again, False), "Let the same players play again"),
            "swap": ("Swap", partial(self._again, True), "Let them play again with colours swapped"),
            "play-on": ("Take over", self._take_over, "Play the side to move yourself from this position"),
        }
        for id, (name, run, about) in changed.items():
            known[id] = replace(known[id], name=name, run=run, about=about, enabled=True)
        command = partial(Command, group="The game")
        return [
            command(id="play", name="Pause" if watch.playing else "Resume", keys=("space",), run=watch.toggle,
                    about="Let them play, or pause", icon="pause" if watch.playing else "play", enabled=not over,
                    why="The game is over."),
            command(id="faster", name="Faster", keys=("+",), run=watch.faster, about="Take less time per move",
                    enabled=watch.speed < len(SPEEDS) - 1, why="This is the highest speed."),
            command(id="slower", name="Slower", keys=("-",), run=watch.slower, about="Take more time per move",
                    enabled=watch.speed > 0, why="This is the lowest speed."),
            *known.values(),
        ]  # fmt: skip

    def steps(self, own: list[Command]) -> list[Command]:
        """Return the commands that go through the game; at its end, the next move is played, and then it pauses."""
        first, back, on, last = own
        on = replace(on, keys=(*on.keys, "."))
        if self._screen.model.at_end and not self._screen.model.over:
            on = replace(on, run=self._watch.step, about="Play one move, then pause", enabled=True)
        return [first, back, on, last]

    def _again(self, swap: bool) -> None:
        over = self._screen.model.over
        if not over:
            self._screen.app.services.autosave.clear()  # the person abandons this game
        self._screen.begin_again(self._screen.model.rematch(swap=swap), keep=over)

    def _take_over(self) -> None:
        model = self._screen.model
        moves = [ply.move for ply in model.plies[: model.cursor]]
        seats = (HUMAN, model.seats[1]) if model.shown.side == 0 else (model.seats[0], HUMAN)
        self._screen.begin_again(GameModel.of_moves(model.start, moves, seats).vary(), leave=True)

    def status(self, status: StatusText) -> StatusText:
        model, table = self._screen.model, self._screen.table
        if not model.at_end and not model.branches:
            return replace(status, text="Press Resume to go on from here.")
        if model.over or model.branches or table.status or table.thinking is not None:
            return status
        return replace(status, head="Paused", text="Press Space to resume.", icon="pause", tone="normal")

    @property
    def buttons(self) -> tuple[Sequence[str], str]:
        return ("play", "rematch", "swap", "review" if self._screen.model.over else "play-on", "menu"), "play"

    def layout(self, size: Size, px: Px, *, steps: bool) -> GameLayout:
        return game_layout(size, px, tabs=True)

    def controls(self, rect: Rect, look: Look) -> list[Widget]:
        commands, watch, (first, *names, menu) = by_id(self._screen.commands()), self._watch, self.buttons[0]
        rows = rect.rows(None, None, None, gap=look.px(GAP))
        upper, lower = (row.columns(None, None, None, gap=look.px(GAP)) for row in (rows[0], rows[2]))
        return [
            button(commands[first], f"do.{first}", upper[0].around(upper[1]), kind="main"),
            button(commands[menu], f"do.{menu}", upper[2]),
            Slider(
                key="speed", rect=rows[1], text="Speed", hint="How fast they play  (+ −)", value=watch.speed,
                low=0, high=len(SPEEDS) - 1, change=self._speed, shown=SPEED_TEXT[watch.speed],
            ),
            *button_row(commands, names, lower),
        ]  # fmt: skip

    def _speed(self, speed: int) -> None:
        self._watch.speed = speed
