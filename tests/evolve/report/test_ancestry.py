"""Ancestry by hand on a small pedigree, against plain recursion on drawn ones, over thinned files and lost lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evolve.report import ancestry
from evolve.report.ancestry import Ancestor, Founder, Pedigree
from evolve.run.columns import GenerationError
from evolve.run.folder import Run
from evolve.run.row_index import read_heads

HEADER = "name,rank,origin,parents,games,wins,draws,losses,points"

Row = tuple[str, str, str]  # name, origin, parents


def made(folder: Path, generations: list[list[Row]], survivors: int) -> Pedigree:
    """Files with facts alone, as after their weights were thinned."""
    run = Run(folder)
    for number, rows in enumerate(generations):
        lines = [f"{name},{rank},{origin},{parents},0,0,0,0,0" for rank, (name, origin, parents) in enumerate(rows, 1)]
        run.generation_path(number).write_text("\n".join([HEADER, *lines, ""]), encoding="utf-8")
    return Pedigree(run, len(generations) - 1, survivors)


FAMILY: list[list[Row]] = [
    [("A0", "founder", ""), ("B0", "founder", ""), ("C0", "founder", ""), ("D0", "founder", "")],
    [("A1", "recombined", "A0 B0"), ("B1", "survivor", "C0"), ("C1", "mutated", "D0"), ("D1", "mutated", "A0 B0")],
    [("A2", "mutated", "A1 B1"), ("B2", "survivor", "B1"), ("C2", "recombined", "A1 C1"), ("D2", "mutated", "C1")],
    [("A3", "survivor", "B2"), ("B3", "recombined", "A2 B2"), ("C3", "mutated", "A2")],
]


@pytest.fixture
def family(tmp_path: Path) -> Pedigree:
    return made(tmp_path, FAMILY, 3)


def test_founders(family: Pedigree) -> None:
    assert family.founders(3, "B3").shares == (Founder(0, "C0", 0.75), Founder(0, "A0", 0.125), Founder(0, "B0", 0.125))
    assert family.founders(3, "A3").shares == (Founder(0, "C0", 1.0),)
    assert family.founders(2, "D2").shares == (Founder(0, "D0", 1.0),)
    assert family.founders(0, "A0").shares == (Founder(0, "A0", 1.0),)


def test_levels(family: Pedigree) -> None:
    assert family.levels(3, ["B3"]) == [
        {"B3": 1.0},
        {"A2": 0.5, "B2": 0.5},
        {"A1": 0.25, "B1": 0.75},
        {"A0": 0.125, "B0": 0.125, "C0": 0.75},
    ]
    assert family.levels(3, ["A3", "C3"])[1] == {"B2": 0.5, "A2": 0.5}
    assert family.levels(3, []) == []


def test_born(family: Pedigree) -> None:
    member = family.find_birth(3, "A3")
    assert member is not None
    assert (member.generation, member.fact.name) == (0, "C0")
    member = family.find_birth(3, "B3")
    assert member is not None
    assert (member.generation, member.fact.name) == (3, "B3")
    assert family.find_birth(3, "nobody") is None


def test_common_ancestor(family: Pedigree) -> None:
    def youngest(generation: int, *names: str) -> tuple[int, str] | None:
        found = family.common_ancestor(generation, names)
        return None if found is None else (found.generation, found.fact.name)

    assert youngest(3, "A3", "B3", "C3") == (1, "B1")
    assert youngest(3, "B3", "C3") == (2, "A2")
    assert youngest(2, "A2", "C2") == (1, "A1")
    assert youngest(3, "B3") == (3, "B3")
    assert youngest(2, "B2", "C2") is None  # C0 on one side; A0, B0, D0 on the other


def test_children_are_read_from_the_whole_file(family: Pedigree) -> None:
    assert [fact.name for fact in family.children(1, "A1")] == ["A2", "C2"]
    assert [fact.name for fact in family.children(1, "C1")] == ["C2", "D2"]  # the fourth row is no survivor
    assert family.children(1, "D1") == family.children(3, "A3") == family.children(-1, "A0") == []


def test_find_beyond_the_head(family: Pedigree) -> None:
    found = family.find(0, "D0")
    assert found is not None and found.rank == 4
    assert [fact.name for fact in family.head(0)] == ["A0", "B0", "C0"]
    assert family.find(0, "E0") is None
    below = family.find(1, "D1")
    assert below is not None and below.rank == 4
    assert family.find(4, "A0") is family.find(-1, "A0") is None


def test_find_two_beyond_the_head(tmp_path: Path) -> None:
    family = made(tmp_path, FAMILY, 2)
    assert [fact and fact.rank for fact in (family.find(0, "C0"), family.find(0, "D0"))] == [3, 4]


def test_tree(family: Pedigree) -> None:
    def shape(place: Ancestor) -> object:
        return place.name, *map(shape, place.parents)

    assert shape(family.tree(3, "B3", 2)) == ("B3", ("A2", ("A1",), ("B1",)), ("B2", ("B1",)))
    assert shape(family.tree(3, "B3", 0)) == ("B3",)
    assert shape(family.tree(2, "D2", 99)) == ("D2", ("C1", ("D0",)))


def test_a_first_generation_that_was_bred(tmp_path: Path) -> None:
    """Its children stand beside their parents; lines begin with whoever is in it."""
    family = made(tmp_path, [[("A0", "founder", ""), ("B0", "mutated", "A0")], [("A1", "survivor", "B0")]], 2)
    assert family.founders(1, "A1").shares == (Founder(0, "B0", 1.0),)
    assert family.tree(0, "B0", 3).parents == ()
    member = family.find_birth(1, "A1")
    assert member is not None and member.fact.name == "B0"
    assert family.common_ancestor(0, ["A0", "B0"]) is None


def test_trees_are_bounded(tmp_path: Path) -> None:
    pair = [("A", "recombined", "A B"), ("B", "recombined", "A B")]
    found = made(tmp_path, [pair] * 12, 2)

    def places(place: Ancestor) -> int:
        return 1 + sum(map(places, place.parents))

    assert places(found.tree(11, "A", 1000)) == 2 ** (ancestry.MAX_DEPTH + 1) - 1
    assert [len(level) for level in found.levels(11, ["A"])] == [1] + [2] * 11


def test_lost_lines_end_where_they_are_lost(tmp_path: Path) -> None:
    lost = [*FAMILY[:1], FAMILY[1][:1], *FAMILY[2:]]
    family = made(tmp_path, lost, 3)
    assert family.founders(3, "B3").shares == (Founder(1, "B1", 0.75), Founder(0, "A0", 0.125), Founder(0, "B0", 0.125))
    (place,) = family.tree(2, "B2", 3).parents
    assert (place.name, place.fact, place.parents) == ("B1", None, ())
    member = family.find_birth(3, "A3")
    assert member is not None and (member.generation, member.fact.name) == (2, "B2")


def test_no_file_is_an_error(family: Pedigree, tmp_path: Path) -> None:
    (tmp_path / "generation_0001.csv").unlink()
    with pytest.raises(GenerationError, match=r"generation_0001.csv: cannot be read"):
        family.founders(3, "B3")


def test_only_heads_are_read(family: Pedigree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int | None] = []

    def counted(path: Path, count: int | None = None) -> object:
        asked.append(count)
        return read_heads(path, count)

    monkeypatch.setattr(ancestry, "read_heads", counted)
    family.founders(3, "B3")
    family.common_ancestor(3, ["A3", "B3", "C3"])
    family.tree(3, "B3", 3)
    assert asked == [3] * 4  # each generation once, and no whole file


@pytest.mark.parametrize("seed", range(5))
def test_against_plain_recursion(tmp_path: Path, seed: int) -> None:
    generator = np.random.Generator(np.random.Philox(seed))
    generations: list[list[Row]] = [[(f"P0_{index}", "founder", "") for index in range(8)]]
    for number in range(1, 7):
        rows = []
        for index in range(8):
            parents = sorted({f"P{number - 1}_{each}" for each in generator.integers(0, 4, 2)})
            rows.append((f"P{number}_{index}", "recombined", " ".join(parents)))
        generations.append(rows)
    family = made(tmp_path, generations, 4)

    def shares(number: int, name: str) -> dict[str, float]:
        if number == 0:
            return {name: 1.0}
        parents = next(row[2] for row in generations[number] if row[0] == name).split()
        found: dict[str, float] = {}
        for parent in parents:
            for founder, share in shares(number - 1, parent).items():
                found[founder] = found.get(founder, 0) + share / len(parents)
        return found

    def forebears(number: int, name: str) -> set[tuple[int, str]]:
        parents = next(row[2] for row in generations[number] if row[0] == name).split()
        return {(number, name)}.union(*(forebears(number - 1, parent) for parent in parents))

    for name in ("P6_0", "P6_7"):
        found = family.founders(6, name).shares
        assert {each.name: each.share for each in found} == pytest.approx(shares(6, name))
        assert [each.share for each in found] == sorted((each.share for each in found), reverse=True)
    names = ["P6_0", "P6_1", "P6_2"]
    common = set.intersection(*(forebears(6, name) for name in names))
    youngest = family.common_ancestor(6, names)
    assert (youngest is None) == (not common)
    if youngest is not None:
        assert youngest.generation == max(number for number, _ in common)
        assert (youngest.generation, youngest.fact.name) in common
