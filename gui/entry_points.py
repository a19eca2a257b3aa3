"""Functions that open the window for commands, once their arguments have been checked."""

from __future__ import annotations

from pathlib import Path

from game.board import Position
from gui.app import App
from gui.evolving.opponent import Beginning
from gui.individuals import opponents
from gui.model.game import GameModel
from gui.model.seats import with_person
from gui.window import run


def play(runs: Path, player: str | None, colour: str | None, fen: str | None) -> None:
    """Open the window with a game.

    Raises:
        InputError: an argument is invalid.
    """
    name = None if player is None else opponents.find_opponent(runs, player)
    start = Position.start() if fen is None else Position.from_fen(fen)

    def first(app: App) -> None:
        from gui.screens.play.play import Play

        available = app.services.opponents
        seat = available.recommend() if name is None else available.seat_named(name)
        seats = with_person(seat, colour or app.services.settings.colour)
        app.open(Play(app, GameModel(seats, start).vary()))

    run(runs, first)


def evolving(runs: Path, beginning: Beginning) -> None:
    def first(app: App) -> None:
        from gui.screens.play.evolving import new_game

        app.open(new_game(app, beginning))

    run(runs, first)


def open_file(runs: Path, name: str) -> None:
    """Open a file above the first screen; the window reports faults, as there may be no terminal."""
    run(runs, (lambda app: app.open_dropped(name)) if name else (lambda app: None))


def watch(runs: Path, black: str, white: str) -> None:
    """Open the window with a game between two players.

    Raises:
        InputError: there is no player with such a name.
    """
    names = [opponents.check_player(runs, text) for text in (black, white)]

    def first(app: App) -> None:
        from gui.screens.play.play import Play

        black, white = map(app.services.opponents.seat_named, names)
        app.open(Play(app, GameModel((black, white))))

    run(runs, first)
