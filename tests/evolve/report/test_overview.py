"""Runs, generations, files and individuals as a whole, and ancestry by hand: what is found, and what is refused."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evolve.report.ancestry import Ancestor, FounderShares, Pedigree
from evolve.report.overview import file_overview, generation_overview, run_overview
from evolve.run import generation_csv
from evolve.run.columns import GenerationError
from evolve.run.files import RunError
from evolve.run.folder import Run
from evolve.run.manifest import Manifest, sha256
from evolve.run.row_index import read_heads
from game.networks.named import CNN_247
from tests.family_run import make_family_run
from tests.learnt_run import make_learnt_run
from tests.synthetic import PARENTS, SIZE, make_run

LAST = 8


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("runs"), "one", LAST)


@pytest.fixture
def run(template: Run, tmp_path: Path) -> Run:
    return Run(Path(shutil.copytree(template.path, tmp_path / "one")))


def thinned(run: Run, generation: int) -> None:
    """Take the weights of a generation out of its file, as a session does with old ones."""
    known, path = run.manifest(), run.generation_path(generation)
    data = generation_csv.to_csv(run.read_generation(generation).thinned())
    path.write_bytes(data)
    entries = list(known.entries)
    entries[generation] = replace(entries[generation], now=sha256(data))
    Manifest(tuple(entries)).write(run.path)


def test_the_overview_of_a_run_has_its_champion_and_diversity(run: Run) -> None:
    result = run_overview(run)
    rows = run.read_generation(LAST)
    assert result.newest == LAST
    assert [fact.name for fact in result.survivors] == rows.names[:PARENTS]
    assert result.weights.tobytes() == rows.weights[:PARENTS].tobytes()
    assert result.champion.name == result.history.champions[-1] == rows.names[0]
    assert result.diversity.individuals == PARENTS
    assert result.state == "stopped"
    assert result.size == sum(path.stat().st_size for path in run.path.iterdir() if path.is_file())
    assert sum(founder.share for founder in result.founders.shares) == pytest.approx(1)
    assert result.born is not None and result.born.generation <= LAST


def test_only_heads_are_read(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[int | None] = []

    def counted(path: Path, count: int | None = None) -> object:
        counts.append(count)
        return read_heads(path, count)

    monkeypatch.setattr("evolve.report.ancestry.read_heads", counted)
    monkeypatch.setattr(generation_csv, "parse", lambda *_, **__: pytest.fail("a whole generation was read"))
    result = run_overview(run)
    assert result.common_ancestor is None
    assert result.founders.shares
    assert set(counts) == {PARENTS}
    assert len(counts) == LAST + 1


def test_the_overview_of_a_generation_has_its_order_and_origins(run: Run) -> None:
    result = generation_overview(run, 3)
    assert (result.generation, result.spec, result.thinned) == (3, CNN_247, False)
    assert result.source == f"{run.path}@3"
    assert result.order == list(range(SIZE))
    assert result.origins == {"survivor": 16, "mutated": 48}
    assert result.diversity is not None and result.diversity.individuals == SIZE
    assert generation_overview(run).generation == LAST
    with pytest.raises(RunError, match="no generation 9; complete generations: 0 to 8"):
        generation_overview(run, 9)


def test_the_overview_of_an_individual_has_its_neighbours(run: Run) -> None:
    generation = generation_overview(run, 3)
    best = generation.individual()
    assert best.fact is not None and best.fact.rank == 1
    result = generation.individual("Gen03_0001")
    assert result.source == f"{run.path}@3:Gen03_0001"
    assert result.fact is not None and result.fact == read_heads(run.generation_path(3))[result.row]
    assert best.king is None
    rows = run.read_generation(3)
    apart = np.linalg.norm(rows.weights.astype(float) - rows.weights[result.row].astype(float), axis=1)
    assert [distance for _, distance in result.nearest] == pytest.approx(sorted(apart)[1:6])
    assert result.name not in dict(result.nearest)
    children = [fact for fact in read_heads(run.generation_path(4)) if best.name in fact.parents]
    assert best.children == children != []
    assert sum(founder.share for founder in best.founders.shares) == pytest.approx(1)
    with pytest.raises(GenerationError, match="no individual is called 'x'"):
        generation.individual("x")


def test_a_thinned_generation_has_facts_without_weights(run: Run) -> None:
    champion = run.read_generation(3).weights[0]
    thinned(run, 3)
    result = generation_overview(run, 3)
    assert result.thinned
    assert result.diversity is None
    other = result.individual(result.rows.names[1])
    assert (other.nearest, other.weights.size) == ([], 0)
    assert other.fact is not None and other.fact.rank == 2
    assert other.founders.shares
    best = result.individual()  # the hall of fame has kept the champion
    assert best.weights.tobytes() == champion.tobytes()
    assert best.nearest == []


def test_a_file_without_a_run_has_diversity_alone(tmp_path: Path) -> None:
    path = tmp_path / "players.csv"
    header = ",".join(["names", *(f"w{index}" for index in range(247))])
    rows = [",".join([name, *["0.5"] * 247]) for name in ("Anna", "Ben")]
    path.write_text("\n".join([header, *rows, ""]), encoding="utf-8")
    result = file_overview(path)
    assert (result.spec, result.run, result.order, result.origins) == (CNN_247, None, [0, 1], {})
    assert result.diversity is not None and result.diversity.distinct == 1
    anna = result.individual("Anna")
    assert (anna.fact, anna.children, anna.founders) == (None, [], FounderShares())
    assert anna.nearest == [("Ben", 0.0)]
    path.write_text("name,w0,w1\nAnna,1,2\n", encoding="utf-8")
    other = file_overview(path)
    assert other.spec is None
    with pytest.raises(GenerationError, match="2 weight columns, expected 247"):
        file_overview(path, CNN_247)


HEADER = "name,rank,origin,parents,games,wins,draws,losses,points"

Row = tuple[str, str, str]  # name, origin, parents


def made(folder: Path, generations: list[list[Row]], survivors: int) -> Pedigree:
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


def test_shares_of_ancestors_add_up_in_each_generation(family: Pedigree) -> None:
    assert family.shares(3, ["B3"])[0] == [
        {"B3": 1.0},
        {"A2": 0.5, "B2": 0.5},
        {"A1": 0.25, "B1": 0.75},
        {"A0": 0.125, "B0": 0.125, "C0": 0.75},
    ]
    assert family.shares(3, ["A3", "C3"])[0][1] == {"B2": 0.5, "A2": 0.5}
    assert family.shares(3, [])[0] == []


def test_find_beyond_the_head(family: Pedigree) -> None:
    result = family.find(0, "D0")
    assert result is not None and result.rank == 4
    assert [fact.name for fact in family.head(0)] == ["A0", "B0", "C0"]
    assert family.find(0, "E0") is None
    below = family.find(1, "D1")
    assert below is not None and below.rank == 4
    assert family.find(4, "A0") is family.find(-1, "A0") is None


def test_a_tree_ends_at_the_depth_asked_for(family: Pedigree) -> None:
    def shape(place: Ancestor) -> object:
        return place.name, *map(shape, place.ancestors)

    assert shape(family.tree(3, "B3", 2)) == ("B3", ("A2", ("A1",), ("B1",)), ("B2", ("B1",)))
    assert shape(family.tree(3, "B3", 0)) == ("B3",)
    assert shape(family.tree(2, "D2", 99)) == ("D2", ("C1", ("D0",)))


def test_a_first_generation_that_was_bred(tmp_path: Path) -> None:
    """Its children stand beside their parents; lines begin with whoever is in it."""
    family = made(tmp_path, [[("A0", "founder", ""), ("B0", "mutated", "A0")], [("A1", "survivor", "B0")]], 2)
    assert family.founders(1, "A1").shares == (Ancestor(0, "B0", share=1.0),)
    assert family.tree(0, "B0", 3).ancestors == ()
    member = family.find_birth(1, "A1")
    assert member is not None and member.name == "B0"
    assert family.common_ancestor(0, ["A0", "B0"]) is None


def test_trees_are_bounded(tmp_path: Path) -> None:
    pair = [("A", "recombined", "A B"), ("B", "recombined", "A B")]
    result = made(tmp_path, [pair] * 12, 2)

    def places(place: Ancestor) -> int:
        return 1 + sum(map(places, place.ancestors))

    assert places(result.tree(11, "A", 6)) == 2 ** (6 + 1) - 1
    assert [len(level) for level in result.shares(11, ["A"])[0]] == [1] + [2] * 11


def test_lost_lines_end_where_they_are_lost(tmp_path: Path) -> None:
    lost = [*FAMILY[:1], FAMILY[1][:1], *FAMILY[2:]]
    family = made(tmp_path, lost, 3)
    assert family.founders(3, "B3").shares == (
        Ancestor(1, "B1", share=0.75),
        Ancestor(0, "A0", share=0.125),
        Ancestor(0, "B0", share=0.125),
    )
    (place,) = family.tree(2, "B2", 3).ancestors
    assert (place.name, place.fact, place.ancestors) == ("B1", None, ())
    member = family.find_birth(3, "A3")
    assert member is not None and (member.generation, member.name) == (2, "B2")


def test_no_file_is_an_error(family: Pedigree, tmp_path: Path) -> None:
    (tmp_path / "generation_0001.csv").unlink()
    with pytest.raises(GenerationError, match=r"generation_0001.csv: cannot be read"):
        family.founders(3, "B3")


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
        results: dict[str, float] = {}
        for parent in parents:
            for founder, share in shares(number - 1, parent).items():
                results[founder] = results.get(founder, 0) + share / len(parents)
        return results

    def forebears(number: int, name: str) -> set[tuple[int, str]]:
        parents = next(row[2] for row in generations[number] if row[0] == name).split()
        return {(number, name)}.union(*(forebears(number - 1, parent) for parent in parents))

    for name in ("P6_0", "P6_7"):
        results = family.founders(6, name).shares
        assert {each.name: each.share for each in results} == pytest.approx(shares(6, name))
        assert [each.share for each in results] == sorted((each.share for each in results), reverse=True)
    names = ["P6_0", "P6_1", "P6_2"]
    common = set.intersection(*(forebears(6, name) for name in names))
    youngest = family.common_ancestor(6, names)
    assert (youngest is None) == (not common)
    if youngest is not None:
        assert youngest.generation == max(number for number, _ in common)
        assert (youngest.generation, youngest.name) in common


SHIPPED = Path("populations")


@pytest.mark.parametrize(("name", "method"), [("crownhead-1", "mean"), ("crownhead-2", "genes"), ("first", "snes")])
def test_method_of_a_run_around_a_mean(name: str, method: str) -> None:
    run = Run(SHIPPED / name)
    assert Pedigree(run, run.manifest().newest, 65).method(1) == method


def test_ancestry_of_a_learning_run_is_a_line(tmp_path: Path) -> None:
    run = make_learnt_run(tmp_path, "learnt", 5, ["seed=1", "learning.games=games.pdn"], {}, "policy")
    pedigree = Pedigree(run, 5, 1)
    assert pedigree.method(5) == "learnt"
    assert pedigree.shares(5, ["Gen05_0000"])[0] == [{f"Gen{number:02}_0000": 1.0} for number in range(5, -1, -1)]


def test_a_file_that_cannot_be_read_ends_the_lines(tmp_path: Path) -> None:
    run = make_family_run(tmp_path, "cut", 6)
    run.generation_path(3).write_text("name,rank\n", encoding="utf-8")
    pedigree = Pedigree(run, 6, 4)
    pedigree.lenient = True
    levels, exact = pedigree.shares(6, [pedigree.head(6)[0].name])
    assert len(levels) == 4
    assert list(pedigree.lost) == [3]
    assert "generation_0003.csv" in pedigree.lost[3]
    founders = pedigree.founders_of(6, levels, exact).shares
    assert {founder.generation for founder in founders} == {3}
    assert sum(founder.share for founder in founders) == pytest.approx(1)
