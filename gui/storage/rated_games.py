"""The append-only file of rated games: one JSON object per line for each event of a game.

A game begins, may be excluded from the ratings, and ends. The rating after it has its own line, since it takes a moment
to compute. Each line is appended in one write, so several windows may write at once. Damaged lines, for example after a
power cut, are skipped.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from evolve.run.files import Stamp
from game.regular_files import open_regular
from gui.storage.whole_files import in_words, read_bytes

NAME = "rated_games.jsonl"


class RatedGamesFile:
    def __init__(self, folder: Path) -> None:
        self.trouble = ""
        self.events: list[dict[str, Any]] = []
        self._path = folder / NAME
        self._file = Stamp(self._path)

    def refresh(self) -> bool:
        """Read the lines that this or another window has added; return whether there were any."""
        if not self._file.refresh() or not self._path.exists():
            return False
        try:
            data = read_bytes(self._path) or b""
        except (OSError, ValueError) as error:
            self.trouble = f"{self._path} cannot be read: {in_words(error)}."
            return False
        self.events, damaged = [], 0
        for line in data.splitlines():
            event = _event(line)
            if event is not None:
                self.events.append(event)
            elif line.strip():
                damaged += 1
        self.trouble = f"{self._path}: {damaged} damaged lines were skipped." if damaged else ""
        return True

    def add(self, *events: dict[str, Any]) -> bool:
        """Append lines; if that fails, set `trouble`, keep the events in this window only, and return False."""
        text = b"".join(json.dumps(event, ensure_ascii=True, allow_nan=False).encode() + b"\n" for event in events)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with open_regular(self._path, "ab+", links=True, buffering=0) as file:
                if file.seek(0, os.SEEK_END):
                    file.seek(-1, os.SEEK_END)
                    if file.read(1) != b"\n":  # the previous line is incomplete
                        text = b"\n" + text
                file.write(text)
                os.fsync(file.fileno())
        except OSError as error:
            self.trouble = f"Rated games cannot be saved in {self._path.parent}: {in_words(error)}."
            self.events += events
            return False
        self.refresh()
        return True


def _event(line: bytes) -> dict[str, Any] | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and isinstance(event.get("game"), str) else None
