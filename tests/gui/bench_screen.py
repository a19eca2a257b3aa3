"""A screen that contains one widget, for tests of single widgets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gui.app import App
from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.screens.screen import Screen
from gui.widgets.base import Widget
from gui.widgets.button import Button
from tests.gui.hands import Hands

PLACE = Rect(40, 60, 400, 240)


class Bench(Screen):
    """A screen with one widget; it records the widget's calls."""

    title = "Bench"

    def __init__(self, app: App, make: Callable[[Bench], Widget]) -> None:
        super().__init__(app)
        self.make = make
        self.value: Any = None
        self.values: list[Any] = []

    def take(self, value: Any) -> None:
        self.value = value
        self.values.append(value)

    def view(self, size: Size, look: Look) -> list[Widget]:
        return [self.make(self), Button(key="other", rect=Rect(40, 400, 100, 30), text="Other", run=lambda: None)]


def bench(hands: Hands, make: Callable[[Bench], Widget], value: Any = None) -> Bench:
    screen = Bench(hands.app, make)
    screen.value = value
    hands.app.open(screen)
    hands.wait(0.05)
    return screen
