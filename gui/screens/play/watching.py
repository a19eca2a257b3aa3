"""Two programs play each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import GAP
from gui.model.game import SIDE_NAME, GameModel
from gui.model.seats import names_of
from gui.model.table import SPEEDS, TableEvent, Watch
from gui.screens.play import game_files
from gui.screens.play.game_parts import StatusText, thinking_text
from gui.screens.play.game_screen import GameScreen
from gui.widgets.base import Command, Widget, by_id
from gui.widgets.button import Slider, button

if TYPE_CHECKING:
    from gui.app import App

SPEED_TEXT = ("very slow", "slow", "normal", "fast", "very fast", "at once")


class Watching(GameScreen):
    """A game to look at, with play, pause, step and speed."""

    title = "Watch"

    def __init__(self, app: App, model: GameModel, *, flipped: bool = False) -> None:
        super().__init__(app, model, flipped=flipped)
        self.watch = Watch(self.table)
        self._name()

    def _name(self) -> None:
        black, white = names_of(self.model.seats)
        self.title = f"{black} against {white}"

    def update_table(self, now: float) -> list[TableEvent]:
        """Through the watch, which counts steps."""
        return self.watch.update(now)

    @property
    def hop_seconds(self) -> float:
        """At high speeds moves are shown shorter."""
        return min(super().hop_seconds, self.watch.seconds / 2)

    def commands(self) -> Sequence[Command]:
        """Play, pause, step, speed; through the game; files."""
        watch, model = self.watch, self.model
        group, going = "The game", not model.over
        play = "Pause" if watch.playing else "Play"
        return [
            Command(id="play", name=play, keys=("space", "p"), run=watch.toggle, about="Play or pause",
                    icon="pause" if watch.playing else "play", enabled=going, group=group, why="The game is over."),
            Command(id="step", name="Step", keys=("s", "."), run=watch.step, about="One move, then pause",
                    icon="step", enabled=going or not model.at_end, group=group, why="The game is over."),
            Command(id="faster", name="Faster", keys=("+", "="), run=watch.faster, about="Less time per move",
                    enabled=watch.speed < len(SPEEDS) - 1, group=group, why="It cannot go faster."),
            Command(id="slower", name="Slower", keys=("-",), run=watch.slower, about="More time per move",
                    enabled=watch.speed > 0, group=group, why="It cannot go slower."),
            Command(id="again", name="Rematch", keys=("r",), run=lambda: self._again(False),
                    about="The same game again", icon="rematch", group=group),
            Command(id="swap", name="Swap sides", keys=("x",), run=lambda: self._again(True),
                    about="The same players with colours swapped", icon="swap", group=group),
            Command(id="take-over", name="Take over", keys=("t",), run=self._take_over,
                    about="Play on yourself from the position that is shown", icon="person", group=group),
            self.review_command(possible=model.over and bool(model.plies)),
            *self.steps(),
            *self.views(),
            Command(id="save", name="Save the game", keys=("ctrl+s",),
                    run=lambda: game_files.save_game(self.app, self.model),
                    about="Write a PDN file, or the position: name it .fen", icon="save", group="Game files"),
            Command(id="copy", name="Copy the game", keys=("c", "ctrl+c"),
                    run=lambda: game_files.copy_game(self.app, self.model), about="Copy the game as PDN", icon="copy",
                    group="Game files"),
            Command(id="copy-position", name="Copy the position", keys=("shift+c",),
                    run=lambda: game_files.copy_position(self.app, self.model.shown),
                    about="Copy the position as FEN", icon="copy", group="Game files"),
        ]  # fmt: skip

    def go_to(self, cursor: int) -> None:
        """To look back is to pause."""
        if cursor < len(self.model.plies):
            self.watch.playing = False
        super().go_to(cursor)

    def _again(self, swap: bool) -> None:
        self.flight = None
        if self.model.over:
            self.app.services.leave_game(self.model, self._extra)
        else:
            self.app.services.autosave.clear()  # the person has done with it
        self.table.begin(self.model.rematch(swap=swap))
        self._switch_analysis()
        self.watch.playing = True
        self._name()

    def _take_over(self) -> None:
        """Play on against the player who does not move now, from the position that is shown."""
        from gui.model.seats import HUMAN

        model = self.model
        moves = [ply.move for ply in model.plies[: model.cursor]]
        side = model.shown.side
        seats = (HUMAN, model.seats[1]) if side == 0 else (model.seats[0], HUMAN)
        self.app.replace(self.app.screens.play(GameModel.of_moves(model.start, moves, seats).vary()))

    def status(self, rect: Rect) -> StatusText:
        """Return the state of the game: the side that thinks, or the ending."""
        model, table = self.model, self.table
        thinking = table.thinking
        if not model.at_end:
            words = (model.place, "Play or Step goes on from here.", "eye", "normal")
        elif model.ending is not None:
            icon = "draw" if model.ending.winner is None else "crown"
            words = (model.ending.headline, model.ending.reason, icon, "good")
        elif table.status:
            words = ("One moment", table.status, "info", "normal")
        elif thinking is not None:
            words = (f"{SIDE_NAME[thinking.side]} is thinking", thinking_text(thinking), "bolt", "normal")
        else:
            words = ("Paused", f"{SIDE_NAME[model.side]} to move. Space plays on, S makes one move.", "pause", "normal")
        head, text, icon, tone = words
        return StatusText(key="status", rect=rect, head=head, text=text, icon=icon, tone=tone)

    def buttons(self, rect: Rect, look: Look) -> list[Widget]:
        """Play, step, speed, and what one does after a game."""
        found = by_id(self.commands())
        rows = rect.rows(None, None, None, gap=look.px(GAP))
        play, step = rows[0].columns(None, None, gap=look.px(GAP))
        widgets: list[Widget] = [
            button(found["play"], "do.play", play, kind="main"),
            button(found["step"], "do.step", step),
            Slider(
                key="speed", rect=rows[1], text="Speed", shortcut="+ −", value=self.watch.speed,
                low=0, high=len(SPEEDS) - 1, change=self._speed, shown=SPEED_TEXT[self.watch.speed],
            ),
        ]  # fmt: skip
        names = ("again", "swap", "review" if self.model.over else "take-over")
        for name, place in zip(names, rows[2].columns(None, None, None, gap=look.px(GAP)), strict=True):
            widgets.append(button(found[name], f"do.{name}", place))
        return widgets

    def _speed(self, speed: int) -> None:
        while self.watch.speed < speed:
            self.watch.faster()
        while self.watch.speed > speed:
            self.watch.slower()

    # Keeping ------------------------------------------------------------------------------------------------------

    @property
    def _extra(self) -> dict[str, object]:
        values = self.review_values
        return {"screen": "watch", "flipped": self.flipped} | ({} if values is None else {"review": values})

    def keep(self) -> bool:
        """Keep the game for the next start; returns whether that worked."""
        return self.app.services.keep_game(self.model, self._extra)

    def tick(self, now: float, dt: float) -> bool:
        """Let time pass, and save changes of the game."""
        changed = super().tick(now, dt)
        self.save_if_changed(now, self._extra)
        return changed

    def on_close(self) -> None:
        """Nothing is thought about any more; the game waits to be continued."""
        self.app.services.thinker.drop()
        self.app.services.leave_game(self.model, self._extra)
