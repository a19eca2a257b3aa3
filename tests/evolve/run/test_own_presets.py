"""Presets of a person's own, in a folder of theirs."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import main
from evolve.config import preset_files, toml
from evolve.kinds import plugins
from tests.laplace import LAPLACE


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CROWNHEAD_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data" / "presets"


SMALL = ["population.parents=3", "population.mutants=1", "rating.every=0", 'stages=[{kind="round-robin"}]']


def test_the_configuration_of_a_run_becomes_a_preset(data: Path, tmp_path: Path) -> None:
    runs, settings = ["--out", str(tmp_path / "runs"), "--workers", "1"], [f"--set={each}" for each in SMALL]
    assert main.main(["evolve", "--preset", "cowan", "--generations", "1", "--seed", "7", *settings, *runs]) == 0
    data.mkdir(parents=True)
    shutil.copy(tmp_path / "runs" / "cowan-1" / "config.toml", data / "mine.toml")
    assert list(preset_files.own_preset_files()) == ["mine"]
    expected = toml.load("cowan", None, [*SMALL, "generations=1", "seed=7"])
    assert replace(toml.load("mine"), preset="cowan") == expected
    # On top of it, as of any other.
    assert toml.load("mine", None, ["variation.mutation=normal"]).variation.mutation.kind == "normal"
    assert main.main(["evolve", "--preset", "mine", *runs]) == 0
    assert toml.load(path=tmp_path / "runs" / "mine-1" / "config.toml").seed != 7  # each run draws its own
    (data / "mine.toml").unlink()  # a run does not need it any more
    assert main.main(["evolve", "--resume", "mine-1", "--generations", "2", *runs]) == 0


@pytest.mark.needs("learning")
def test_preset_may_change_one_of_the_verb_train(data: Path) -> None:
    data.mkdir(parents=True)
    (data / "teacher.toml").write_text('preset = "q-learning"\ngenerations = 3\n')
    assert toml.load("teacher").verb == "train"


def test_preset_may_contain_only_differences(data: Path) -> None:
    data.mkdir(parents=True)
    (data / "short.toml").write_text('preset = "blondie24"\n[variation]\nmutation = "uniform"\n')
    assert toml.load("short").variation.mutation.kind == "uniform"
    assert toml.load("short").search == toml.load("blondie24").search
    (data / "first.toml").write_text("generations = 1\n")
    with pytest.raises(
        preset_files.ConfigError, match=r"first\.toml has the name of a preset of the program: rename the file$"
    ):
        toml.load("first")
    assert list(preset_files.own_preset_files()) == ["short"]
    (data / "own.toml").write_text('preset = "short"\n')
    with pytest.raises(preset_files.ConfigError, match="expected one that comes with the program, got 'short'"):
        toml.load("own")
    with pytest.raises(preset_files.ConfigError, match=r"unknown preset 'shrot'.*did you mean short"):
        toml.load("shrot")


def test_its_operators_lie_beside_it_and_run_once_they_are_named(data: Path) -> None:
    data.mkdir(parents=True)
    (data / "ops.py").write_text(LAPLACE)
    (data / "noisy.toml").write_text('[plugins]\nfiles = ["ops.py"]\n[variation]\nmutation = "laplace"\n')
    with pytest.raises(preset_files.ConfigError, match=r"noisy.toml: contains code, ops.py .* then add --plugin .*ops"):
        toml.load("noisy")
    assert toml.load("noisy", own=None).variation.mutation.kind == "laplace"  # read without its code
    assert plugins.loaded() == ()
    with pytest.raises(preset_files.ConfigError, match="expected uniform or normal"):
        toml.load("cowan", None, ["variation.mutation=laplace"], own=None)
    try:
        config = toml.load("noisy", None, ["variation.scale=0.5"], own=[data / "ops.py"])
        assert (config.variation.mutation.kind, config.plugins.files) == ("laplace", ("ops.py",))
    finally:
        plugins.load([])


def test_a_preset_of_a_plugin_can_be_used(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = data / "noisy" / "ops.py"
    code.parent.mkdir(parents=True)
    code.write_text(LAPLACE)
    (data / "noisy.toml").write_text(
        'preset = "cowan"\n[plugins]\nfiles = ["noisy/ops.py"]\n[variation]\nmutation = "laplace"\n'
    )
    words = ["evolve", "--preset=noisy", "--out", str(tmp_path / "runs"), "--workers=1", "--generations=1"]
    words += [f"--set={each}" for each in SMALL]
    try:
        assert main.main(words) == main.MISTAKE
        assert f"add --plugin {code}" in capsys.readouterr().err
        assert main.main([*words, f"--plugin={code}"]) == 0
        assert (tmp_path / "runs" / "noisy-1" / "plugins" / "ops.py").read_text() == LAPLACE
    finally:
        plugins.load([])
