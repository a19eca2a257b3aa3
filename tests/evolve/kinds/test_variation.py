"""Recombination and mutation, and operators of DEAP by name: what they make, by the given generator alone."""

from __future__ import annotations

import copy
import inspect
import pickle
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from deap import tools

import main
from evolve.config import toml
from evolve.config.check import known_keys
from evolve.config.preset_files import ConfigError
from evolve.kinds import deap_operators
from evolve.kinds.deap_operators import PREFIX, global_states
from evolve.kinds.individual import Individual
from evolve.kinds.kind import Kind
from evolve.kinds.selection import Selection
from evolve.kinds.variation import Intermediate, Mutation, OnePoint, Recombination, Uniform, step_king
from evolve.report.overview import run_overview
from evolve.run.folder import Run
from evolve.run.row_index import read_heads
from evolve.streams import Draw, stream, streams
from tests.cases import for_each

one_point = OnePoint().recombine

WEIGHTS = 247


class Fixed:
    """A generator that draws one number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def integers(self, low: int, high: int) -> int:
        assert low <= self.number < high
        return self.number


def pair(length: int = WEIGHTS) -> tuple[Individual, Individual]:
    """Two genomes that share no weight."""
    return Individual(np.arange(length), "a"), Individual(-1 - np.arange(length), "b")


def generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(seed))


@pytest.mark.parametrize("cut", [1, 2, 123, 245, 246])
def test_both_children_have_the_parts_of_both(cut: int) -> None:
    first, second = pair()
    before, other = copy.deepcopy(first), copy.deepcopy(second)
    made = one_point(first, second, Fixed(cut))  # type: ignore[arg-type]
    assert made[0] is first
    assert made[1] is second
    # With numpy views and no copy both children would end alike: DEAP's operators do that.
    assert first.tolist() == [*before[:cut], *other[cut:]]
    assert second.tolist() == [*other[:cut], *before[cut:]]
    assert sorted([*first, *second]) == sorted([*before, *other])  # no weight lost, none doubled
    for child in made:
        assert 0 < (child < 0).sum() < WEIGHTS


def test_every_cut_from_1_to_246_is_drawn_and_no_other() -> None:
    cuts = set()
    draw = generator(1)
    for _ in range(6000):  # each of 246 is missed with a chance of e**-24
        first, second = pair()
        one_point(first, second, draw)
        cuts.add(int((first >= 0).sum()))
    assert cuts == set(range(1, WEIGHTS))


@pytest.mark.parametrize(("one", "other"), [(3, 4), (1, 1), (0, 0)])
def test_genomes_that_cannot_be_cut(one: int, other: int) -> None:
    with pytest.raises(ValueError, match=f"equal length, at least 2, got {one} and {other}"):
        one_point(Individual(np.zeros(one)), Individual(np.zeros(other)), generator(0))


def test_intermediate_children_lie_between_their_parents() -> None:
    first, second = pair()
    before, other = (np.asarray(one).copy() for one in (first, second))
    first.steps, second.steps = np.full(WEIGHTS, 0.25, np.float32), np.full(WEIGHTS, 0.75, np.float32)
    Intermediate().recombine(first, second, generator(1))
    share = (before - first) / (before - other)
    assert ((share >= 0) & (share < 1)).all()
    assert len(np.unique(share)) > 0.9 * WEIGHTS  # each weight lies elsewhere
    assert 0.4 < share.mean() < 0.6
    assert np.allclose(first + second, before + other)
    assert np.allclose(first.steps, 0.25 + 0.5 * share)
    assert np.allclose(first.steps + second.steps, 1.0)
    same, twin = Individual(before), Individual(before)
    Intermediate().recombine(same, twin, generator(2))
    assert same.tolist() == twin.tolist() == before.tolist()  # what parents have in common stays


def test_noise_is_uniform_over_all_weights() -> None:
    draws = np.stack(
        [
            np.asarray(Uniform(-0.1, 0.1).mutate(Individual(np.zeros(WEIGHTS)), generator(seed))[0])
            for seed in range(400)
        ]
    )
    assert len(np.unique(draws)) > 0.99 * draws.size  # each weight has a number of its own
    assert (draws.min(axis=0) < -0.09).all()  # and all of the range is reached by each
    assert (draws.max(axis=0) > 0.09).all()
    counts, _ = np.histogram(draws, 10, (-0.1, 0.1))
    expected = draws.size / 10
    assert ((counts - expected) ** 2 / expected).sum() < 27.9  # chi-square of 9 degrees of freedom, p = 0.001


def test_a_king_value_goes_a_step_up_or_down_or_stays() -> None:
    draw = generator(2)
    steps: Counter[float] = Counter()
    for _ in range(3000):
        individual = Individual(np.zeros(3), king=2.0)
        (stepped,) = step_king(individual, draw)
        assert stepped is individual
        assert not individual.any()
        steps[individual.king] += 1
    assert set(steps) == {float(np.float32(1.9)), 2.0, float(np.float32(2.1))}
    assert all(870 < count < 1130 for count in steps.values())  # 1,000 expected, 5 deviations are 129


def test_a_stream_is_a_function_of_its_key() -> None:
    """These numbers are part of the results of every run: they may never change."""
    assert stream(1, 2, Draw.MUTATION, 3, 4).integers(0, 2**32, 4).tolist() == [
        646098109,
        2317407541,
        1004986163,
        979863611,
    ]


@for_each("seed", [0, 1, 2**32, 2**63 - 1, 2**127])
@for_each("indexes", [[], [(0,), (119,)], [(0, 0), (0, 1), (1023, 2**32 - 1)]])
def test_streams_in_bulk_are_the_same(seed: int, indexes: list[tuple[int, ...]]) -> None:
    def drawn(generator: np.random.Generator) -> list[Any]:
        # An odd number of 32 bits leaves half a word behind, which is not for the next stream.
        whole = generator.integers(0, 2**32, 3, dtype=np.uint32).tolist()
        return [*whole, *generator.standard_normal(9), *generator.uniform(-1, 1, 2)]

    one_by_one = [drawn(stream(seed, 7, Draw.MUTATION, *index)) for index in indexes]
    assert [drawn(each) for each in streams(seed, 7, Draw.MUTATION, indexes)] == one_by_one


def test_the_purposes_of_streams_keep_their_numbers() -> None:
    assert {draw.name: draw.value for draw in Draw} == {
        "FOUNDERS": 0, "FOUNDER_GAMES": 1, "RECOMBINATION": 2, "MUTATION": 3, "TOURNAMENT": 4, "BALLOTS": 5,
        "CHAMPIONS": 6, "RATING": 7, "OWN_GAMES": 9, "PREDICTION": 10, "LEARNING": 13, "LEARNING_GAMES": 14,
        "SELECTION": 15, "GATE": 16, "LEVEL": 17,
    }  # fmt: skip


FAMILIES: dict[str, type[Kind]] = {"mut": Mutation, "cx": Recombination, "sel": Selection}
NAMES = [name for family in FAMILIES.values() for name in family.kinds if name.startswith(PREFIX)]
UNFIT = {
    *("mutFlipBit", "mutUniformInt", "cxPartialyMatched", "cxUniformPartialyMatched", "cxOrdered"),
    *("cxTwoPoints", "cxMessyOnePoint", "mutESLogNormal", "cxESBlend", "cxESTwoPoint", "cxESTwoPoints"),
    *("selRoulette", "selStochasticUniversalSampling", "selTournamentDCD", "selNSGA3", "selNSGA3WithMemory"),
}
"""Operators of DEAP that are for other genomes than weights, or need more than a fitness."""
SMALL = ("population.parents=3", "population.mutants=1", "founders.method=uniform", "rating.every=0", "seed=1")


def test_every_operator_of_deap_that_fits_is_a_kind() -> None:
    there = {name for name in dir(tools) if name.startswith(tuple(FAMILIES)) and callable(getattr(tools, name))}
    assert there - UNFIT == {name.removeprefix(PREFIX) for name in NAMES}
    assert there > UNFIT
    assert len(NAMES) >= 20


@for_each("name", NAMES)
def test_options_are_those_of_the_operator(name: str) -> None:
    bare = name.removeprefix(PREFIX)
    family = next(family for prefix, family in FAMILIES.items() if bare.startswith(prefix))
    given = [*inspect.signature(getattr(tools, bare)).parameters]
    options = [key.rpartition(".")[2] for key in family.kinds[name].rules()]
    assert set(options) <= set(given)
    free = {"individual", "individuals", "ind1", "ind2", "k", "fit_attr", "nd"}
    assert set(given) - free == set(options)
    assert pickle.loads(pickle.dumps(family.kinds[name]())) == family.kinds[name]()  # other processes get it


@for_each("name", [name for name in NAMES if name.startswith(f"{PREFIX}sel")])
def test_a_selection_repeats_and_leaves_global_generators_alone(name: str) -> None:
    everyone = []
    for rank in range(1, 13):
        everyone.append(Individual(np.full(3, rank), f"a{rank}"))
        everyone[-1].fitness.values = (float(rank),)
    before = global_states()
    first, second = (
        [one.name for one in Selection.kinds[name]().select(everyone, 5, np.random.Generator(np.random.Philox(4)))]
        for _ in range(2)
    )
    assert first == second
    assert len(first) == 5
    assert global_states() == before


def test_global_generators_are_as_before_after_an_error() -> None:
    before = global_states()
    with pytest.raises(ZeroDivisionError), deap_operators.global_generators(np.random.Generator(np.random.Philox(1))):
        random.random()
        raise ZeroDivisionError
    assert global_states() == before


def test_weights_outside_the_bounds_of_an_operator_are_moved_to_them() -> None:
    genome = Individual([-7.0, 0.5, 9.0])
    (mutant,) = Mutation.kinds["deap:mutPolynomialBounded"]().mutate(genome, np.random.Generator(np.random.Philox(1)))
    assert np.abs(mutant).max() <= 1.0


def test_forms_know_the_options_of_an_operator() -> None:
    (key,) = (key for key in known_keys(1) if key.name == "variation.mutation_options.sigma")
    assert key.kinds == ("deap:mutGaussian",)
    assert key.text == "standard deviation of the numbers that are added"


GAUSSIAN, TOURNAMENT = "variation.mutation=deap:mutGaussian", "population.selection=deap:selTournament"


@for_each(
    ("settings", "line"),
    [
        ("variation.mutation=deap:mutGausian", "use deap:mutGaussian"),
        ("variation.mutation=deap:cxBlend", "deap:cxBlend is not an operator of DEAP that fits here: use deap:mutGau"),
        ("variation.recombination=deap:cxOrdered", "deap:cxOrdered is not an operator of DEAP that fits here"),
        ("population.selection=deap:selNSGA3", "use deap:selNSGA2 or deap:selSPEA2"),
        (f"{GAUSSIAN} variation.mutation_options.sigmaa=1", "did you mean variation.mutation_options.sigma?"),
        (
            f"{GAUSSIAN} variation.mutation_options={{eta=3}}",
            "mutation_options.eta: a key of deap:mutPolynomialBounded",
        ),
        (f"{TOURNAMENT} population.selection_options.tournsize=0", "tournsize: expected a whole number from 1 to 1000"),
    ],
)
def test_a_wrong_operator_or_option_is_one_line(settings: str, line: str) -> None:
    with pytest.raises(ConfigError) as raised:
        toml.load("cowan", settings=settings.split())
    (only,) = raised.value.lines
    assert line in only
    assert "\n" not in only


def test_another_kind_drops_the_options() -> None:
    config = toml.load("deap", settings=["variation.mutation=uniform"])
    assert "mutation_options" not in toml.to_toml(config, {})


def play(folder: Path, name: str, *more: str) -> Run:
    words = ["evolve", "--preset=deap", f"--out={folder}", f"--name={name}", *(f"--set={each}" for each in SMALL)]
    stages = '--set=stages=[{kind="round-robin"}]'
    assert main.main([*words, stages, "--set=search.depth=1", *more]) == 0
    return Run(folder / name)


def test_a_run_of_operators_of_deap_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    whole = play(tmp_path, "whole", "--generations=2", "--workers=1")
    parts = play(tmp_path, "parts", "--generations=1", "--workers=2")
    assert main.main(["evolve", "--resume", str(parts.path), "--generations=2", "--workers=2"]) == 0
    assert parts.manifest().digest() == whole.manifest().digest()


def test_a_crossover_between_two_points_is_drawn_again_for_reports(tmp_path: Path) -> None:
    chosen = ("variation.recombination=deap:cxTwoPoint", "population.selection=deap:selBest", "saving.every=1")
    run = play(tmp_path, "two-point", "--generations=1", *(f"--set={each}" for each in chosen))
    parents, swaps = run.read_generation(0), set()
    for row, fact in zip(run.read_generation(1).weights, read_heads(run.generation_path(1)), strict=True):
        if fact.origin == "recombined":
            first, second = (row == parents.weights[parents.row_of(name)] for name in fact.parents)
            assert (first ^ second).all()
            swaps.add(int(np.count_nonzero(np.diff(first.astype(int)))))
    assert max(swaps) == 2  # two crossover points; the built-in kind has one
    assert run_overview(run).founders.exact
