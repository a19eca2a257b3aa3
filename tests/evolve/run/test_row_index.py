"""The light reader of CSV files: all who stand there, no weight needed, damage named by line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.run import generation_csv, manifest
from evolve.run.columns import GenerationError, Header, king_value, numbered, split_row
from evolve.run.folder import Run
from evolve.run.row_index import Head, RowIndex, read_heads
from game.networks.named import CNN_247
from tests.cases import for_each
from tests.runs import INDIVIDUALS, generation
from tests.synthetic import SIZE, make_run


def read(path: Path, *checksums: str) -> RowIndex:
    heads = RowIndex(path, checksums)
    while heads.step():
        pass
    assert heads.complete
    return heads


def test_heads_are_those_of_the_generation(tmp_path: Path) -> None:
    rows = generation(5)
    path = tmp_path / "generation_0005.csv"
    path.write_bytes(generation_csv.to_csv(rows))
    heads = read(path, manifest.sha256(path.read_bytes()))
    assert (heads.damage, heads.weights) == ("", CNN_247.weights)
    assert [head.name for head in heads.heads] == rows.names
    assert [head.rank for head in heads.heads] == list(range(1, INDIVIDUALS + 1))
    first = heads.heads[1]
    assert (first.origin, first.parents, first.results) == ("mutated", ("Gen04_0001",), (28, 11, 8, 9, 41))
    assert read(path, "0" * 64).damage == "its bytes are not what the session wrote"


def test_an_unfinished_line_of_a_hall_of_fame_does_not_count(tmp_path: Path) -> None:
    """A session may be writing it."""
    (tmp_path / "config.toml").touch()
    path = tmp_path / "hall_of_fame.csv"
    header = "generation,name,rank,origin,parents,games,wins,draws,losses,points,w0\n"
    lines = [f"{number},Gen{number:02d}_0001,1,mutated,,3,1,1,1,3,0.25\n" for number in range(5)]
    path.write_text("".join([header, *lines])[:-9], encoding="utf-8")
    index = read(path)
    assert ([head.generation for head in index.heads], index.last, index.damage) == ([0, 1, 2, 3], 3, "")
    path.write_text("".join([header, *lines]), encoding="utf-8")
    assert index.stale and not index.holds(())
    assert read(path).last == 4 and read(path).holds(())


def spoiled(change: Callable[[list[str]], object]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        lines = generation_csv.to_csv(generation(1)).decode().splitlines()
        change(lines)
        path.write_text("\n".join([*lines, ""]), encoding="utf-8")

    return write


def set_line(number: int, old: str, new: str) -> Callable[[list[str]], object]:
    def change(lines: list[str]) -> None:
        assert old in lines[number]
        lines[number] = lines[number].replace(old, new, 1)

    return change


DAMAGES: list[tuple[str, Callable[[Path], object]]] = [
    ("the file is empty", lambda path: path.write_bytes(b"")),
    ("cannot be read", lambda path: path.mkdir()),
    ("line 1: binary data", lambda path: path.write_bytes(b"\x00\x01\x02" * 1000)),
    (
        "line 1: expected one column called name (or names), as in name,w0,w1,...",
        lambda path: path.write_text("hello\nworld\n", encoding="utf-8"),
    ),
    ("line 2: no individuals", spoiled(lambda lines: lines.__delitem__(slice(1, None)))),
    ("line 1: column rank needs a column games", spoiled(set_line(0, ",games", ",plays"))),
    ("line 1: column rank appears twice", spoiled(set_line(0, ",origin", ",rank"))),
    ("line 1: expected weight columns w0, w1", spoiled(set_line(0, ",w7,", ",w900,"))),
    ("line 3: 255 fields, expected 256 (is the file truncated?)", spoiled(set_line(2, "Gen01_0001,", ""))),
    ("line 4: rank is '3.5', expected a whole number", spoiled(set_line(3, ",3,", ",3.5,"))),
    ("line 5: name 'Gen01_0000' is also in line 2", spoiled(set_line(4, "Gen01_0003", "Gen01_0000"))),
    ("line 3: rank is 2, expected each of 1 to 12 once", spoiled(set_line(1, ",1,", ",99,"))),
    ("line 6: w246 is 'nan', expected a number", spoiled(lambda lines: lines.__setitem__(5, cut(lines[5]) + "nan"))),
    ("line 6: w246 is '1_0', expected a number", spoiled(lambda lines: lines.__setitem__(5, cut(lines[5]) + "1_0"))),
    ("the last line is incomplete", lambda path: path.write_bytes(generation_csv.to_csv(generation(1)).rstrip(b"\n"))),
]


def cut(line: str) -> str:
    return line.rpartition(",")[0] + ","


@pytest.mark.parametrize(("damage", "write"), DAMAGES, ids=[damage for damage, _ in DAMAGES])
def test_damaged_files_are_reported_and_refused(tmp_path: Path, damage: str, write: Callable[[Path], object]) -> None:
    path = tmp_path / "generation_0001.csv"
    (tmp_path / "config.toml").touch()  # elsewhere, other programs may have saved it
    write(path)
    heads = read(path)
    assert damage in heads.damage
    assert heads.heads == []
    with pytest.raises(GenerationError):  # nor can a session continue from it
        generation_csv.parse(generation_csv.read_bytes(path), str(path))


@pytest.mark.filterwarnings("ignore::game.errors.InputWarning")  # about rows that are left out
@settings(max_examples=100)
@given(st.data())
def test_index_accepts_the_input_of_the_parser(data: st.DataObject) -> None:
    """Any change of some bytes: a file that can be played is listed, with the same names."""
    import tempfile

    whole = bytearray(generation_csv.to_csv(generation(1, 3)))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.one_of(st.integers(0, 1500), st.integers(0, len(whole) - 1)))
        whole[min(at, len(whole) - 1)] = data.draw(st.sampled_from(b'0,1.\n-e" x\xff\x00rank'))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "changed.csv"
        path.write_bytes(whole)
        heads = read(path)
        try:
            expected = generation_csv.read(path).names
        except GenerationError:
            return
        if heads.damage:
            # Two things are stricter here: columns may not stand behind the weights, and a name has no line feed.
            assert "after all other columns" in heads.damage or b'"' in whole
        else:
            assert [head.name for head in heads.heads] == expected


@pytest.mark.parametrize("line", [b"a,1,,2\r\n", b'"a",1,,2\n'])
def test_row_is_split_as_far_as_needed(line: bytes) -> None:
    assert split_row(line) == ["a", "1", "", "2"]
    assert split_row(line, 1)[:2] == ["a", "1"]
    assert split_row(line, 9) == ["a", "1", "", "2"]


def test_header_finds_columns_by_name() -> None:
    header = Header.parse(b"names,rank,w,w0,w1,wx,s0\r\n", "line 1")
    assert (header.places["name"], header.weights, header.ranked, header.thinned) == (0, 2, True, False)
    assert Header.parse(b"name,genome", "line 1").thinned
    with pytest.raises(GenerationError, match="x: column rank needs a column origin"):
        header.check("x")
    with pytest.raises(GenerationError, match="x: not CSV text"):
        Header.parse(b"\xff\xfe", "x")


@for_each("front", ["name", "names,rank,s0", "rank,name,s0,king", '"name"'])
def test_weights_in_order_are_counted(front: str) -> None:
    header = Header.parse(f"{front},{numbered('w', 12).decode()}\r\n".encode(), "line 1")
    assert (header.weights, header.in_order, header.names[-1]) == (12, 12, "w11")
    assert header.places["name"] == header.names.index("names" if "names" in front else "name")
    assert "w12" not in header.places and "w00" not in header.places
    header.check_order("line 1")


@pytest.mark.parametrize(
    ("line", "trouble"),
    [
        ("name,w0,w1,w3", "w2 is missing"),
        ("name,w0,w2,w1", "in order"),
        ("name,w0,w1,w01", "w2 is missing"),
        ("name,w1,w0,w1", "column w1 appears twice"),
        ("name,name,w0,w1", "expected one column called name"),
        ("rank,w0,w1", "expected one column called name"),
        ("name,w0,w1,x", ""),
    ],
)
def test_columns_that_are_nearly_in_order(line: str, trouble: str) -> None:
    header = Header.parse(line.encode(), "line 1")
    if not trouble:
        assert (header.weights, header.in_order) == (2, 0)
        return
    with pytest.raises(GenerationError, match=trouble):
        header.check("line 1")
        header.check_order("line 1")


def test_weights_before_facts_cannot_be_passed_over() -> None:
    for line, trouble in ((b"w0,name", "after all other columns"), (b"name,w1,w0", "in order")):
        header = Header.parse(line, "line 1")
        header.check("line 1")
        with pytest.raises(GenerationError, match=trouble):
            header.check_order("line 1")


@pytest.fixture(scope="module", params=["cnn-247", "blondie-1741"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("runs"), "one", 2, network=request.param)


def test_as_the_whole_reader(run: Run) -> None:
    path = run.generation_path(2)
    rows = generation_csv.read(path)
    assert rows.ranks is not None and rows.origins is not None and rows.parents is not None and rows.counts is not None
    facts = read_heads(path)
    assert len(facts) == SIZE
    for row, fact in enumerate(facts):
        counts = tuple(rows.counts[row].tolist())
        assert fact == Head(rows.names[row], int(rows.ranks[row]), rows.origins[row], rows.parents[row], counts)
    assert read_heads(path, 5) == facts[:5]
    assert read_heads(path, 10_000) == facts
    for count in (1, 16, 10_000):
        assert run.first_weights(2, count).tobytes() == rows.weights[:count].tobytes()  # a column `king` is no weight


def test_a_king_value_that_is_none() -> None:
    header = Header.parse(b"king,names,w0\n", "x.csv: line 1")
    assert king_value(header, b"2.5,Anna,1", "x.csv: line 2") == 2.5
    with pytest.raises(GenerationError, match=r"x\.csv: line 3: expected a king value"):
        king_value(header, b"x,Anna,1", "x.csv: line 3")


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_weights_have_the_same_bits(tmp_path_factory: pytest.TempPathFactory, values: list[float]) -> None:
    path = tmp_path_factory.mktemp("bits") / "generation_0000.csv"
    weights = np.array([values], np.float32)
    rows = generation_csv.Generation(["a"], weights, np.array([1]), ["founder"], [()], np.zeros((1, 5), np.int64))
    path.write_bytes(generation_csv.to_csv(rows))
    assert Run(path.parent).first_weights(0, 1).tobytes() == weights.tobytes()


HEADER = "name,rank,origin,parents,games,wins,draws,losses,points"
ROW = "a,1,mutated,b c,3,1,1,1,-4"
FACT = Head("a", 1, "mutated", ("b", "c"), (3, 1, 1, 1, -4))


@pytest.mark.parametrize(
    "text",
    [
        f"{HEADER}\n{ROW}\n",
        f"{HEADER},w0\n{ROW},0.5\n",
        f"{HEADER},depth,s0,w0\n{ROW},4,0.5,0.5\n",
        f"{HEADER},w0\r\n{ROW},0.5\r\n",
        f"{HEADER},w0\n{ROW.replace('a', chr(34) + 'a' + chr(34), 1)},0.5\n",
        "name,rank,w0,origin,parents,games,wins,draws,losses,points\na,1,0.5,mutated,b c,3,1,1,1,-4\n",
    ],
)
def test_columns_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "generation_0000.csv"
    path.write_bytes(text.encode())
    assert read_heads(path) == [FACT]


def test_a_thinned_generation_has_no_weights(tmp_path: Path) -> None:
    path = tmp_path / "generation_0000.csv"
    path.write_text(f"{HEADER}\n{ROW}\n", encoding="utf-8")
    assert Run(tmp_path).first_weights(0, 16).shape == (1, 0)


def test_only_the_head_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "generation_0000.csv"
    path.write_bytes(f"{HEADER},w0\n{ROW},0.5\nrubbish\0".encode())
    assert read_heads(path, 1) == [FACT]
    assert Run(tmp_path).first_weights(0, 1).tolist() == [[0.5]]
    with pytest.raises(GenerationError, match=r"generation_0000.csv: line 3: the last line is incomplete"):
        read_heads(path)


@for_each(
    ("text", "error"),
    [
        ("", "line 1: the file is empty"),
        (HEADER, "line 1: the last line is incomplete"),
        (f"{HEADER}\n", "line 2: no individuals"),
        ("name,w0\na,1\n", "line 1: column rank is missing, expected a generation of a run"),
        ("names,rank\na,1\n", "line 1: column name is missing"),
        (f"{HEADER}\na,1,mutated\n", "line 2: 3 fields, expected more than 8"),
        (f"{HEADER}\n{ROW.replace(',1,', ',1.5,', 1)}\n", "line 2: rank is '1.5', expected a whole number"),
        (f"{HEADER}\n{ROW[1:]}\n", "line 2: the individual has no name"),
        (f"{HEADER}\n{ROW}\n{ROW[:-1]}", "line 3: the last line is incomplete"),
        (f"{HEADER}\n{ROW}{'9' * 5000}\n", "line 2: points is '-4999"),
    ],
)
def test_damage_is_named(tmp_path: Path, text: str, error: str) -> None:
    path = tmp_path / "generation_0000.csv"
    path.write_bytes(text.encode())
    with pytest.raises(GenerationError) as caught:
        read_heads(path)
    assert str(caught.value).startswith(f"{path}: {error}")


@pytest.mark.parametrize("weight", ["", "x", "nan", "inf", "1e39", "0.5,0.5"])
def test_damaged_weights_are_named(tmp_path: Path, weight: str) -> None:
    path = tmp_path / "generation_0000.csv"
    path.write_text(f"{HEADER},w0,w1\n{ROW},0.5,0.25\n{ROW},0.5,{weight}\n", encoding="utf-8")
    assert Run(tmp_path).first_weights(0, 1).tolist() == [[0.5, 0.25]]
    with pytest.raises(GenerationError, match="line 3: expected 2 finite weights"):
        Run(tmp_path).first_weights(0, 2)


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(GenerationError, match="cannot be read: No such file"):
        read_heads(tmp_path / "none.csv")
    with pytest.raises(GenerationError, match="cannot be read: Is a directory"):
        read_heads(tmp_path)
