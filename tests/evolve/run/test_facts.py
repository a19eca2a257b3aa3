"""Heads of generation files: the same as the whole reader gives, no weight needed, damage named by line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.bench.synthetic import SIZE, make_run
from evolve.run import generation_csv
from evolve.run.columns import GenerationError, Header
from evolve.run.facts import has_weights, king_value, read_facts, read_weights
from evolve.run.folder import Run
from evolve.run.row_index import Head, RowIndex


@pytest.fixture(scope="module", params=["cnn-247", "blondie-1741"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("runs"), "one", 2, network=request.param)


def test_as_the_whole_reader(run: Run) -> None:
    path = run.generation_path(2)
    rows = generation_csv.read(path)
    assert rows.ranks is not None and rows.origins is not None and rows.parents is not None and rows.counts is not None
    facts = read_facts(path)
    assert len(facts) == SIZE
    for row, fact in enumerate(facts):
        counts = tuple(rows.counts[row].tolist())
        assert fact == Head(rows.names[row], int(rows.ranks[row]), rows.origins[row], rows.parents[row], counts)
    assert read_facts(path, 5) == facts[:5]
    assert read_facts(path, 10_000) == facts
    for count in (1, 16, 10_000):
        assert read_weights(path, count).tobytes() == rows.weights[:count].tobytes()  # a column `king` is no weight
    assert has_weights(path)


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
    assert read_weights(path, 1).tobytes() == weights.tobytes()


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
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode())
    assert read_facts(path) == [FACT]


def test_thinned(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"{HEADER}\n{ROW}\n", encoding="utf-8")
    assert not has_weights(path)
    assert read_weights(path, 16).shape == (1, 0)


def test_only_the_head_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(f"{HEADER},w0\n{ROW},0.5\nrubbish\0".encode())
    assert read_facts(path, 1) == [FACT]
    assert read_weights(path, 1).tolist() == [[0.5]]
    with pytest.raises(GenerationError, match=r"x.csv: line 3: the last line does not end"):
        read_facts(path)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "line 1: the file is empty"),
        (HEADER, "line 1: the last line does not end"),
        (f"{HEADER}\n", "line 2: no individuals"),
        ("name,w0\na,1\n", "line 1: column rank is missing, expected a generation of a run"),
        ("names,rank\na,1\n", "line 1: column name is missing"),
        (f"{HEADER}\na,1,mutated\n", "line 2: 3 fields, expected more than 8"),
        (f"{HEADER}\n{ROW.replace(',1,', ',one,', 1)}\n", "line 2: expected a name and whole numbers"),
        (f"{HEADER}\n{ROW.replace(',1,', ',1.5,', 1)}\n", "line 2: expected a name and whole numbers"),
        (f"{HEADER}\n{ROW[1:]}\n", "line 2: expected a name and whole numbers"),
        (f"{HEADER}\n{ROW}\n{ROW[:-1]}", "line 3: the last line does not end"),
        (f"{HEADER}\n{ROW}{'9' * 5000}\n", "line 2: expected a name and whole numbers"),
    ],
)
def test_damage_is_named(tmp_path: Path, text: str, error: str) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode())
    with pytest.raises(GenerationError) as caught:
        read_facts(path)
    assert str(caught.value).startswith(f"{path}: {error}")


@pytest.mark.parametrize("weight", ["", "x", "nan", "inf", "1e39", "0.5,0.5"])
def test_damaged_weights_are_named(tmp_path: Path, weight: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"{HEADER},w0,w1\n{ROW},0.5,0.25\n{ROW},0.5,{weight}\n", encoding="utf-8")
    assert read_weights(path, 1).tolist() == [[0.5, 0.25]]
    with pytest.raises(GenerationError, match="line 3: expected 2 finite weights"):
        read_weights(path, 2)


def test_no_such_file(tmp_path: Path) -> None:
    for read in (read_facts, has_weights):
        with pytest.raises(GenerationError, match="cannot be read: No such file"):
            read(tmp_path / "none.csv")
    with pytest.raises(GenerationError, match="cannot be read: Is a directory"):
        read_facts(tmp_path)


def index_of(path: Path) -> list[Head]:
    index = RowIndex(path)
    while index.step():
        pass
    return index.heads


@pytest.mark.parametrize("read", [read_facts, index_of])
def test_individuals_that_learnt_are_candidates_and_no_mutants(read: Callable[[Path], list[Head]]) -> None:
    """Whatever the file calls them; mutants of a mean stay mutants."""
    runs = Path(__file__).parents[3] / "populations"
    mean, *others = read(runs / "crownhead" / "generation_0006.csv")
    assert mean.origin == "recombined" and len(mean.parents) == 3
    assert {(each.origin, each.parents) for each in others} == {("candidate", mean.parents)}
    assert {each.origin for each in read(runs / "crownhead-1" / "generation_0100.csv")[1:]} == {"mutated"}
