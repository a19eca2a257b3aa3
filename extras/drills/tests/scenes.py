"""The scene of a drill, for the tests of all screens."""

from __future__ import annotations

from collections.abc import Callable

from gui.app import App
from gui.model.ending import Cause, Ending
from gui.screens.play.play import Play
from gui.thinking.messages import Answer
from tests.gui.hands import Hands, step
from tests.gui.review_helpers import game, think
from tests.gui.scenes.made_up import judge


def _drill(app: App) -> None:
    """Show the first of the drills from a lost game that was reviewed."""
    from tests.gui.scenes.scenes import NOON, date_games, played, settled  # they import this module

    thinker = app.services.thinker
    thinker.say = lambda ticket, request: Answer(ticket, judge(request))
    model = played(19)
    model.end(Ending(-1, Cause.RESIGNED))
    app.open(Play(app, model))
    app.screen.key("w")
    for _ in range(200):
        app.step([], 0.25)
    app.go_home()
    date_games(app, NOON)
    settled(app)
    while app.screen.title != "Drills":  # until the drills are found
        step(app, 1.0, drawing=False)
        app.screen.key("d")


def open_screen(hands: Hands) -> None:
    """Open a drill, for tests of keys."""
    hands.app.open(Play(hands.app, game()))
    hands.key("w")
    think(hands)
    hands.app.go_home()
    hands.wait(3.0)
    hands.key("d")


SCENES: dict[str, Callable[[App], object]] = {"drill": _drill}
THEMED: tuple[str, ...] = ()
