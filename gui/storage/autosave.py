"""Keeps the game in progress, so that it survives the closing of the window; those that are over stay, all of them.

Each window keeps a game of its own; `gui.storage.kept_games` lists them.

A lock that ends with its process tells which games are on some window's table. Nothing here raises for what is on disk.
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

SAVE_EVERY = 1.0
"""Seconds between two savings at least, other than at the end."""


@dataclass(frozen=True)
class Kept:
    """A game that was kept.

    Attributes:
        path: its file.
        model: the game.
        extra: what the window kept beside it.
        when: seconds since 1970 when it was played last.
    """

    path: Path
    model: GameModel
    extra: dict[str, Any]
    when: float


class Autosave:
    """The file of one window's game.

    Attributes:
        trouble: why games cannot be kept or one was lost, in one sentence; empty if all is well.
    """

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
        """Return whether no window, including this one, has a game on its table."""
        lock = None if path == self._path else self._locked(path)
        if lock is not None:
            lock.release()
        return lock is not None

    def look(self, path: Path) -> Kept | None:
        """A kept game to look at, which stays where it is; None if it has gone or is damaged."""
        return self._read(path)

    def resume(self) -> Kept | None:
        """Take the newest kept game that is on no window's table; what is saved from now on takes its place."""
        for path in self._paths():
            kept = self.take(path)
            if kept is not None:
                return kept
        return None

    def take(self, path: Path) -> Kept | None:
        """Take a kept game; None if another window has it by now, or it is damaged."""
        if path == self._path:
            return self._read(path)
        lock = self._locked(path)
        if lock is None:
            return None
        kept = self._read(path)
        if kept is None:
            lock.release()
            return None
        self.release()
        self._path, self._lock = path, lock
        self._played, self._when = _played(kept.model), kept.when
        return kept

    def update(self, model: GameModel, now: float, extra: dict[str, Any] | None = None) -> None:
        """Keep the game if it has changed; call it once a frame.

        Args:
            model: the game on the table.
            now: seconds of a clock that does not go back.
            extra: what to keep beside it; plain JSON values.
        """
        if self._path is None and not model.plies:  # not worth keeping
            return
        if now - self._last >= SAVE_EVERY and self._state(model, extra) != self._saved:
            self._last = now
            self.save(model, extra)

    def save(self, model: GameModel, extra: dict[str, Any] | None = None) -> bool:
        """Keep the game now; False, and `trouble`, if that is not possible."""
        state = self._state(model, extra)
        self._over = model.over
        self._saved = state  # what cannot be written is not tried again until it changes
        if self._played != _played(model):  # else it was only looked at
            self._played, self._when = _played(model), time.time()
        try:
            if self._path is None:
                self._begin()
            assert self._path is not None
            write_whole(self._path, to_text(model, extra, self._when).encode())
        except OSError as error:
            self.trouble = f"The game cannot be kept in {self._folder}: {in_words(error)}."
            return False
        self.trouble = ""
        return True

    def amend(self, path: Path, **extra: Any) -> str:
        """Keep more beside a game that is over, which stays what it is; why that is not possible, or nothing.

        Args:
            path: the game's file.
            extra: plain JSON values by name.
        """
        try:
            data = read_bytes(path)
            if data is None:
                return f"{path} has gone."
            from_text(data)
            values = json.loads(data)
            values["extra"] = {**values["extra"], **extra}
            write_whole(path, json.dumps(values).encode())
        except (OSError, ValueError) as error:
            return f"{path} cannot be written: {in_words(error)}."
        return ""

    def clear(self) -> None:
        """Forget the kept game, as when it is over and another one begins; the next is kept under a new name."""
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()
        self.release()

    def delete(self, path: Path) -> str:
        """Delete a kept game; why that is not possible, or nothing."""
        lock = None if path == self._path else self._locked(path)
        if lock is None:
            return "Another window has this game."
        lock.release()
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            return f"{path} cannot be deleted: {in_words(error)}."
        self._delete(path)
        return ""

    def release(self) -> None:
        """Leave the game for other windows, as when this one closes."""
        if self._lock is not None:
            with contextlib.suppress(OSError):
                self._lock.release()
        if self._path is not None and not self._path.exists():
            self._delete(self._path)
        elif self._path is not None and self._over:  # nobody takes it any more: who looks at it needs no lock
            with contextlib.suppress(OSError):
                self._lock_path(self._path).unlink()
        self._path, self._lock, self._saved, self._over, self._played = None, None, (), False, ()

    def _begin(self) -> None:
        """Choose a name that no window has. On a disk without locks other windows may take it up, too."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._path = self._folder / f"{time.time_ns()}-{os.getpid()}.json"
        self._lock = self._locked(self._path)

    def _paths(self) -> list[Path]:
        found = []
        with contextlib.suppress(OSError):
            for path in self._folder.glob("*.json"):
                with contextlib.suppress(OSError):
                    found.append((path.stat().st_mtime_ns, path.name, path))
        return [path for *_, path in sorted(found, reverse=True)]

    def _delete(self, path: Path) -> None:
        for each in (path, self._lock_path(path)):
            with contextlib.suppress(OSError):
                each.unlink()

    def _read(self, path: Path) -> Kept | None:
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
        """A lock on a game, held; None if another window has it, or if none can be had."""
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
    """Return the events of a game, without the position on display."""
    return model.start, tuple(ply.move for ply in model.plies), model.ending
