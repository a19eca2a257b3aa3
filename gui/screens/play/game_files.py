"""Games as files and on the clipboard, from the screens' side."""

from __future__ import annotations

import contextlib
import datetime
from pathlib import Path

from game.board import Position
from game.errors import InputError
from game.review.judged import Review
from gui.files import kind_of
from gui.model import record
from gui.model.game import GameModel
from gui.screens.play.beginning import show_loaded
from gui.screens.screen import Window
from gui.storage.places import in_words, write_whole

LARGEST_PASTE = 500_000
"""Characters of a text that is read within one frame; games are a thousandth of that."""


def save_game(app: Window, model: GameModel, when: float | None = None, review: Review | None = None) -> None:
    """Ask for a file and write the game to it.

    Args:
        app: the window.
        model: the game.
        when: seconds since 1970 when it was played; today if not given.
        review: of the game, which stands in a PDN file then.
    """
    from gui.screens.dialogs.files import Files

    day = pdn_date(when)
    app.open(
        Files.to_save(app, f"game-{day.replace('.', '-')}.pdn", lambda path: _write(app, model, path, day, review))
    )


def pdn_date(when: float | None = None) -> str:
    """The day of a time in seconds since 1970, or today, as PDN writes it."""
    day = datetime.date.today()
    if when is not None:
        with contextlib.suppress(OSError, ValueError, OverflowError):
            day = datetime.date.fromtimestamp(when)
    return f"{day:%Y.%m.%d}"


def _write(app: Window, model: GameModel, path: Path, day: str, review: Review | None) -> str:
    """Write the game, or the position that is shown to a .fen file; what went wrong."""
    text = model.shown.fen() + "\n" if path.suffix.lower() == ".fen" else record.to_pdn(model, day, review)
    trouble = write_text(app, path, text)
    if not trouble:
        app.say(f"Saved as {path}", "check")
    return trouble


def why_not_writable(path: Path) -> str:
    """Why a file cannot be written, as far as that is seen before; empty if nothing speaks against it."""
    with contextlib.suppress(OSError, RuntimeError):
        target = path.resolve()  # of a link, what it leads to
        if target.exists() and not target.is_file():
            return f"{path.name} cannot be written: it is {kind_of(target)}."
    return ""


def write_text(app: Window, path: Path, text: str) -> str:
    """Write a text as a whole or not at all, and remember the file; what went wrong."""
    trouble = why_not_writable(path)
    if trouble:
        return trouble
    try:
        write_whole(path.resolve(), text.encode(errors="replace"))
    except (OSError, ValueError, RuntimeError) as error:
        return f"{path.name} cannot be written: {in_words(error)}."
    app.services.remember_file(path)
    return ""


def open_file(app: Window) -> None:
    """Ask for a file and open what it holds."""
    from gui.screens.dialogs.files import Files

    app.open(Files.to_open(app, lambda path: app.open_path(str(path))))


def copy_game(app: Window, model: GameModel, review: Review | None = None) -> None:
    """Put the game on the clipboard, with a review of it."""
    copy(app, record.to_pdn(model, pdn_date(), review), "The game is on the clipboard as PDN.")


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
