"""The base of screens with a game: board, marks, animation, steps through the game, and analysis."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from game.errors import sentence
from game.review.judged import Review
from game.rules import BLACK, WHITE
from gui.events import Event, Key, Wheel
from gui.geometry import Rect, Size
from gui.individuals.individual import ListedPlayer
from gui.individuals.personas import brief
from gui.look.canvas import Look
from gui.model.analyses import certain_words, verdict_words
from gui.model.ending import SIDE_NAME
from gui.model.game import GameModel
from gui.model.lines import Piece
from gui.model.table import GameTable, Moved, Over, Remark, TableEvent, Watch
from gui.model.turn import Completed, Hopped, Proposed, Refused, Selected, Touch
from gui.screens.dialogs.dialog import Menu, Prompt
from gui.screens.entries import Entry, PanelEntry, entries, player_commands
from gui.screens.play import game_files
from gui.screens.play.analysis_panel import WorthOfPieces, analysis_panel, chances_bar
from gui.screens.play.game_parts import THROUGH, StatusText, Strip, step_buttons, step_commands, tab_buttons, title_area
from gui.screens.play.game_state import GameState
from gui.screens.play.layout import GameLayout, game_layout
from gui.screens.play.moves_list import moves_panel
from gui.screens.screen import Screen
from gui.storage.settings import PANELS, Preferences
from gui.widgets.base import Command, Widget, by_id
from gui.widgets.board import OUTSIDE, BoardMarks, BoardWidget, Hand
from gui.widgets.board_parts import Flight
from gui.widgets.button import button

if TYPE_CHECKING:
    from gui.app import App

FRAME_SECONDS = 1 / 60
BUSY_SECONDS = 1 / 30
QUIET_SECONDS = 0.5
MOST_TABS = 3
"""Maximum number of parts of the panel that have a button; all have a key."""

REFUSED_SECONDS = 4.0
REDRAW_SECONDS = 0.3
"""Maximum seconds between frames while a program thinks."""

MENU = {
    "The game": ("play-on", "undo", "swap", "new-game", "first-last"),
    "Study": ("next-variation", "evaluation-bar", "worth", "flip"),
    "Files": ("save", "open", "copy", "copy-picture", "paste"),
}
"""The commands of the menu by their groups, without those that are disabled or have a button on the screen."""
SELDOM_AT_END = "undo", "flip"
"""Not in the menu once a game has ended, like commands for its players, which leaves room for what follows it."""

DISPLAY = "Display"
DIGITS = frozenset("123456789")
EXAMPLE = "For example 11-15, 22x15 or 26x17x10."


class GameScreen(Screen):
    """A screen with the board of a game, whose pieces a person moves by clicks, drags, keys, or in notation.

    Attributes:
        state: what is special about it.
        refused: square, reason and end time of a visible refusal.
        takes: the names of screens by which extras add to it (`extras.Extra.entries`).
        watch: the controls of the table if programs play each other; otherwise None.
        reviewed: number and stamp of the reviewed game, and its review as saved.
    """

    takes: tuple[str, ...] = ("game",)
    reviewed: tuple[tuple[int, int], dict[str, Any]] | None = None
    watch: Watch | None = None
    refused: tuple[int, str, float] | None = None
    state = GameState()

    def __init__(self, app: App, model: GameModel, *, flipped: bool = False, file: str = "") -> None:
        super().__init__(app)
        self.table = GameTable(app.services.thinker, model)
        self.flipped = flipped
        self.flight: Flight | None = None
        self.hinting = False
        self._drawn = 0.0
        self._review: Review | None = None
        self.file = file
        self._entries: list[Entry] = [each for name in self.takes for each in entries(name, self)]
        self._panels = [each for each in self._entries if isinstance(each, PanelEntry)]
        self.worth = WorthOfPieces(app, self.table)
        self.ui.focus = "board"
        self._switch_analysis()

    @property
    def model(self) -> GameModel:
        return self.table.model

    @property
    def game(self) -> GameModel:
        """The game whose players and captures the strips show."""
        return self.model

    @property
    def closed(self) -> str:
        """Why there is no analysis or other help; empty if there is."""
        return ""

    @property
    def settings(self) -> Preferences:
        """The display settings; a rated game restricts them."""
        return self.state.settings(self.app.services.settings)

    @property
    def confirms(self) -> bool:
        return False

    @property
    def busy(self) -> bool:
        table = self.table
        if table.thinking is not None or table.status or table.offer is not None:
            return True
        if self.settings.worth and self.worth.liked() is None:
            return True
        return table.analysing

    @property
    def pace(self) -> float:
        if self.flight is not None or self._reading:
            return FRAME_SECONDS
        return min(BUSY_SECONDS if self.busy else QUIET_SECONDS, self.state.pace)

    def tick(self, now: float, dt: float) -> bool:
        changed = self.state.tick(now)
        if self.refused is not None and now >= self.refused[2]:
            self.refused, changed = None, True
        if self.flight is not None:
            self.flight = self.flight.after(dt)
            if self.flight.done:
                self.flight = None
            changed = True
        self.table.hold = self.flight is not None
        before = self._thinking()
        for event in (self.watch or self.table).update(now):
            self.react(event)
            changed = True
        changed = self.app.services.background.deliver() or changed
        changed = (self.settings.worth and self.worth.step()) or changed
        added = self._added_panel
        reading = added is not None and self.flight is None and added.step()
        if self._thinking() != before or ((self.busy or reading) and now - self._drawn >= REDRAW_SECONDS):
            self._drawn = now
            changed = True
        if self._saves:
            self._save_if_changed(now)
        return changed

    @property
    def _added_panel(self) -> PanelEntry | None:
        return next((each for each in self._panels if each.id == self.settings.panel), None)

    @property
    def _reading(self) -> bool:
        return self._added_panel is not None and self._added_panel.busy

    @property
    def _saves(self) -> bool:
        return False

    @property
    def _extra(self) -> dict[str, object]:
        values = self.review_values
        kept = {"screen": "play", "flipped": self.flipped}
        return kept | self.state.extra | ({} if values is None else {"review": values})

    def _save_if_changed(self, now: float) -> None:
        """Save changes to the game; report a failure only once."""
        autosave = self.app.services.autosave
        before = autosave.trouble
        autosave.update(self.model, now, self._extra)
        if autosave.trouble and not before:
            self.app.say(autosave.trouble, "warning")

    def keep(self) -> bool:
        return self._saves and self.app.services.keep_game(self.model, self._extra)

    def on_close(self) -> None:
        self.app.services.thinker.drop()
        if self._saves:
            self.app.services.leave_game(self.model, self._extra)
        super().on_close()

    def _thinking(self) -> object:
        """Return a value that changes whenever the displayed thinking must be redrawn."""
        thinking, analysis = self.table.thinking, self.table.analysis
        known = thinking and thinking.finding, analysis and analysis.finding, self.table.analysing
        return (*known, self.table.status, self.model.stamp, self._reading)

    def react(self, event: TableEvent) -> None:
        self.state.react(event)
        if isinstance(event, Moved):
            if self.model.at_end:
                before = _standing(self.model, self.model.cursor - 1)
                self.fly(before, event.ply.move.path)
            self.sound_of_move()
        elif isinstance(event, Remark):
            self.app.say(event.text)
        elif isinstance(event, Over):
            self.on_game_over()

    def on_game_over(self) -> None:
        self.app.services.play(self.sound_of_end)

    @property
    def sound_of_end(self) -> str:
        """The sound of the end of the game, as a person hears it who does not play."""
        return "drawn" if self.model.ending is None or self.model.ending.winner is None else "won"

    @property
    def hop_seconds(self) -> float:
        seconds = self.app.services.settings.hop_seconds
        return seconds if self.watch is None else min(seconds, self.watch.seconds / 2)

    def fly(self, before: Mapping[int, Piece], hops: tuple[int, ...]) -> None:
        """Animate a move; `before` are the pieces before it."""
        self.flight = Flight.of(before, hops, self.hop_seconds)
        self.table.hold = self.flight is not None

    def sound_of_move(self, hops: tuple[int, ...] = ()) -> None:
        """Play the sound of the last move, or of its last hops if the others have been heard already."""
        ply = self.model.plies[-1]
        men = len(ply.move.captured[1 - len(hops) :] if hops else ply.move.captured)
        self.app.services.play("crown" if ply.crowned else f"capture-{men}" if men else "move")

    def go_to(self, cursor: int) -> None:
        """Show another position, and animate the move if it is the next one."""
        self.state.on_step(cursor)
        self.flight = None
        here = self.model.cursor
        self.model.go_to(cursor)
        if self.model.cursor == here + 1 and self.model.shown_ply is not None:
            self.fly(_standing(self.model, here), self.model.shown_ply.move.path)

    def enter_variation(self, index: int, note: int) -> None:
        self.flight = None
        self.model.enter_variation(index, note)

    def variations(self) -> list[Command]:
        model = self.model
        return [
            Command(id="next-variation", name="Next variation", keys=("]",), run=self._next_variation, icon="tree",
                    about="Show the next variation of the next move, or of this one", enabled=model.varied is not None,
                    group=THROUGH,
                    why="No other line begins here. Variations are listed below the moves that they replace."),
            Command(id="leave-variation", name="Leave the variation", keys=("[",), run=self._leave_variation,
                    about="Return to the game, before the move that the variation replaces", icon="undo",
                    enabled=bool(model.branches), group=THROUGH, why="This is the game itself."),
        ]  # fmt: skip

    def _next_variation(self) -> None:
        self.flight = None
        self.model.next_variation()

    def _leave_variation(self) -> None:
        self.go_to(self.model.branches[-1].index)

    def steps(self) -> list[Command]:
        return self.state.steps(step_commands(self.model, self.go_to))

    def views(self) -> list[Command]:
        settings = self.settings

        def switch(name: str, keys: tuple[str, ...], setting: str, about: str, icon: str) -> Command:
            chosen = bool(getattr(settings, setting))
            show = partial(self.display, **{setting: not chosen})
            return Command(id=setting.replace("_", "-"), name=name, keys=keys, run=show, about=about, icon=icon,
                           chosen=chosen, group=DISPLAY, enabled=not self.closed, why=self.closed)  # fmt: skip

        return [
            Command(id="flip", name="Flip", keys=("f",), run=self.flip, about="Turn the board around", icon="flip",
                    group=DISPLAY),
            *self.tabs(),
            *(command for each in self._entries for command in each.commands()),
            switch("Chances", ("b",), "evaluation_bar", "Show the chances of both sides beside the board", "bar"),
            switch("Worth of pieces", ("i",), "worth", "Show on each piece what it is worth to the opponent", "worth"),
            *(replace(command, group=DISPLAY) for command in self._player_commands(BLACK, WHITE)),
        ]  # fmt: skip

    def _player_commands(self, *sides: int) -> list[Command]:
        seats = [seat for side in sides if (seat := self.model.seats[side]).player]
        players = [ListedPlayer.of_player(seat.player or "")._replace(name=seat.shown) for seat in seats]
        return [replace(command, keys=()) for command in player_commands(self.app, players)]

    def tabs(self) -> list[Command]:
        """Return the commands that choose the visible part of the panel; the key of the visible one shows the moves."""
        known = {*PANELS, *(each.id for each in self._panels)}

        def tab(panel: str, keys: tuple[str, ...], about: str, icon: str) -> Command:
            shown = (self.settings.panel if self.settings.panel in known else PANELS[0]) == panel
            show = partial(self.display, panel=PANELS[0] if shown else panel)
            return Command(id=panel, name=panel.capitalize(), keys=keys, run=show, about=about, icon=icon,
                           chosen=shown, group=DISPLAY, enabled=shown or not self.closed, why=self.closed)  # fmt: skip

        return self.state.tabs([
            tab("moves", (), "Show the moves of the game", "list"),
            tab("analysis", ("v",), "Show the chances of each move", "scores"),
            *(tab(each.id, each.keys, each.about, each.icon) for each in self._panels),
        ])  # fmt: skip

    @property
    def review_values(self) -> dict[str, Any] | None:
        """The review of the game in its current state, as saved; None if there is none."""
        now = self.model.number, self.model.stamp
        return self.reviewed[1] if self.reviewed is not None and self.reviewed[0] == now else None

    @property
    def reviewing(self) -> Review | None:
        """The review of the game in its current state; None if there is none, and in a variation."""
        return self._review if self.review_values is not None and not self.model.branches else None

    def review_command(self, *, possible: bool) -> Command:
        return Command(id="review", name="Review", keys=("w",), run=self.open_review, icon="review",
                       about="Look at the mistakes, and try to find better moves", enabled=possible, group=DISPLAY,
                       why="The game is not over yet." if self.model.plies else "No move was played.")  # fmt: skip

    def open_review(self) -> None:
        self._open_review()

    def _open_review(self, onward: Callable[[], object] | None = None) -> None:
        app, game, values = self.app, self.model.whole(), self.review_values
        app.open(app.screens.review(app, game, flipped=self.flipped, values=values, keep=self.keep_review,
                                    onward=onward))  # fmt: skip

    def keep_review(self, review: Review, values: dict[str, Any]) -> None:
        self._review, self.reviewed = review, ((self.model.number, self.model.stamp), values)

    def menu(self) -> None:
        self.app.open(Menu(self.app, "Menu", self._in_menu, groups=True))

    def _in_menu(self) -> list[Command]:
        known, over = by_id(self.commands()), self.model.over
        shown = (*self.on_buttons, *(SELDOM_AT_END * over))
        of_players = [] if over else self._player_commands(BLACK, WHITE)
        added: dict[str, list[str]] = {"Study": [each.id for each in of_players if each.group]}
        for command in (command for each in self._entries for command in each.commands()):
            if command.group != DISPLAY:  # else it has a button on its panel
                added.setdefault(command.group if command.group in MENU else "Study", []).append(command.id)
        names = [(group, name) for group, names in MENU.items() for name in (*names, *added.get(group, ()))]
        possible = [(group, known[name]) for group, name in names if name in known and name not in shown]
        return [replace(command, group=group) for group, command in possible if command.enabled]

    @property
    def on_buttons(self) -> Collection[str]:
        """The ids of the commands with a button in or below the panel."""
        return ()

    def copies(self, group: str) -> list[Command]:
        app, game, command = self.app, self.game, partial(Command, icon="copy", group=group)
        return [
            game_files.save_command(app, game, self.reviewing, flipped=self.flipped, group=group),
            command(id="copy", name="Copy the game", keys=("ctrl+c",), about="Copy the game as PDN",
                    run=lambda: game_files.copy_game(app, game, self.reviewing)),
            command(id="copy-position", name="Copy the position", keys=(), about="Copy the position as FEN",
                    run=lambda: game_files.copy_position(app, self.model.shown)),
            command(id="copy-picture", name="Copy a picture", keys=("e",),
                    about="Copy the position as a picture, with the names and the result",
                    run=lambda: game_files.copy_picture(app, self.model, game.seats, flipped=self.flipped)),
        ]  # fmt: skip

    def flip(self) -> None:
        self.flipped = not self.flipped

    def display(self, **chosen: Any) -> None:
        self.state.on_display(chosen)
        self.app.change_settings(**chosen)
        self._switch_analysis()

    def _switch_analysis(self) -> None:
        settings = self.settings
        self.table.analyst = self.app.services.opponents.analyst
        self.table.analyse(settings.panel == "analysis" or settings.evaluation_bar)
        if self._added_panel is not None:
            self._added_panel.begin()

    def on_open(self) -> None:
        self._switch_analysis()

    def handle(self, event: Event) -> bool:
        """Begin a move in notation with its first digit, or go through the game with the wheel."""
        if isinstance(event, Key) and event.name in DIGITS and (typing := by_id(self.commands()).get("type")):
            if typing.enabled:
                self.type_move(event.name)
            else:
                self.app.say(typing.reason, "warning")
            return True
        if isinstance(event, Wheel) and self.ui.hover == "board":
            self.go_to(self.model.cursor + (-1 if event.up > 0 else 1))
            return True
        return False

    def _did(self, touch: Touch, before: Mapping[int, Piece], *, by_hand: bool = False) -> bool:
        """Display the result of a touch; a dragged piece is not animated."""
        self.refused = None
        if isinstance(touch, Refused):
            self.refused = (touch.square, touch.text, self.app.now + REFUSED_SECONDS)
            self.app.services.play("refused")
        elif isinstance(touch, (Hopped, Proposed, Completed)):
            if touch.hops and not by_hand:
                self.fly(before, touch.hops)
            if isinstance(touch, Completed):
                self.hinting = False
                self.sound_of_move(touch.hops)
            elif isinstance(touch, Hopped):
                self.app.services.play(f"capture-{len(touch.hops) - 1}")
        return isinstance(touch, Selected)

    def _touch(self, square: int) -> None:
        self._wake()
        before = self.model.pieces()
        self._did(self.model.touch(square, confirm=self.confirms), before)

    def _grab(self, square: int) -> bool:
        self._wake()
        return self._did(self.model.drag(square), {})

    def _drop(self, square: int) -> None:
        if square != OUTSIDE:
            self._did(self.model.drop(square, confirm=self.confirms), {}, by_hand=True)

    def _wake(self) -> None:
        """End an animation, so that a touch during it counts."""
        self.flight = None
        self.table.hold = False
        self.state.on_touch()

    def escape(self) -> bool:
        hand = self.ui.memory.get("board")
        if isinstance(hand, Hand) and hand.dragged:
            hand.dragged = 0
        elif self.model.turn.path:
            self.model.turn.cancel()
        elif self.model.branches:
            self.go_to(self.model.branches[0].index)
        elif not self.model.at_end:
            self.go_to(10**9)
        else:
            return False
        return True

    def type_move(self, begun: str = "") -> None:
        """Ask for a move in notation, of which the beginning may have been typed already."""
        self.app.open(Prompt(self.app, "Type a move", EXAMPLE, self.play_text, ghost="11-15", value=begun, take="Play"))

    def play_text(self, text: str) -> str:
        """Play a move in notation; return an error message, or an empty string."""
        self._wake()
        self.go_to(len(self.model.plies))
        while self.model.turn.path:
            self.model.turn.cancel()
        before = self.model.pieces()
        touch = self.model.type_move(text.strip())
        self._did(touch, before)
        return touch.text if isinstance(touch, Refused) else ""

    def layout(self, size: Size, look: Look) -> GameLayout:
        return game_layout(size, look.px, tabs=True)

    def view(self, size: Size, look: Look) -> list[Widget]:
        """Return strips, board and panel; the first row of the panel replaces the header of other screens."""
        layout = self.layout(size, look)
        widgets = self._tools(layout.tools, look) if layout.tools else []
        upper, lower = (WHITE, BLACK) if self.flipped else (BLACK, WHITE)
        widgets += [self.strip(upper, layout.above), self.strip(lower, layout.below), self.board(layout.board)]
        if layout.bar is not None and self.settings.evaluation_bar:
            widgets.append(chances_bar(self.table, layout.bar, flipped=self.flipped))
        widgets += self._status_area(layout.status, look)
        steps, body = step_buttons(self.steps(), layout.steps, look), layout.body
        if layout.steps is not None and not steps:
            body = body.around(layout.steps)
        if layout.tabs is not None:
            widgets += tab_buttons(self.tabs()[:MOST_TABS], layout.tabs, look)
        return [*widgets, *steps, *self._panel(body, look), *self.buttons(layout.buttons, look)]

    def _tools(self, rect: Rect, look: Look) -> list[Widget]:
        """Return the buttons of the header and, while pieces have their worth on them, what it means, to hide it."""
        widgets = self.header_buttons(rect, look)
        if self.settings.worth and self.worth.on_board() and not self._hint():
            (words, hint), switch = self.worth.words, by_id(self.views())["worth"]
            words = words.removesuffix(".")
            place = title_area(widgets, rect, look)
            place = place.columns(None, min(look.wide(words) + look.px(56), place.w))[1]
            widgets.append(button(switch, "do.worth", place, kind="quiet", text=words, hint=hint, chosen=None))
        return widgets

    def _panel(self, body: Rect, look: Look) -> list[Widget]:
        if self._added_panel is not None:
            return self._added_panel.view(body, look)
        if self.settings.panel == "analysis":
            return analysis_panel(self.table, look, body)
        return moves_panel(self.model, self.go_to, look, body, self.reviewing, self.enter_variation)

    def buttons(self, rect: Rect, look: Look) -> list[Widget]:
        return []

    def _status_area(self, rect: Rect, look: Look) -> list[Widget]:
        return [self._status(rect, look)]

    def _status(self, rect: Rect, look: Look) -> StatusText:
        """Return the status with the worth of pieces, or a tablebase verdict that the panel does not display."""
        status, here = self.status(rect), self.table.find_analysis(self.model.cursor)
        settings = self.settings
        if settings.worth and not self.marks().hint and not self.worth.on_board():
            words, hint = self.worth.words
            least = status.text if status.tone == "warning" else words
            status = status.with_text(look, f"{sentence(status.text.strip('…'))}\n{words}".lstrip(), least)
            return replace(status, hint=hint)
        if settings.panel == "analysis" or not settings.evaluation_bar or here is None or here.verdict is None:
            return status
        sure, brief = certain_words(here.side, here.verdict), verdict_words(here.side, here.verdict)
        texts = [f"{status.text} {words}.".lstrip() for words in (sure, brief)]
        return replace(status.with_text(look, *texts), hint=sure)

    def status(self, rect: Rect) -> StatusText:
        head, text, icon, tone = self._words()
        return self.state.status(StatusText(key="status", rect=rect, head=head, text=text, icon=icon, tone=tone))

    def _words(self) -> tuple[str, str, str, str]:
        return "", "", "", "normal"

    def _marks_with_worth(self) -> BoardMarks:
        """Return `marks` with a hint, or else with numbers, which it would cover."""
        marks = self.marks()
        still = self.settings.worth and self.flight is None and not self.model.turn.hopping
        return replace(marks, worth=self.worth.on_board()) if still and not marks.hint else marks

    def marks(self) -> BoardMarks:
        model, settings, still = self.model, self.app.services.settings, self.flight is None
        ply, turn = model.shown_ply, model.turn
        base = BoardMarks(last=ply.move.path if ply and still else (), refused=self.refused[0] if self.refused else 0)
        if not (model.person_to_move and model.at_end):
            return base
        return replace(
            base, last=turn.path if turn.hopping else base.last, selected=turn.selected or 0,
            captured={square: _before(model)[square] for square in turn.captured},
            targets=turn.targets if settings.dots and still else (),
            finals=turn.finals if settings.dots and still else (), movable=turn.movable,
            must=turn.must_capture if settings.must_marks and still and not turn.path else (), hint=self._hint(),
        )  # fmt: skip

    def _hint(self) -> tuple[int, ...]:
        analysis = self.table.analysis
        hinted = self.hinting and analysis is not None and not self.model.turn.path
        return analysis.finding.move.path if analysis is not None and hinted else ()

    def board(self, rect: Rect) -> BoardWidget:
        return BoardWidget(
            key="board", rect=rect, pieces=self.model.pieces(), flipped=self.flipped,
            numbers=self.app.services.settings.numbers, marks=self._marks_with_worth(), flight=self.flight,
            grab=self._grab, drop=self._drop, touch=self._touch,
        )  # fmt: skip

    def strip(self, side: int, rect: Rect) -> Strip:
        model = self.model
        seat, start = self.game.seats[side], self.game.start
        pieces = list(model.pieces().values())
        taken = (start.white if side == BLACK else start.black).bit_count() - sum(
            piece.side != side for piece in pieces
        )
        persona = self.app.services.persona(seat)
        name = persona.name or seat.brief
        rated = f"rating {persona.rating_text}" if persona.rating else ""
        about = ", ".join(filter(None, (seat.shown, seat.limits, rated))) if seat.player else ""
        return Strip(
            key=f"strip{side}", rect=rect, side=side,
            name=self.person_name(side) if seat.human and not seat.title else name, emblem=persona.emblem,
            rating=persona.rating_text, line=brief(persona.sentence) or seat.detail,
            hint=". ".join(filter(None, (about, persona.sentence))),
            to_move=model.shown.side == side and not (model.at_end and (model.over or self.table.thinking is not None)),
            taken=max(taken, 0),
        )  # fmt: skip

    def person_name(self, side: int) -> str:
        both = all(seat.human for seat in self.game.seats)
        return SIDE_NAME[side] if both else "You"


def _standing(model: GameModel, cursor: int) -> dict[int, Piece]:
    here = model.cursor
    model.cursor = cursor
    pieces = model.pieces()
    model.cursor = here
    return pieces


def _before(model: GameModel) -> dict[int, Piece]:
    path, model.turn.path = model.turn.path, ()
    pieces = model.pieces()
    model.turn.path = path
    return pieces
