"""The position in which a game begins: the usual start, a drawn or chosen opening, or the position on the board."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from game.ballots import NamedOpening, deck
from game.board import Position
from gui.geometry import Rect
from gui.model.game import GameModel
from gui.model.seats import Seat
from gui.screens.dialogs.ballots import BallotPicker
from gui.widgets.base import Command, Widget
from gui.widgets.field import Dropdown

if TYPE_CHECKING:
    from gui.app import App

BEGINNINGS = {
    "start": "The usual start",
    "random": "A random three-move ballot",
    "position": "The position on the board",
    "ballot": "An opening by name or number…",
}


class OpeningChoice:
    """The choice of where a game begins.

    Args:
        position: the position on the board; None if there is none.
        game: the game in which it stands, which is continued; None for a new one.
        from_here: whether `position` is chosen at first.
    """

    def __init__(self, app: App, position: Position | None, game: GameModel | None, *, from_here: bool) -> None:
        self._app, self._position, self._played = app, position, game
        self._way = "position" if from_here else "start"
        self._ballot: NamedOpening | None = None

    def game(self, seats: tuple[Seat, Seat]) -> GameModel:
        if self._way == "position" and self._position is not None:
            return GameModel(seats, self._position) if self._played is None else self._played.branch(seats)
        ballot = secrets.choice(deck()) if self._way == "random" else self._ballot if self._way == "ballot" else None
        return GameModel.of_moves(Position.start(), ballot.line if ballot else (), seats)

    def commands(self) -> list[Command]:
        return [
            Command(id="start", name="Start", keys=(), run=self._next, about="Choose where the game begins"),
            Command(id="ballot", name="An opening", keys=(), run=self._pick_ballot,
                    about="Begin with a three-move ballot or a classical opening, by number, name or moves"),
        ]  # fmt: skip

    @property
    def _ways(self) -> list[str]:
        return [name for name in BEGINNINGS if name != "position" or self._position is not None]

    def _next(self) -> None:
        ways = [name for name in self._ways if name != "ballot" or self._ballot is not None]
        self._way = ways[(ways.index(self._way) + 1) % len(ways)]

    def _pick_ballot(self) -> None:
        flipped = self._app.services.settings.colour != "white"
        self._app.open(BallotPicker(self._app, self._ballot, self._take_ballot, flipped=flipped))

    def _take_ballot(self, ballot: NamedOpening) -> None:
        self._way, self._ballot = "ballot", ballot

    def _set(self, number: int) -> None:
        if self._ways[number] == "ballot":
            self._pick_ballot()
        else:
            self._way = self._ways[number]

    def choice(self, rect: Rect) -> Widget:
        names = BEGINNINGS | ({} if self._ballot is None else {"ballot": self._ballot.title})
        ways = self._ways
        return Dropdown(key="begin", rect=rect, names=[names[way] for way in ways], chosen=ways.index(self._way),
                        pick=self._set, hint="Where the game begins. An opening by name or number")  # fmt: skip
