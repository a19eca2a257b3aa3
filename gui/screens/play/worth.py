"""The worth of each piece to a player, as numbers on the pieces, and what they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from game.number_text import signed_text, with_minus
from gui.model.seats import Seat
from gui.model.table import GameTable
from gui.thinking.messages import Liked, LikesRequest
from gui.widgets.board import Worth

if TYPE_CHECKING:
    from gui.app import App

IN_MEN = "in men, + for Black"
IN_PARTS = "+ for Black, at most 100 %"
OF_POLICY = "how much its choice depends on it"


class WorthOfPieces:
    """The worth of the pieces to the first program of the game, or else to the analyst."""

    def __init__(self, app: App, table: GameTable) -> None:
        self._app = app
        self._table = table

    @property
    def _seat(self) -> Seat:
        return next((seat for seat in self._table.model.seats if seat.name), self._table.analyst)

    def liked(self) -> Liked | None:
        """Return the answer for the visible position; if there is none yet, ask for it."""
        model, name = self._table.model, self._seat.name
        assert name is not None
        return self._app.services.thinker.likes(LikesRequest(model.number, name, model.shown))

    @property
    def words(self) -> str:
        """The meaning of the numbers, or why there are none."""
        liked = self.liked()
        if liked is None:
            return "One moment…"
        likes = liked.likes
        if likes is None or not likes.values:
            return liked.trouble if likes is None else f"{likes.basis}."
        meaning = OF_POLICY if likes.policy else IN_MEN if likes.men else IN_PARTS
        return f"Worth of pieces to {self._seat.brief}: {meaning}."

    def on_board(self) -> dict[int, Worth]:
        """Return the numbers with their shares of the largest, by square."""
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
