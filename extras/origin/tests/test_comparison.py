"""A run beside its origin: what differs, and nothing else; and these parts of a report."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

import main
from evolve.config import toml
from evolve.config.model import Config
from evolve.run.folder import Run
from evolve.session import create
from extras.origin import comparison
from extras.origin.comparison import Difference
from game.networks.named import BLONDIE_1741
from tests.called import call_program, evolve_cowan
from tests.synthetic import make_run


def test_configurations_differ_by_the_values_that_were_set() -> None:
    one = toml.load(settings=["seed=1"])
    assert comparison.configurations(one, one) == []
    other = toml.load("cowan-ballots", settings=["seed=1", "generations=30", "variation.low=-0.2"])
    assert comparison.configurations(one, other) == [
        Difference("preset", "cowan", "cowan-ballots"),
        Difference("generations", 15, 30),
        Difference("variation.low", -0.1, -0.2),
        Difference("games.openings", "start", "three-move"),
    ]


def test_stages_and_networks_part_by_part() -> None:
    one = Config()
    stages = (replace(one.stages[0], rounds=2), *one.stages[1:], one.stages[0])
    result = {each.name: each for each in comparison.configurations(one, replace(one, stages=stages))}
    assert result["stages.0.rounds"] == Difference("stages.0.rounds", 3, 2)
    assert result["stages.3.kind"] == Difference("stages.3.kind", None, "elimination")
    assert all(name.startswith(("stages.0.", "stages.3.")) for name in result)
    result = {each.name: each for each in comparison.configurations(one, replace(one, network=BLONDIE_1741))}
    assert result["network.name"] == Difference("network.name", "cnn-247", "blondie-1741")
    assert result["network.layers.0.kind"] == Difference("network.layers.0.kind", "convolution", "dense")
    assert result["network.evolving_king"] == Difference("network.evolving_king", False, True)
    assert "network.shapes" not in result


TINY = [
    "population={parents=3,recombine=false,mutants=1}",
    'stages=[{kind="round-robin"}]',
    "rating.every=2",
    "rating.games=20",
]
TINY += [
    "founders.method=uniform",
    "variation.mutation=self-adaptive",
    "rating.anchors=random; material,depth=2",
    "games.max_plies=40",
]


def evolve(runs: Path, *words: str) -> Run:
    assert main.main(evolve_cowan("--out", str(runs), "--workers", "1", *words)) == 0
    return Run(runs / words[words.index("--name") + 1])


def words_of(run: Run) -> list[str]:
    words = comparison.repeat_command(run, run.config(), run.check_format(), run.manifest().newest)
    assert words is not None
    python, program, verb, *rest = shlex.split(words)
    assert (python, program, verb) == ("python", "main.py", "evolve")
    return rest


def test_the_command_gives_the_same_digest(tmp_path: Path) -> None:
    settings = [f"--set={each}" for each in TINY]
    mine = evolve(tmp_path, "--name", "mine", "--seed", "7", "--generations", "2", *settings)
    words = words_of(mine)
    assert words[:4] == ["--config", str(mine.path / "config.toml"), "--seed", "7"]
    again = evolve(tmp_path, "--name", "again", *words)
    assert again.manifest().digest() == mine.manifest().digest()
    branch = evolve(
        tmp_path, "--name", "branch", "--branch", "mine@1", "--seed", "8", "--set", "variation.mutation=uniform"
    )
    assert comparison.repeat_command(branch, branch.config(), branch.check_format(), 2) is None
    result = comparison.differences_from_origin(branch, branch.config(), branch.check_format())
    assert result is not None
    assert Difference("variation.mutation", "self-adaptive", "uniform") in result


def test_networks_of_ones_own_are_named_by_the_file_of_the_run(tmp_path: Path) -> None:
    file = Path(__file__).parents[3] / "docs" / "examples" / "larger-cnn.toml"
    from game.networks.named import find_network

    config = toml.load(instead={"network": find_network(str(file))})
    run = create.create(tmp_path, "own", config)
    path = run.path / "config.toml"
    words = comparison.repeat_command(run, config, run.check_format(), 0)
    assert words == f"python main.py evolve --config {path} --seed 0 --generations 0"
    assert toml.load(path=path).network == config.network


def test_a_run_of_a_preset_is_repeated_by_its_name(tmp_path: Path) -> None:
    run = create.create(tmp_path, "as-it-is", toml.load(settings=["seed=3", "generations=2"]))
    words = comparison.repeat_command(run, run.config(), run.check_format(), 1)
    assert words == "python main.py evolve --preset cowan --seed 3 --generations 1"


def test_removed_presets_are_compared(tmp_path: Path) -> None:
    run = create.create(tmp_path, "old", toml.load())
    path = run.path / "config.toml"
    path.write_text(path.read_text().replace('preset = "cowan"', 'preset = "gone"'))
    words = comparison.repeat_command(run, run.config(), run.check_format(), 3)
    assert words == f"python main.py evolve --config {path} --seed 0 --generations 3"
    assert comparison.differences_from_origin(run, run.config(), run.check_format()) is None


def test_report_has_settings_and_the_command_to_repeat(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    make_run(tmp_path, "two", 4, seed=2)
    output = call_program(capfd, "inspect", "two", "--games=0", f"--runs={tmp_path}").out
    assert f"--config {tmp_path / 'two' / 'config.toml'} --seed 2" in " ".join(output.split())
    rows = [line.split() for line in output[output.index("Configuration, compared with cowan") :].splitlines()]
    assert ["population.recombine", "False", "True"] in rows
    values = json.loads(call_program(capfd, "inspect", "two", "--games=0", "--json", f"--runs={tmp_path}").out)
    assert values["repeat"].endswith(" --generations 4")
    assert {"name": "stages.0.rounds", "first": 3, "second": 2} in values["changed"]
