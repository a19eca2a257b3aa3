"""Generations as CSV: exact to the bit, readable by plain pandas, and every file that is none refused by line."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from evolve.run.columns import GenerationError
from evolve.run.generation_csv import MAX_BYTES, Generation, parse, read, to_csv
from tests.cases import for_each

WIDTH = 247


SPECIAL = [
    0x00000000,  # 0
    0x80000000,  # -0
    0x00000001,  # the smallest subnormal
    0x807FFFFF,  # the largest negative subnormal
    0x00800000,  # the smallest normal
    0x7F7FFFFF,  # the largest
    0xFF7FFFFF,
    0x3DCCCCCD,  # 0.1
    0x3F800001,  # just above 1
    0x4B800000,  # 2**24
    0x4B7FFFFF,  # 2**24 - 1
]


def a_generation(count: int = 8, width: int = WIDTH, seed: int = 0) -> Generation:
    generator = np.random.Generator(np.random.Philox(seed))
    wins = generator.integers(0, 9, count)
    return Generation(
        [f"Gen07_{index:04d}" for index in generator.permutation(count)],
        generator.uniform(-2, 2, (count, width)).astype(np.float32),
        np.arange(1, count + 1),
        [("survivor", "recombined", "mutated", "founder")[index % 4] for index in range(count)],
        [tuple(f"Gen06_{parent:04d}" for parent in range(index % 3)) for index in range(count)],
        np.stack([wins + 3, wins, np.full(count, 2), np.ones(count, np.int64), 3 * wins + 2], axis=1),
    )


def with_bits(bits: Any) -> Generation:
    weights = np.array(bits, np.uint32).view(np.float32).reshape(1, -1)
    return Generation(["a"], weights, np.array([1]), ["founder"], [()], np.zeros((1, 5), np.int64))


def plain(weights: Any, names: str = "names") -> bytes:
    rows = [",".join([names, *(f"w{index}" for index in range(len(weights[0])))])]
    rows += [",".join([f"Gen15_{row:04d}", *map(str, values)]) for row, values in enumerate(weights)]
    return ("\n".join(rows) + "\n").encode()


def error_of(data: bytes, **options: Any) -> str:
    """The one line that says why it is refused; it names the file and a line."""
    with pytest.raises(GenerationError) as raised:
        parse(data, "some/file.csv", **options)
    text = str(raised.value)
    assert re.match(r"some/file\.csv: line [1-9]\d*: \S", text), text
    assert text.isprintable(), text
    assert len(text) < 300
    return text.removeprefix("some/file.csv: ")


def test_everything_reads_back_as_it_was() -> None:
    generation = a_generation(64)
    again = parse(to_csv(generation), "file", width=WIDTH)
    assert again.names == generation.names
    assert again.weights.tobytes() == generation.weights.tobytes()
    assert again.weights.dtype == np.float32
    assert again.ranks is not None
    assert again.counts is not None
    assert again.ranks.tolist() == list(range(1, 65))
    assert again.origins == generation.origins
    assert again.parents == generation.parents
    assert again.counts.tolist() == generation.counts.tolist()  # type: ignore[union-attr]
    assert to_csv(again) == to_csv(generation)


def test_special_numbers_keep_their_bits() -> None:
    generation = with_bits(SPECIAL)
    assert parse(to_csv(generation), "file").weights.tobytes() == generation.weights.tobytes()


def test_king_values_keep_their_bits() -> None:
    kings = np.array([1.0, 3.0, 2.1, np.nextafter(np.float32(2), np.float32(3)), 1e-3, 100, 2, 2], np.float32)
    generation = replace(a_generation(), kings=kings)
    data = to_csv(generation)
    assert data.splitlines()[0].startswith(b"name,rank,origin,parents,games,wins,draws,losses,points,king,w0,w1,")
    again = parse(data, "file", width=WIDTH)
    assert again.kings is not None
    assert again.kings.tobytes() == kings.tobytes()
    assert again.weights.tobytes() == generation.weights.tobytes()
    assert pd.read_csv(io.BytesIO(data))["king"].to_numpy(np.float32).tobytes() == kings.tobytes()
    assert parse(to_csv(generation.head(1)), "file").kings == kings[:1]
    assert parse(to_csv(a_generation()), "file").kings is None


def test_a_hundred_thousand_random_float32_keep_their_bits() -> None:
    bits = np.random.Generator(np.random.Philox(4)).integers(0, 2**32, 100_000, dtype=np.uint32)
    bits = bits[(bits & 0x7F800000) != 0x7F800000]
    bits = bits[: len(bits) // WIDTH * WIDTH].reshape(-1, WIDTH)
    weights = bits.view(np.float32)
    count = len(weights)
    generation = Generation(
        [str(index) for index in range(count)],
        weights,
        np.arange(1, count + 1),
        ["founder"] * count,
        [()] * count,
        np.zeros((count, 5), np.int64),
    )
    data = to_csv(generation)
    assert parse(data, "file").weights.tobytes() == weights.tobytes()
    frame = pd.read_csv(io.BytesIO(data))
    columns = [f"w{index}" for index in range(WIDTH)]
    assert frame[columns].to_numpy(np.float64).astype(np.float32).tobytes() == weights.tobytes()


def test_numbers_are_written_in_the_fewest_digits() -> None:
    text = to_csv(with_bits([0x3DCCCCCD, 0x3EAAAAAB])).decode()
    assert text.splitlines()[1].endswith(",0.1,0.33333334")


def test_a_column_before_all_others_and_no_header() -> None:
    head = a_generation(3).head(1)
    data = to_csv(head, header=False, first=("generation", 12))
    assert data.startswith(b"12,Gen07_")
    assert data.count(b"\n") == 1
    assert to_csv(head, first=("generation", 12)).splitlines()[1:] == data.splitlines()


WEIGHTS = np.random.Generator(np.random.Philox(6)).uniform(-1, 1, (5, WIDTH)).astype(np.float32)
PLAIN = plain(WEIGHTS)


def quoted(data: bytes) -> bytes:
    rows = list(csv.reader(io.StringIO(data.decode())))
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


SHAPES: dict[str, Callable[[bytes], bytes]] = {
    "as it is": lambda data: data,
    "name instead of names": lambda data: data.replace(b"names", b"name", 1),
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "BOM": lambda data: b"\xef\xbb\xbf" + data,
    "BOM and CRLF": lambda data: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"),
    "no final newline": lambda data: data.rstrip(b"\n"),
    "CRLF, no final newline": lambda data: data.rstrip(b"\n").replace(b"\n", b"\r\n"),
    "quoted names": lambda data: re.sub(rb"(?m)^(\w+)", rb'"\1"', data),
    "all quoted": quoted,
    "all quoted, BOM, CRLF": lambda data: b"\xef\xbb\xbf" + quoted(data).replace(b"\n", b"\r\n"),
    "empty lines": lambda data: data.replace(b"\n", b"\n\n"),
    "spaces around numbers": lambda data: re.sub(rb",(-?\d)", rb", \1", data),
    "more digits than it takes": lambda data: re.sub(rb"(\.\d+)(?=[,\n])", rb"\g<1>0000000000", data),
}


@for_each("shape", SHAPES.values())
def test_files_with_only_names_and_weights_load(shape: Callable[[bytes], bytes]) -> None:
    result = parse(shape(PLAIN), "file", width=WIDTH)
    assert result.names == [f"Gen15_{row:04d}" for row in range(5)]
    assert result.weights.tobytes() == WEIGHTS.tobytes()
    assert (result.ranks, result.origins, result.parents, result.counts) == (None, None, None, None)
    assert result.row_of(None) == 0


def test_columns_in_any_order_and_others_beside_them() -> None:
    frame = pd.read_csv(io.BytesIO(to_csv(a_generation(5))))
    frame = pd.concat([frame, pd.DataFrame({"remark": ["", "true", "x", "1", "nan"]})], axis=1)
    mixed = frame[[*reversed(frame.columns)]].iloc[[3, 1, 0, 4, 2]]
    result = parse(mixed.to_csv(index=False).encode(), "file", width=WIDTH)
    assert result.names == mixed["name"].tolist()
    assert result.ranks is not None
    assert result.ranks.tolist() == [4, 2, 1, 5, 3]
    assert result.row_of(None) == 2  # rank 1
    assert result.weights.tobytes() == a_generation(5).weights[[3, 1, 0, 4, 2]].tobytes()


@for_each("name", ["NA", "nan", "null", "007", "1e3", "true", "Ünï ¢ødé", "a,b", 'say "hi"', " a"])
def test_names_are_text(name: str) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([["name", "w0"], [name, "1"]])
    assert parse(text.getvalue().encode(), "file").names == [name]


@for_each("number", ["1", "+1.5", "-0", ".5", "5.", "1e3", "1E-3", " 2 ", "1e-400", "123456789012345678901"])
def test_numbers_as_people_write_them(number: str) -> None:
    assert parse(f"name,w0\na,{number}\n".encode(), "file").weights[0, 0] == np.float32(float(number))


def test_the_row_of_a_name() -> None:
    generation = parse(to_csv(a_generation()), "file")
    assert generation.row_of(generation.names[5]) == 5
    with pytest.raises(GenerationError, match=r"no individual is called 'Gen07_00011'; near: Gen07_0001"):
        generation.row_of("Gen07_00011")
    with pytest.raises(GenerationError, match=rf"no individual is called 'x'; names are like {generation.names[0]}"):
        generation.row_of("x")


FULL = "name,rank,origin,parents,games,wins,draws,losses,points,w0,w1\n"
ROW = "a,1,founder,,1,1,0,0,3,0.5,1\n"
NOT_TEXT = "line 1: not CSV text, expected a header like name,w0,w1,..."
BINARY = "line 1: binary data, expected CSV text with a header like name,w0,w1,..."
KING = "expected a number above 0 and at most 100"
WHOLE = "expected a whole number"
APART = "(for a part of a generation, remove the column rank)"

BAD: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "line 1: the file is empty, expected CSV with a header like name,w0,w1,..."),
    "only a header": ("name,w0\n", "line 2: no individuals after the header"),
    "a header cut in two": ("name,w", "line 1: expected weight columns w0, w1, ..., w0 is missing"),
    "no header": ("a,1,2\nb,1,2\n", "line 1: expected one column called name (or names), as in name,w0,w1,..."),
    "no weights": ("name,rank\na,1\n", "line 1: expected weight columns w0, w1, ..., w0 is missing"),
    "a gap in the weights": ("name,w0,w1,w3\na,1,1,1\n", "line 1: expected weight columns w0, w1, ..., w2 is missing"),
    "a weight column twice": ("name,w0,w0\na,1,1\n", "line 1: column w0 appears twice"),
    "a column missing beside rank": ("name,rank,w0\na,1,1\n", "line 1: column rank needs a column origin"),
    "a short row": ("name,w0,w1\na,1,2\nb,1\n", "line 3: 2 fields, expected 3 (is the file truncated?)"),
    "a long row": ("name,w0,w1\na,1,2\nb,1,2,3\n", "line 3: 4 fields, expected 3"),
    "an open quote": ('name,w0\n"a,1\n', "line 2: 1 fields, expected 2 (is the file truncated?)"),
    "no name": ("name,w0\n,1\n", "line 2: the individual has no name"),
    "a name twice": ("name,w0\na,1\nb,2\na,3\n", "line 4: name 'a' is also in line 2"),
    "NaN": ("name,w0,w1\na,1,2\nb,nan,2\n", "line 3: w0 is nan, expected a finite number (float32)"),
    "infinite": ("name,w0,w1\na,1,inf\n", "line 2: w1 is inf, expected a finite number (float32)"),
    "too large": ("name,w0\na,1e39\n", "line 2: w0 is 1e39, expected a finite number (float32)"),
    "text": ("name,w0\na,1\nb,two\n", "line 3: w0 is 'two', expected a number"),
    "nothing": ("name,w0,w1\na,,2\n", "line 2: w0 is '', expected a number"),
    "a decimal comma": ('name,w0\na,"0,5"\n', "line 2: w0 is '0,5', expected a number"),
    "a monstrous number": (f"name,w0\na,{'9' * 200_000}\n", "line 2: field larger than field limit (131072)"),
    "binary": (b"\x7fELF\x02\x01\x01\0\0\0", BINARY),
    "binary far behind": (b"name,w0\n" + b"a,1\nb,2" + b" " * 70_000 + b"\0\n", "line 3: binary data"),
    "no UTF-8": (b"name,w0\n\xff\xfe,1\n", "line 2: binary data"),
    "UTF-16": ("name,w0\na,1\n".encode("utf-16"), BINARY),
    "old line ends": (b"name,w0\ra,1\r", NOT_TEXT),
    "a rank that is no whole number": (FULL + ROW.replace(",1,f", ",1.5,f"), f"line 2: rank is '1.5', {WHOLE}"),
    "a count that is no whole number": (FULL + ROW.replace(",,1,", ",,1.7,"), f"line 2: games is '1.7', {WHOLE}"),
    "no count": (FULL + ROW.replace(",,1,", ",,,"), f"line 2: games is '', {WHOLE}"),
    "a monstrous count": (FULL + ROW.replace(",,1,", f",,{'9' * 30},"), f"line 2: games is '{'9' * 30}', {WHOLE}"),
    "a king of nothing": ("name,king,w0\na,1,1\n\nb,0,1\n", f"line 4: king is 0.0, {KING}"),
    "a king of too much": ("name,king,w0\na,100.01,1\n", f"line 2: king is 100.01000213623047, {KING}"),
    "a rank twice": (
        FULL + ROW + ROW.replace("a,", "b,"),
        f"line 3: rank is 1, expected each of 1 to 2 once {APART}",
    ),
    "ranks from 2": (
        FULL + ROW.replace("a,1", "a,2"),
        f"line 2: rank is 2, expected each of 1 to 1 once {APART}",
    ),
    "a last line without its end": (
        FULL + ROW.rstrip("\n"),
        "line 2: the last line is incomplete (is the file truncated?)",
    ),
    "a hall of fame without its end": (
        f"generation,{FULL}0,{ROW}1,{ROW.replace('a,', 'b,').rstrip()}",
        "line 3: the last line is incomplete (is the file truncated?)",
    ),
}  # fmt: skip


@for_each(("data", "error"), BAD.values())
def test_a_bad_file_is_refused_with_its_line(data: str | bytes, error: str) -> None:
    assert error_of(data if isinstance(data, bytes) else data.encode()) == error


@pytest.mark.parametrize("width", [1, 246, 248, 1741])
def test_another_width_is_refused(width: int) -> None:
    data = plain(np.zeros((2, width), np.float32))
    assert error_of(data, width=WIDTH) == f"line 1: {width} weight columns, expected 247 (w0 to w246)"
    assert parse(data, "file").weights.shape == (2, width)  # without an expectation any will do


def test_a_generation_cut_anywhere_is_refused_or_shorter() -> None:
    """Only a cut between two lines leaves a file that can be read: that is what the manifest is for."""
    generation = a_generation(3, width=6)
    data = to_csv(generation)
    ends = {index + 1 for index, byte in enumerate(data) if byte == ord("\n")}
    readable = set()
    for size in range(len(data)):
        try:
            result = parse(data[:size], "file.csv", width=6)
        except GenerationError as error:
            assert re.match(r"file\.csv: line \d+: ", str(error))
        else:
            readable.add(size)
            assert result.weights.tobytes() == generation.weights[: len(result.names)].tobytes()
    assert readable == ends - {min(ends), len(data)}  # not after the header alone


def refused(path: Path) -> str:
    with pytest.raises(GenerationError) as raised:
        read(path)
    assert str(raised.value).startswith(f"{path}: ")
    return str(raised.value).removeprefix(f"{path}: ")


def test_a_missing_file(tmp_path: Path) -> None:
    (tmp_path / "champions.csv").touch()
    (tmp_path / "champion.txt").touch()
    near = "no such file, expected a CSV file of individuals; near: champions.csv"
    assert refused(tmp_path / "champion.csv") == near
    assert refused(tmp_path / "none.csv") == "no such file, expected a CSV file of individuals"
    assert refused(tmp_path / "no" / "folder.csv") == "no such file, expected a CSV file of individuals"


def test_a_huge_file_is_not_even_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "huge.csv"
    path.touch()
    os.truncate(path, MAX_BYTES + 1)  # all hole, no blocks
    monkeypatch.setattr("evolve.run.packed.open_csv", lambda path: pytest.fail("opened"))
    assert refused(path) == f"{MAX_BYTES + 1:,} bytes, a generation has at most {MAX_BYTES:,}"


@pytest.mark.usefixtures("ordinary_rights")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "secret.csv"
    path.write_bytes(PLAIN)
    path.chmod(0)
    assert refused(path) == "cannot be read: Permission denied"
