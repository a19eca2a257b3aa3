"""The verb `inspect` with sweeps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.called import Call, Called, call_program
from tests.synthetic import make_run


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], runs: Path) -> Call:
    def run(*arguments: str) -> Called:
        return call_program(capfd, "inspect", *arguments, f"--runs={runs}")

    return run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    make_run(folder, "s2", 5, seed=2)
    return folder


def test_a_sweep_by_its_name(call: Call, runs: Path) -> None:
    members = []
    for seed, generations in ((1, 2), (2, 2), (3, -1)):
        make_run(runs / "swept", f"s{seed}", generations, seed=seed)
        members.append(f'[[runs]]\nname = "s{seed}"\nsetting = ""\nseed = {seed}\n')
    (runs / "swept" / "sweep.toml").write_text('verb = "evolve"\nstop_behind = 0\n' + "".join(members))
    values = json.loads(call("swept", "--json").out)
    assert [run["name"] for run in values["settings"][0]["runs"]] == ["s1", "s2"]
    assert values["unbegun"] == ["s3"]
    values = json.loads(call("swept", "s2", "--json").out)
    assert [run["name"] for run in values["settings"][0]["runs"]] == ["swept/s1", "s2"]  # the longer one of seed 2
    assert values["repeated"] == ["swept/s2"]
    assert "swept/s1: named twice" in call("swept", "swept/s1").err


def test_settings_of_a_sweep_are_named_as_in_its_own_report(call: Call, tmp_path: Path) -> None:
    """With the keys in the order in which they were given, which is not that of configurations."""
    members = []
    settings = ("network=cnn-247 generations=1", "network=blondie-1741 generations=1")
    for setting, network in zip(settings, ("cnn-247", "blondie-1741"), strict=True):
        for seed in (1, 2):
            make_run(tmp_path / "swept", f"{network}_s{seed}", 1, seed=seed, network=network)
            members.append(f'[[runs]]\nname = "{network}_s{seed}"\nsetting = "{setting}"\nseed = {seed}\n')
    (tmp_path / "swept" / "sweep.toml").write_text('verb = "evolve"\nstop_behind = 0\n' + "".join(members))
    values = json.loads(call(str(tmp_path / "swept"), "--json").out)
    assert [group["setting"] for group in values["settings"]] == list(settings)
    # A setting of that name in another sweep is another setting: what differs tells them apart.
    for seed in (1, 2):
        make_run(tmp_path / "other", f"anaconda_s{seed}", 1, seed=seed, network="anaconda-5046")
    text = "".join(f'[[runs]]\nname = "anaconda_s{s}"\nsetting = "{settings[0]}"\nseed = {s}\n' for s in (1, 2))
    (tmp_path / "other" / "sweep.toml").write_text('verb = "evolve"\nstop_behind = 0\n' + text)
    values = json.loads(call(str(tmp_path / "swept"), str(tmp_path / "other"), "--json").out)
    names = [group["setting"] for group in values["settings"]]
    assert len(set(names)) == 3 and "network=anaconda-5046" in names[2]
