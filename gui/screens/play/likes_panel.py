"""The likes of a player in the visible position: the worth of each piece, and the input of its network."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from game.networks.first_layer import Picture
from game.number_text import signed_text, with_minus
from gui.geometry import Rect, square_at
from gui.look.canvas import Look
from gui.look.theme import BODY, GAP, SMALL
from gui.model.ending import SIDE_NAME
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
"""Minimum height of maps with a scale, in pixels of the design."""

LEAST_MAPS = 40
"""Minimum height of maps, in pixels of the design."""

ROOM_FOR_ALL, FEW = 320, 4
"""Minimum width of an area for all maps, in pixels of the design, and number of maps in a smaller area. The minimum
height is half the width."""

MOMENT = 0.5
"""Seconds for which the likes of the previous position stay visible while new ones are computed."""

IN_MEN = "On pieces: worth in men, + for Black"
IN_PARTS = "On pieces: worth, + for Black, at most 100 %"
OF_POLICY = "On pieces: effect on its choice"


class LikesPanel:
    """The likes of a player of the game, or of the analyst."""

    def __init__(self, app: App, table: GameTable) -> None:
        self._app = app
        self._table = table
        self._chosen = 0
        self._drawn: tuple[Likes, bool, list[Picture]] | None = None  # pictures are drawn once
        self._before: Liked | None = None
        self._asked: float | None = None  # when the likes of this position were requested

    @property
    def players(self) -> list[tuple[str, Seat, int]]:
        """Name, seat and side of the players whose likes can be displayed: programs of the game, then the analyst."""
        model = self._table.model
        programs = [(side, seat) for side, seat in enumerate(model.seats) if seat.name]
        roles = SIDE_NAME if len(programs) > 1 else ("Opponent", "Opponent")
        players = [(f"{roles[side]}: {seat.brief}", seat, side) for side, seat in programs]
        analyst = self._table.analyst
        return [*players, (f"Analyst: {analyst.brief}", analyst, model.shown.side)]

    def liked(self) -> Liked | None:
        model = self._table.model
        _, seat, side = self._player
        assert seat.name is not None
        return self._app.services.thinker.likes(LikesRequest(model.number, seat.name, model.shown, side))

    def _displayed(self) -> Liked | None:
        """Return the likes to display: the previous ones for a moment, to avoid flicker between moves."""
        liked, before = self.liked(), self._before
        if liked is not None:
            self._before, self._asked = liked, None
            return liked
        now = self._app.now
        self._asked = now if self._asked is None else self._asked
        known = before is not None and before.request.player == self._player[1].name
        return before if known and now - self._asked < MOMENT else None

    @property
    def says(self) -> str:
        """The basis of the player's choices, or why it is unknown."""
        liked = self._displayed()
        if liked is None:
            return "One moment…"
        return liked.trouble if liked.likes is None else f"{liked.likes.basis}."

    @property
    def _player(self) -> tuple[str, Seat, int]:
        players = self.players
        return players[min(self._chosen, len(players) - 1)]

    def command(self) -> Command:
        return Command(id="liked", name="Whose insight", keys=("shift+i",), run=self._choose, icon="heart",
                       about="Choose the player, or the analyst, whose insight is displayed",
                       group="Display")  # fmt: skip

    def _choose(self) -> None:
        self._app.open(Menu(self._app, "Whose insight", self._commands))

    def _commands(self) -> list[Command]:
        return [
            Command(id=f"liked-{number}", name=name, keys=(str(number + 1),), run=partial(self._take, number),
                    about=f"The insight of {seat.brief}", chosen=number == min(self._chosen, len(self.players) - 1))
            for number, (name, seat, _) in enumerate(self.players)
        ]  # fmt: skip

    def _take(self, number: int) -> None:
        self._chosen = number

    # Widgets ------------------------------------------------------------------------------------------------------

    def worth(self) -> dict[int, Worth]:
        liked = self.liked()
        if liked is None or liked.likes is None or not liked.likes.values:
            return {}
        likes, values = liked.likes, liked.likes.values
        most = max(*map(abs, values.values()), 1e-9)

        def text(value: float) -> str:
            if likes.policy:
                return f"{100 * value:.0f} %"
            return with_minus(signed_text(value, 2) if likes.men else f"{signed_text(100 * value)} %")

        return {square: (text(value), value / most) for square, value in values.items()}

    def view(self, look: Look, rect: Rect, *, flipped: bool) -> list[Widget]:
        px, liked = look.px, self._displayed()
        name, muted = self._player[0], look.theme.muted
        likes = liked.likes if liked is not None else None
        says = self.says
        lines = len(look.fonts.wrap(says, rect.w - 2 * px(GAP), px(BODY)))
        head, basis, unit, about, body = rect.rows(
            px(HEAD), look.fonts.height(px(BODY)) * min(lines, 3), px(LINE), px(LINE), None
        )
        player = button(self.command(), "liked", head, kind="quiet", align="left", text=name)
        edge, colour = px(GAP), look.theme.warning if liked is not None and likes is None else None
        widgets: list[Widget] = [
            player,
            Label(key="likes.basis", rect=basis.inset(edge, 0), text=says, colour=colour, wrap=True,
                  may_cut=True),
        ]  # fmt: skip
        if likes is None or not likes.values:
            return widgets
        meaning = OF_POLICY if likes.policy else IN_MEN if likes.men else IN_PARTS
        widgets.append(Label(key="likes.unit", rect=unit.inset(edge, 0), text=meaning, size=SMALL, colour=muted,
                             may_cut=True))  # fmt: skip
        if likes.maps and body.h >= px(LEAST_MAPS):
            pictures = self._pictures(likes, flipped)
            if len(pictures) > FEW and min(body.w, 2 * body.h) < px(ROOM_FOR_ALL):
                pictures = pictures[:FEW]
            widgets += [
                Label(key="likes.about", rect=about.inset(edge, 0), text=likes.about, size=SMALL, colour=muted,
                      may_cut=True),
                WeightMap(key="likes.maps", rect=body.inset(edge, 0), pictures=pictures,
                          legend=body.h >= px(ROOM_FOR_SCALE), where=partial(_where, flipped=flipped)),
            ]  # fmt: skip
        return widgets

    def _pictures(self, likes: Likes, flipped: bool) -> list[Picture]:
        if self._drawn is None or self._drawn[0] is not likes or self._drawn[1] != flipped:
            turn = -1 if flipped else 1
            maps = [Picture(part.title, tuple(tuple(row[::turn]) for row in part.rows[::turn])) for part in likes.maps]
            self._drawn = likes, flipped, maps
        return self._drawn[2]


def _where(picture: Picture, row: int, column: int, *, flipped: bool) -> str:
    """Return the square of a number in a map of the whole board; empty for other maps."""
    if picture.size != (8, 8):
        return ""
    square = square_at(7 - row, 7 - column) if flipped else square_at(row, column)
    return f"square {square}" if square else ""
