"""What a player likes about the visible position: the worth of each piece, and the input of its network."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from game.number_text import signed_text, with_minus
from gui.geometry import Rect, square_at
from gui.individuals.pictures import Picture
from gui.look.canvas import Look
from gui.look.theme import BODY, GAP, SMALL
from gui.model.game import SIDE_NAME
from gui.model.seats import Seat
from gui.model.table import GameTable
from gui.screens.dialogs.dialog import Menu
from gui.thinking.messages import Liked, LikesRequest
from gui.widgets.base import Command, Label, Widget
from gui.widgets.board import Worth
from gui.widgets.button import button
from gui.widgets.weight_map import WeightMap

if TYPE_CHECKING:
    from game.likes import Likes
    from gui.app import App

HEAD, LINE = 28, 18
ROOM_FOR_SCALE = 84
"""Height of maps from which on there is room for their scale, in pixels of the design."""

ROOM_FOR_ALL, FEW = 320, 4
"""Width of maps, and twice their height, from which on all are shown, else only a few."""

MOMENT = 0.5
"""Seconds for which the panel goes on with what it showed, while what is liked about the next position is found."""

MEN_TOLD = "On pieces: their worth in men, + for Black"
PARTS_TOLD = "On pieces: + for Black, 100 % counts most"
POLICY_TOLD = "On pieces: the part of its choice they decide"


class LikesPanel:
    """The likes of a player of the game, or of the analyst.

    Args:
        app: the window.
        table: the game, and who plays and analyses it.
    """

    def __init__(self, app: App, table: GameTable) -> None:
        self._app = app
        self._table = table
        self._chosen = 0
        self._shown: tuple[Likes, bool, list[Picture]] | None = None  # pictures are drawn once
        self._before: Liked | None = None
        self._asked: float | None = None  # since when nothing is known

    @property
    def players(self) -> list[tuple[str, Seat, int]]:
        """Whose likes can be shown: in words, who it is, the side that it plays; programs of the game come first."""
        model = self._table.model
        found = [(f"{SIDE_NAME[side]}: {seat.brief}", seat, side) for side, seat in enumerate(model.seats) if seat.name]
        if len(found) == 1:
            found = [(f"Opponent: {seat.brief}", seat, side) for _, seat, side in found]
        analyst = self._table.analyst
        return [*found, (f"Analyst: {analyst.brief}", analyst, model.shown.side)]

    def liked(self) -> Liked | None:
        """What is known of the position that is shown; None while it is being found."""
        model = self._table.model
        _, seat, side = self._one
        assert seat.name is not None
        return self._app.services.thinker.likes(LikesRequest(model.number, seat.name, model.shown, side))

    def _told(self) -> Liked | None:
        """What the panel tells: who steps through a game does not see it come and go with each position."""
        liked, before = self.liked(), self._before
        if liked is not None:
            self._before, self._asked = liked, None
            return liked
        now = self._app.now
        self._asked = now if self._asked is None else self._asked
        known = before is not None and before.request.player == self._one[1].name
        return before if known and now - self._asked < MOMENT else None

    @property
    def says(self) -> str:
        """What its choices rest on, or why that cannot be said."""
        liked = self._told()
        if liked is None:
            return "One moment…"
        return liked.trouble if liked.likes is None else f"{liked.likes.basis}."

    @property
    def _one(self) -> tuple[str, Seat, int]:
        players = self.players
        return players[min(self._chosen, len(players) - 1)]

    def command(self) -> Command:
        """Return the command that chooses the player."""
        return Command(id="liked", name="Whose likes", keys=("shift+i",), run=self._choose, icon="heart",
                       about="Choose who says what it likes: a player, or the analyst",
                       group="What is shown")  # fmt: skip

    def _choose(self) -> None:
        self._app.open(Menu(self._app, "Who says what it likes", self._commands))

    def _commands(self) -> list[Command]:
        return [
            Command(id=f"liked-{number}", name=name, keys=(str(number + 1),), run=partial(self._take, number),
                    about=f"What {seat.brief} likes", chosen=number == min(self._chosen, len(self.players) - 1))
            for number, (name, seat, _) in enumerate(self.players)
        ]  # fmt: skip

    def _take(self, number: int) -> None:
        self._chosen = number

    # The picture --------------------------------------------------------------------------------------------------

    def worth(self) -> dict[int, Worth]:
        """Return the label of each piece."""
        liked = self.liked()
        if liked is None or liked.likes is None or not liked.likes.values:
            return {}
        values, found = liked.likes.values, liked.likes
        most = max(*map(abs, values.values()), 1e-9)

        def text(value: float) -> str:
            if found.policy:
                return f"{100 * value:.0f} %"
            return with_minus(signed_text(value, 2) if found.men else f"{signed_text(100 * value)} %")

        return {square: (text(value), value / most) for square, value in values.items()}

    def view(self, look: Look, rect: Rect, *, flipped: bool) -> list[Widget]:
        """Who likes, what its choices rest on, what the numbers on the board mean, and maps of its network."""
        px, liked = look.px, self._told()
        name, muted = self._one[0], look.theme.muted
        found = liked.likes if liked is not None else None
        says = self.says
        lines = len(look.fonts.wrap(says, rect.w - 2 * px(GAP), px(BODY)))
        head, basis, told, about, body = rect.rows(
            px(HEAD), look.fonts.height(px(BODY)) * min(lines, 3), px(LINE), px(LINE), None
        )
        made = replace(button(self.command(), "liked", head, kind="quiet", align="left"), text=name)
        edge, colour = px(GAP), look.theme.warning if liked is not None and found is None else None
        widgets: list[Widget] = [
            made,
            Label(key="likes.basis", rect=basis.inset(edge, 0), text=says, colour=colour, wrap=True,
                  may_cut=True),
        ]  # fmt: skip
        if found is None or not found.values:
            return widgets
        meaning = POLICY_TOLD if found.policy else MEN_TOLD if found.men else PARTS_TOLD
        widgets.append(Label(key="likes.told", rect=told.inset(edge, 0), text=meaning, size=SMALL, colour=muted,
                             may_cut=True))  # fmt: skip
        if found.maps:
            pictures = self._pictures(found, flipped)
            if len(pictures) > FEW and min(body.w, 2 * body.h) < px(ROOM_FOR_ALL):
                pictures = pictures[:FEW]
            widgets += [
                Label(key="likes.about", rect=about.inset(edge, 0), text=found.about, size=SMALL, colour=muted,
                      may_cut=True),
                WeightMap(key="likes.maps", rect=body.inset(edge, 0), pictures=pictures,
                          legend=body.h >= px(ROOM_FOR_SCALE), where=partial(_where, flipped=flipped)),
            ]  # fmt: skip
        return widgets

    def _pictures(self, found: Likes, flipped: bool) -> list[Picture]:
        """The maps as they lie on the board that is shown."""
        if self._shown is None or self._shown[0] is not found or self._shown[1] != flipped:
            turn = -1 if flipped else 1
            made = [Picture(each.title, tuple(tuple(row[::turn]) for row in each.rows[::turn])) for each in found.maps]
            self._shown = found, flipped, made
        return self._shown[2]


def _where(picture: Picture, row: int, column: int, *, flipped: bool) -> str:
    """The square of a number of a map of the whole board; else nothing."""
    if picture.size != (8, 8):
        return ""
    square = square_at(7 - row, 7 - column) if flipped else square_at(row, column)
    return f"square {square}" if square else ""
