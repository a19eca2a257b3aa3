"""A run beside its origin: what differs, and nothing else."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import main
from evolve.config import preset_files, toml
from evolve.config.model import Config
from evolve.config.values import to_values
from evolve.run.folder import Run
from evolve.session import create
from extras.origin import comparison
from extras.origin.comparison import Difference
from game.networks.named import BLONDIE_1741
from tests.called import evolve_cowan


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
    words = words_of(branch)
    assert words[:4] == ["--branch", f"{tmp_path / 'mine'}@1", "--seed", "8"]
    assert "variation.mutation=uniform" in words
    again = evolve(tmp_path, "--name", "branch-again", *words)
    assert again.manifest().digest() == branch.manifest().digest()
    result = comparison.differences_from_origin(branch, branch.config(), branch.check_format())
    assert result is not None
    assert Difference("variation.mutation", "self-adaptive", "uniform") in result


@pytest.mark.parametrize("preset", preset_files.preset_files())
def test_settings_lead_from_any_preset_to_any_other(preset: str) -> None:
    before, after = toml.load("cowan"), toml.load(preset)
    result = comparison._settings(before, after)
    if result is not None:  # plugins may differ
        made = to_values(toml.load("cowan", settings=result))
        assert {**made, "preset": 0, "generations": 0} == {**to_values(after), "preset": 0, "generations": 0}


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


@pytest.mark.parametrize("known", [pytest.param(True, marks=pytest.mark.check), False])
def test_a_branch_elsewhere_is_repeated_from_where_its_run_is(
    tmp_path: Path, runs_in: Callable[..., None], known: bool
) -> None:
    """Its record says where that was; of a branch that was made without, the usual folder is searched."""
    settings = [f"--set={each}" for each in TINY]
    mine = evolve(tmp_path / "runs", "--name", "mine", "--seed", "7", "--generations", "1", *settings)
    evolve(tmp_path / "beside", "--name", "mine", "--seed", "9", "--generations", "1", *settings)  # another of its name
    branch = evolve(tmp_path / "beside", "--name", "branch", "--branch", f"{mine.path}@0", "--seed", "8")
    assert branch.check_format()["branched_folder"] == "../../runs/mine"
    if not known:
        path = branch.path / "config.toml"
        path.write_text(path.read_text().replace('branched_folder = "../../runs/mine"\n', ""))
        assert comparison.repeat_command(branch, branch.config(), branch.check_format(), 1) is None
        runs_in(mine.path.parent)
    words = words_of(branch)
    assert words[:2] == ["--branch", f"{mine.path}@0" if known else "mine@0"]
    again = evolve(tmp_path / "third", "--name", "again", "--branch", f"{mine.path}@0", *words[2:])
    assert again.manifest().digest() == branch.manifest().digest()


def test_source_of_a_branch_is_sought_on_this_machine_alone(tmp_path: Path) -> None:
    settings = [f"--set={each}" for each in TINY]
    mine = evolve(tmp_path / "runs", "--name", "mine", "--seed", "7", "--generations", "1", *settings)
    branch = evolve(tmp_path / "beside", "--name", "branch", "--branch", f"{mine.path}@0", "--seed", "8")
    made_with = branch.check_format() | {"branched_folder": str(mine.path)}
    words = comparison.repeat_command(branch, branch.config(), made_with, 1)
    assert words is not None and str(tmp_path / "beside/mine") in words  # where it would be


def test_a_branch_of_a_sweeps_run_is_repeated_from_there(tmp_path: Path) -> None:
    settings = [f"--set={each}" for each in TINY]
    for folder, values in (("other", ["--set", "games.max_plies=30"]), ("sweep", [])):
        for seed in ("3", "7"):
            words = ("--name", f"s{seed}", "--seed", seed, "--generations", "1", *settings, *values)
            evolve(tmp_path / folder, *words)
        (tmp_path / folder / "sweep.toml").touch()
    member = tmp_path / "sweep" / "s7"
    branch = evolve(tmp_path, "--name", "branch", "--branch", f"{member}@0", "--seed", "8")
    words = words_of(branch)
    assert words[:2] == ["--branch", f"{member}@0"]
    again = evolve(tmp_path, "--name", "again", *words)
    assert again.manifest().digest() == branch.manifest().digest()
    # Another run takes the place of the one that it came from.
    shutil.rmtree(member)
    shutil.copytree(tmp_path / "sweep" / member.name.replace("7", "3"), member)
    assert comparison.repeat_command(branch, branch.config(), branch.check_format(), 1) is None


def test_a_key_of_another_kind_that_has_the_preset_s_value_is_named() -> None:
    before = toml.load("crownhead-1")
    after = toml.load("crownhead-1", settings=["variation.mutation=self-adaptive", "variation.step_low=0.03"])
    result = comparison._settings(before, after)
    assert result is not None and "variation.step_low=0.03" in result
    assert toml.load("crownhead-1", settings=result) == after
