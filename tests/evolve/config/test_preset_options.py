"""The options of docs/presets.md: each line can be typed as it stands, runs, and does what it says."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest

import main
from evolve.config import toml
from evolve.run import append_only
from tests.called import evolve_cowan

PAGE = (Path(__file__).parents[3] / "docs" / "presets.md").read_text(encoding="utf-8")
OPTIONS = re.findall(r"^\| `(--set .*?)` \|", PAGE, re.MULTILINE)
EXAMPLES = [line for line in PAGE.replace("\\\n", " ").splitlines() if line.startswith("python main.py evolve")]
(EXAMPLE,) = [line for line in EXAMPLES if "--name beyond" in line]

# As small as it gets; games of 32 plies, more than any opening has.
TINY = ("--set=games.max_plies=32", "--set=rating.every=0", "--set=population.parents=2", "--workers=1", "--seed=1")


def evolved(
    folder: Path, capsys: pytest.CaptureFixture[str], *arguments: str, generations: int = 1
) -> dict[str, object]:
    """The log of a tiny run: its last row, and what is in force under `config`."""
    capsys.readouterr()
    options = (f"--out={folder}", "--name=run", f"--generations={generations}", "--json", *TINY)
    assert main.main(evolve_cowan(*arguments, *options)) == 0, capsys.readouterr().err
    summary = json.loads(capsys.readouterr().out)
    assert summary["generations"] == generations
    run = folder / "run"
    names, *rows = [line.split(",") for line in (run / append_only.LOG).read_text().splitlines()]
    assert len(rows) == generations + 1
    return {**dict(zip(names, rows[-1], strict=True)), "config": tomllib.loads((run / "config.toml").read_text())}


def settings_of(option: str) -> list[str]:
    return shlex.split(option)[1::2]


def check_values(option: str, config: dict[str, Any]) -> None:
    """Compare the values of a configuration, as its file has them, with those of an option."""
    for setting in settings_of(option):
        key, _, value = setting.partition("=")
        section, _, name = key.partition(".")
        if section == "stages":
            assert [stage["kind"] for stage in config["stages"]] == re.findall(r'kind="(.*?)"', value)
        else:
            word = value[0].isalpha() and value not in ("true", "false")
            assert config[section][name] == tomllib.loads(f"x = '{value}'" if word else f"x = {value}")["x"]


@pytest.mark.parametrize("option", OPTIONS)
def test_each_is_active_as_it_is_written(option: str) -> None:
    check_values(option, tomllib.loads(toml.to_toml(toml.load("blondie24", None, settings_of(option)), {})))


@pytest.mark.check
@pytest.mark.parametrize("option", OPTIONS)
def test_each_runs_as_it_is_written(option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = ["--set=stages.0.best=2"] if "best=15" in option else []  # of two parents
    row = evolved(tmp_path, capsys, "--preset=blondie24", *shlex.split(option), *small)
    config = row["config"]
    assert isinstance(config, dict)
    check_values(option, config)
    if "stages=" in option:
        assert int(str(row["games"])) > 20  # more than the 4 times 5 of the strict original


def test_the_example_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(EXAMPLE)[3:]
    row = evolved(tmp_path, capsys, *words)
    assert [stage["opponents"] for stage in row["config"]["stages"]] == ["population", "hall-of-fame"]  # type: ignore[index]
    assert int(str(row["games"])) == 4 * 5 + 4 * 1  # one champion is known so far


def test_the_strict_original(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = evolved(tmp_path, capsys, "--preset=blondie24", generations=0)["config"]
    assert isinstance(config, dict)
    assert [stage["opponents"] for stage in config["stages"]] == ["population"]
    assert (config["points"]["sharing"], config["search"]["deepen_every"]) == (False, 0)
    variation = config["variation"]
    assert [variation[name] for name in ("tau", "step_low", "step_high", "decay")] == [0, 0, 0, 0]
    assert (config["search"]["depth"], config["search"]["blondie"]) == (4, True)
