"""The rows of a family against following each weight on its own, around means, along a line, and over lost files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from evolve.breeding.inheritance import inheritance
from evolve.report.ancestry import Pedigree
from evolve.report.descent import descend, ordered
from evolve.run.folder import Run
from tests.family_run import make_family_run
from tests.learnt_run import make_learnt_run

SHIPPED = Path("populations")
LAST = 7


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of pairs of parents."""
    return make_family_run(tmp_path_factory.mktemp("runs"), "pairs", LAST, survive=0.6)


def follow(run: Run, weight: int, name: str) -> list[str]:
    """Who had a weight, from an individual of the newest generation back: plain Python, one weight at a time."""
    config, pedigree, found = run.config(), Pedigree(run, LAST, 4), [name]
    for generation in range(LAST, 0, -1):
        fact = pedigree.find(generation, found[-1])
        assert fact is not None
        what = inheritance(config, generation, fact)
        assert what is not None
        found.append(fact.parents[0 if what.first[weight] else -1])
    return found


def test_shares_are_counts_of_weights_against_following_each_on_its_own(run: Run) -> None:
    pedigree = Pedigree(run, LAST, 4)
    name = next(fact.name for fact in pedigree.head(LAST) if fact.origin != "survivor")
    descent = descend(pedigree, LAST, name)
    paths = [follow(run, weight, name) for weight in range(0, 247)]
    for back, row in enumerate(descent.rows):
        counts = Counter(path[back] for path in paths)
        assert {each.name: round(247 * each.share) for each in row if each.share} == counts
    assert len(descent.rows) == LAST + 1
    assert descent.founders == pedigree.founders(LAST, name)
    assert descent.founders.exact
    assert descent.method == ""


def test_each_row_holds_the_parents_of_the_one_before(run: Run) -> None:
    pedigree = Pedigree(run, LAST, 4)
    rows = descend(pedigree, LAST, pedigree.head(LAST)[0].name).rows
    for generation, row, below in zip(range(LAST, 0, -1), rows, rows[1:], strict=False):
        assert all(each.fact == pedigree.find(generation, each.name) for each in row)
        assert {parent for each in row for parent in each.parents} == {each.name for each in below}
    assert all(not each.parents for each in rows[-1])


@pytest.mark.parametrize(("name", "method", "parents"), [("crownhead-1", "mean", 65), ("crownhead", "genes", 3)])
def test_around_a_mean_it_stands_first_and_alone_has_parents(name: str, method: str, parents: int) -> None:
    run = Run(SHIPPED / name)
    newest = run.manifest().newest
    pedigree = Pedigree(run, newest, parents)
    descent = descend(pedigree, newest, pedigree.head(newest)[1].name)  # a mutant
    assert descent.method == method
    assert [len(row) for row in descent.rows[:1]] == [2]
    for row in descent.rows:
        assert row[0].is_mean and row[0].name.endswith("_0000")
        assert not any(each.is_mean or each.parents for each in row[1:])
    assert all(len(row[0].parents) == parents for row in descent.rows[:-1])
    assert sum(each.share for each in descent.rows[0]) == 1


def test_what_learns_is_a_line(tmp_path: Path) -> None:
    run = make_learnt_run(tmp_path, "learnt", 5, ["seed=1", "learning.games=games.pdn"], {}, "policy")
    descent = descend(Pedigree(run, 5, 1), 5, "Gen05_0000")
    assert descent.method == "learnt"
    assert descent.is_line
    assert [row[0].name for row in descent.rows] == [f"Gen{number:02}_0000" for number in range(5, -1, -1)]


def test_a_file_that_cannot_be_read_ends_the_lines(tmp_path: Path) -> None:
    run = make_family_run(tmp_path, "cut", 6)
    run.generation_path(3).write_text("name,rank\n", encoding="utf-8")
    pedigree = Pedigree(run, 6, 4)
    pedigree.lenient = True
    descent = descend(pedigree, 6, pedigree.head(6)[0].name)
    assert len(descent.rows) == 4
    assert all(each.fact is None and not each.parents for each in descent.rows[-1])
    assert list(descent.lost) == [3]
    assert "generation_0003.csv" in descent.lost[3]
    assert {founder.generation for founder in descent.founders.shares} == {3}
    assert sum(founder.share for founder in descent.founders.shares) == pytest.approx(1)


def crossings(upper: list[str], lower: list[str], edges: Iterable[tuple[str, str]]) -> int:
    places = [(upper.index(child), lower.index(parent)) for child, parent in edges]
    return sum((a - c) * (b - d) < 0 for at, (a, b) in enumerate(places) for c, d in places[:at])


def test_few_lines_cross(run: Run) -> None:
    rows, edges = [["a", "b"], ["x", "y"]], [[("a", "y"), ("b", "x")]]
    assert crossings(rows[0], rows[1], edges[0]) == 1
    first, second = ordered(rows, edges)
    assert crossings(first, second, edges[0]) == 0
    pedigree = Pedigree(run, LAST, 4)
    descent = descend(pedigree, LAST, pedigree.head(LAST)[0].name)
    names = [[each.name for each in row] for row in descent.rows]
    links = [[(each.name, parent) for each in row for parent in each.parents] for row in descent.rows[:-1]]
    drawn = sum(map(crossings, names, names[1:], links))
    shuffled = [sorted(row) for row in names]
    assert drawn <= sum(map(crossings, shuffled, shuffled[1:], links))
