"""The screen on which a position is set up."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from extras.setup.setup import Setup
from game.board import Position
from game.errors import InputError
from game.rules import BLACK, WHITE
from gui.geometry import Rect, Size
from gui.look import shapes
from gui.look.canvas import Canvas, Look
from gui.look.theme import CONTROL, GAP, SMALL
from gui.model.ending import SIDE_NAME
from gui.model.game import GameModel
from gui.model.lines import Piece
from gui.model.seats import Seat
from gui.screens.dialogs.dialog import Prompt
from gui.screens.play.game_files import copy_position
from gui.screens.play.game_parts import StatusText
from gui.screens.play.layout import STATUS, game_layout
from gui.screens.screen import HEADER, Screen
from gui.storage.settings import COLOURS
from gui.widgets.base import Command, Label, Ui, Widget, by_id
from gui.widgets.board import BoardWidget
from gui.widgets.button import Button, Segments, button

if TYPE_CHECKING:
    from gui.app import App

TWO_PLAYERS = "Two players share this board: choose an opponent first (N)."
PANEL_HEIGHT = 500
"""Height of a panel with all its parts, in pixels of the design."""

TOOLS: tuple[tuple[str, str, Piece | None], ...] = (
    ("Black man", "1", Piece(BLACK, False)),
    ("Black king", "2", Piece(BLACK, True)),
    ("White man", "3", Piece(WHITE, False)),
    ("White king", "4", Piece(WHITE, True)),
    ("Empty", "5", None),
)


class PieceButton(Button):
    def draw(self, canvas: Canvas, ui: Ui) -> None:
        fill, border, colour = self.colours(canvas, ui)
        canvas.box(self.rect, fill, border)
        ui.ring(canvas, self)
        inner = self.rect.inset(canvas.px(GAP), 0)
        side = min(inner.h - canvas.px(4), canvas.px(CONTROL))
        piece = next(piece for name, _, piece in TOOLS if name == self.text)
        place = Rect(inner.x, inner.y, side, inner.h)
        if piece is None:
            canvas.icon("erase", place, colour, 18)
        else:
            colours = canvas.theme.black if piece.side == BLACK else canvas.theme.white
            canvas.surface.blit(shapes.piece(side, piece.king, colours), place.centre_within(side, side)[:2])
        rest = Rect(inner.x + side + canvas.px(6), inner.y, inner.w - side - canvas.px(6), inner.h)
        key = canvas.width(self.shortcut, SMALL)
        canvas.text(self.shortcut, rest, canvas.theme.muted, SMALL, align="right")
        canvas.text(self.text, Rect(rest.x, rest.y, rest.w - key - canvas.px(4), rest.h), colour, 14)


class SetUp(Screen):
    title = "Set up a position"

    def __init__(self, app: App, position: Position, seats: tuple[Seat, Seat]) -> None:
        super().__init__(app)
        self.setup = Setup(position)
        self._seats = seats
        self._tool: int | None = None
        self._flipped = app.services.settings.flipped(seats[BLACK].human)
        self._mine = "black" if seats[BLACK].human else "white"
        self.ui.focus = "board"

    def commands(self) -> Sequence[Command]:
        tools = [
            Command(id=name.lower().replace(" ", "-"), name=name, keys=(key,), run=partial(self._take, number),
                    about=f"Place: {name.lower()}", chosen=self._tool == number, group="Pieces")
            for number, (name, key, _) in enumerate(TOOLS)
        ]  # fmt: skip
        return [
            *tools,
            Command(id="cycle", name="Click to change", keys=("0",), run=partial(self._take, None),
                    about="Change a square with each click: man, king, empty", icon="cycle",
                    chosen=self._tool is None, group="Pieces"),
            Command(id="play", name="Play", keys=("p", "ctrl+return"), run=self._play,
                    about="Play from this position", icon="play", enabled=not self.setup.fault, why=self.setup.fault),
            Command(id="clear", name="Clear", keys=("delete",), run=self.setup.clear, about="Remove all pieces",
                    icon="erase"),
            Command(id="start", name="Start", keys=(), run=partial(self.setup.show, Position.start()),
                    about="Show the starting position", icon="board"),
            Command(id="swap", name="Swap colours", keys=("x",), run=self.setup.turn_round,
                    about="Swap the colours and turn the board", icon="swap"),
            Command(id="opponent", name="Opponent", keys=("n",), run=self._choose_opponent,
                    about="Choose an opponent to play from this position", icon="person",
                    enabled=not self.setup.fault, why=self.setup.fault),
            Command(id="flip", name="Flip", keys=("f",), run=self._flip, about="Turn the board around", icon="flip"),
            Command(id="fen", name="FEN", keys=("t",), run=self._fen, about="Type or paste the position as text",
                    icon="write"),
            Command(id="copy", name="Copy", keys=("ctrl+c",), run=self._copy, about="Copy the position as FEN",
                    icon="copy"),
        ]  # fmt: skip

    def _take(self, number: int | None) -> None:
        self._tool = number

    def _flip(self) -> None:
        self._flipped = not self._flipped

    def _touch(self, square: int) -> None:
        if not square:
            return
        if self._tool is None:
            self.setup.cycle(square)
            return
        piece = TOOLS[self._tool][2]
        here = self.setup.pieces.get(square)
        self.setup.put(square, None if piece is not None and here == piece else piece)

    def _grab(self, square: int) -> bool:
        self._grabbed = square
        return True

    _grabbed = 0

    def _drop(self, square: int) -> None:
        if square != self._grabbed:
            self.setup.move(self._grabbed, max(square, 0))

    def _fen(self) -> None:
        try:
            value = self.setup.position().fen()
        except InputError:
            value = ""
        self.app.open(
            Prompt(
                self.app, "Position as text", "FEN, for example B:W21-32:B1-12.", self._read, value=value, take="Show"
            )
        )

    def _read(self, text: str) -> str:
        try:
            self.setup.show(Position.from_fen(text))
        except InputError as error:
            return str(error)
        return ""

    def _copy(self) -> None:
        try:
            copy_position(self.app, self.setup.position())
        except InputError as error:
            self.app.say(str(error), "warning")

    def _play(self) -> None:
        if self.setup.fault:
            self.app.say(self.setup.fault, "warning")
            return
        seats, black = self._seats, self._mine == "black"
        if self._mine == "random":
            black = secrets.randbelow(2) == 0
            self._flipped = self.app.services.settings.flipped(black)
        if not self._two and seats[BLACK].human != black:
            seats = seats[1], seats[0]
        model = GameModel(seats, self.setup.position()).vary()
        self.app.go_home(keep=lambda screen: screen.browses)
        self.app.open(self.app.screens.play(self.app, model, flipped=self._flipped))

    @property
    def _two(self) -> bool:
        return all(seat.human for seat in self._seats)

    def _colour(self, number: int) -> None:
        self._mine = COLOURS[number]
        self._flipped = self.app.services.settings.flipped(self._mine != "white")
        self.app.services.change_settings(colour=self._mine)

    def _choose_opponent(self) -> None:
        chooser = self.app.screens.chooser(self.app, position=self.setup.position(), from_here=True)
        self.app.open(chooser)

    def view(self, size: Size, look: Look) -> list[Widget]:
        px = look.px
        layout = game_layout(size, px, header=px(HEADER), panel_height=PANEL_HEIGHT)
        panel = layout.panel
        fault = self.setup.fault
        counts = [sum(piece.side == side for piece in self.setup.pieces.values()) for side in (BLACK, WHITE)]
        line = px(CONTROL)
        parts = panel.rows(px(STATUS), *[line] * 6, None, *[line] * 3, gap=px(GAP))
        mover, side = parts[4].columns(px(82), None, gap=px(GAP))
        mine, colour = parts[5].columns(px(82), None, gap=px(GAP))
        opponent = next((seat for seat in self._seats if not seat.human), None)
        against = "Two players" if opponent is None else f"Against {opponent.brief}"
        commands = by_id(self.commands())
        widgets = self.header(size, look)
        widgets += [
            BoardWidget(
                key="board", rect=layout.board, pieces=self.setup.pieces, flipped=self._flipped,
                numbers=self.app.services.settings.numbers, grab=self._grab, drop=self._drop, tap=self._touch,
                touch=self._touch, other=self.setup.cycle,
            ),
            StatusText(
                key="status", rect=parts[0], head="Not playable yet" if fault else "Ready to play",
                text=fault or f"Black {counts[0]}, White {counts[1]}. Drag, or pick a piece and click.",
                icon="warning" if fault else "check", tone="warning" if fault else "good",
            ),
            Label(key="mover", rect=mover, text="To move", bold=True),
            Segments(key="side", rect=side, names=SIDE_NAME, chosen=self.setup.side, pick=self._side),
            Label(key="colour.label", rect=mine, text="You play", bold=True),
            Segments(
                key="colour", rect=colour, names=("Black", "White", "Random"),
                chosen=-1 if self._two else COLOURS.index(self._mine),
                hint=f"{self.side_name(0)} moves first, {self.side_name(1)} second",
                pick=self._colour, enabled=not self._two, why=TWO_PLAYERS,
            ),
            replace(button(commands["opponent"], "opponent", parts[6], align="left", opens=True), text=against,
                    hint="" if opponent is None else f"{opponent.shown}, {opponent.limits}  (N)"),
        ]  # fmt: skip
        rows = [
            (commands["black-man"], commands["white-man"]),
            (commands["black-king"], commands["white-king"]),
            (commands["empty"], commands["cycle"]),
        ]
        for row, place in zip(rows, parts[1:4], strict=True):
            for command, spot in zip(row, place.columns(None, None, gap=px(GAP)), strict=True):
                widgets.append(self._tool_button(command, spot))
        widgets.append(button(commands["play"], "play", parts[8], kind="main"))
        if not fault and parts[7].h >= look.tall(fen := self.setup.position().fen(), panel.w, SMALL):
            widgets.append(Label(key="position", rect=parts[7], text=fen, size=SMALL, colour=look.theme.muted,
                                 wrap=True))  # fmt: skip
        for names, place in zip((("start", "clear", "swap"), ("flip", "fen", "copy")), parts[9:], strict=True):
            for name, spot in zip(names, place.columns(None, None, None, gap=px(GAP)), strict=True):
                widgets.append(button(commands[name], f"do.{name}", spot))
        return widgets

    def _side(self, side: int) -> None:
        self.setup.side = side

    def _tool_button(self, command: Command, rect: Rect) -> Widget:
        if command.id == "cycle":
            return button(command, "tool.cycle", rect, align="left", listed=True)
        return PieceButton(
            key=f"tool.{command.id}", rect=rect, run=command.run, hint=command.hint, text=command.name,
            shortcut=command.key, chosen=command.chosen,
        )  # fmt: skip
