"""Ways onto the table: a game against somebody, and one that was loaded."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from gui.model.game import GameModel
from gui.model.record import Loaded
from gui.model.seats import HUMAN, Seat
from gui.screens.screen import Screen, Window


def begin(app: Window, opponent: Seat, colour: str, make: Callable[[tuple[Seat, Seat]], GameModel] = GameModel) -> None:
    """Begin a game against somebody, above where runs are looked at; `make` makes the game of its seats."""
    black = {"black": True, "white": False}.get(colour, secrets.randbelow(2) == 0)
    app.go_home(keep=lambda screen: screen.browses)
    app.open(app.screens.play(make((HUMAN, opponent) if black else (opponent, HUMAN)).vary()))


def show_loaded(app: Window, loaded: Loaded, source: Screen | None = None) -> None:
    """Show a game or position, above the list it is from; a game that is on the table is kept."""
    model = loaded.model
    model.go_to(0 if model.over and model.plies else len(model.plies))
    app.go_home(keep=lambda screen: screen is source or screen.browses)
    app.open(app.screens.play(model, flipped=False, recorded=bool(model.plies)))
    if loaded.trouble:
        app.say(f"Only a part of the game could be read: {loaded.trouble}", "warning")
