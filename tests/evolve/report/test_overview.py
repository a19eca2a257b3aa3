"""Runs, generations, files and individuals as a whole: what is found, what is only read in heads, what is refused."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evolve.report.ancestry import FounderShares
from evolve.report.overview import file_overview, generation_overview, run_overview
from evolve.run import generation_csv
from evolve.run.columns import GenerationError
from evolve.run.files import RunError
from evolve.run.folder import Run
from evolve.run.manifest import Manifest, sha256
from evolve.run.row_index import read_heads
from game.networks.named import CNN_247
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
