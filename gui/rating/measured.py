"""Ratings of champions that no session has rated, measured in the window and kept in a file. No pygame."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evolve.strength.elo import RatingEstimate
from gui.runs.live_run import LiveRun
from gui.storage.whole_files import in_words, read_bytes, write_whole

NAME = "measured_champions.json"
ALONE = "tablebase=no"


class MeasuredRatings:
    """Measured ratings, by keys from `key_of`, in a file of a data folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._known: dict[str, Any] | None = None

    def rating(self, run: LiveRun, number: int) -> tuple[float, float, float] | None:
        """Return the rating of a champion with the ends of its 95 % interval; None if it is not known.

        The rating comes from a measurement, or else from the log.
        """
        return self.find(key_of(run, number)) or run.rating(number)

    def find(self, key: str) -> tuple[float, float, float] | None:
        """Return the measured rating for a key, with the ends of its interval; None if there is none."""
        if self._known is None:
            self._known = self._read()
        values = self._known.get(key)
        if not isinstance(values, list) or len(values) != 3 or any(type(value) not in (int, float) for value in values):
            return None
        value, low, high = map(float, values)
        return value, low, high

    def keep(self, key: str, rating: RatingEstimate) -> str:
        """Keep a rating; return why it cannot be saved, or an empty string."""
        # Another window may have added ratings.
        self._known = self._read() | {key: [rating.value, rating.low, rating.high]}
        try:
            write_whole(self._path, json.dumps(self._known, indent=1).encode() + b"\n")
        except OSError as error:
            return f"The rating cannot be kept in {self._path.parent}: {in_words(error)}."
        return ""

    def _read(self) -> dict[str, Any]:
        try:
            values = json.loads(read_bytes(self._path) or b"{}")
        except (OSError, ValueError, RecursionError):
            return {}  # it can be measured again
        return values if isinstance(values, dict) else {}


def key_of(run: LiveRun, number: int) -> str:
    """Return a text that identifies a champion: its run, its generation and the checksum of the manifest."""
    checksum = run.entries[number].first if number < len(run.entries) else ""
    return f"{run.player_name}@{number} {checksum[:16]} {ALONE}"
