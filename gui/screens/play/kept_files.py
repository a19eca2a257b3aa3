"""What is done with kept games from any list of them: show one, go on with it, delete it, write many to a file."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable
from pathlib import Path

from game.number_text import count_text
from game.review.judged import Review
from game.review.kept import from_dict
from gui.model import record
from gui.model.kept_game import KeptGame
from gui.screens.dialogs.dialog import Dialog
from gui.screens.play import game_files
from gui.screens.screen import Window
from gui.storage.autosave import Kept


def show_kept(app: Window, game: KeptGame) -> None:
    """Go on with a game; one that is over is looked at, and stays kept."""
    autosave, path = app.services.autosave, app.services.kept.path(game)
    kept = autosave.look(path) if game.over else autosave.take(path)
    if kept is None:
        app.say(autosave.trouble or "Another window has this game.", "warning")
        return
    flipped = kept.extra.get("flipped")
    if kept.model.over:
        app.open(app.screens.play(kept.model, flipped=flipped is True, recorded=True, kept=kept))
    elif kept.extra.get("screen") == "watch" and not any(seat.human for seat in kept.model.seats):
        app.open(app.screens.watching(kept.model, flipped=flipped is True))
    else:
        app.open(app.screens.play(kept.model, flipped=flipped if isinstance(flipped, bool) else None))


def review_of(kept: Kept) -> Review | None:
    """The review that was kept with a game; None if there is none of it as it is."""
    model = kept.model
    positions = [model.start, *(ply.after for ply in model.plies)]
    return from_dict(kept.extra.get("review"), positions, [ply.move for ply in model.plies], model.result)


def ask_to_delete(app: Window, game: KeptGame, done: Callable[[], object]) -> None:
    """Delete a game after a question; `done` is called once it has gone."""

    def delete() -> None:
        trouble = app.services.autosave.delete(app.services.kept.path(game))
        app.say(trouble, "warning")
        done()

    answers = (("Delete", "return", delete), ("Keep", "escape", lambda: None))
    text = f"{game.players}, {game.moves_text}, {game.outcome}, {game.date}. It cannot be brought back."
    app.open(Dialog(app, "Delete this game?", text, answers, "danger"))


class Export:
    """Games being written to one PDN file, a few at a time; the file takes its place once all are in it.

    Attributes:
        said: what came of it, in one sentence; empty while it goes on.
        failed: whether nothing was written.
    """

    def __init__(self, app: Window, games: list[KeptGame], path: Path) -> None:
        self.said = ""
        self.failed = False
        self._app, self._games, self._path = app, games, path
        self._written = self._lost = 0
        self._parts: list[str] = []

    @classmethod
    def ask(cls, app: Window, games: list[KeptGame], begin: Callable[[Export], object]) -> None:
        """Ask for a file; `begin` is told what writes it."""
        from gui.screens.dialogs.files import Files

        def take(path: Path) -> str:
            trouble = game_files.why_not_writable(path)
            if not trouble:
                begin(cls(app, games, path))
            return trouble

        app.open(Files.to_save(app, f"games-{datetime.date.today():%Y-%m-%d}.pdn", take))

    @property
    def share(self) -> float:
        """How many of the games were written, 0 to 1."""
        return (self._written + self._lost) / max(len(self._games), 1)

    @property
    def told(self) -> str:
        """How far it is, in words."""
        return f"Writing game {self._written + self._lost:,} of {len(self._games):,}. Esc stops"

    def step(self, seconds: float) -> bool:
        """Write on for this many seconds, at most one game longer; False once it is done."""
        services, end = self._app.services, time.perf_counter() + seconds
        while self._written + self._lost < len(self._games):
            game = self._games[self._written + self._lost]
            kept = services.autosave.look(services.kept.path(game))
            if kept is None:
                self._lost += 1
            else:
                self._written += 1
                self._parts.append(record.to_pdn(kept.model, game_files.pdn_date(game.when), review_of(kept)))
            if time.perf_counter() >= end:
                return True
        self._finish()
        return False

    def stop(self) -> None:
        """Give it up; nothing was written."""
        self._parts.clear()

    def _finish(self) -> None:
        text = "\n".join(self._parts)
        self.said = game_files.write_text(self._app, self._path, text)
        self.failed = bool(self.said)
        if not self.failed:
            lost = f"; {self._lost} could not be read" if self._lost else ""
            self.said = f"{count_text(self._written, 'game')} saved as {self._path}{lost}"
