"""Games as files and on the clipboard, from the screens' side."""

from __future__ import annotations

import datetime
from pathlib import Path

from game.board import Position
from game.errors import InputError
from gui.files import kind_of
from gui.model import record
from gui.model.game import GameModel
from gui.screens.play.beginning import show_loaded
from gui.screens.screen import Window
from gui.storage.places import in_words, write_whole

LARGEST_PASTE = 500_000
"""Characters of a text that is read within one frame; games are a thousandth of that."""


def save_game(app: Window, model: GameModel) -> None:
    """Ask for a file and write the game to it."""
    from gui.screens.dialogs.files import Files

    today = datetime.date.today()
    app.open(Files.to_save(app, f"game-{today:%Y-%m-%d}.pdn", lambda path: _write(app, model, path)))


def _write(app: Window, model: GameModel, path: Path) -> str:
    """Write the game, or the position that is shown to a .fen file, as a whole or not at all; what went wrong."""
    if path.suffix.lower() == ".fen":
        text = model.shown.fen() + "\n"
    else:
        text = record.to_pdn(model, f"{datetime.date.today():%Y.%m.%d}")
    try:
        target = path.resolve()  # of a link, what it leads to
        if target.exists() and not target.is_file():
            return f"{path.name} cannot be written: it is {kind_of(target)}."
        write_whole(target, text.encode(errors="replace"))
    except (OSError, ValueError, RuntimeError) as error:
        return f"{path.name} cannot be written: {in_words(error)}."
    app.services.remember_file(path)
    app.say(f"Saved as {path}", "check")
    return ""


def open_file(app: Window) -> None:
    """Ask for a file and open what it holds."""
    from gui.screens.dialogs.files import Files

    app.open(Files.to_open(app, lambda path: app.open_path(str(path))))


def copy_game(app: Window, model: GameModel) -> None:
    """Put the game on the clipboard."""
    copy(app, record.to_pdn(model, f"{datetime.date.today():%Y.%m.%d}"), "The game is on the clipboard as PDN.")


def copy_position(app: Window, position: Position) -> None:
    """Put a position on the clipboard."""
    copy(app, position.fen(), "The position is on the clipboard as FEN.")


def copy(app: Window, text: str, done: str) -> None:
    """Put text on the clipboard, and say that it is there, or why it is not."""
    trouble = app.services.clipboard.copy(text)
    app.say(trouble or done, "warning" if trouble else "check")


def paste(app: Window) -> None:
    """Open the game or position that is on the clipboard."""
    text = app.services.clipboard.paste()
    if not text.strip():
        app.say("The clipboard holds no text.", "warning")
        return
    if len(text) > LARGEST_PASTE:
        size, most = f"{len(text) / 1e6:,.1f} MB", f"{LARGEST_PASTE / 1e6:g} MB"
        app.say(f"The clipboard holds {size} of text, more than {most}: save it as a file and open that.", "warning")
        return
    try:
        show_loaded(app, record.read(text))
    except InputError as error:
        app.say(str(error), "warning")
