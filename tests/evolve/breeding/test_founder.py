"""Runs that continue the evolution of a player: its weights, what is recorded of it, and players that do not fit."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from evolve.run.folder import Run
from tests.evolve.tiny_sessions import Evolve

SETTINGS = (
    *("founders.method=player", "population.mean=true", "population.recombine=false"),
    *("population.mutants=8", "population.parents=5", "population.stride=0.7"),
    *("variation.mutation=normal", "variation.step=2"),
    *("rating.every=0", 'stages=[{kind="mirror", games=1, best=2}, {kind="round-robin"}]'),
)
OPTIONS = tuple(f"--set={setting}" for setting in SETTINGS)


def weights_of(run: Path, generation: int) -> np.ndarray:
    return Run(run).read_generation(generation).weights


def champion_of(run: Path, generation: int) -> np.ndarray:
    rows = Run(run).read_generation(generation)
    return rows.weights[rows.row_of(None)]


def test_evolution_continues_from_a_player(one: Path, evolve: Evolve, tmp_path: Path) -> None:
    options = ("--name=two", "--seed=1", "--generations=2", "--set=founders.player=one@1")
    assert evolve(*OPTIONS, *options).json["generations"] == 2
    founder = champion_of(one, 1)
    assert champion_of(tmp_path / "two", 0).tobytes() == founder.tobytes()
    for generation in range(3):
        assert len({row.tobytes() for row in weights_of(tmp_path / "two", generation)}) == 9
    assert (champion_of(tmp_path / "two", 2) != founder).any()

    config = Run(tmp_path / "two").config()
    assert config.founders.player == f"{one}@1"
    assert (len(config.founders.genome), config.founders.obtained) == (16, "by games alone")
    assert config.obtained == "by games alone"

    # Later generations do not need the founder; generation 0 does, and refuses another one.
    assert evolve("--resume=two", "--generations=3").code == 0
    (one / "generation_0001.csv").write_bytes((one / "generation_0001.csv").read_bytes() + b"\n")
    again = evolve("--resume=two", "--from=-1")
    assert (again.code, again.err.count("\n")) == (2, again.err.strip().count("\n") + 1)
    assert "founders.player: " in again.err
    shutil.rmtree(one)
    assert evolve("--resume=two", "--from=1").code == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ((), "founders.player: expected an individual of a run, such as RUN, RUN@15 or RUN@15:NAME, without options"),
        (("founders.player=on",), "without options, got 'on'; near: one"),
        (("founders.player='one,depth=3'",), "without options, got 'one,depth=3'"),
        (("founders.player=one@9",), "founders.player: "),
        (("founders.player=one:Gen02_9999",), "founders.player: no individual is called 'Gen02_9999'"),
        (("founders.player=one@x",), "founders.player: player 'one@x': expected a generation after @, got 'x'"),
        (("founders.player=one", "founders.genome=0123"), "the weights of one have changed: expected the digest 0123"),
        (("founders.player=one", "network=blondie-1741"), "expected a player with the network of the configuration, b"),
        (("population.mean=false", 'stages=[{kind="round-robin"}]'), "founders.method: player needs population.mean"),
        (("founders.player=one", "variation.mutation=section"), "variation.mutation=section was removed: use "),
    ],
)
def test_unusable_founders_are_refused_before_a_run_begins(
    settings: tuple[str, ...], message: str, one: Path, evolve: Evolve, tmp_path: Path
) -> None:
    played = evolve(*OPTIONS, "--name=two", *(f"--set={setting}" for setting in settings))
    assert (played.code, played.err.count("\n")) == (2, 1)
    assert message in played.err
    assert [path.name for path in tmp_path.iterdir()] == ["one"]


def test_a_branch_cannot_change_how_its_networks_were_obtained(one: Path, evolve: Evolve) -> None:
    assert evolve(*OPTIONS, "--name=two", "--seed=1", "--generations=0", "--set=founders.player=one").code == 0
    played = evolve("--branch=two", "--generations=1", "--set=founders.obtained=by magic")
    assert (played.code, played.err.count("\n")) == (2, 1)
    assert "founders.obtained: a branch keeps the value of two" in played.err
