"""Functions that open files which the user has chosen or dropped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from game.errors import InputError
from game.regular_files import read_regular
from gui.files import has_players, kind_of
from gui.model import pdn
from gui.model.pdn import PdnIndex
from gui.runs.live_run import titles_of
from gui.screens.play.game_files import show_loaded
from gui.storage.whole_files import in_words

if TYPE_CHECKING:
    from gui.app import App

SMALL_TEXT = 4096
"""Size in bytes up to which a file without a known suffix is read as a FEN."""


def open_path(app: App, name: str) -> str:
    """Open a file with games, a position or players; return an error message, or an empty string."""
    path = Path(name)
    trouble = ""
    try:
        if not path.is_file():  # opening a pipe would wait for its writer
            path.stat()
            trouble = f"{path.name} is {kind_of(path)}, expected a file of games, a position or players."
        elif has_players(path):
            trouble = _players(app, path)
        elif path.suffix.lower() != ".pdn" and path.stat().st_size <= SMALL_TEXT:
            show_loaded(app, pdn.read(read_regular(path, SMALL_TEXT, links=True).decode("utf-8", "replace")))
        else:
            _games(app, path)
    except InputError as error:
        trouble = str(error)
    except (OSError, ValueError) as error:
        trouble = f"{path.name} cannot be read: {in_words(error)}."
    if not trouble and not has_players(path):
        app.services.remember_file(path.absolute())
    return trouble


def _players(app: App, path: Path) -> str:
    """Show a file of players with the opponents; return an error message, or an empty string."""
    from gui.screens.individuals.chooser import Chooser

    screen = next((screen for screen in app.stack if isinstance(screen, Chooser)), None)
    if screen is None:
        screen = Chooser(app)
        app.open(screen)
    while app.screen is not screen:
        app.back()
    return screen.open_csv(path)


def _games(app: App, path: Path) -> None:
    from gui.screens.play.games import GamesScreen

    app.open(GamesScreen(app, PdnIndex(path, title_of=titles_of(path))))
