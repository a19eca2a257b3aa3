"""What the small files of a run tell: its log as columns, what it is doing, the last champion's games."""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evolve.run import append_only
from evolve.run.files import open_regular, read_regular
from evolve.run.folder import RunFolder
from evolve.run.manifest import DamagedRunError, Manifest

NEEDED = (
    *("individuals", "games", "draws", "plies", "evaluations"),
    *("best_points", "mean_points", "worst_points", "distinct", "diversity"),
)
"""Columns of numbers that every log has; there may be more, such as ratings."""

_TAIL = 1 << 16  # bytes of the champions' games that are read first, from the end


@dataclass(frozen=True)
class History:
    """The log of a run, up to its newest complete generation.

    Attributes:
        champions: a name for each generation.
        numbers: float64 of shape (generations,) by column; NaN where a field is empty.
    """

    champions: tuple[str, ...]
    numbers: dict[str, NDArray[np.float64]]

    def __len__(self) -> int:
        return len(self.champions)

    def total(self, column: str) -> int:
        """Sum of a column over all generations."""
        return int(self.numbers[column].sum())

    def interval(self, column: str) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]] | None:
        """Values, lower and upper ends of a column with a 95 % interval (such as rating); None if it is not there."""
        names = (column, f"{column}_low", f"{column}_high")
        if not all(name in self.numbers for name in names) or not np.isfinite(self.numbers[column]).any():
            return None
        value, low, high = (self.numbers[name] for name in names)
        return value, low, high


def read_history(run: RunFolder, manifest: Manifest) -> History:
    """The log of a run, as far as its manifest goes; a session may be appending meanwhile.

    Raises:
        DamagedRunError: the line of a complete generation is not there or not to be read; the way on is named.
    """
    path, complete = run.path / append_only.LOG, manifest.newest + 1
    if not complete:
        return History((), {})
    try:
        text = read_regular(path).decode("utf-8", "replace")
    except OSError as error:
        raise DamagedRunError(f"{path}: cannot be read: {error.strerror}") from error
    rows = csv.reader(io.StringIO(text, newline=""))
    header = next(rows, [])
    missing = [name for name in ("generation", "champion", *NEEDED) if name not in header]
    if missing:
        raise DamagedRunError(f"{path}: line 1: column {missing[0]} is missing, expected the log of a run")
    found: list[list[str]] = []
    for row in itertools.islice(rows, complete):
        if len(row) != len(header) or row[header.index("generation")] != str(len(found)):
            break
        found.append(row)
    columns = dict(zip(header, zip(*found, strict=True), strict=False))
    numbers = {name: _numbers(values) for name, values in columns.items() if name != "champion"}
    broken = [~np.isfinite(numbers[name]) for name in NEEDED if found]
    sound = min([len(found), *(int(each.argmax()) for each in broken if each.any())])
    if sound < complete:
        raise DamagedRunError(
            f"{path}: damaged, line {sound + 2} is not that of generation {sound}; go on from the one before with "
            f"evolve --resume {run.cli_name} --from {sound - 1}"
        )
    return History(tuple(columns.get("champion", ())), numbers)


def _numbers(values: tuple[str, ...]) -> NDArray[np.float64]:
    return np.array([_number(value) for value in values], np.float64)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def spaced(newest: int, count: int) -> list[int]:
    """At most `count` (4 or more) generations from 0 on in round steps (1, 2, 5, 10, ...), and `newest`."""
    step = next(
        size * 10**power for power in itertools.count() for size in (1, 2, 5) if newest / (size * 10**power) < count - 1
    )
    return sorted({*range(0, newest + 1, step), newest})


@dataclass(frozen=True)
class Repeats:
    """How different the games are that a result rests on.

    Attributes:
        games: played.
        different: sequences of moves among them.
        most: how often the most frequent one was played.
    """

    games: int
    different: int
    most: int


def champion_repeats(run: RunFolder, generation: int) -> Repeats | None:
    """The champion's games in the ranking of a generation; None if there are none on record.

    Games are read from the end of the file, so the newest generation costs least.
    """
    try:
        text = _games_from(run, generation)
    except OSError:
        return None
    moves: Counter[str] = Counter()
    for game in text.split("[Event ")[1:]:
        tags, _, movetext = game.partition("\n\n")
        if re.search(rf'^\[Round "{generation}\.\d+"\]$', tags, re.MULTILINE):
            moves[" ".join(movetext.split()[:-1])] += 1  # without the result
    return Repeats(moves.total(), len(moves), max(moves.values())) if moves else None


def _games_from(run: RunFolder, generation: int) -> str:
    """The end of the champions' games, from the first of this generation or before it."""
    earlier = re.compile(rb'^\[Round "(\d{1,9})\.', re.MULTILINE)
    with open_regular(run.path / append_only.CHAMPIONS) as file:
        at = file.seek(0, io.SEEK_END)
        data = b""
        while at > 0:
            step = min(at, max(_TAIL, len(data)))
            at = file.seek(at - step)
            data = file.read(step) + data
            first = earlier.search(data)
            if first is not None and int(first[1]) < generation:
                break
    return data.decode("utf-8", "replace")
