"""The board for watching two programs play each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import GAP
from gui.model.ending import SIDE_NAME
from gui.model.game import GameModel
from gui.model.seats import HUMAN, names_of
from gui.model.table import SPEEDS, Watch
from gui.screens.play.game_parts import thinking_text
from gui.screens.play.game_screen import GameScreen
from gui.storage.settings import Preferences
from gui.widgets.base import Command, Widget, by_id
from gui.widgets.button import Slider, button, button_row

if TYPE_CHECKING:
    from gui.app import App


SPEED_TEXT = ("very slow", "slow", "normal", "fast", "very fast", "at once")


class Watching(GameScreen):
    title = "Watch"
    saved_as = "watch"
    watch: Watch

    def __init__(self, app: App, model: GameModel, *, flipped: bool | None = None, worth: bool = False) -> None:
        self._worth = worth
        super().__init__(app, model, flipped=app.services.settings.flipped(False) if flipped is None else flipped)
        self.watch = Watch(self.table)
        self._name()

    def _name(self) -> None:
        black, white = names_of(self.model.seats)
        self.title = f"{black} against {white}"

    @property
    def settings(self) -> Preferences:
        return replace(super().settings, worth=True) if self._worth else super().settings

    def display(self, **chosen: Any) -> None:
        self._worth = self._worth and "worth" not in chosen
        super().display(**chosen)

    @property
    def hop_seconds(self) -> float:
        return min(super().hop_seconds, self.watch.seconds / 2)

    def commands(self) -> Sequence[Command]:
        watch, model = self.watch, self.model
        group, going = "The game", not model.over
        play = "Pause" if watch.playing else "Play"
        return [
            Command(id="play", name=play, keys=("space",), run=watch.toggle, about="Play or pause",
                    icon="pause" if watch.playing else "play", enabled=going, group=group, why="The game is over."),
            Command(id="faster", name="Faster", keys=("+",), run=watch.faster, about="Take less time per move",
                    enabled=watch.speed < len(SPEEDS) - 1, group=group, why="This is the highest speed."),
            Command(id="slower", name="Slower", keys=("-",), run=watch.slower, about="Take more time per move",
                    enabled=watch.speed > 0, group=group, why="This is the lowest speed."),
            Command(id="again", name="Rematch", keys=("r",), run=lambda: self._again(False),
                    about="Let the same players play again", icon="rematch", group=group),
            Command(id="swap", name="Swap sides", keys=("x",), run=lambda: self._again(True),
                    about="Let them play again with colours swapped", icon="swap", group=group),
            Command(id="take-over", name="Take over", keys=("p",), run=self._take_over,
                    about="Play on yourself from this position", icon="person", group=group),
            self.review_command(possible=model.over and bool(model.plies)),
            *self.steps(),
            *self.views(),
            *self.copies("Game files"),
            Command(id="menu", name="Menu", keys=("f10",), run=self.menu, about="Open the menu of more commands",
                    icon="menu", group=group),
        ]  # fmt: skip

    def steps(self) -> list[Command]:
        """Return the commands that go through the game; at its end, the next move is played, and then it pauses."""
        first, back, on, last = super().steps()
        on = replace(on, keys=(*on.keys, "."))
        if self.model.at_end and not self.model.over:
            on = replace(on, run=self.watch.step, about="Play one move, then pause", enabled=True)
        return [first, back, on, last]

    def go_to(self, cursor: int) -> None:
        if cursor < len(self.model.plies):
            self.watch.playing = False
        super().go_to(cursor)

    def _again(self, swap: bool) -> None:
        self.flight = None
        if self.model.over:
            self.app.services.leave_game(self.model, self._extra)
        else:
            self.app.services.autosave.clear()  # the person abandons this game
        self.table.begin(self.model.rematch(swap=swap))
        self._switch_analysis()
        self.watch.playing = True
        self._name()

    def _take_over(self) -> None:
        model = self.model
        moves = [ply.move for ply in model.plies[: model.cursor]]
        side = model.shown.side
        seats = (HUMAN, model.seats[1]) if side == 0 else (model.seats[0], HUMAN)
        self.app.replace(self.app.screens.play(GameModel.of_moves(model.start, moves, seats).vary()))

    def _words(self) -> tuple[str, str, str, str]:
        model, table = self.model, self.table
        thinking = table.thinking
        if not model.at_end:
            return model.place, "Press Play to go on from here.", "eye", "normal"
        if model.ending is not None:
            icon = "draw" if model.ending.winner is None else "crown"
            return model.ending.headline, model.ending.reason(), icon, "good"
        if table.status:
            return "One moment", table.status, "info", "normal"
        if thinking is not None:
            return f"{SIDE_NAME[thinking.side]} is thinking", thinking_text(thinking), "bolt", "normal"
        text = f"{SIDE_NAME[model.side]} to move. Press Space to play on."
        return "Paused", text, "pause", "normal"

    def buttons(self, rect: Rect, look: Look) -> list[Widget]:
        commands = by_id(self.commands())
        rows = rect.rows(None, None, None, gap=look.px(GAP))
        widgets = [
            button(commands["play"], "do.play", rows[0], kind="main"),
            Slider(
                key="speed", rect=rows[1], text="Speed", hint="How fast they play  (+ −)", value=self.watch.speed,
                low=0, high=len(SPEEDS) - 1, change=self._speed, shown=SPEED_TEXT[self.watch.speed],
            ),
        ]  # fmt: skip
        names = ("again", "swap", "review" if self.model.over else "take-over")
        *places, last = rows[2].columns(None, None, None, rows[2].h, gap=look.px(GAP))
        menu = button(commands["menu"], "do.menu", last, icon_only=True)
        return [*widgets, *button_row(commands, names, places, short={"swap": "Swap"}), menu]

    def _speed(self, speed: int) -> None:
        self.watch.speed = speed
