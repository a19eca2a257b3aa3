"""Other kinds than those of the preset, keys by a few letters, several mistakes, and the options of docs/presets.md."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import main
from evolve.config import preset_files, toml
from evolve.config.check import known_keys, matching_keys, parse
from evolve.config.model import Config
from evolve.config.preset_files import ConfigError
from evolve.config.sections import Founders, Plugins
from evolve.config.toml import load
from evolve.config.values import dotted_rows
from evolve.kinds.stages import Groups, Knockout, RoundRobin
from evolve.kinds.variation import SelfAdaptive, Uniform
from evolve.run import append_only
from tests.called import evolve_cowan
from tests.needed import marks_of


def written(folder: Path, text: str) -> Path:
    path = folder / "values.toml"
    path.write_text(text)
    return path


def test_another_kind_comes_without_the_keys_of_the_one_before(tmp_path: Path) -> None:
    """Of the preset or of the file that is changed, also those that both kinds have."""
    small = ["population.parents=4", "population.recombine=false", "population.mutants=3"]
    path = written(tmp_path, 'preset = "crownhead-1"\n[variation]\nmutation = "self-adaptive"\ntau = 0.2\n')
    assert load(None, path).variation.mutation == SelfAdaptive(0.2)
    changed = toml.apply_settings(load("crownhead-1"), ["variation.mutation=uniform", "variation.low=-1"])
    assert changed.variation.mutation == Uniform(low=-1.0)
    twice = load("crownhead-1", None, ["variation.mutation=self-adaptive", "variation.mutation=normal"])
    assert twice.variation == load("crownhead-1").variation
    rounds = [*small, "stages.0.kind=groups", "stages.0.size=2", "stages.0.advance=1"]
    one = load(None, None, [*rounds, "stages.1.kind=elimination", "stages.2.best=0"])
    assert one.stages == (Groups(rounds=1, size=2, advance=1), Knockout(rounds=1), RoundRobin())
    assert load(None, None, [*small, *(f"stages.{index}.kind=round-robin" for index in range(3))]).stages == (
        RoundRobin(), RoundRobin(), RoundRobin(),
    )  # fmt: skip


def test_a_whole_configuration_keeps_its_values_over_a_preset_of_other_kinds(tmp_path: Path) -> None:
    changed = load("crownhead-1", None, ["variation.mutation=self-adaptive", "variation.step_low=0.03"])
    path = written(tmp_path, toml.to_toml(changed, {}))
    assert load("crownhead-1", path) == changed


def lines_of(*settings: str, preset: str | None = None, path: Path | None = None) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as raised:
        load(preset, path, settings)
    return raised.value.lines


@pytest.mark.parametrize("wrong", ["population.parents=x", "population.parent=8", "stages.0.kind=x", "network=x"])
def test_wrong_values_cause_no_contradictions(wrong: str) -> None:
    (line,) = lines_of(wrong, "population.mutants=2", preset="crownhead-1")
    assert line.startswith(wrong.partition("=")[0])


def test_number_of_reported_mistakes_is_limited(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_text("\n".join(f"key{number} = 1" for number in range(300)), encoding="utf-8")
    lines = lines_of(path=path)
    assert len(lines) == 21
    assert lines[-1] == "and 280 more"
    assert lines[19].startswith("key19: unknown key")


KEYS = known_keys(3)


@pytest.mark.parametrize("preset", preset_files.preset_files())
def test_every_value_in_force_is_known(preset: str) -> None:
    config = toml.load(preset, None, ["learning.games=games.pdn"] if preset in ("people", "policy") else [])
    names = {key.name for key in known_keys(len(config.stages))}
    assert {key for key, _, _ in dotted_rows(config) if not key.startswith("plugins.")} <= names | {
        f"stages.{number}.{key}" for number in range(3) for key in ("kind",) if not config.kind.breeds
    }


def test_keys_are_offered_with_meaning_and_range() -> None:
    first = matching_keys("variation.hi", KEYS)[0]
    assert (first.name, first.kinds) == ("variation.high", ("uniform",))
    assert first.text and first.allowed.startswith("a number from ")
    assert {"founders.depth", "search.depth"} <= {key.name for key in matching_keys("depth", KEYS)}
    assert "search.depth" in [key.name for key in matching_keys("plies of full width", KEYS)]
    assert all("tablebases" in key.text for key in matching_keys("tablebases", KEYS))
    assert matching_keys("no such words", KEYS) == []


GAMES, GRADIENT = "by games alone", "with a gradient"
OBTAINED = dict.fromkeys(("cowan", "cowan-ballots", "cowan-deep", "blondie24", "blondie24-1999", "league"), GAMES) | {
    "crownhead-1": GAMES,
    "first": GAMES,
    "living": GAMES,
    "plain": GAMES,
    "deap": GAMES,
    "cast": GAMES,
    "q-learning": f"{GAMES}, {GRADIENT}",
    "q-learning-published": f"{GAMES}, {GRADIENT}",
    "zero": f"by tree search, {GRADIENT}",
    "crownhead": f"by tree search and own searches, {GRADIENT}",
    "search-free": f"by tree search and own searches, {GRADIENT}",
    "zero-published": f"by tree search, {GRADIENT}",
    "policy": f"from recorded games, {GRADIENT}",
    "people": f"from recorded games, {GRADIENT}",
    "endgame": f"from tablebases, {GRADIENT}",
    "endgame-diagonal": f"from tablebases, {GRADIENT}",
}


def test_a_method_whose_code_is_not_here_does_not_say_how_networks_are_obtained() -> None:
    errors: list[str] = []
    config = parse({"learning": {"method": "elsewhere", "visits": 3}}, errors, unknown=True)
    assert config is not None and not errors and config.obtained == "" and config.kind.search == "tree"


@pytest.mark.parametrize("preset", [pytest.param(each, marks=marks_of(f"presets.{each}")) for each in OBTAINED])
def test_presets_report_how_players_are_obtained(preset: str) -> None:
    settings = ["learning.games='games.pdn'"] if preset in ("people", "policy") else []
    assert toml.load(preset, settings=settings).obtained == OBTAINED[preset]


@pytest.mark.parametrize(
    ("settings", "how"),
    [
        (["learning.teacher="], f"by own searches, {GRADIENT}"),
        (["learning.teacher=", "learning.stages.0.first=2"], f"by tree search and own searches, {GRADIENT}"),
    ],
)
@pytest.mark.needs("learning")
def test_searches_without_a_teacher(settings: list[str], how: str) -> None:
    """Without a teacher, and with games by alpha-beta from the first generation on, no tree is ever searched."""
    assert toml.load("crownhead", settings=settings).obtained == how


def test_origin_is_unknown_if_a_plugin_decides() -> None:
    config = toml.load("cowan")
    assert replace(config, plugins=Plugins(files=("ops.py",))).obtained == ""


@pytest.mark.parametrize(
    ("founder", "obtained"),
    [
        ("by own searches, with a gradient", "by own searches, with a gradient, then by games alone"),
        ("by tree search, then by games alone", "by tree search, then by games alone"),
        ("", "as its founder was, then by games alone"),
    ],
)
def test_origin_of_a_founder_is_included(founder: str, obtained: str) -> None:
    assert Config(founders=Founders(method="player", obtained=founder)).obtained == obtained
    assert Config(founders=Founders(method="bred", obtained=founder)).obtained == GAMES


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
    assert [stage["opponents"] for stage in config["stages"]] == ["population"]
    assert (config["points"]["sharing"], config["search"]["deepen_every"]) == (False, 0)
    variation = config["variation"]
    assert [variation[name] for name in ("tau", "step_low", "step_high", "decay")] == [0, 0, 0, 0]
    assert (config["search"]["depth"], config["search"]["blondie"]) == (4, True)
