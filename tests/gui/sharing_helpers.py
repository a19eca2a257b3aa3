"""Files that the window writes; shared by tests of games, sessions and pages."""

from __future__ import annotations

from game.board import Position
from gui.model.ending import Cause, Ending
from gui.model.game import GameModel
from gui.screens.dialogs.files import Files
from gui.screens.play.play import Play
from tests.gui.hands import Hands
from tests.gui.review_helpers import MOVES, moves_of


def playing(hands: Hands) -> GameModel:
    model = GameModel.of_moves(Position.start(), moves_of(Position.start(), MOVES))
    model.end(Ending(-1, Cause.RESIGNED))
    hands.app.go_home()
    hands.app.open(Play(hands.app, model))
    return model


def shared(hands: Hands, name: str, command: str = "save") -> str:
    """Write something to a file of this name, and return the message."""
    hands.key(f"<{command}>")
    assert isinstance(hands.app.screen, Files)
    hands.click("path")
    hands.key("ctrl+a")
    hands.type(name)
    hands.key("return")
    if isinstance(hands.app.screen, Files):
        text = hands.widget("trouble").text
        hands.key("escape")
    else:
        hands.until(lambda: "Saved as" in hands.app.notice or "cannot be" in hands.app.notice)
        text = hands.app.notice
    assert isinstance(text, str)
    return text
