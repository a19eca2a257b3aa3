"""Tables of individuals that another program has saved, rewritten as CSV of this program.

Names and weights are enough to play, inspect and compare individuals, so a spreadsheet or a data frame may change
everything else: separators, decimal marks, encodings, line ends, order and number of columns, empty rows, totals below.
"""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
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
MOST_BEFORE = 50
"""Maximum number of rows above the names of columns, such as titles."""
LONGEST_TITLE = 1000
"""Maximum length of a row above the names of columns."""
MAX_NUMBER = 3.4028235677973366e38
"""Numbers from here on are rounded to infinity as float32."""

_ROWS_AT_ONCE = 50
_SEPARATORS = ",;\t| "
_BLANKS = " \t\r\n\xa0\u2009\u202f\ufeff'"
_RULES = f"{_BLANKS}-:="
"""Signs of rows that are empty, or only lines between others."""
_BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_OTHER_FORMATS = {
    b"PK\x03\x04": "a workbook or an archive",
    b"\xd0\xcf\x11\xe0": "a workbook",
    b"PAR1": "in the format Parquet",
    b"\x1f\x8b": "compressed",
}
_SEPARATOR_LINE = re.compile(r'\ufeff?\s*"?sep=([^\r\n])', re.IGNORECASE)
_WEIGHT = re.compile(r"w(0|[1-9][0-9]{0,8})")
_NUMBERED = re.compile(r"[wso][0-9]+")
_INDEX = re.compile(r"(unnamed: ?[0-9]+|index|level_[0-9]+)?")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_INFINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)


class _Row(NamedTuple):
    """A row, with the number (from 1) of the line on which it ends."""

    line: int
    fields: list[str]


@dataclass(frozen=True)
class _Columns:
    """The columns of a table.

    Attributes:
        place: start of error messages about the line with their names.
        others: index of each other column by its name.
    """

    place: str
    names: list[str]
    name: int
    weights: list[int]
    king: int | None
    others: dict[str, int]

    @classmethod
    def of_row(cls, fields: Sequence[str], place: str) -> _Columns:
        """Return the columns that a row names.

        Raises:
            GenerationError: a weight is missing, or a column that matters appears twice.
        """
        names = [_bare(field).lower() for field in fields]
        of_names = [at for at, name in enumerate(names) if name in ("name", "names")]
        if not of_names and _INDEX.fullmatch(names[0]):  # the index of a data frame
            of_names = [0]
        if len(of_names) != 1:
            raise GenerationError(f"{place}: expected one column called name (or names), as in {EXAMPLE}")
        weights: dict[int, int] = {}
        others: dict[str, int] = {}
        for at, name in enumerate(names):
            weight, known = _WEIGHT.fullmatch(name), name in (*FACT_COLUMNS, KING_COLUMN)
            if weight:
                twice = weights.setdefault(int(weight[1]), at) != at
            elif at == of_names[0] or _INDEX.fullmatch(name):
                twice = False
            else:
                twice = others.setdefault(name if known else _bare(fields[at]), at) != at and known
            if twice:
                raise GenerationError(f"{place}: column {name} appears twice")
        gap = next(number for number in itertools.count() if number not in weights)
        if gap < len(weights):
            raise GenerationError(f"{place}: expected weight columns w0, w1, ..., w{gap} is missing")
        in_order = [weights[number] for number in range(gap)]
        return cls(place, names, of_names[0], in_order, others.get(KING_COLUMN), others)

    @cached_property
    def numbered(self) -> list[int]:
        """The indexes of the columns that must be numbers: the king value if there is one, and the weights."""
        return self.weights if self.king is None else [self.king, *self.weights]

    @cached_property
    def labels(self) -> list[str]:
        """The names of the columns that must be numbers."""
        return [*([] if self.king is None else [KING_COLUMN]), *(f"w{at}" for at in range(len(self.weights)))]


def rewritten(data: bytes, source: str = "", notes: list[str] | None = None) -> Iterator[bytes]:
    """Yield a table as CSV of this program: its names of columns, then one line for each individual.

    Empty pieces are yielded while it is read, so that a window can draw in between. Ranks, results and parents are kept
    if they are complete; else only names, king values and weights are, in the order of the ranks if there are any.

    Raises:
        GenerationError: it has no columns of weights, or no names; or something is not a number; the message names the
            line and the column.
    """
    text = _text_of(data, source)
    result, columns = _begin(text, source)
    rows: list[_Row] = []
    for row in result:
        rows.append(row)
        if not len(rows) % _ROWS_AT_ONCE:
            yield b""
    notes = [] if notes is None else notes
    if not text.endswith(("\n", "\r")) and "\r" not in text:
        notes.append(f"{source}the last line has no end, so its last number may be cut")
    rows = _individuals(_aligned(rows, columns, source), columns, source, notes)
    names = _names(rows, columns, source)
    if columns.king is not None and not any(_bare(row.fields[columns.king]) for row in rows):
        columns = replace(columns, king=None)
    yield b""
    decimal = _decimal_mark(rows, columns, source)
    facts, order = _facts(rows, names, columns, decimal)
    yield b",".join([_line(next(facts)), *(label.encode() for label in columns.labels)]) + b"\n"
    lines = list(facts)
    for at in order:
        yield b"%b,%b\n" % (_line(lines[at]), _numbers(rows[at], columns, decimal, source))


# Text, rows and columns -------------------------------------------------------------------------------------------


def _text_of(data: bytes, source: str) -> str:
    place = f"{source}line 1"
    if len(data) > MAX_BYTES:
        raise GenerationError(f"{place}: {too_large(len(data), MAX_BYTES)} for a table that another program has saved")
    what = next((what for start, what in _OTHER_FORMATS.items() if data.startswith(start)), None)
    if what is not None:
        raise GenerationError(f"{place}: the file is {what}, expected text: save it as CSV")
    encoding = next((encoding for mark, encoding in _BYTE_ORDER_MARKS if data.startswith(mark)), "")
    try:
        text = data.decode(encoding or "utf-8")
    except UnicodeDecodeError:
        # Only names can have other letters; digits and separators are the same in all of these encodings.
        text = "\0" if encoding else data.decode("cp1252", "replace")
    if "\0" in text:
        raise GenerationError(f"{place}: binary data, expected CSV text with a header like {EXAMPLE}")
    if not text.strip():
        raise GenerationError(f"{place}: the file is empty, expected CSV with a header like {EXAMPLE}")
    return text


def _begin(text: str, source: str) -> tuple[Iterator[_Row], _Columns]:
    """Find the separator and the row with the names of columns; return the rows below it, and the columns."""
    given = _SEPARATOR_LINE.match(text)
    best: tuple[int, str, _Row] | None = None
    lacking = f"{source}line 1: expected one column called name (or names), as in {EXAMPLE}"
    for separator in [given[1]] if given else _SEPARATORS:
        with contextlib.suppress(GenerationError):  # such as a field that is too long with a wrong separator
            for row in itertools.islice(_rows(text, separator, source), MOST_BEFORE):
                names = [_bare(field).lower() for field in row.fields]
                count = sum(_WEIGHT.fullmatch(name) is not None for name in names)
                if count and len(names) > 1 and (best is None or count > best[0]):
                    best = count, separator, row
                elif {"name", "names"} & set(names):
                    lacking = f"{source}line {row.line}: expected weight columns w0, w1, ..., w0 is missing"
                    if GENOME_COLUMN in names:
                        lacking = f"{source}its weights were not kept, only results and ancestry"
                if count or (len(row.fields) == 1 and len(row.fields[0]) > LONGEST_TITLE):
                    break
    if best is None:
        raise GenerationError(lacking)
    _, separator, header = best
    columns = _Columns.of_row(header.fields, f"{source}line {header.line}")
    below = (row for row in _rows(text, separator, source) if row.line > header.line)
    return (row for row in below if "".join(row.fields).strip(_RULES)), columns


def _rows(text: str, separator: str, source: str) -> Iterator[_Row]:
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    try:
        for fields in lines:
            yield _Row(lines.line_num, fields)
    except csv.Error as error:
        raise GenerationError(f"{source}line {lines.line_num}: {error}") from error


def _aligned(rows: list[_Row], columns: _Columns, source: str) -> list[_Row]:
    """Give all rows as many fields as there are columns.

    Empty fields at the end are added or removed, and so are names of rows in a first column without a name.
    """
    count = len(columns.names)
    if rows and all(len(row.fields) == count + 1 and _bare(row.fields[-1]) for row in rows):
        return [_Row(row.line, row.fields[1:]) for row in rows]
    needed = max(columns.name, *columns.weights) + 1
    aligned = []
    for line, fields in rows:
        while len(fields) > count and not _bare(fields[-1]):
            fields.pop()
        if not needed <= len(fields) <= count and any(map(_bare, fields[count:] or fields[columns.weights[0] :])):
            check_length(len(fields), count, f"{source}line {line}")
        aligned.append(_Row(line, fields + [""] * (count - len(fields))))
    return aligned


def _individuals(rows: list[_Row], columns: _Columns, source: str, notes: list[str]) -> list[_Row]:
    """Return the rows that are individuals: not those without any weight, such as totals below.

    Raises:
        GenerationError: there is none.
    """
    kept = []
    for row in rows:
        name = _bare(row.fields[columns.name])
        if any(_bare(row.fields[place]) for place in columns.weights):
            kept.append(row)
        elif name:
            notes.append(f"{source}line {row.line} ({name[:40]}) is not an individual and is left out")
    if not rows:
        raise GenerationError(f"{source}line 2: no individuals after the header")
    return kept or rows


def _names(rows: list[_Row], columns: _Columns, source: str) -> list[str]:
    lines: dict[str, int] = {}
    for line, fields in rows:
        name = " ".join(_bare(fields[columns.name]).split())
        wrong = wrong_length(name) if name else "the individual has no name"
        if name in lines:
            wrong = f"name {name!r} is also in line {lines[name]}"
        if wrong:
            raise GenerationError(f"{source}line {line}: {wrong}")
        lines[name] = line
    if not columns.names[columns.name] and all(name.isdigit() for name in lines):
        raise GenerationError(f"{columns.place}: expected one column called name (or names), as in {EXAMPLE}")
    return list(lines)


# Numbers ----------------------------------------------------------------------------------------------------------


def _bare(text: str) -> str:
    return text.strip(_BLANKS)


def _decimal_mark(rows: list[_Row], columns: _Columns, source: str) -> str:
    """Return the decimal mark of the numbers: a point or a comma.

    Raises:
        GenerationError: some have one and some the other.
    """
    if not any("," in row.fields[place] for row in rows for place in columns.numbered):
        return "."
    mark = ""
    for line, fields in rows:
        for label, place in zip(columns.labels, columns.numbered, strict=True):
            text = fields[place]
            result = "," if "," in text else "." if "." in text else mark
            if mark and result != mark:
                wrong = f"{label} is {_bare(text)[:40]!r}, but numbers before it have another decimal mark"
                raise GenerationError(f"{source}line {line}: {wrong}")
            mark = result
    return mark


def _plain(text: str, decimal: str) -> str:
    """Return a number as this program writes it, with a decimal point; a text with two marks is no number."""
    text = _bare(text).replace("\u2212", "-")
    return text.replace(",", ".") if decimal == "," and "." not in text else text


def _numbers(row: _Row, columns: _Columns, decimal: str, source: str) -> bytes:
    """Return the numbers of a row, separated by commas.

    Raises:
        GenerationError: one is not a finite number.
    """
    fields = [row.fields[place] for place in columns.numbered]
    as_written = [fields] if decimal == "." else []  # nearly always right, and faster
    for each in (*as_written, [_plain(field, decimal) for field in fields]):
        text = ",".join(each).encode()
        with contextlib.suppress(ValueError):
            values = read_numbers(text, len(fields))
            if max(map(abs, values)) < MAX_NUMBER and (columns.king is None or 0 < values[0] <= MAX_KING):
                return text
    for label, field in zip(columns.labels, fields, strict=True):
        number, place = _plain(field, decimal), f"{source}line {row.line}: {label} is"
        if _INFINITE.fullmatch(number) or (_NUMBER.fullmatch(number) and abs(float(number)) >= MAX_NUMBER):
            raise GenerationError(f"{place} {number[:40]}, expected a finite number (float32)")
        if not _NUMBER.fullmatch(number):
            raise GenerationError(f"{place} {_bare(field)[:40]!r}, expected a number")
        if label == KING_COLUMN and not 0 < float(number) <= MAX_KING:
            raise GenerationError(f"{place} {number[:40]}, expected a number above 0 and at most {MAX_KING}")
    raise AssertionError("one of the numbers is wrong")


def _whole(text: str, decimal: str) -> int | None:
    """Return a whole number, also if it is written like ``1.0``; None for anything else."""
    whole, _, rest = _plain(text, decimal).partition(".")
    return None if rest.strip("0") else whole_number(whole)


# Facts ------------------------------------------------------------------------------------------------------------


def _facts(
    rows: list[_Row], names: list[str], columns: _Columns, decimal: str
) -> tuple[Iterator[list[str]], Sequence[int]]:
    others, order = columns.others, range(len(rows))
    texts = {column: [row.fields[place] for row in rows] for column, place in others.items()}
    wholes = {
        column: [_whole(text, decimal) for text in texts[column]]
        for column in ("rank", *COUNT_COLUMNS)
        if column in texts
    }
    ranks = [rank for rank in wholes.get("rank", []) if rank is not None]
    if len(set(ranks)) < len(rows):
        ranks = []
    parents = [parents_text(" ".join(_bare(text).split())) for text in texts.get("parents", ())]
    origins = list(map(_bare, texts.get("origin", ())))
    complete = (
        all(column in others for column in RANKED_COLUMNS[1:])
        and sorted(ranks) == list(range(1, len(rows) + 1))
        and not any(None in values for values in wholes.values())
        and not any(map(wrong_words, names, origins, parents))
    )
    if not complete:
        best_first = sorted(order, key=ranks.__getitem__) if ranks else order
        return iter([["name"], *([name] for name in names)]), best_first
    known = {*FACT_COLUMNS, KING_COLUMN, GENOME_COLUMN}
    added = [column for column in others if column not in known and not _NUMBERED.fullmatch(column)]
    values = [wholes["rank"], origins, parents, *(wholes[column] for column in COUNT_COLUMNS)]
    values += [[" ".join(_bare(text).split()) for text in texts[column]] for column in added]
    fields = zip(names, *values, strict=True)
    return itertools.chain([[*RANKED_COLUMNS, *added]], (list(map(str, each)) for each in fields)), order


def _line(fields: Sequence[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(fields)
    return text.getvalue().encode()
