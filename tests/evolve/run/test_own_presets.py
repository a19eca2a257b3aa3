"""Presets of a person's own, in a folder of theirs."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

import main
from evolve.config import preset_files, toml
from evolve.kinds import plugins
from evolve.run.own_presets import save_preset
from tests.called import evolve_cowan
from tests.laplace import LAPLACE


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CROWNHEAD_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data" / "presets"


def test_values_of_the_command_line_become_a_preset(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["evolve", "--preset", "cowan-ballots", "--set", "variation.mutation=normal", "--set", "variation.step=0.2"]
    assert main.main([*words, "--generations", "3", "--save-preset", "mine"]) == 0
    assert capsys.readouterr().out.strip() == str(data / "mine.toml")
    expected = toml.load("cowan-ballots", None, ["variation.mutation=normal", "variation.step=0.2", "generations=3"])
    result = toml.load("mine")
    assert replace(result, preset="", seed=0) == replace(expected, preset="", seed=0)
    assert result.preset == "mine"
    text = (data / "mine.toml").read_text()
    assert "seed" not in tomllib.loads(text)
    assert "record" not in tomllib.loads(text)
    assert list(preset_files.own_preset_files()) == ["mine"]
    # On top of it, as of any other.
    assert toml.load("mine", None, ["variation.mutation=uniform"]).variation.mutation.kind == "uniform"
    assert main.main([*words, "--save-preset", "mine"]) == main.MISTAKE
    assert "mine: there is already a preset of this name" in capsys.readouterr().err


def test_a_run_of_it_needs_it_no_more(data: Path, tmp_path: Path) -> None:
    small = ["population.parents=3", "population.mutants=1", "rating.every=0", 'stages=[{kind="round-robin"}]']
    save_preset("mine", toml.load("cowan", None, small))
    runs = ["--out", str(tmp_path / "runs"), "--workers", "1"]
    assert main.main(["evolve", "--preset", "mine", "--generations", "1", *runs]) == 0
    (data / "mine.toml").unlink()
    assert main.main(["evolve", "--resume", "mine-1", "--generations", "2", *runs]) == 0


def test_preset_may_contain_only_differences(data: Path) -> None:
    data.mkdir(parents=True)
    (data / "short.toml").write_text('preset = "blondie24"\n[variation]\nmutation = "uniform"\n')
    (data / "teacher.toml").write_text('preset = "q-learning"\ngenerations = 3\n')
    assert toml.load("short").variation.mutation.kind == "uniform"
    assert toml.load("short").search == toml.load("blondie24").search
    assert toml.load("teacher").verb == "train"
    (data / "first.toml").write_text("generations = 1\n")
    with pytest.raises(
        preset_files.ConfigError, match=r"first\.toml has the name of a preset of the program: rename the file$"
    ):
        toml.load("first")
    assert list(preset_files.own_preset_files()) == ["short", "teacher"]
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


def test_a_preset_of_a_plugin_keeps_a_copy_and_can_be_used(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ops.py").write_text(LAPLACE)
    words = ["evolve", "--preset=cowan", f"--plugin={tmp_path / 'ops.py'}", "--set=variation.mutation=laplace"]
    small = ["population.parents=3", "population.mutants=1", "rating.every=0", 'stages=[{kind="round-robin"}]']
    try:
        assert main.main([*words, *(f"--set={each}" for each in small), "--save-preset=noisy"]) == 0
        copy = data / "noisy" / "ops.py"
        assert copy.read_text() == LAPLACE
        assert tomllib.loads((data / "noisy.toml").read_text())["plugins"]["files"] == ["noisy/ops.py"]
        runs = ["--out", str(tmp_path / "runs"), "--workers=1", "--generations=1"]
        (tmp_path / "ops.py").unlink()
        assert main.main(["evolve", "--preset=noisy", *runs]) == main.MISTAKE
        assert f"add --plugin {copy}" in capsys.readouterr().err
        assert main.main(["evolve", "--preset=noisy", *runs, f"--plugin={copy}"]) == 0
        assert (tmp_path / "runs" / "noisy-1" / "plugins" / "ops.py").read_text() == LAPLACE
        # And as the start of another.
        again = ["evolve", "--preset=noisy", f"--plugin={copy}", "--set=variation.scale=0.2", "--save-preset=louder"]
        assert main.main(again) == 0
        assert (data / "louder" / "ops.py").read_text() == LAPLACE
    finally:
        plugins.load([])


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--save-preset", "cowan"], "cowan: there is a shipped preset of this name"),
        (["--save-preset", "a/b"], "preset name 'a/b'"),
        (["--save-preset", "x", "--seed", "1"], "--seed: not together with --save-preset"),
        (["--save-preset", "x", "--resume", "y"], "--resume: not together with --save-preset"),
        (["--save-preset", "x", "--set", "variation.hihg=1"], "variation.hihg: unknown key"),
    ],
)
def test_wrong_presets_are_refused(
    data: Path, options: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.main(evolve_cowan(*options)) == main.MISTAKE
    assert text in capsys.readouterr().err
    assert not data.exists()
