"""Who says how a game stands: the analyst of bar, graph, moves' scores and hints, as a person has chosen it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial

from game.errors import InputError
from game.players.registry import searches
from game.rules import BLACK, WHITE
from gui.model.analyses import ANALYST
from gui.model.endings import SIDE_NAME
from gui.model.game import GameModel
from gui.model.seats import Seat
from gui.screens.screen import Window
from gui.services import Services
from gui.widgets.commands import Command

CHAMPION, PIECES, OPPONENT = "champion", "pieces", "opponent"
"""Choices as the settings keep them: a player of the game is ``opponent NAME``, or with the side of a watched one; any
other text is a player. With its name a choice does not pass to another opponent."""


def list_analysts(services: Services, model: GameModel) -> dict[str, Seat]:
    """Who can analyse a game, by what the settings call it; the usual one comes first."""
    found: dict[str, Seat] = {}
    if services.first is not None:
        found[CHAMPION] = services.seat_of(services.first)
    programs = [side for side in (BLACK, WHITE) if not model.seats[side].human]
    for side in programs:
        seat = model.seats[side]
        if seat.name is not None and searches(seat.name):
            role = OPPONENT if len(programs) == 1 else SIDE_NAME[side].lower()
            found[f"{role} {seat.player}"] = seat
    found[PIECES] = ANALYST
    settings = services.settings
    if settings.analyst_title:
        with contextlib.suppress(InputError):  # settings may have been written by hand
            found[settings.analyst] = Seat(settings.analyst, title=settings.analyst_title)
    return {name: replace(seat, depth=ANALYST.depth, seconds=ANALYST.seconds) for name, seat in found.items()}


def find_analyst(services: Services, model: GameModel) -> Seat:
    """Return who analyses a game; the default one if the chosen one does not play in it."""
    analysts = list_analysts(services, model)
    return analysts[_chosen_of(analysts, services)]


def _chosen_of(analysts: Collection[str], services: Services) -> str:
    return next(name for name in (services.settings.analyst, CHAMPION, PIECES) if name in analysts)


def analyst_commands(app: Window, model: GameModel, done: Callable[[], object]) -> list[Command]:
    """One command for each analyst, and one that leads to the list of all individuals; `done` is called after one."""
    analysts = list_analysts(app.services, model)
    chosen = _chosen_of(analysts, app.services)

    def choose(name: str) -> None:
        title = app.services.settings.analyst_title if name == app.services.settings.analyst else ""
        app.change_settings(analyst=name, analyst_title=title)
        done()

    said = {OPPONENT: "Opponent: ", "black": "Black: ", "white": "White: "}
    commands = [
        Command(id=f"analyst-{number}", name=said.get(name.partition(" ")[0], "") + seat.brief, keys=(str(number),),
                run=partial(choose, name), about=f"{seat.brief} says how games stand", chosen=name == chosen)
        for number, (name, seat) in enumerate(analysts.items(), 1)
    ]  # fmt: skip
    other = Command(id="analyst-other", name="Another individual…", keys=("0",), icon="list",
                    run=lambda: app.open(app.screens.chooser(position=model.shown)),
                    about="Choose one in the list, then press J")  # fmt: skip
    return [*commands, other]
