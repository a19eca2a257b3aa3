"""Drills: the person's mistakes in kept games, which return until the better move is known."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from game.review.chances import Result
from game.review.judged import Mark
from gui.model.kept_game import KeptGame
from gui.storage.kept_games import KeptGames
from gui.storage.whole_files import in_words, read_bytes, write_whole

NAME = "drills.json"
FORMAT = 1
DAY = 86_400.0
INTERVALS = (1, 3, 7, 21, 60)
"""Days until a drill returns, after one, two, ... right answers in a row."""


UNKNOWN = 0.75
"""The share of people that find a better move, where no review says so."""


@dataclass(frozen=True, slots=True)
class Drill:
    """A mistake of the person in a kept game, to be played better.

    Attributes:
        ending: whether tablebases know that the position was won.
        finders: the share of people that find a better move, as the review says.
    """

    game: KeptGame
    ply: int
    ending: bool = False
    finders: float = UNKNOWN

    @property
    def key(self) -> str:
        return f"{self.game.name}:{self.ply}"


class Drills:
    """The drills from all kept games that were reviewed, and the results of earlier attempts.

    Args:
        clock: seconds since 1970.

    Attributes:
        all: the drills found so far, those of the newest games first.
    """

    def __init__(self, kept: KeptGames, clock: Callable[[], float] = time.time) -> None:
        self.all: list[Drill] = []
        self.trouble = ""
        self._path, self._kept, self._clock = kept.data / NAME, kept, clock
        self._version: int | None = None
        self._work: Iterator[Drill | None] = iter(())
        self._found: list[Drill] = []
        self._done = True
        self._results: dict[str, tuple[int, float]] | None = None

    @property
    def complete(self) -> bool:
        return self._kept.complete and self._version == self._kept.version and self._done

    def step(self, seconds: float) -> bool:
        """Read games for this many seconds, once all of them are listed; return whether drills were found or lost."""
        if not self._kept.complete or self.complete:
            return False
        if self._version != self._kept.version:
            self._version, self._done = self._kept.version, False
            self._work, self._found = self._find(list(self._kept.games)), []
        end = time.perf_counter() + seconds
        for drill in self._work:
            if drill is not None:
                self._found.append(drill)
            if time.perf_counter() >= end:
                return False
        changed, self.all, self._done = self._found != self.all, self._found, True
        return changed

    def _find(self, games: list[KeptGame]) -> Iterator[Drill | None]:
        for game in games:
            if game.errors and game.person is not None:
                with contextlib.suppress(OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
                    values = json.loads(read_bytes(self._kept.path(game)) or b"")
                    review = values["extra"]["review"]
                    for mark in review["marks"]:
                        if mark["side"] == game.person and Mark(mark["mark"]) is not Mark.SLIP:
                            share = review.get("finders", {}).get(str(mark["ply"]), UNKNOWN)
                            yield Drill(game, int(mark["ply"]), _won(mark), float(share))
            yield None

    @property
    def due(self) -> list[Drill]:
        """The drills to do now: the missed ones first, then those that return, then new ones.

        Among these, those come first whose better moves half of the people find: they are neither trivial nor hopeless.
        """
        now, known = self._clock(), self._read()
        due = [drill for drill in self.all if known.get(drill.key, (0, 0.0))[1] <= now]
        return sorted(due, key=lambda drill: (known.get(drill.key, (999, 0.0))[0], abs(drill.finders - 0.5)))

    def answer(self, drill: Drill, *, solved: bool) -> str:
        known, now = self._read(), self._clock()
        right = known.get(drill.key, (0, 0.0))[0] + 1 if solved else 0
        days = INTERVALS[min(right, len(INTERVALS)) - 1] if right else 0
        known[drill.key] = right, now + days * DAY
        names = {each.name for each in self._kept.games}
        if self._kept.complete:
            known = {key: result for key, result in known.items() if key.rpartition(":")[0] in names}
        self._results = known
        try:
            write_whole(self._path, json.dumps({"format": FORMAT, "results": known}).encode())
        except OSError as error:
            return f"{self._path} cannot be written: {in_words(error)}."
        return ""

    def _read(self) -> dict[str, tuple[int, float]]:
        """Return right answers in a row and the time when it is due, by drill; a damaged file counts as empty."""
        if self._results is None:
            self._results = {}
            try:
                values = json.loads(read_bytes(self._path) or b"{}")
                self._results = {str(key): _result(*pair) for key, pair in values.get("results", {}).items()}
            except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
                reason = in_words(error) if isinstance(error, OSError) else "it is damaged"
                self.trouble = f"{self._path} cannot be read, so all drills are new: {reason}."
        return self._results


def _result(right: Any, due: Any) -> tuple[int, float]:
    if type(right) is not int or right < 0 or type(due) not in (int, float) or not abs(due) < float("inf"):
        raise ValueError("not a result")
    return right, float(due)


def _won(mark: dict[str, Any]) -> bool:
    if mark["had"] != Result.WIN:
        return False
    return bool(mark["certain"]) if "certain" in mark else mark["before"] == Result.WIN.value
