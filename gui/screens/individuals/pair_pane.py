"""The pane beside the shelves on which two players are chosen, to be watched."""

from __future__ import annotations

from functools import partial
from typing import Any

from gui.geometry import Rect
from gui.individuals.shelves import Offer
from gui.look.canvas import Look
from gui.look.theme import CONTROL, EDGE, GAP, LARGE_CONTROL, ROOM, TITLE
from gui.model.seats import Seat
from gui.screens.individuals.pane import OpponentPane
from gui.screens.play.game_parts import Strip
from gui.widgets.base import Command, Panel, Widget, by_id
from gui.widgets.button import Segments, button

NO_TWO = "Choose who plays Black (“Plays Black”) and who plays White (“Plays White”)."
STRIP = 44
"""Height of a player that was chosen."""


class PairPane(OpponentPane):
    """The two players that were chosen, above the chosen opponent of the shelves."""

    title = "Watch two players"

    def __init__(self, *others: Any) -> None:
        super().__init__(*others)
        self._seats: list[Seat | None] = [None, None]
        self._keys: list[tuple[object, ...]] = [(), ()]
        self._next_side = 0

    def activate(self) -> None:
        """Seat the chosen player on the free side."""
        self.take(self._next_side)

    def take(self, side: int) -> None:
        offer, row = self.screen.offer, self.screen.chosen
        if offer is None or row is None or row.trouble:
            self.app.say(self.screen.why_not(), "warning")
        else:
            self._seats[side], self._keys[side] = self.app.services.opponents.seat_of(row), offer.key
            self._next_side = 1 - side

    def play(self) -> None:
        black, white = self._seats
        if black is not None and white is not None:
            self.app.replace(self.app.screens.play(self.app, self.beginning.game((black, white))))

    def commands(self) -> list[Command]:
        why = self.screen.why_not()
        return [
            Command(id="black", name="Plays Black", keys=(), run=partial(self.take, 0),
                    about="Let the chosen player play Black", enabled=not why, why=why),
            Command(id="white", name="Plays White", keys=(), run=partial(self.take, 1),
                    about="Let the chosen player play White", enabled=not why, why=why),
            Command(id="play", name="Start watching", keys=("p",), run=self.play, about="Watch them play", icon="eye",
                    enabled=all(seat is not None for seat in self._seats), why=NO_TWO),
        ]  # fmt: skip

    def sides(self, offer: Offer) -> tuple[int, ...]:
        return tuple(side for side, key in enumerate(self._keys) if key == offer.key)

    def view(self, rect: Rect, look: Look) -> list[Widget]:
        px, commands = look.px, by_id(self.commands())
        inner, wide = rect.inset(px(EDGE), px(ROOM)), rect.w > rect.h
        if wide:
            names, text, takes, last = inner.rows(px(STRIP), None, px(CONTROL), px(LARGE_CONTROL), gap=px(GAP))
            (black, white), (start, play) = (line.columns(None, None, gap=px(GAP)) for line in (names, last))
        else:
            black, white, text, takes, start, play = inner.rows(
                px(STRIP), px(STRIP), None, px(CONTROL), px(CONTROL), px(LARGE_CONTROL), gap=px(GAP)
            )
        line, text = text.rows(1, None, gap=px(GAP))
        offer, theme = self.screen.offer, look.theme
        return [
            Panel(key="line", rect=line, colour=look.theme.line, border=False, radius=0),
            *self.about(text, look, [], wide=wide),
            Segments(key="sides", rect=takes, names=("Plays Black", "Plays White"), pick=self.take,
                     chosen=-1 if offer is None else next(iter(self.sides(offer)), -1)),
            *(Panel(key=f"to-choose.{side}", rect=place, radius=8,
                    colour=theme.selection if side == self._next_side and not self._keys[side] else theme.panel)
              for side, place in enumerate((black, white))),
            *(self._strip(side, place.inset(px(GAP), 0)) for side, place in enumerate((black, white))),
            self.beginning.choice(start),
            button(commands["play"], "play", play, kind="main", size=TITLE),
        ]  # fmt: skip

    def _strip(self, side: int, rect: Rect) -> Strip:
        seat, key = self._seats[side], f"seat.{('Black', 'White')[side]}"
        if seat is None or seat.player is None:
            return Strip(key=key, rect=rect, side=side, name="Not chosen yet")
        persona = self.app.services.personas.persona(seat.player)
        return Strip(key=key, rect=rect, side=side, name=seat.brief, emblem=persona.emblem, line=seat.limits)
