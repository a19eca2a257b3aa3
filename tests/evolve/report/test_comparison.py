"""Two runs side by side: what differs, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evolve.bench.synthetic import make_run
from evolve.config import toml
from evolve.config.model import Config
from evolve.report import comparison
from evolve.report.comparison import Difference
from evolve.report.overview import RunOverview, run_overview
from game.networks.shipped import BLONDIE_1741


def test_configurations() -> None:
    one = toml.load(settings=["seed=1"])
    assert comparison.configurations(one, one) == []
    other = toml.load("cowan-ballots", settings=["seed=1", "generations=30", "variation.low=-0.2"])
    assert comparison.configurations(one, other) == [
        Difference("preset", "cowan", "cowan-ballots"),
        Difference("generations", 15, 30),
        Difference("variation.low", -0.1, -0.2),
        Difference("games.openings", "start", "three-move"),
    ]


def test_workers_make_no_difference() -> None:
    one = Config()
    assert comparison.configurations(one, replace(one, workers=replace(one.workers, chunk=7))) == []


def test_stages_and_networks_part_by_part() -> None:
    one = Config()
    stages = (replace(one.stages[0], rounds=2), *one.stages[1:], one.stages[0])
    found = {each.name: each for each in comparison.configurations(one, replace(one, stages=stages))}
    assert found["stages.0.rounds"] == Difference("stages.0.rounds", 3, 2)
    assert found["stages.3.kind"] == Difference("stages.3.kind", None, "elimination")
    assert all(name.startswith(("stages.0.", "stages.3.")) for name in found)
    found = {each.name: each for each in comparison.configurations(one, replace(one, network=BLONDIE_1741))}
    assert found["network.name"] == Difference("network.name", "cnn-247", "blondie-1741")
    assert found["network.layers.0.kind"] == Difference("network.layers.0.kind", "convolution", "dense")
    assert found["network.evolving_king"] == Difference("network.evolving_king", False, True)
    assert "network.shapes" not in found


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunOverview]:
    folder = tmp_path_factory.mktemp("runs")
    made = (
        make_run(folder, "short", 3),
        make_run(folder, "long", 5),
        make_run(folder, "rated", 3, rated=True),
        make_run(folder, "other", 3, seed=2),
    )
    return {run.name: run_overview(run) for run in made}


def test_results_of_equal_runs(runs: dict[str, RunOverview]) -> None:
    assert comparison.results(runs["short"], runs["short"]) == []
    assert comparison.same_generations(runs["short"], runs["short"]) == 4
    assert comparison.same_generations(runs["short"], runs["long"]) == 4
    assert [each.name for each in comparison.results(runs["short"], runs["long"])] == ["generations", "digest"]


def test_results_at_the_newest_generation_of_both(runs: dict[str, RunOverview]) -> None:
    short, other = runs["short"], runs["other"]
    found = {each.name: each for each in comparison.results(short, other)}
    assert set(found) == {"digest", "champion", "diversity"}
    assert found["champion"] == Difference("champion", short.champion.name, other.champion.name)
    assert found["diversity"].first == short.history.numbers["diversity"][3]
    assert comparison.same_generations(short, other) == 0
    later = {each.name: each for each in comparison.results(runs["long"], other)}
    assert later["champion"].first == short.champion.name  # of generation 3, not of 5


def test_columns_that_only_one_has(runs: dict[str, RunOverview]) -> None:
    found = {each.name: each for each in comparison.results(runs["short"], runs["rated"])}
    assert found["rating"].first is None
    assert found["rating"].second == runs["rated"].history.numbers["rating"][3]
