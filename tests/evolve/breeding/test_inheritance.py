"""Individuals as DEAP sees them, and whose weights an individual has, drawn again from its name to the bit."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from deap import base

from evolve.breeding.inheritance import individual_name, inheritance
from evolve.breeding.loop import make_toolbox
from evolve.config import toml
from evolve.config.model import Config
from evolve.config.sections import Population, Variation
from evolve.kinds.individual import Fitness, Individual
from evolve.kinds.variation import G, Recombination
from evolve.report.ancestry import FounderShares, Pedigree
from evolve.report.overview import run_overview
from evolve.run.folder import Run
from evolve.run.row_index import Head, read_heads
from evolve.streams import Draw, stream
from evolve.workers.processes import WorkerProcesses
from tests.cases import for_each

COWAN = toml.load("cowan")


@pytest.fixture
def run(template: Path) -> Run:
    """A run of three generations of 64, with four parents."""
    return Run(template)


def test_pieces_of_the_parents_are_every_individual_to_the_bit(run: Run) -> None:
    config = run.config()
    before = run.read_generation(0)
    for generation in (1, 2):
        rows = run.read_generation(generation)
        made = {}
        for fact, weights in zip(read_heads(run.generation_path(generation)), rows.weights, strict=True):
            what = inheritance(config, generation, fact)
            assert tuple(before.names[rank] for rank in what.ranks) == fact.parents
            assert 0 < what.first.sum() < 247 or len(what.ranks) == 1
            pieces = np.where(what.first, before.weights[what.ranks[0]], before.weights[what.ranks[-1]])
            if fact.origin == "mutated":  # the same pieces, and what its mutation added to them
                source, turn = divmod(int(fact.name[-4:]) - 16, 3)
                drawn = stream(config.seed, generation, Draw.MUTATION, source, turn).uniform(-0.1, 0.1, 247)
                pieces += drawn.astype(np.float32)
            assert pieces.tobytes() == weights.tobytes(), fact
            made[fact.origin] = made.get(fact.origin, 0) + 1
        assert made == {"survivor": 4, "recombined": 12, "mutated": 48}
        before = rows


def test_shares_of_founders_are_counts_of_their_weights(run: Run) -> None:
    config, pedigree = run.config(), Pedigree(run, 2, 4)

    def origin(generation: int, name: str, weight: int) -> str:
        if generation == 0:
            return name
        fact = pedigree.find(generation, name)
        what = inheritance(config, generation, fact)
        return origin(generation - 1, fact.parents[0 if what.first[weight] else -1], weight)

    for fact in [*read_heads(run.generation_path(2))[::40], *pedigree.head(2)]:
        result = pedigree.founders(2, fact.name)
        counts = Counter(origin(2, fact.name, weight) for weight in range(247))
        assert result.exact
        assert {each.name: round(247 * each.share) for each in result.shares} == counts
        assert {each.generation for each in result.shares} == {0}
        parents = [pedigree.find(1, parent) for parent in fact.parents]
        assert result.ancestors == len({old for each in parents if each for old in each.parents}) >= len(counts)


def expected(run: Run) -> FounderShares:
    result = run_overview(run).founders
    assert not result.exact
    assert sum(each.share for each in result.shares) == pytest.approx(1)
    return result


def test_other_settings_than_those_of_the_run_give_no_inheritance(one: Path) -> None:
    run = Run(one)
    assert run_overview(run).founders.exact
    text = (one / "config.toml").read_text(encoding="utf-8")
    (one / "config.toml").write_text(text.replace("\nseed = 5\n", "\nseed = 6\n", 1), encoding="utf-8")
    result = expected(run)
    assert result.ancestors == len(result.shares)


def test_names_of_other_origin_give_no_inheritance(one: Path) -> None:
    pedigree = Pedigree(Run(one), 2, 4)
    champion = pedigree.head(2)[0]
    config = Run(one).config()
    assert inheritance(config, 2, champion) is not None
    for other in (
        champion._replace(name="Anna"),
        champion._replace(name="Gen02_9999"),
        champion._replace(name="Gen02_" + "9" * 30),
        champion._replace(name=champion.name.replace("Gen02", "Gen03")),
        champion._replace(origin="founder"),
        champion._replace(parents=()),
        champion._replace(parents=("a", "b", "c")),
    ):
        assert inheritance(config, 2, other) is None, other


def test_parents_of_other_ranks_give_no_inheritance(one: Path) -> None:
    """Somebody has put other individuals at the head of the generation before."""
    path = one / "generation_0001.csv"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[1:5] = reversed(lines[1:5])
    lines[1:5] = [line.replace(f",{4 - at},", f",{at + 1},", 1) for at, line in enumerate(lines[1:5])]
    path.write_text("".join(lines), encoding="utf-8")
    assert not Pedigree(Run(one), 2, 4).founders(2, read_heads(one / "generation_0002.csv")[0].name).exact


def test_recombination_without_exact_shares_leaves_them_expected() -> None:
    @dataclass(frozen=True)
    class Blend(Recombination):
        """Both children are the mean."""

        def recombine(self, first: G, second: G, generator: np.random.Generator) -> tuple[G, G]:
            first[:] = second[:] = (first + second) / 2
            return first, second

    config = replace(COWAN, variation=Variation(Blend()), population=Population(4, True, 3))
    children = [Head(f"Gen03_{index:04d}", 1, "recombined", ("a", "b")) for index in range(4, 16)]
    assert [inheritance(config, 3, child) for child in children] == [None] * 12
    survivor = inheritance(config, 3, Head("Gen03_0002", 9, "survivor", ("a",)))
    assert survivor is not None and survivor.ranks == (2,) and survivor.first.all()


@pytest.mark.parametrize(("stride", "first", "exact"), [("0.7", 0.65, True), ("1.0", 0.5, True), ("2.0", 0.5, False)])
def test_a_mean_and_its_mutants_inherit_from_all_its_parents(
    tmp_path: Path, stride: str, first: float, exact: bool
) -> None:
    """A stride keeps the rest of the first parent; beyond the mean nobody has a share."""
    folder = tmp_path / "mean"
    folder.mkdir()
    text = Path("populations/crownhead-1/config.toml").read_text(encoding="utf-8")
    assert "stride = 0.7" in text
    (folder / "config.toml").write_text(text.replace("stride = 0.7", f"stride = {stride}"), encoding="utf-8")
    header = "name,rank,origin,parents,games,wins,draws,losses,points\n"
    for generation in range(3):
        mean = "" if generation == 0 else f"Gen{generation - 1:02d}_0000 Gen{generation - 1:02d}_0001"
        one = mean[:10]
        rows = [f"0000,1,{'recombined' if mean else 'founder'},{mean}", f"0001,2,mutated,{one}"]
        text = "".join(f"Gen{generation:02d}_{row},0,0,0,0,0\n" for row in rows)
        (folder / f"generation_{generation:04d}.csv").write_text(header + text, encoding="utf-8")
    pedigree = Pedigree(Run(folder), 2, 2)
    for name in ("Gen02_0000", "Gen02_0001"):
        result = pedigree.founders(2, name)
        assert [each.name for each in result.shares] == ["Gen00_0000", "Gen00_0001"]
        assert [each.share for each in result.shares] == pytest.approx([first, 1 - first])
        assert (result.exact, result.ancestors) == (exact, 2)


def an_individual(rank: float | None = 3.0) -> Individual:
    new = Individual(np.arange(247) / 7, "Gen03_0001", "recombined", ("Gen02_0001", "Gen02_0002"), 2.5)
    if rank is not None:
        new.fitness.values = (rank,)
    return new


def history(individual: Individual) -> tuple[object, ...]:
    return individual.name, individual.origin, individual.parents, individual.king, individual.fitness.values


@pytest.fixture
def toolbox() -> base.Toolbox:
    workers = WorkerProcesses.__new__(WorkerProcesses)  # no processes: only the name `map` is registered
    return make_toolbox(Config(), workers)


@pytest.mark.parametrize("weights", [[0.1, 0.2], np.array([0.1, 0.2]), np.array([0.1, 0.2], np.float16), (1, 2)])
def test_a_genome_is_float32_of_its_own(weights: object) -> None:
    new = Individual(weights)  # type: ignore[arg-type]
    assert new.dtype == np.float32
    assert new.tolist() == np.array(weights, np.float32).tolist()
    assert new.base is None or not np.shares_memory(new, np.asarray(weights))


def test_new_individuals_are_invalid_and_independent() -> None:
    one, other = Individual([1, 2]), Individual([1, 2])
    assert not one.fitness.valid
    assert one.fitness is not other.fitness
    assert (one.name, one.origin, one.parents, one.king) == ("", "founder", (), 2.0)


@pytest.mark.parametrize(
    "clone", [copy.deepcopy, lambda one: make_toolbox(Config(), WorkerProcesses.__new__(WorkerProcesses)).clone(one)]
)
def test_a_deep_copy_is_independent(clone: object) -> None:
    original = an_individual()
    twin = clone(original)  # type: ignore[operator]
    assert type(twin) is Individual
    assert history(twin) == history(original)
    assert twin.tobytes() == original.tobytes()
    assert not np.shares_memory(twin, original)
    twin[:] = 0
    twin.name, twin.king, twin.fitness.values = "other", 1.0, (9.0,)
    assert original.tobytes() == an_individual().tobytes()
    assert history(original) == history(an_individual())


@for_each("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@for_each("rank", [None, 1.0, 1024.0])
def test_pickling_keeps_the_class_and_everything_in_it(protocol: int, rank: float | None) -> None:
    """DEAP's `creator` makes a new class in every process; these classes are found by name."""
    original = an_individual(rank)
    again = pickle.loads(pickle.dumps(original, protocol))
    assert type(again) is Individual
    assert type(again.fitness) is Fitness
    assert again.dtype == np.float32
    assert again.tobytes() == original.tobytes()
    assert history(again) == history(original)
    assert again.flags.writeable


def test_a_slice_is_a_view_with_a_fitness_of_its_own() -> None:
    original = an_individual()
    part = original[10:20]
    assert np.shares_memory(part, original)  # so operators must copy before they exchange parts
    assert isinstance(part, Individual)
    assert part.name == original.name
    assert not part.fitness.valid
    part.fitness.values = (7.0,)
    part[0] = -1
    assert original.fitness.values == (3.0,)
    assert original[10] == -1


def test_select_takes_the_best_by_rank_in_order(toolbox: base.Toolbox) -> None:
    population = [Individual([index], individual_name(0, index)) for index in range(20)]
    ranks = np.random.default_rng(5).permutation(20) + 1
    for individual, rank in zip(population, ranks, strict=True):
        individual.fitness.values = (float(rank),)
    chosen = toolbox.select(population, 6, np.random.default_rng(6))
    assert [individual.fitness.values[0] for individual in chosen] == [1, 2, 3, 4, 5, 6]
    assert all(any(one is individual for individual in population) for one in chosen)
