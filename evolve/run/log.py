"""The log of a run. Numpy is loaded with the first `History`."""

from __future__ import annotations

import itertools
import math
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.config.anchors import RATING_COLUMNS
from evolve.run.append_only import LOG, News, Tail
from evolve.run.columns import wrong_words
from evolve.run.files import DamagedRunError, RunError
from evolve.run.manifest import Manifest
from game.regular_files import open_regular

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evolve.run.folder import Run

RATED_COLUMNS = (*RATING_COLUMNS, "beaten", "beaten_by", "unproven")
"""Columns that are empty if the champion was not rated, and missing in logs of old programs."""

ESTIMATE = "estimate"
"""The column of estimates between ratings, only in logs of runs that have them (``rating.estimate_depth``)."""

LOG_COLUMNS = (
    *("generation", "champion", "individuals", "games", "draws", "failures", "plies", "evaluations"),
    *("best_points", "mean_points", "worst_points", "distinct", "diversity", *RATED_COLUMNS, "seconds"),
)
"""Columns of ``log.csv``. Timing comes last, since identical runs differ only in timing."""

NEEDED = tuple(name for name in LOG_COLUMNS if name not in ("failures", *RATED_COLUMNS))
"""Columns that every log has; logs of old programs have no others."""

NETWORK_COLUMNS = (
    *("generation", "champion", "individuals", "games", "wins", "draws", "losses", "failures", "plies", "evaluations"),
    *("samples", "loss"),
)
"""Columns of the log of a run in which one network learns; columns of the method, `RATED_COLUMNS` and timing follow."""

_NETWORK_NEEDED = (*(name for name in NETWORK_COLUMNS if name != "loss"), "seconds")

_MOST = 1e15  # more games or evaluations than any log has
_MOST_WAITING = 1000  # once this many lines wait to be processed, no more are read


class Log:
    """The log of a run, read step by step while a session may be appending."""

    def __init__(self, run: Path) -> None:
        self.path = run / LOG
        self._tail = Tail(self.path)
        self._forget()

    def _forget(self) -> None:
        self.header: tuple[str, ...] = ()
        self.champions: list[str] = []
        self.damage = ""
        self._columns: dict[str, list[float]] = {}
        self._waiting: deque[tuple[int, bytes]] = deque()

    def __len__(self) -> int:
        return len(self.champions)

    @property
    def missing(self) -> str | None:
        return next((name for name in self._needed if name not in self.header), None)

    @property
    def _needed(self) -> tuple[str, ...]:
        return _NETWORK_NEEDED if "samples" in self.header else NEEDED

    @property
    def trouble(self) -> str:
        """Why the file cannot be read to its end, in one sentence; empty if it can."""
        return self.damage or self._tail.trouble

    def column(self, name: str) -> list[float]:
        """Return a column by generation, with NaN for fields that are not numbers; empty if it does not exist."""
        return self._columns.get(name, [])

    def total(self, name: str) -> int:
        return int(sum(self.column(name)))

    def rating(self, generation: int) -> tuple[float, float, float] | None:
        """Return the rating of a generation's champion and the ends of its interval; None if it was not rated."""
        columns = [self.column(name) for name in RATING_COLUMNS]
        if not all(generation < len(column) and math.isfinite(column[generation]) for column in columns):
            return None
        value, low, high = (column[generation] for column in columns)
        return value, low, high

    def step(self, newest: float = math.inf) -> News:
        """Read new lines and return those up to the newest complete generation; keep later lines for later calls."""
        news = self._tail.read(again=bool(self.damage)) if len(self._waiting) < _MOST_WAITING else News()
        if news.anew:
            self._forget()
        self._waiting.extend(news.lines)
        taken = []
        while self._waiting and len(self) <= newest:
            taken.append(self._waiting.popleft())
            self._take(taken[-1][1])
        return News(news.anew, tuple(taken), news.more)

    def _take(self, line: bytes) -> None:
        fields = line.decode("utf-8", "replace").rstrip("\r\n").split(",")
        if not self.header:
            self.header = tuple(fields)
            self._columns = {name: [] for name in fields if name != "champion"}
            if self.missing:
                self.damage = f"{LOG}, line 1: column {self.missing} is missing; this is not the log of a run."
        elif not self.damage:
            values = dict(zip(self.header, fields, strict=False))
            numbers = {name: _number(values.get(name, "")) for name in self._columns}
            sound = len(fields) == len(self.header) and values["generation"] == str(len(self))
            sound = sound and not wrong_words(values["champion"], "", "")
            if sound and all(abs(numbers[name]) < _MOST for name in self._needed if name != "champion"):
                self.champions.append(values["champion"])
                for name, number in numbers.items():
                    self._columns[name].append(number)
            else:
                expected = f"expected generation {len(self)}; the lines from there on are ignored."
                self.damage = f"{LOG}, line {len(self) + 2}: damaged, {expected}"


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def read_log(run: Run, newest: int) -> Log:
    """Read the log of a run up to its newest complete generation; -1 reads nothing.

    Raises:
        DamagedRunError: the line of a complete generation is missing or damaged; the message says how to continue.
        RunError: another session went back meanwhile (``--from``).
    """
    log = Log(run.path)
    while newest >= 0 and log.step(newest).more and not log.damage:
        pass
    if len(log) <= newest:
        if run.manifest().newest < newest:
            raise RunError(f"{run.name}: went back while its log was read; it no longer has generation {newest}")
        raise DamagedRunError(
            f"{log.path}: damaged, line {len(log) + 2} is not generation {len(log)}; continue from the one before it "
            f"with {run.resume_command} --from {len(log) - 1}"
        )
    return log


@dataclass(frozen=True)
class History:
    """The log of a run as arrays, up to its newest complete generation.

    Attributes:
        numbers: float64 of shape (generations,), by column; NaN for empty fields.
    """

    champions: tuple[str, ...]
    numbers: dict[str, NDArray[np.float64]]

    def __len__(self) -> int:
        return len(self.champions)

    def total(self, column: str) -> int:
        return int(self.numbers[column].sum())

    def column(self, name: str) -> list[float]:
        values: list[float] = self.numbers[name].tolist() if name in self.numbers else []
        return values

    def rating(self, generation: int) -> tuple[float, float, float] | None:
        columns = self.interval("rating")
        if columns is None or generation >= len(self) or not math.isfinite(columns[0][generation]):
            return None
        value, low, high = (float(column[generation]) for column in columns)
        return value, low, high

    def interval(self, column: str) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]] | None:
        """Return a column with the lower and upper ends of its 95 % intervals; None if it has no values."""
        import numpy as np

        names = (column, f"{column}_low", f"{column}_high")
        if not all(name in self.numbers for name in names) or not np.isfinite(self.numbers[column]).any():
            return None
        value, low, high = (self.numbers[name] for name in names)
        return value, low, high

    @property
    def rated(self) -> int:
        ratings = self.interval("rating")
        return 0 if ratings is None else len(_rated(ratings[0]))

    def milestones(self, count: int) -> list[int]:
        """Return at most `count` (6 or more) generations: the newest, rated ones including the best, and others."""
        newest = len(self) - 1
        chosen, ratings = {newest}, self.interval("rating")
        if ratings is not None:
            rated = _rated(ratings[0])
            if len(rated) > count - 2:
                rated = [rated[at] for at in spaced(len(rated) - 1, count - 2)]
            chosen |= {*rated, max(_rated(ratings[0]), key=lambda generation: float(ratings[0][generation]))}
        room = count + 1 - len(chosen)  # one more, since both sets contain the newest
        return sorted(chosen | set(spaced(newest, room) if room >= 4 else ()))


def _rated(values: NDArray[np.float64]) -> list[int]:
    """Return the generations with a rating; a rating is infinite if its games had no win or no loss."""
    return [generation for generation, value in enumerate(values.tolist()) if not math.isnan(value)]


def read_history(run: Run, manifest: Manifest) -> History:
    """Read the log of a run as arrays, up to the newest generation of its manifest."""
    import numpy as np

    if manifest.newest < 0:
        return History((), {})
    log = Log(run.path)
    try:
        open_regular(log.path).close()
    except OSError as error:
        raise DamagedRunError(f"{log.path}: cannot be read: {error.strerror}") from error
    log.step(0)
    if log.missing:
        raise DamagedRunError(f"{log.path}: line 1: column {log.missing} is missing, expected the log of a run")
    log = read_log(run, manifest.newest)
    return History(
        tuple(log.champions), {name: np.array(log.column(name)) for name in log.header if name != "champion"}
    )


def spaced(newest: int, count: int) -> list[int]:
    """Return at most `count` (4 or more) generations: multiples of a step (1, 2, 5, 10, 20, ...), and `newest`."""
    step = next(
        size * 10**power for power in itertools.count() for size in (1, 2, 5) if newest / (size * 10**power) < count - 1
    )
    return sorted({*range(0, newest + 1, step), newest})
