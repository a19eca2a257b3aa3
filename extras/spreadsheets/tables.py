"""Tables of individuals that another program has saved, rewritten as CSV of this program.

Names and weights are enough to play, inspect and compare individuals, so a spreadsheet or a data frame may change
everything else: separators, decimal marks, encodings, line ends, order and number of columns, empty rows, totals below.
"""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from evolve.run.columns import (
    COUNT_COLUMNS,
    EXAMPLE,
    FACT_COLUMNS,
    GENOME_COLUMN,
    KING_COLUMN,
    MAX_KING,
    RANKED_COLUMNS,
    GenerationError,
    check_length,
    parents_text,
    read_numbers,
    whole_number,
    wrong_length,
    wrong_words,
)
from game.regular_files import too_large

MAX_BYTES = 1 << 28
"""Size limit of a table that is rewritten, which takes several times its memory."""
MAX_NUMBER = 3.4028235677973366e38
"""Numbers from here on are rounded to infinity as float32."""

_ROWS_AT_ONCE = 50
_SEPARATORS = ",;\t"
_BLANKS = " \t\r\n\xa0\u2009\u202f\ufeff'"
_WEIGHT = re.compile(r"w(0|[1-9][0-9]{0,8})")
_NUMBERED = re.compile(r"[wso][0-9]+")
_INDEX = re.compile(r"(unnamed: ?[0-9]+|index|level_[0-9]+)?")
_NO_NAME = f"expected one column called name (or names), as in {EXAMPLE}"

Columns = Mapping[str, int]
"""The index of each column by its name; that of the names is ``name``."""


class _Row(NamedTuple):
    """A row, with the number (from 1) of the line on which it ends."""

    line: int
    fields: list[str]


def rewritten(data: bytes, source: str = "", notes: list[str] | None = None) -> Iterator[bytes]:
    """Yield a table as CSV of this program: its names of columns, then one line for each individual.

    Empty pieces are yielded while it is read, so that a window can draw in between. Ranks, results and parents are kept
    if they are complete; else only names, king values and weights are, in the order of the ranks if there are any.

    Raises:
        GenerationError: it has no columns of weights, or no names; or something is not a number; the message names the
            line and the column.
    """
    notes = [] if notes is None else notes
    text = _text_of(data, source)
    lines = _rows(text, source)
    header = next(lines)
    columns = _columns(header.fields, source, f"{source}line {header.line}")
    weights = [columns[f"w{number}"] for number in range(_count_weights(columns))]
    rows: list[_Row] = []
    for row in lines:
        if any(row.fields[len(header.fields) :]) or len(row.fields) < len(header.fields):
            check_length(len(row.fields), len(header.fields), f"{source}line {row.line}")
        if any(_bare(row.fields[at]) for at in weights):
            rows.append(row)
        elif name := _bare(row.fields[columns["name"]]):
            notes.append(f"{source}line {row.line} ({name[:40]}) is not an individual and is left out")
        if not len(rows) % _ROWS_AT_ONCE:
            yield b""
    if not rows:
        raise GenerationError(f"{source}line 2: no individuals after the header")
    if not text.endswith(("\n", "\r")) and "\r" not in text:
        notes.append(f"{source}the last line has no end, so its last number may be cut")
    names, numbers = _names(rows, columns["name"], source), {f"w{at}": place for at, place in enumerate(weights)}
    if KING_COLUMN in columns and any(_bare(row.fields[columns[KING_COLUMN]]) for row in rows):
        numbers = {KING_COLUMN: columns[KING_COLUMN], **numbers}
    comma = any("," in row.fields[at] for row in rows for at in numbers.values())
    facts, order = _facts(rows, names, columns)
    yield b",".join([_line(facts[0]), *map(str.encode, numbers)]) + b"\n"
    for at in order:
        yield b"%b,%b\n" % (_line(facts[at + 1]), _numbers(rows[at], numbers, source, comma=comma))


def _text_of(data: bytes, source: str) -> str:
    place = f"{source}line 1"
    if len(data) > MAX_BYTES:
        raise GenerationError(f"{place}: {too_large(len(data), MAX_BYTES)} for a table that another program has saved")
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        # Only names can have other letters; digits and separators are the same in all of these encodings.
        text = "\0" if encoding == "utf-16" else data.decode("cp1252", "replace")
    if "\0" in text:
        raise GenerationError(f"{place}: binary data, expected CSV text with a header like {EXAMPLE}")
    if not text.strip():
        raise GenerationError(f"{place}: the file is empty, expected CSV with a header like {EXAMPLE}")
    return text


def _rows(text: str, source: str) -> Iterator[_Row]:
    """Yield the rows that are not empty, with the separator that is most frequent in the first of them."""
    first = text.lstrip().splitlines()[0]
    separator = max(_SEPARATORS, key=first.count)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    try:
        for fields in lines:
            if any(map(_bare, fields)):
                yield _Row(lines.line_num, fields)
    except csv.Error as error:
        raise GenerationError(f"{source}line {lines.line_num}: {error}") from error


def _columns(fields: Sequence[str], source: str, place: str) -> Columns:
    names = [_bare(field).lower() for field in fields]
    of_names = [at for at, name in enumerate(names) if name in ("name", "names")] or [0]
    if len(of_names) > 1 or not (names[of_names[0]] in ("name", "names") or _INDEX.fullmatch(names[0])):
        raise GenerationError(f"{place}: {_NO_NAME}")
    columns = {"name": of_names[0]}
    for at, name in enumerate(names):
        matters = _WEIGHT.fullmatch(name) is not None or name in (*FACT_COLUMNS, KING_COLUMN)
        if at in of_names or _INDEX.fullmatch(name):
            continue
        if columns.setdefault(name if matters else _bare(fields[at]), at) != at and matters:
            raise GenerationError(f"{place}: column {name} appears twice")
    if GENOME_COLUMN in columns and "w0" not in columns:
        raise GenerationError(f"{source}its weights were not kept, only results and ancestry")
    for number in range(max(_count_weights(columns), 1)):
        if f"w{number}" not in columns:
            raise GenerationError(f"{place}: expected weight columns w0, w1, ..., w{number} is missing")
    return columns


def _count_weights(columns: Columns) -> int:
    return sum(_WEIGHT.fullmatch(name) is not None for name in columns)


def _names(rows: Sequence[_Row], place: int, source: str) -> list[str]:
    lines: dict[str, int] = {}
    for line, fields in rows:
        name = " ".join(_bare(fields[place]).split())
        wrong = wrong_length(name) if name else "the individual has no name"
        if name in lines:
            wrong = f"name {name!r} is also in line {lines[name]}"
        if wrong:
            raise GenerationError(f"{source}line {line}: {wrong}")
        lines[name] = line
    return list(lines)


def _bare(text: str) -> str:
    return text.strip(_BLANKS)


def _numbers(row: _Row, numbers: Columns, source: str, *, comma: bool) -> bytes:
    """Return the numbers of a row, separated by commas.

    Args:
        comma: whether numbers have decimal commas; a point in one of them is a mistake then.
    """
    fields = [_bare(row.fields[at]).replace("\u2212", "-") for at in numbers.values()]
    text = ",".join(field.replace(",", ".") for field in fields).encode()
    with contextlib.suppress(ValueError):
        values, mixed = read_numbers(text, len(fields)), comma and any("." in field for field in fields)
        king = values[0] if KING_COLUMN in numbers else 1.0
        if max(map(abs, values)) < MAX_NUMBER and 0 < king <= MAX_KING and not mixed:
            return text
    for label, field in zip(numbers, fields, strict=True):
        number, place = field.replace(",", "."), f"{source}line {row.line}: {label} is"
        if comma and "." in field:
            raise GenerationError(f"{place} {field[:40]!r}, expected a decimal comma, as other numbers have")
        try:
            value = float(number)
        except ValueError:
            raise GenerationError(f"{place} {field[:40]!r}, expected a number") from None
        if not abs(value) < MAX_NUMBER:
            raise GenerationError(f"{place} {number[:40]}, expected a finite number (float32)")
        if label == KING_COLUMN and not 0 < value <= MAX_KING:
            raise GenerationError(f"{place} {number[:40]}, expected a number above 0 and at most {MAX_KING}")
    raise GenerationError(f"{source}line {row.line}: expected digits in all numbers")


def _whole(text: str) -> int | None:
    """Return a whole number, also if it is written like ``1.0``; None for anything else."""
    whole, _, rest = text.replace(",", ".").partition(".")
    return None if rest.strip("0") else whole_number(whole)


def _facts(rows: Sequence[_Row], names: Sequence[str], columns: Columns) -> tuple[list[list[str]], Sequence[int]]:
    """Return the columns before the numbers, first their names, and the order of the rows."""
    order, no_texts = range(len(rows)), {*FACT_COLUMNS, KING_COLUMN, GENOME_COLUMN} - {"origin", "parents"}
    wholes = {
        name: [_whole(_bare(row.fields[columns[name]])) for row in rows]
        for name in ("rank", *COUNT_COLUMNS)
        if name in columns
    }
    texts = {
        name: [" ".join(_bare(row.fields[at]).split()) for row in rows]
        for name, at in columns.items()
        if name not in no_texts and not _NUMBERED.fullmatch(name)
    }
    texts["parents"] = list(map(parents_text, texts.get("parents", [""] * len(rows))))
    ranks = wholes.get("rank", [])
    complete = (
        columns.keys() >= set(RANKED_COLUMNS)
        and set(ranks) == set(range(1, len(rows) + 1))
        and not any(None in values for values in wholes.values())
        and not any(map(wrong_words, names, texts["origin"], texts["parents"]))
    )
    if not complete:
        known = [rank for rank in ranks if rank is not None]
        best_first = sorted(order, key=known.__getitem__) if len(set(known)) == len(rows) else order
        return [["name"], *([name] for name in names)], best_first
    cells = {"name": names, **wholes, **texts}
    header = [*RANKED_COLUMNS, *(name for name in texts if name not in RANKED_COLUMNS)]
    return [header, *([str(cells[name][at]) for name in header] for at in order)], order


def _line(fields: Sequence[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(fields)
    return text.getvalue().encode()
