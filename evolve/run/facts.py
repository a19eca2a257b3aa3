"""Who is who in a generation, without the weights: names, ranks, origins, parents and results of its first rows.

A generation file can be hundreds of megabytes, nearly all of it weights. Here only the first lines are read, and of
each only what stands before the weights is looked at. So files whose weights were thinned do as well.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evolve.run.columns import (
    CUT,
    KING_COLUMN,
    RANKED_COLUMNS,
    UNENDED,
    GenerationError,
    Header,
    read_numbers,
    split_row,
)
from evolve.run.errors import RunError
from evolve.run.files import bounded_lines, open_csv
from evolve.run.manifest import generation_number
from evolve.run.row_index import Head, name_candidates
from evolve.run.weights_file import beside, weights_path


def read_facts(path: Path, count: int | None = None) -> list[Head]:
    """The first individuals of a generation of a run, in the order of its file (best first); all without `count`.

    Raises:
        GenerationError: missing, empty, cut, or no generation of a run; the text names the line.
    """
    lines = _lines(path, count)
    number, line = next(lines)
    header = Header.parse(line, f"{path}: line {number}")
    missing = [name for name in RANKED_COLUMNS if name not in header.names]
    if missing:
        raise GenerationError(f"{path}: line 1: column {missing[0]} is missing, expected a generation of a run")
    return name_candidates(path, [_head(header, line, f"{path}: line {number}") for number, line in lines])


def read_weights(path: Path, count: int) -> NDArray[np.float32]:
    """Weights of the first individuals of a generation of a run, to the same bits as `evolve.run.generation_csv.read`.

    Those of a large network that learns come from the file of their own.

    Returns:
        float32 of shape (count or fewer, weights); (count or fewer, 0) if the weights were thinned.

    Raises:
        GenerationError: missing, empty, cut, or a weight that is no finite number; the text names the line.
        DamagedRunError: a file of their own is not what was written; the ways on are named.
    """
    lines = _lines(path, count)
    header = Header.parse(next(lines)[1], f"{path}: line 1")
    rows = list(lines)
    if not header.weights and weights_path(path).is_file():
        try:
            found = beside(path, last_field(rows[0][1]))
        except RunError as error:
            from evolve.run.folder import Run

            raise Run(path.parent).damaged_weights(generation_number(path), error) from error
        assert found is not None
        return found
    return np.stack([weights_of(header, line, f"{path}: line {number}") for number, line in rows])


def last_field(line: bytes) -> str:
    """What stands in a row in place of weights, if these are not there."""
    return line.rstrip(b"\r\n").rpartition(b",")[2].decode("utf-8", "replace")


def king_value(header: Header, line: bytes, place: str) -> float | None:
    """The king value in a row; None if the file has none.

    Raises:
        GenerationError: it is no number.
    """
    at = header.places.get(KING_COLUMN)
    try:
        return None if at is None else float(split_row(line, at)[at])
    except (ValueError, IndexError) as error:
        raise GenerationError(f"{place}: expected a king value") from error


def weights_of(header: Header, line: bytes, place: str) -> NDArray[np.float32]:
    """The weights in a row, float32 of shape (weights,).

    Raises:
        GenerationError: they are not as many as the columns, or not all finite numbers.
    """
    width = header.weights
    start = header.places["w0"] if width else 0
    body = line.rstrip(b"\r\n")
    count, end = body.count(b",") + 1, body.split(b",", start)[-1]
    if b'"' in body or not header.in_order:
        fields = split_row(body)
        count, end = len(fields), ",".join(fields[start : start + width]).encode()
    row = np.empty(0, np.float32)
    if count == len(header.names):
        with contextlib.suppress(ValueError), np.errstate(over="ignore"):
            row = np.array(read_numbers(end, width), np.float64).astype(np.float32)
    if len(row) != width or not np.isfinite(row).all():
        raise GenerationError(f"{place}: expected {width} finite weights{CUT}")
    return row


def has_weights(path: Path) -> bool:
    """Whether a generation still has its weights; a run may thin those of old ones.

    Raises:
        GenerationError: missing or empty.
    """
    there = any(Header.parse(line, f"{path}: line 1").weights for _, line in _lines(path, 0))
    return there or weights_path(path).is_file()


def _lines(path: Path, count: int | None) -> Iterator[tuple[int, bytes]]:
    """Number, from 1, and bytes without the end of the header and of the next `count` lines; a cut one is an error."""
    number = 0
    try:
        with open_csv(path) as file:
            for number, line in enumerate(bounded_lines(file), 1):
                if not line.endswith(b"\n"):
                    raise GenerationError(f"{path}: line {number}: {UNENDED}")
                yield number, line.rstrip(b"\r\n")
                if count is not None and number > count:
                    return
    except OSError as error:
        raise GenerationError(f"{path}: cannot be read: {error.strerror}") from error
    if number == 0:
        raise GenerationError(f"{path}: line 1: the file is empty, expected a generation of a run")
    if number == 1 and count != 0:
        raise GenerationError(f"{path}: line 2: no individuals after the header")


def _head(header: Header, line: bytes, place: str) -> Head:
    last = header.first_number - 1
    fields = split_row(line, last)
    if len(fields) <= last:
        raise GenerationError(f"{place}: {len(fields)} fields, expected more than {last}{CUT}")
    if not fields[header.places["name"]] or header.whole_values(fields) is None:
        raise GenerationError(f"{place}: expected a name and whole numbers, got {','.join(fields)[:60]!r}")
    return Head.of_row(header, fields, place)
