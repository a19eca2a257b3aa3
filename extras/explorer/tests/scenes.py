"""Scenes of the explorer, for the tests of all screens."""

from __future__ import annotations

import random
from collections.abc import Callable

from extras.explorer.board import Exploring, follow
from extras.explorer.sources import explored_games
from game import plain
from gui.app import App
from gui.model.game import GameModel
from gui.model.seats import HUMAN
from gui.screens.play.play import Play
from tests.gui.hands import Hands


def _explorer(app: App) -> None:
    """Show eight moves of a game, with what the champions of a run played from there."""
    from tests.gui.scenes.scenes import played, settled  # they import this module

    generator, lines = random.Random(5), []
    for _ in range(60):
        model = played(8, (HUMAN, HUMAN))
        for _ in range(generator.randrange(1, 5)):
            model.play(generator.choice(plain.legal_moves(model.last)[:3]))
        lines.append(" ".join(str(ply.move) for ply in model.plies))
        lines.append(generator.choice(("1-0", "0-1", "1/2-1/2", "1/2-1/2")) + "\n")
    path = app.services.runs / "league" / "champions.pdn"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(lines))
    app.services.shared(explored_games).choose(str(path))
    app.change_settings(panel="explorer")
    app.open(Play(app, played(8)))
    settled(app)


def _exploring(app: App) -> None:
    _explorer(app)
    screen = app.screen
    follow(screen, plain.legal_moves(screen.model.shown)[1])


def open_screen(hands: Hands) -> None:
    """Open the board for trying lines, for tests of keys."""
    model = GameModel()
    model.play(plain.legal_moves(model.last)[0])
    hands.app.open(Play(hands.app, model, make_state=Exploring))
    hands.wait(0.3)


SCENES: dict[str, Callable[[App], object]] = {"explorer": _explorer, "exploring": _exploring}
THEMED: tuple[str, ...] = ()
