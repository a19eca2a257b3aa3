"""A generation as CSV: what the columns are, exact writing, and reading that names what is wrong.

Plain ``pandas.read_csv`` reads every file written here to the same bits. Files with only ``names`` (or ``name``) and
``w0..wM``, as CheckersAI publishes them, load too.
"""

from __future__ import annotations

import csv
import functools
import hashlib
import io
import itertools
import math
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.run import files
from evolve.run.row_index import (
    COUNT_COLUMNS,
    EXAMPLE,
    GENOME_COLUMN,
    KING_COLUMN,
    RANKED_COLUMNS,
    GenerationError,
    Head,
    Header,
    Roster,
    check_length,
    wrong_words,
)

MAX_KING = 100
MAX_BYTES = files.MAX_BYTES
NUMBERS_A_PIECE = 1 << 16
"""Weights and step sizes that become text together: 0.7 MB, which stays in the cache of a processor."""
_PROBE = 1 << 16
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(nan|inf|infinity)", re.IGNORECASE)


@dataclass(frozen=True)
class Generation:
    """Individuals in order of rank.

    Attributes:
        names: one a row, all different.
        weights: float32 of shape (individuals, weights), all finite.
        ranks: int64, 1 is best; None in files that know none.
        origins: founder, survivor, recombined or mutated; None in files that know none.
        parents: names in the generation before, none, one or two; None in files that know none.
        counts: int64 of shape (individuals, 5): games, wins, draws, losses, points; None likewise.
        kings: float32 of shape (individuals,), value of a king to each, above 0; None where networks have none of
            their own.
        steps: float32 of the shape of `weights`, step sizes of self-adaptive mutation; None without.
        state: float32 of shape (individuals, columns), what an optimiser knows, row by row; None without.
        genomes: of a thinned generation, whose `weights` have shape (individuals, 0), what `genome_digest` gave for
            each; None in a whole one.
    """

    names: list[str]
    weights: NDArray[np.float32]
    ranks: NDArray[np.int64] | None = None
    origins: list[str] | None = None
    parents: list[tuple[str, ...]] | None = None
    counts: NDArray[np.int64] | None = None
    kings: NDArray[np.float32] | None = None
    steps: NDArray[np.float32] | None = None
    genomes: list[str] | None = None
    state: NDArray[np.float32] | None = None

    def rows(self, some: slice) -> Generation:
        """Some of the rows; of a complete generation."""
        assert self.ranks is not None and self.origins is not None
        assert self.parents is not None and self.counts is not None
        return Generation(
            self.names[some],
            self.weights[some],
            self.ranks[some],
            self.origins[some],
            self.parents[some],
            self.counts[some],
            None if self.kings is None else self.kings[some],
            None if self.steps is None else self.steps[some],
            None if self.genomes is None else self.genomes[some],
            None if self.state is None else self.state[some],
        )

    def head(self, count: int) -> Generation:
        """The first rows; of a complete generation."""
        return self.rows(slice(0, count))

    def thinned(self) -> Generation:
        """The same without weights, step sizes and state: of each genome only its digest is left."""
        genomes = [genome_digest(row) for row in self.weights] if self.genomes is None else self.genomes
        return replace(self, weights=self.weights[:, :0], steps=None, state=None, genomes=genomes)

    def row_of(self, name: str | None) -> int:
        """Row of an individual; without a name that of rank 1, else the first.

        Raises:
            GenerationError: nobody has this name; near ones are listed.
        """
        if name is None:
            return 0 if self.ranks is None else int(np.argmin(self.ranks))
        if name in self.names:
            return self.names.index(name)
        import difflib

        near = difflib.get_close_matches(name, self.names, 3)
        hint = f"; near: {', '.join(near)}" if near else f"; names are like {self.names[0]}"
        raise GenerationError(f"no individual is called {name!r}{hint}")


def genome_digest(weights: NDArray[np.float32]) -> str:
    """What stands for a genome where its weights are not kept: 16 hexadecimal digits of their SHA-256."""
    return hashlib.sha256(weights.astype("<f4").tobytes()).hexdigest()[:16]


def to_csv(generation: Generation, *, header: bool = True, first: tuple[str, int] | None = None) -> bytes:
    """A generation as CSV bytes, as `pieces` makes them."""
    return b"".join(pieces(generation, header=header, first=first))


def pieces(generation: Generation, *, header: bool = True, first: tuple[str, int] | None = None) -> Iterator[bytes]:
    """A generation as CSV, in pieces of some rows, numbers in the fewest digits that read back to the same bits.

    Args:
        generation: complete, as a session makes it.
        header: start with the line of column names.
        first: name and value of a column before all others.

    Floats are written by orjson: twenty times faster than by pandas, and with the same shortest digits. As one text a
    large generation would take three times its bytes of memory.
    """
    weights, steps = generation.weights.shape[1], generation.steps is not None
    state = 0 if generation.state is None else generation.state.shape[1]
    if header:
        names = _column_names(weights, generation.kings is not None, steps, state, generation.genomes is not None)
        yield b"".join([first[0].encode() + b"," if first is not None else b"", names, b"\n"])
    count = max(1, NUMBERS_A_PIECE // max((1 + steps) * weights + state, 1))
    for start in range(0, len(generation.names), count):
        yield _lines(generation.rows(slice(start, start + count)), "" if first is None else f"{first[1]},")


def _lines(generation: Generation, start: str) -> bytes:
    """The rows as lines of CSV, each with `start` before it."""
    import orjson

    assert generation.ranks is not None and generation.origins is not None
    assert generation.parents is not None and generation.counts is not None
    kings, steps, genomes = generation.kings, generation.steps, generation.genomes
    parts = [kings, steps, generation.state, generation.weights if genomes is None else None]
    floats = [part for part in parts if part is not None]
    ends = [b""] * len(generation.names)
    if floats:
        numbers = np.ascontiguousarray(
            floats[0] if len(floats) == 1 and floats[0].ndim == 2 else np.column_stack(floats)
        )
        ends = orjson.dumps(numbers, option=orjson.OPT_SERIALIZE_NUMPY)[2:-2].split(b"],[")
    if genomes is not None:
        ends = [
            b",".join([end, genome.encode()] if end else [genome.encode()])
            for end, genome in zip(ends, genomes, strict=True)
        ]
    facts = zip(
        generation.names,
        generation.ranks.tolist(),
        generation.origins,
        generation.parents,
        generation.counts.tolist(),
        ends,
        strict=True,
    )
    lines = []
    for name, rank, origin, parents, counts, end in facts:
        known = f"{start}{name},{rank},{origin},{' '.join(parents)},{','.join(map(str, counts))},"
        lines.append(known.encode() + end)
    return b"\n".join([*lines, b""])


@functools.cache
def _column_names(weights: int, kings: bool, steps: bool, state: int, thinned: bool) -> bytes:
    """The line of column names."""
    columns = [*RANKED_COLUMNS, *([KING_COLUMN] if kings else [])]
    columns += _numbered("s", weights) if steps else []
    columns += _numbered("o", state)
    columns += [GENOME_COLUMN] if thinned else _numbered("w", weights)
    return ",".join(columns).encode()


def _numbered(letter: str, count: int) -> list[str]:
    return [f"{letter}{index}" for index in range(count)]


def read(path: Path, *, width: int | None = None) -> Generation:
    """Read a generation from a CSV file.

    Args:
        path: the file.
        width: expected number of weights; any if None.

    Raises:
        GenerationError: missing, empty, binary, cut, of another width, or with anything that is no finite number or
            no new name; the text names the line.
    """
    return parse(read_bytes(path), str(path), width=width)


def read_bytes(path: Path) -> bytes:
    """All bytes of a file of reasonable size.

    Raises:
        GenerationError: it cannot be read, or is far larger than any generation.
    """
    try:
        if path.is_dir():
            raise GenerationError(f"{path}: is a folder, expected a CSV file of individuals")
        if not path.is_file():
            raise GenerationError(f"{path}: no such file, expected a CSV file of individuals{_near(path)}")
        if path.stat().st_size > MAX_BYTES:
            raise GenerationError(f"{path}: {path.stat().st_size:,} bytes, a generation has at most {MAX_BYTES:,}")
        with files.open_csv(path) as file:
            return file.read()
    except OSError as error:
        raise GenerationError(f"{path}: cannot be read: {error.strerror}") from error


def _near(path: Path) -> str:
    """Files beside a missing one that have a name like it."""
    import difflib

    there = sorted(each.name for each in path.parent.glob("*.csv")) if path.parent.is_dir() else []
    near = difflib.get_close_matches(path.name, there, 3)
    return f"; near: {', '.join(near)}" if near else ""


def parse(data: bytes, source: str, *, width: int | None = None, thinned: bool = False) -> Generation:
    """As `read`, from bytes; `source` is the name to blame. With `thinned` its weights may not have been kept."""
    import pandas as pd

    if b"\0" in data[:_PROBE]:
        raise GenerationError(f"{source}: line 1: binary data, expected CSV text with a header like {EXAMPLE}")
    if not data.strip():
        raise GenerationError(f"{source}: line 1: the file is empty, expected CSV with a header like {EXAMPLE}")
    columns = Header.parse(data.split(b"\n", 1)[0][: 1 << 20], f"{source}: line 1")
    if columns.thinned and not thinned:
        raise GenerationError(f"{source}: its weights were not kept, only results and ancestry")
    columns.check(f"{source}: line 1", width=width)
    header, weight_columns, step_columns, state_columns = (
        columns.names,
        _numbered("w", columns.weights),
        _step_columns(columns, source),
        _state_columns(columns),
    )
    number_columns = [*weight_columns, *step_columns, *state_columns]
    number_columns += [KING_COLUMN] if KING_COLUMN in header else []
    # A hall of fame is a list of champions, each of its own generation: there is no ranking among them.
    whole_rows = "rank" in header and "generation" not in header
    name_column = "name" if "name" in header else "names"
    # With types of its own choice pandas would take 1_0 for 10, and a rank of 1.5 for 1.
    types: dict[str, Any] = {name_column: str, "origin": str, "parents": str, GENOME_COLUMN: str}
    types |= dict.fromkeys(number_columns, np.float64)
    if "rank" in header:
        types |= dict.fromkeys(("rank", *COUNT_COLUMNS), np.int64)
    # What pandas would mend in silence: it fills short rows, drops empty fields beyond the header, reads True as 1.
    lowered = data.lower()
    if not _even_rows(data, len(header)) or b"true" in lowered or b"false" in lowered:
        _diagnose(data, source, columns, number_columns)
    try:
        with warnings.catch_warnings():
            # A row with more fields than the header is only a warning to pandas.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(
                io.BytesIO(data),
                dtype=types,
                keep_default_na=False,
                na_values={column: [""] for column in number_columns},
                encoding="utf-8",
                index_col=False,
            )
        with np.errstate(over="ignore"):
            narrow = frame[number_columns].to_numpy(np.float64).astype(np.float32)
        names = frame[name_column].tolist()
        sound = bool(np.isfinite(narrow).all()) and len(set(names)) == len(names) > 0 and all(names)
        if "rank" in header:  # written here, so even a number whose last digits are missing is noticed
            sound = sound and data.endswith(b"\n")
            sound = sound and not any(map(wrong_words, names, frame["origin"], frame["parents"]))
        if whole_rows:
            ranks = frame["rank"].to_numpy(np.int64)
            counts = frame[list(COUNT_COLUMNS)].to_numpy(np.int64)
            sound = sound and sorted(ranks.tolist()) == list(range(1, len(names) + 1))
    except (ValueError, KeyError, TypeError, OverflowError, pd.errors.ParserWarning) as error:
        _diagnose(data, source, columns, number_columns)
        raise GenerationError(f"{source}: not a CSV file of individuals: {error}") from error
    if not sound:
        _diagnose(data, source, columns, number_columns)
        raise GenerationError(f"{source}: line 1: names, ranks or weights do not fit each other")
    first_step, first_state = len(weight_columns), len(weight_columns) + len(step_columns)
    first_king = first_state + len(state_columns)
    weights, kings = np.ascontiguousarray(narrow[:, :first_step]), None
    if KING_COLUMN in header:
        kings = np.ascontiguousarray(narrow[:, first_king])
        for row in np.flatnonzero((kings <= 0) | (kings > MAX_KING)).tolist():
            place = f"{source}: line {_line_of(data, int(row))}"
            raise GenerationError(f"{place}: king is {kings[row]}, expected a number above 0 and at most {MAX_KING}")
    found = Generation(names, weights, kings=kings)
    if step_columns:
        found = replace(found, steps=np.ascontiguousarray(narrow[:, first_step:first_state]))
    if state_columns:
        found = replace(found, state=np.ascontiguousarray(narrow[:, first_state:first_king]))
    if not weight_columns:
        found = replace(found, genomes=frame[GENOME_COLUMN].tolist())
    if not whole_rows:
        return found
    parents = [tuple(text.split()) for text in frame["parents"].tolist()]
    return replace(found, ranks=ranks, origins=frame["origin"].tolist(), parents=parents, counts=counts)


def _line_of(data: bytes, row: int) -> int:
    """The line, from 1, on which a row stands (or ends), counted from 0 after the header."""
    rows = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    whole = (rows.line_num for fields in rows if fields)
    return next(itertools.islice(whole, row + 1, None))


def _step_columns(header: Header, source: str) -> list[str]:
    """Those of step sizes, s0 on, one for each weight; none where the file has none."""
    steps = _numbered("s", header.weights) if "s0" in header.places and header.ranked else []
    missing = [name for name in steps if name not in header.places]
    if missing:
        raise GenerationError(f"{source}: line 1: column {missing[0]} is missing, expected a step size for each weight")
    return steps


def _state_columns(header: Header) -> list[str]:
    """Those of an optimiser, o0 on; none where the file has none."""
    count = next(at for at in range(len(header.names) + 1) if f"o{at}" not in header.places)
    return _numbered("o", count if header.ranked else 0)


def _even_rows(data: bytes, fields: int) -> bool:
    """Whether every line has as many fields as the header."""
    if b'"' not in data:
        return {line.count(b",") for line in data.splitlines() if line} == {fields - 1}
    try:
        rows = csv.reader(io.StringIO(data.decode("utf-8-sig", "replace"), newline=""))
        return {len(row) for row in rows if row} == {fields}
    except csv.Error:
        return False


def _diagnose(data: bytes, source: str, header: Header, number_columns: list[str]) -> None:
    """Find the first line that is wrong and raise with its number; return if none is."""
    text = data.decode("utf-8-sig", "replace")
    roster = Roster(header, f"{source}: ")
    rows = csv.reader(io.StringIO(text, newline=""))
    try:
        next(rows)
        for row in rows:
            place = f"{source}: line {rows.line_num}"
            if not row:
                continue
            if "\0" in "".join(row) or "�" in "".join(row):
                raise GenerationError(f"{place}: binary data")
            check_length(len(row), len(header.names), place)
            head = Head.of_row(header, row, place)
            roster.add(head, rows.line_num)
            for column in number_columns:
                _check_weight(row[header.places[column]], column, place)
    except csv.Error as error:
        raise GenerationError(f"{source}: line {rows.line_num}: {error}") from error
    roster.finish(rows.line_num, ended=text.endswith("\n"))


def _check_weight(text: str, column: str, place: str) -> None:
    bare = text.strip(" \t")  # a plain strip() takes away control characters that float() does not
    if not _NUMBER.fullmatch(bare):
        raise GenerationError(f"{place}: {column} is {text[:40]!r}, expected a number")
    value = float(bare)
    with np.errstate(over="ignore"):
        if not math.isfinite(value) or not np.isfinite(np.float32(value)):
            raise GenerationError(f"{place}: {column} is {bare[:40]}, expected a finite number (float32)")
