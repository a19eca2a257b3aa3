"""Generations as CSV: exact writing, and reading with errors that name line and column.

Plain ``pandas.read_csv`` reads the same float32 bits from every file written here.
"""

from __future__ import annotations

import csv
import functools
import hashlib
import io
import itertools
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evolve.run import cells, manifest, packed
from evolve.run.cells import CELL_COLUMN
from evolve.run.columns import (
    EXAMPLE,
    GENOME_COLUMN,
    KING_COLUMN,
    MAX_KING,
    RANKED_COLUMNS,
    GenerationError,
    Header,
    check_length,
    numbered,
    read_numbers,
)
from evolve.run.files import LONGEST_LINE
from evolve.run.row_index import Head, Roster
from extras import modules
from game import regular_files
from game.errors import InputWarning, near_names

MAX_BYTES = regular_files.MAX_BYTES
NUMBERS_A_PIECE = 1 << 16
"""Number of weights and step sizes that are formatted together: 0.7 MB, which fits into a processor's cache."""
_PROBE = 1 << 16
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(nan|inf|infinity)", re.IGNORECASE)


@dataclass(frozen=True)
class Generation:
    """Individuals in order of rank.

    Attributes:
        weights: float32 of shape (individuals, weights), all finite; (individuals, 0) in a thinned generation.
        ranks: int64, 1 is best; None if the file has none.
        origins: founder, survivor, recombined or mutated; None if the file has none.
        parents: names of up to two parents in the previous generation; None if the file has none.
        counts: int64 of shape (individuals, 5): games, wins, draws, losses, points; None if the file has none.
        kings: float32 of shape (individuals,), king values, above 0; None if they do not evolve.
        steps: float32, step sizes of self-adaptive mutation, in the shape of `weights`; None if there are none.
        state: float32 of shape (individuals, columns), the state of an optimiser in row-major order; None if there is
            none.
        genomes: the `genome_digest` of each individual in a thinned generation; else None.
        columns: the columns that the kind of run adds, by name, as text; thinned generations keep them.
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
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def state_numbers(self) -> NDArray[np.float32]:
        """The state as one row of numbers, which may end with zeros; empty if there is none."""
        return np.empty(0, np.float32) if self.state is None else self.state.reshape(-1)

    def rows(self, part: slice) -> Generation:
        known = {item.name: values for item in fields(self) if (values := getattr(self, item.name)) is not None}
        columns = {name: values[part] for name, values in known.pop("columns").items()}
        return Generation(**{name: values[part] for name, values in known.items()}, columns=columns)

    def head(self, count: int) -> Generation:
        return self.rows(slice(0, count))

    def thinned(self) -> Generation:
        """Return the generation without weights, step sizes and state, but with a digest of each genome."""
        genomes = [genome_digest(row) for row in self.weights] if self.genomes is None else self.genomes
        return replace(self, weights=self.weights[:, :0], steps=None, state=None, genomes=genomes)

    def row_of(self, name: str | None) -> int:
        """Return the row of an individual; without a name, the row with rank 1, or the first if there are no ranks.

        Raises:
            GenerationError: there is no such name or cell; similar names or the nearest cells are listed.
        """
        if name is None:
            return 0 if self.ranks is None else int(np.argmin(self.ranks))
        if name in self.names:
            return self.names.index(name)
        if "=" in name and CELL_COLUMN in self.columns:
            return cells.row_of(self.columns[CELL_COLUMN], name)
        import difflib

        known = {name: name for name in self.names}
        if CELL_COLUMN in self.columns:
            known = {
                name: f"{name} ({cell.replace(' ', ',')})"
                for name, cell in zip(self.names, self.columns[CELL_COLUMN], strict=True)
            }
        near = [known[each] for each in difflib.get_close_matches(name, self.names, 3)]
        hint = f"; near: {', '.join(near)}" if near else f"; names are like {known[self.names[0]]}"
        cast = "; only members of a cast have cells" if "=" in name else ""
        raise GenerationError(f"no individual is called {name!r}{cast}{hint}")


def genome_digest(weights: NDArray[np.float32]) -> str:
    """Return the digest that a thinned generation has in place of weights: 16 hexadecimal digits of their SHA-256."""
    return hashlib.sha256(weights.astype("<f4").tobytes()).hexdigest()[:16]


def to_csv(generation: Generation, *, header: bool = True, first: tuple[str, int] | None = None) -> bytes:
    """Return a generation as CSV; numbers have the fewest digits that give the same bits when read.

    Args:
        header: whether to start with the line of column names.
        first: name and value of an additional first column.

    Floats are formatted by orjson, which gives the same digits as pandas twenty times faster.
    """
    weights, steps = generation.weights.shape[1], generation.steps is not None
    state = 0 if generation.state is None else generation.state.shape[1]
    pieces = []
    if header:
        kings, thinned = generation.kings is not None, generation.genomes is not None
        names = _column_names(weights, kings, steps, state, thinned, tuple(generation.columns))
        pieces += [first[0].encode() + b"," if first is not None else b"", names, b"\n"]
    count = max(1, NUMBERS_A_PIECE // max((1 + steps) * weights + state, 1))
    for start in range(0, len(generation.names), count):
        pieces.append(_lines(generation.rows(slice(start, start + count)), "" if first is None else f"{first[1]},"))
    return b"".join(pieces)


def _lines(generation: Generation, start: str) -> bytes:
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
    added = generation.columns.values()
    facts = zip(
        generation.names,
        generation.ranks.tolist(),
        generation.origins,
        generation.parents,
        zip(*generation.counts.T.tolist(), *added, strict=True),
        ends,
        strict=True,
    )
    lines = []
    for name, rank, origin, parents, counts, end in facts:
        begin = f"{start}{name},{rank},{origin},{' '.join(parents)},{','.join(map(str, counts))},"
        lines.append(begin.encode() + end)
    return b"\n".join([*lines, b""])


@functools.cache
def _column_names(
    weights: int, kings: bool, steps: bool, state: int, thinned: bool, added: tuple[str, ...] = ()
) -> bytes:
    columns = [column.encode() for column in (*RANKED_COLUMNS, *added, *([KING_COLUMN] if kings else []))]
    columns += [numbered("s", weights)] if steps else []
    columns += [numbered("o", state)] if state else []
    return b",".join([*columns, GENOME_COLUMN.encode() if thinned else numbered("w", weights)])


def read(path: Path, *, width: int | None = None) -> Generation:
    """Read the individuals in a CSV file, which another program may have saved if an extra can read that.

    Args:
        width: expected number of weights; None for any number.

    Raises:
        GenerationError: the file is missing, empty, binary or cut, has another width, or contains a name twice or
            something other than a finite number; the message names the line.

    An `InputWarning` says which rows are left out, and that a file in a run is not what its session wrote.
    """
    data = read_bytes(path)
    notes = [f"{path}: {manifest.DIFFERS}, so it is read like any other table"] if manifest.differs(path, data) else []
    try:
        generation = parse(data, str(path), width=width)
    except GenerationError:
        if not (readers := modules("tables")):
            raise
        data = b"".join(readers[0].rewritten(data, f"{path}: ", notes))
        generation = parse(data, str(path), width=width)
    for note in notes:
        warnings.warn(note, InputWarning, stacklevel=2)
    return generation


def read_bytes(path: Path) -> bytes:
    """Read a file of acceptable size.

    Raises:
        GenerationError: it cannot be read, or is much larger than any generation.
    """
    try:
        if path.is_dir():
            raise GenerationError(f"{path}: is a folder, expected a CSV file of individuals")
        if not packed.is_there(path):
            near = near_names(path.name, sorted(file.name for file in path.parent.glob("*.csv")))
            raise GenerationError(f"{path}: no such file, expected a CSV file of individuals{near}")
        if path.is_file() and path.stat().st_size > MAX_BYTES:
            raise GenerationError(f"{path}: {path.stat().st_size:,} bytes, a generation has at most {MAX_BYTES:,}")
        with packed.open_generation(path) as file:
            return file.read()
    except OSError as error:
        raise GenerationError(f"{path}: cannot be read: {error.strerror}") from error


def parse(data: bytes, source: str, *, width: int | None = None, thinned: bool = False) -> Generation:
    """Parse the bytes of a file; see `read`.

    Error messages start with `source`. Files without weights are accepted only with `thinned`.
    """
    if b"\0" in data[:_PROBE]:
        raise GenerationError(f"{source}: line 1: binary data, expected CSV text with a header like {EXAMPLE}")
    if not data.strip():
        raise GenerationError(f"{source}: line 1: the file is empty, expected CSV with a header like {EXAMPLE}")
    header = Header.parse(data.split(b"\n", 1)[0][:LONGEST_LINE], f"{source}: line 1")
    if header.thinned and not thinned:
        raise GenerationError(f"{source}: its weights were not kept, only results and ancestry")
    header.check(f"{source}: line 1", width=width)
    floats = _Floats(header, source)
    try:
        return _read_rows(data, header, floats)
    except (ValueError, csv.Error) as error:
        _diagnose(data, source, header, floats)
        raise GenerationError(f"{source}: not a CSV file of individuals: {error}") from error


class _Floats:
    """The columns of floats: the last columns in files of sessions, and any columns in files of other programs.

    Attributes:
        names: the king value, step sizes (s), the state of an optimiser (o) and weights, as far as there are any.
        places: index of each of them in a row.
        first: index of the first one if they are the last columns, in this order; else the number of columns.
    """

    def __init__(self, header: Header, source: str) -> None:
        places, columns = header.places, len(header.names)
        steps = header.weights if header.ranked and "s0" in places else 0
        missing = [f"s{at}" for at in range(steps) if f"s{at}" not in places]
        if missing:
            what = f"column {missing[0]} is missing, expected a step size for each weight"
            raise GenerationError(f"{source}: line 1: {what}")
        state = next(at for at in itertools.count() if f"o{at}" not in places) if header.ranked else 0
        counts = {KING_COLUMN: int(KING_COLUMN in places), "s": steps, "o": state, "w": header.weights}
        self.names, self._groups = list[str](), dict[str, slice]()
        for group, count in counts.items():
            self._groups[group] = slice(len(self.names), len(self.names) + count)
            self.names += [group] if group == KING_COLUMN and count else [f"{group}{at}" for at in range(count)]
        self.places = [places[name] for name in self.names]
        first = columns - len(self.places)
        self.first = first if self.places == list(range(first, columns)) else columns

    def of(self, group: str, rows: NDArray[np.float32]) -> NDArray[np.float32] | None:
        """Select the columns of a group from the floats of all rows; None if there is no such group."""
        part = rows[:, self._groups[group]]
        return np.ascontiguousarray(part) if part.shape[1] or group == "w" else None


def _read_rows(data: bytes, header: Header, floats: _Floats) -> Generation:
    in_order = floats.first < len(header.names) or not floats.names
    rows = _below(data, as_fields=not in_order)
    numbers = np.empty((len(rows), len(floats.names)), np.float32)
    heads, genomes, roster = [], [], Roster(header)
    added: dict[str, list[str]] = {name: [] for name in header.added} if header.ranked else {}
    for at, row in enumerate(rows):
        start, end = _cut(row, floats.first, len(header.names))
        heads.append(Head.of_row(header, start, ""))
        roster.add(heads[-1], at)
        if header.thinned:
            genomes.append(start[header.places[GENOME_COLUMN]])
        for name, values in added.items():
            values.append(start[header.places[name]])
        if not in_order:
            end = ",".join(row[place] for place in floats.places).encode()  # type: ignore[misc]  # fields
        if floats.names:
            with np.errstate(over="ignore"):
                numbers[at] = read_numbers(end, len(floats.names))
    # Sessions end the last line with a line break, which reveals a file truncated in the middle of a number.
    roster.finish(len(rows), ended=data.endswith(b"\n"))
    names = [head.name for head in heads]
    if b"\0" in data or not np.isfinite(numbers).all() or len(set(names)) < len(names):
        raise ValueError("binary data, a number that is not finite, or a name that appears twice")
    weights, kings = floats.of("w", numbers), floats.of(KING_COLUMN, numbers)
    assert weights is not None
    if kings is not None and not ((kings > 0) & (kings <= MAX_KING)).all():
        raise ValueError("a king value that is not allowed")
    generation = Generation(
        names,
        weights,
        kings=None if kings is None else kings.ravel(),
        steps=floats.of("s", numbers),
        state=floats.of("o", numbers),
        genomes=genomes if header.thinned else None,
    )
    # The champions in a hall of fame are from different generations, so their ranks are not a ranking.
    if not header.ranked or "generation" in header.places:
        return generation
    return replace(
        generation,
        ranks=np.array([head.rank for head in heads], np.int64),
        origins=[head.origin for head in heads],
        parents=[head.parents for head in heads],
        counts=np.array([head.results for head in heads], np.int64),
        columns=added,
    )


def _below(data: bytes, *, as_fields: bool) -> Sequence[bytes | list[str]]:
    """Return the nonempty rows after the header; as lists of fields if asked for, or if the file contains quotes."""
    if as_fields or b'"' in data:
        return [*filter(None, csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))][1:]
    return [*filter(None, data.splitlines()[1:])]


def _cut(row: bytes | list[str], first: int, columns: int) -> tuple[list[str], bytes]:
    """Split a row into the fields before a column and the unparsed rest."""
    if isinstance(row, list):
        check_length(len(row), columns, "")
        return row[:first], ",".join(row[first:]).encode()
    check_length(row.count(b",") + 1, columns, "")
    parts = row.split(b",", first)
    return [part.decode() for part in parts[:first]], b"".join(parts[first:])


def _diagnose(data: bytes, source: str, header: Header, floats: _Floats) -> None:
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
            for column, at in zip(floats.names, floats.places, strict=True):
                _check_weight(row[at], column, place)
    except csv.Error as error:
        raise GenerationError(f"{source}: line {rows.line_num}: {error}") from error
    roster.finish(rows.line_num, ended=text.endswith("\n"))


def _check_weight(text: str, column: str, place: str) -> None:
    bare = text.strip(" \t")  # strip() alone would remove control characters that float() rejects
    if not _NUMBER.fullmatch(bare):
        raise GenerationError(f"{place}: {column} is {text[:40]!r}, expected a number")
    with np.errstate(over="ignore"):
        value = np.float32(float(bare))
    if not np.isfinite(value):
        raise GenerationError(f"{place}: {column} is {bare[:40]}, expected a finite number (float32)")
    if column == KING_COLUMN and not 0 < value <= MAX_KING:
        raise GenerationError(f"{place}: king is {value}, expected a number above 0 and at most {MAX_KING}")
