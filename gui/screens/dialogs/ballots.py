"""The dialog for choosing a three-move ballot or a classical opening by number, name or moves."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from game.ballots import PLAYED, WHERE, Ballot, NamedOpening, find_openings, read_book
from game.board import Position
from game.errors import InputError
from game.rules import BLACK
from game.scores import EVEN
from gui.geometry import Size
from gui.look.canvas import Look
from gui.look.theme import CONTROL, GAP, ROOM
from gui.model.ending import SIDE_NAME
from gui.model.game import GameModel
from gui.screens.dialogs.picker import Picker
from gui.widgets.base import Label, Widget, by_id
from gui.widgets.board import BoardMarks, BoardWidget
from gui.widgets.button import button
from gui.widgets.table import Cell, Column

if TYPE_CHECKING:
    from gui.app import App

WIDTH, HEIGHT = 820, 540
ROOM_FOR_PLAYED = 440
"""Minimum width of the list for its column “Played”."""


def _result(position: Position) -> str:
    """Return what the book says of a position, in two lines below it; nothing if it says nothing."""
    with contextlib.suppress(InputError):
        if entry := read_book().get(position.fen()):
            men = entry.replies[0][1] * (1 if position.side == BLACK else -1)
            better = "even" if abs(men) < EVEN else f"{abs(men):.2f} men better for {SIDE_NAME[men < 0]}"
            best = ", ".join(move for move, _ in entry.replies)
            return f"\nThe champion calls it {better}.\nBest: {best}."
    return ""


class BallotPicker(Picker):
    """A list of ballots and classical openings, searched as you type, with the position of the selected one."""

    title = "Choose an opening"
    none = "No opening matches."

    def __init__(
        self, app: App, chosen: NamedOpening | None, done: Callable[[NamedOpening], object], *, flipped: bool = True
    ) -> None:
        super().__init__(app)
        self._done = done
        self._flipped = flipped
        self._matches = find_openings("")
        self.row = 0 if chosen is None else self._matches.index(chosen)

    @property
    def chosen(self) -> NamedOpening | None:
        return self._matches[self.row] if self.row < len(self._matches) else None

    @property
    def matches(self) -> Sequence[NamedOpening]:
        return self._matches

    def accept(self, match: NamedOpening) -> None:
        self._done(match)

    def search(self, words: str) -> None:
        super().search(words)
        self._matches = find_openings(words)

    def _cells(self, wide: bool, row: int) -> Sequence[str | Cell]:
        opening, theme = self._matches[row], self.app.look.theme
        number, played = (str(opening.number), opening.played) if isinstance(opening, Ballot) else ("", "")
        sign, colour = ("warning", theme.warning) if played == "barred" else ("", theme.muted)
        moves = Cell(opening.moves, theme.muted if wide else colour, "" if wide else sign)
        cells = (number, Cell(opening.name, bold=True), moves)
        return (*cells, Cell(WHERE.get(played, ""), colour, sign)) if wide else cells

    def view(self, size: Size, look: Look) -> list[Widget]:
        px, chosen = look.px, self.chosen
        ghost = "Number, name or moves: 46, Kelso, 9-14 23-18"
        widgets, body, row = self.card(size, look, WIDTH, HEIGHT, px(CONTROL), ghost)
        left, right = body.columns(None, min(px(260), body.w * 2 // 5), gap=px(ROOM))
        board, facts = right.rows(min(right.w, right.h - px(84)), None, gap=px(GAP))
        wide = left.w >= px(ROOM_FOR_PLAYED)
        columns = (Column("No.", 58, "right"), Column("Name"), Column("Moves", 146 if wide else 168))
        commands = by_id(self.commands())
        model = GameModel.of_moves(Position.start(), () if chosen is None else chosen.line)
        ply = model.shown_ply
        _, take, cancel = row.columns(None, px(160), px(160), gap=px(GAP))
        played = f", {PLAYED[chosen.played]}" if isinstance(chosen, Ballot) else ""
        about = "" if chosen is None else f"{chosen.title}: {chosen.moves}{played}.{_result(model.last)}"
        return [
            *widgets,
            self.table(left, (*columns, Column("Played", 112)) if wide else columns, partial(self._cells, wide),
                       empty="No opening has this number, name or moves. Try 126, Kelso or 9-14."),
            BoardWidget(
                key="position", rect=board, pieces=model.pieces(), flipped=self._flipped, numbers=False, enabled=False,
                marks=BoardMarks(last=ply.move.path if ply else ()),
            ),
            Label(key="facts", rect=facts, text=about, colour=look.theme.muted, wrap=True, may_cut=True),
            button(commands["take"], "take", take, kind="main"),
            button(commands["cancel"], "cancel", cancel),
        ]  # fmt: skip
