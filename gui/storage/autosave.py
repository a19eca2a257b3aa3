"""Saves the game in progress, so that it survives the closing of the window; finished games are kept, too.

Each window saves its own game; `gui.storage.kept_games` lists them all. A game that is open in a window is locked until
its process ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gui.model.game import GameModel
from gui.storage.game_text import SavedGameError, check_date, from_text, to_text
from gui.storage.whole_files import FOLDER, in_words, read_bytes, set_aside, write_whole

EVOLVING = "evolving"
"""The key in the values of a kept game under which its evolving opponent is saved."""
SAVE_EVERY = 1.0
"""Minimum seconds between two automatic saves."""


@dataclass(frozen=True)
class Kept:
    """A saved game.

    Attributes:
        when: seconds since 1970 when it was last played.
    """

    path: Path
    model: GameModel
    extra: dict[str, Any]
    when: float


class Autosave:
    """The file of one window's game."""

    def __init__(self, folder: Path) -> None:
        self.trouble = ""
        self._folder = folder / FOLDER
        self._path: Path | None = None
        self._lock: Any = None
        self._saved: tuple[Any, ...] = ()
        self._last = float("-inf")
        self._over = False
        self._played: tuple[Any, ...] = ()
        self._when = 0.0

    def is_free(self, path: Path) -> bool:
        """Return whether no window, including this one, has a game open."""
        lock = None if path == self._path else self._locked(path)
        if lock is not None:
            lock.release()
        return lock is not None

    def take(self, path: Path) -> Kept | None:
        """Open a saved game; None if it is open in another window, no longer exists, or is damaged."""
        if path == self._path:
            return self.read(path)
        lock = self._locked(path)
        if lock is None:
            return None
        kept = self.read(path)
        if kept is None:
            lock.release()
            return None
        self.release()
        self._path, self._lock = path, lock
        self._played, self._when = _played(kept.model), kept.when
        return kept

    def update(self, model: GameModel, now: float, extra: dict[str, Any] | None = None) -> None:
        """Save the game if it has changed; call this once a frame."""
        if self._path is None and not model.plies:  # not worth keeping
            return
        if now - self._last >= SAVE_EVERY and self._state(model, extra) != self._saved:
            self._last = now
            self.save(model, extra)

    def save(self, model: GameModel, extra: dict[str, Any] | None = None) -> bool:
        state = self._state(model, extra)
        self._over = model.over
        self._saved = state  # after a failure, the next attempt waits until the game changes
        if self._played != _played(model):  # otherwise it was only viewed
            self._played, self._when = _played(model), time.time()
        try:
            if self._path is None:
                self._begin()
            assert self._path is not None
            write_whole(self._path, to_text(model, extra, self._when).encode())
        except OSError as error:
            self.trouble = f"The game cannot be saved in {self._folder}: {in_words(error)}."
            return False
        self.trouble = ""
        return True

    def amend(self, path: Path, **extra: Any) -> str:
        """Add values to the file of a finished game; return an error message, or an empty string."""
        try:
            data = read_bytes(path)
            if data is None:
                return f"{path} no longer exists."
            from_text(data)
            values = json.loads(data)
            values["extra"] = {**values["extra"], **extra}
            write_whole(path, json.dumps(values).encode())
        except (OSError, ValueError) as error:
            return f"{path} cannot be written: {in_words(error)}."
        return ""

    def clear(self) -> None:
        """Delete this window's game; the next one gets a new file."""
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()
        self.release()

    def delete(self, path: Path) -> str:
        lock = None if path == self._path else self._locked(path)
        if lock is None:
            return "This game is open in another window."
        lock.release()
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            return f"{path} cannot be deleted: {in_words(error)}."
        self._delete(path)
        return ""

    def release(self) -> None:
        if self._lock is not None:
            with contextlib.suppress(OSError):
                self._lock.release()
        if self._path is not None and not self._path.exists():
            self._delete(self._path)
        elif self._path is not None and self._over:  # a finished game is only read, which needs no lock
            with contextlib.suppress(OSError):
                self._lock_path(self._path).unlink()
        self._path, self._lock, self._saved, self._over, self._played = None, None, (), False, ()

    def _begin(self) -> None:
        """Choose a new file and lock it; if the disk has no locks, other windows may open the same game."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._path = self._folder / f"{time.time_ns()}-{os.getpid()}.json"
        self._lock = self._locked(self._path)

    def _delete(self, path: Path) -> None:
        for file in (path, self._lock_path(path)):
            with contextlib.suppress(OSError):
                file.unlink()

    def read(self, path: Path) -> Kept | None:
        try:
            data = read_bytes(path)
            if data is None:
                return None
            model, extra = from_text(data)
            return Kept(path, model, extra, check_date(json.loads(data).get("when", path.stat().st_mtime)))
        except OSError as error:
            self.trouble = f"{path} cannot be read: {in_words(error)}."
        except (SavedGameError, ValueError) as error:
            self.trouble = f"{path} was damaged and set aside: {in_words(error)}."
            set_aside(path)
        return None

    def _locked(self, path: Path) -> Any:
        """Lock a game and return the lock; None if another window holds it, or the disk has no locks."""
        import filelock

        lock = filelock.FileLock(self._lock_path(path), timeout=0)
        try:
            lock.acquire()
        except (filelock.Timeout, OSError, NotImplementedError):
            return None
        return lock

    @staticmethod
    def _lock_path(path: Path) -> Path:
        return path.with_suffix(".lock")

    @staticmethod
    def _state(model: GameModel, extra: dict[str, Any] | None) -> tuple[Any, ...]:
        return model.number, model.stamp, model.cursor, repr(extra)


def _played(model: GameModel) -> tuple[Any, ...]:
    return model.start, tuple(ply.move for ply in model.plies), model.ending
