"""The way from a board to the families of those who play there."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from game.rules import BLACK, WHITE
from gui.family.family import PEOPLE
from gui.geometry import Rect
from gui.individuals.individual import Individual
from gui.look.canvas import Look
from gui.look.theme import GAP
from gui.model.game import SIDE_NAME, GameModel
from gui.screens.dialogs.dialog import Menu
from gui.widgets.base import Command, Widget
from gui.widgets.button import button

if TYPE_CHECKING:
    from gui.app import App

SIDE = 30
"""Pixels of the design of the button at the end of a strip."""


def family_command(app: App, model: GameModel, group: str = "") -> Command:
    """Return the command that opens the family of a program; with two programs one is chosen."""
    sides = [side for side in (BLACK, WHITE) if model.seats[side].player]

    def choose() -> None:
        if len(sides) == 1:
            _open(app, model, sides[0])
        else:
            app.open(Menu(app, "Whose family", lambda: [_of_side(app, model, side) for side in sides]))

    return Command(id="family", name="Family", keys=("shift+f",), run=choose, icon="family", group=group,
                   about="Whom the opponent comes from: its ancestors, their games, and to play them",
                   enabled=bool(sides), why=PEOPLE)  # fmt: skip


def _of_side(app: App, model: GameModel, side: int) -> Command:
    name = SIDE_NAME[side]
    return Command(id=f"family-{name.lower()}", name=model.seats[side].shown, keys=(name[0].lower(),), icon="family",
                   run=partial(_open, app, model, side), about=f"The family of {name}")  # fmt: skip


def _open(app: App, model: GameModel, side: int) -> None:
    seat = model.seats[side]
    app.open(app.screens.family(Individual.of_player(seat.player or "")))


def family_button(app: App, model: GameModel, side: int, rect: Rect, look: Look) -> tuple[Rect, list[Widget]]:
    """Of the strip of a player what is left for it, and at its end, of a program, the way to its family."""
    if not model.seats[side].player:
        return rect, []
    place, end = rect.columns(None, look.px(SIDE), gap=look.px(GAP))
    command = replace(family_command(app, model), run=partial(_open, app, model, side))
    corner = end.centre_within(look.px(SIDE), look.px(SIDE))
    return place, [button(command, f"family{side}", corner, kind="quiet", icon_only=True)]
