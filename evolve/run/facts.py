"""Who is who in a generation, without the weights: names, ranks, origins, parents and results of its first rows.

A generation file can be hundreds of megabytes, nearly all of it weights. Here only the first lines are read, and of
each only what stands before the weights is looked at. So files whose weights were thinned do as well.
"""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evolve.run.append_only import MAX_DIGITS
from evolve.run.generation_csv import COUNT_COLUMNS, GenerationError

COLUMNS = ("name", "rank", "origin", "parents", *COUNT_COLUMNS)
"""Of every generation that a session writes."""


@dataclass(frozen=True)
class Fact:
    """One individual of a saved generation.

    Attributes:
        name: such as ``Gen15_0111``.
        rank: 1 is best.
        origin: founder, survivor, recombined or mutated.
        parents: names in the generation before.
        games: played in the stages that count, like the next four.
        wins: of them.
        draws: of them.
        losses: of them.
        points: made in them.
    """

    name: str
    rank: int
    origin: str
    parents: tuple[str, ...]
    games: int
    wins: int
    draws: int
    losses: int
    points: int


def read_facts(path: Path, count: int | None = None) -> list[Fact]:
    """The first individuals of a generation of a run, in the order of its file (best first); all without `count`.

    Raises:
        GenerationError: missing, empty, cut, or no generation of a run; the text names the line.
    """
    found: list[Fact] = []
    places: list[int] = []
    for number, line in _lines(path, count):
        place = f"{path}: line {number}"
        if number == 1:
            header = line.decode("utf-8", "replace").split(",")
            missing = [name for name in COLUMNS if name not in header]
            if missing:
                raise GenerationError(f"{place}: column {missing[0]} is missing, expected a generation of a run")
            places = [header.index(name) for name in COLUMNS]
        else:
            found.append(_fact(line, places, place))
    return found


def read_weights(path: Path, count: int) -> NDArray[np.float32]:
    """Weights of the first individuals of a generation of a run, to the same bits as `evolve.run.generation_csv.read`.

    Returns:
        float32 of shape (count or fewer, weights); (count or fewer, 0) if the weights were thinned.

    Raises:
        GenerationError: missing, empty, cut, or a weight that is no finite number; the text names the line.
    """
    lines = _lines(path, count)
    columns = _Columns(next(lines)[1])
    rows = [columns.weights(line, f"{path}: line {number}") for number, line in lines]
    return np.stack(rows)


def read_genome(path: Path, name: str) -> tuple[NDArray[np.float32], float | None]:
    """Weights of one individual of a file, and its king value where it has one of its own, without reading the others.

    It takes a file of any size line by line: one with only ``names,w0..wM``, too.

    Raises:
        GenerationError: missing, empty, cut, nobody of this name, or a weight that is no finite number.
    """
    lines = _lines(path, None)
    columns = _Columns(next(lines)[1])
    wanted = name.encode()
    for number, line in lines:
        if columns.name is not None and line.split(b",", columns.name + 1)[columns.name :][:1] == [wanted]:
            place = f"{path}: line {number}"
            return columns.weights(line, place), columns.king_value(line, place)
    raise GenerationError(f"{path}: no individual is called {name!r}")


class _Columns:
    """Where the weights of a file stand, from the line of its column names."""

    def __init__(self, header: bytes) -> None:
        names = header.split(b",")
        self.name = next((names.index(each) for each in (b"name", b"names") if each in names), None)
        self._king = names.index(b"king") if b"king" in names else None
        self._fields = len(names)
        self._start = names.index(b"w0") if b"w0" in names else len(names)
        self._width = sum(each[:1] == b"w" and each[1:].isdigit() for each in names)

    def king_value(self, line: bytes, place: str) -> float | None:
        if self._king is None:
            return None
        try:
            return float(line.split(b",", self._king + 1)[self._king])
        except (ValueError, IndexError) as error:
            raise GenerationError(f"{place}: expected a king value") from error

    def weights(self, line: bytes, place: str) -> NDArray[np.float32]:
        values = line.split(b",")
        row = np.empty(0, np.float32)
        if len(values) == self._fields:
            with contextlib.suppress(ValueError), np.errstate(over="ignore"):
                numbers = [float(value) for value in values[self._start : self._start + self._width]]
                row = np.array(numbers).astype(np.float32)
        if len(row) != self._width or not np.isfinite(row).all():
            raise GenerationError(f"{place}: expected {self._width} finite weights (is the file cut?)")
        return row


@dataclass(frozen=True)
class Champion:
    """A champion with its genome, from the hall of fame.

    Attributes:
        generation: of which it is the best.
        name: such as ``Gen15_0111``.
        weights: float32 of shape (weights,).
        king: its own value of a king, where that evolves.
    """

    generation: int
    name: str
    weights: NDArray[np.float32]
    king: float | None


def read_champions(path: Path, generations: Collection[int]) -> list[Champion]:
    """Champions of some generations, in order, from the hall of fame of a run; a session may be appending meanwhile.

    Raises:
        GenerationError: missing, or the line of one of them is not there or not to be read.
    """
    found: list[Champion] = []
    header: list[bytes] = []
    wanted = sorted(generations)
    try:
        with open(path, "rb", buffering=1 << 16) as file:
            for number, line in enumerate(file):
                if number == 0:
                    header = line.rstrip(b"\r\n").split(b",")
                elif len(found) < len(wanted) and number == wanted[len(found)] + 1:
                    found.append(
                        _champion(dict(zip(header, line.rstrip(b"\r\n").split(b","), strict=True)), number - 1)
                    )
    except OSError as error:
        raise GenerationError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, KeyError) as error:
        raise GenerationError(f"{path}: line {number + 1}: damaged, expected the champion of a generation") from error
    if len(found) < len(wanted):
        raise GenerationError(f"{path}: generation {wanted[len(found)]} is missing")
    return found


def _champion(fields: dict[bytes, bytes], generation: int) -> Champion:
    width = sum(name[:1] == b"w" and name[1:].isdigit() for name in fields)
    weights = np.array([float(fields[b"w%d" % index]) for index in range(width)]).astype(np.float32)
    if fields[b"generation"] != b"%d" % generation or not np.isfinite(weights).all() or not width:
        raise ValueError
    king = float(fields[b"king"]) if b"king" in fields else None
    return Champion(generation, fields[b"name"].decode(), weights, king)


def has_weights(path: Path) -> bool:
    """Whether a generation still has its weights; a run may thin those of old ones.

    Raises:
        GenerationError: missing or empty.
    """
    return any(b"w0" in line.split(b",") for _, line in _lines(path, 0))


def _lines(path: Path, count: int | None) -> Iterator[tuple[int, bytes]]:
    """Number, from 1, and bytes without the end of the header and of the next `count` lines; a cut one is an error."""
    number = 0
    try:
        with open(path, "rb", buffering=1 << 16) as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    raise GenerationError(f"{path}: line {number}: the last line does not end (is the file cut?)")
                yield number, line.rstrip(b"\r\n")
                if count is not None and number > count:
                    return
    except OSError as error:
        raise GenerationError(f"{path}: cannot be read: {error.strerror}") from error
    if number == 0:
        raise GenerationError(f"{path}: line 1: the file is empty, expected a generation of a run")
    if number == 1 and count != 0:
        raise GenerationError(f"{path}: line 2: no individuals after the header")


def _fact(line: bytes, places: list[int], place: str) -> Fact:
    last = max(places)
    if b'"' in line:
        fields = next(csv.reader([line.decode("utf-8", "replace")]))
    else:
        fields = [field.decode("utf-8", "replace") for field in line.split(b",", last + 1)[: last + 1]]
    if len(fields) <= last:
        raise GenerationError(f"{place}: {len(fields)} fields, expected more than {last} (is the file cut?)")
    name, rank, origin, parents, *counts = (fields[index] for index in places)
    if not name or not all(_is_whole(value) for value in (rank, *counts)):
        raise GenerationError(f"{place}: expected a name and whole numbers, got {','.join(fields)[:60]!r}")
    return Fact(name, int(rank), origin, tuple(parents.split()), *map(int, counts))


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) <= MAX_DIGITS
