"""Shown when a screen failed: what happened, that the game is kept, and the ways on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.look.theme import APART, CONTROL, GAP, HEADING
from gui.screens.screen import Screen
from gui.widgets.base import Label, Panel, Widget
from gui.widgets.button import button
from gui.widgets.commands import Command, by_id

if TYPE_CHECKING:
    from gui.app import App


class FaultDialog(Screen):
    """A fault of the program, in words."""

    title = "Something went wrong"

    def __init__(self, app: App, screen: Screen, error: Exception, saved: bool) -> None:
        super().__init__(app)
        self._screen = screen
        kept = " The game in progress is kept." if saved else ""
        what = " ".join(str(error).split())[:300]
        self._text = (
            f"The screen “{screen.title}” met a fault of the program: {type(error).__name__}"
            f"{': ' + what if what else ''}. The log has the details.{kept}"
        )

    def commands(self) -> Sequence[Command]:
        """Try again, or go home."""
        return (
            Command(id="again", name="Try again", keys=("return",), run=self._again, about="Show the screen again"),
            Command(id="home", name="Home", keys=("h", "escape"), run=self._home, about="Go to the first screen",
                    icon="home"),
        )  # fmt: skip

    def _again(self) -> None:
        self._screen.broken = False
        self.app.back()

    def _home(self) -> None:
        for screen in self.app.stack:
            screen.broken = False
        self.app.go_home()

    def view(self, size: Size, look: Look) -> list[Widget]:
        """A card in the middle."""
        px = look.px
        card = Rect(0, 0, *size).centre_within(min(px(560), size[0] - px(20)), min(px(300), size[1] - px(20)))
        inner = card.inset(px(APART), px(APART))
        head, text, row = inner.rows(px(CONTROL), None, px(CONTROL), gap=px(GAP))
        again, home = row.columns(None, None, gap=px(GAP))
        found = by_id(self.commands())
        return [
            Panel(key="card", rect=card),
            Label(
                key="head",
                rect=head,
                text=self.title,
                size=HEADING,
                bold=True,
                icon="warning",
                colour=look.theme.danger,
            ),
            Label(key="text", rect=text, text=self._text, wrap=True, may_cut=True),
            button(found["again"], "again", again, kind="main"),
            button(found["home"], "home", home),
        ]
