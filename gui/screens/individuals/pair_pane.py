"""The pane beside the shelves on which two players are chosen, to be watched."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from gui.geometry import Rect
from gui.individuals.shelves import Offer
from gui.look.canvas import Canvas, Look
from gui.look.theme import CONTROL, EDGE, GAP, LARGE_CONTROL, ROOM, TITLE
from gui.model.ending import SIDE_NAME
from gui.model.seats import Seat
from gui.screens.individuals.pane import OpponentPane
from gui.screens.play.game_parts import Strip
from gui.storage.settings import Preferences
from gui.widgets.base import Command, Ui, Widget, by_id
from gui.widgets.button import Pressed, button

NO_TWO = "Choose who plays Black and who plays White."
SLOT = 52
"""Height of the place of a player."""


class PairPane(OpponentPane):
    """Places for two players; what is chosen on the shelves plays the side whose place is marked."""

    title = "Watch two players"

    def __init__(self, *others: Any) -> None:
        super().__init__(*others)
        self._side = 0
        self._kept: list[tuple[tuple[object, ...], Seat, Preferences] | None] = [None, None]

    def activate(self) -> None:
        """Go on to the other side."""
        self.take(1 - self._side)

    def take(self, side: int) -> None:
        """Let the shelves choose who plays a side; the player of the other one is kept."""
        if side == self._side:
            return
        offer, seat = self.screen.offer, self._seat(self._side)
        self._kept[self._side] = (
            None if offer is None or seat is None else (offer.key, seat, self.app.services.settings)
        )
        self._side, known = side, self._kept[side]
        self.screen.choose_key(() if known is None else known[0])
        if known is not None:
            self.app.services.change_settings(depth=known[2].depth, seconds=known[2].seconds)

    def _seat(self, side: int) -> Seat | None:
        kept, row = self._kept[side], self.screen.chosen
        if side != self._side:
            return None if kept is None else kept[1]
        return None if row is None or row.trouble else self.app.services.opponents.seat_of(row)

    def play(self) -> None:
        black, white = self._seat(0), self._seat(1)
        if black is not None and white is not None:
            self.app.replace(self.app.screens.play(self.app, self.beginning.game((black, white))))

    def commands(self) -> list[Command]:
        return [
            *(Command(id=name.lower(), name=f"Choose {name}", keys=(), run=partial(self.take, side),
                      about=f"Choose who plays {name}", chosen=side == self._side)
              for side, name in enumerate(SIDE_NAME)),
            Command(id="play", name="Start watching", keys=("p",), run=self.play, about="Watch them play", icon="eye",
                    enabled=None not in (self._seat(0), self._seat(1)), why=NO_TWO),
        ]  # fmt: skip

    def sides(self, offer: Offer) -> tuple[int, ...]:
        there = [None if kept is None else kept[0] for kept in self._kept]
        there[self._side] = None if self.screen.offer is None else self.screen.offer.key
        return tuple(side for side, key in enumerate(there) if key == offer.key)

    def view(self, rect: Rect, look: Look) -> list[Widget]:
        px, commands = look.px, by_id(self.commands())
        inner, wide = rect.inset(px(EDGE), px(ROOM)), rect.w > rect.h
        if wide:
            names, text, last = inner.rows(px(SLOT), None, px(LARGE_CONTROL), gap=px(GAP))
            (black, white), (start, play) = (line.columns(None, None, gap=px(GAP)) for line in (names, last))
        else:
            black, white, text, start, play = inner.rows(
                px(SLOT), px(SLOT), None, px(CONTROL), px(LARGE_CONTROL), gap=px(GAP)
            )
        return [
            *(self._slot(side, place, commands) for side, place in enumerate((black, white))),
            *self.about(text, look, [], wide=wide),
            self.beginning.choice(start),
            button(commands["play"], "play", play, kind="main", size=TITLE),
        ]

    def _details(self, rect: Rect, look: Look, spare: int = 0) -> list[Widget]:
        """Return what the chosen opponent is, whose name stands in its place."""
        found = [each for each in super()._details(rect, look) if each.key in ("details", "doubt")]
        up = min(each.rect.y for each in found) - rect.y
        return [replace(each, rect=each.rect.move(0, -up)) for each in found]

    def _slot(self, side: int, rect: Rect, commands: dict[str, Command]) -> Slot:
        seat, name = self._seat(side), SIDE_NAME[side]
        return Slot(
            key=f"seat.{name}", rect=rect, side=side, run=commands[name.lower()].run, chosen=side == self._side,
            name=f"Choose {name}" if seat is None else seat.brief, hint=f"Choose who plays {name}",
            emblem=None if seat is None else self.app.services.personas.emblem(seat.player or ""),
            line="" if seat is None else seat.limits,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Slot(Strip, Pressed):
    """The place of a player, which is marked while it is being chosen."""

    chosen: bool

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        theme, px = canvas.theme, canvas.px
        fill = theme.selection if self.chosen else theme.control_hover if ui.hot(self) else theme.panel
        canvas.box(self.rect, fill, theme.accent if self.chosen else theme.control_line, 8)
        ui.ring(canvas, self, 8)
        Strip.draw(replace(self, rect=self.rect.inset(px(GAP), 0)), canvas, ui)
