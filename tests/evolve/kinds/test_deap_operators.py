"""Operators of DEAP by name: all of `deap.tools` fit or say why not, and they repeat; wrong options are one line."""

from __future__ import annotations

import inspect
import pickle
import random
from pathlib import Path

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
from evolve.kinds.variation import Mutation, Recombination
from evolve.report.overview import run_overview
from evolve.run.folder import Run
from evolve.run.row_index import read_heads
from tests.cases import for_each

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
