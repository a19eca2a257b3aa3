"""The worth of each piece to a player, as numbers on the pieces, and what they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from game.number_text import signed_text, with_minus
from gui.model.seats import Seat
from gui.model.table import GameTable
from gui.thinking.beside import likes_of
from gui.thinking.messages import SideResult, SideWork
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
        self._known: dict[SideWork, SideResult] = {}

    @property
    def _seat(self) -> Seat:
        return next((seat for seat in self._table.model.seats if seat.name), self._table.analyst)

    @property
    def _request(self) -> SideWork:
        model = self._table.model
        return SideWork(likes_of, (model.number, self._seat.name, model.shown))

    def step(self) -> bool:
        """Ask for the likes of the visible position, unless they are known; return whether they have come."""
        request = self._request
        answer = None if request in self._known else self._app.services.thinker.work(request)
        if answer is not None:
            self._known[request] = answer
        return answer is not None

    def liked(self) -> SideResult | None:
        """Return the `Likes` of the visible position; None if they are not known yet."""
        return self._known.get(self._request)

    @property
    def words(self) -> str:
        """The meaning of the numbers, or why there are none."""
        liked = self.liked()
        if liked is None:
            return "One moment…"
        likes = liked.value
        if likes is None or not likes.values:
            return liked.trouble if likes is None else f"{likes.basis}."
        meaning = OF_POLICY if likes.policy else IN_MEN if likes.men else IN_PARTS
        return f"Worth of pieces to {self._seat.brief}: {meaning}."

    def on_board(self) -> dict[int, Worth]:
        """Return the numbers with their shares of the largest, by square."""
        liked = self.liked()
        if liked is None or liked.value is None or not liked.value.values:
            return {}
        likes, values = liked.value, liked.value.values
        most = max(*map(abs, values.values()), 1e-9)

        def text(value: float) -> str:
            if likes.policy:
                return f"{100 * value:.0f} %"
            return with_minus(signed_text(value, 2) if likes.men else f"{signed_text(100 * value)} %")

        return {square: (text(value), value / most) for square, value in values.items()}
