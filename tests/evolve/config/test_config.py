"""Configurations: presets, files and settings, and every mistake told at once with its dotted path."""

from __future__ import annotations

import argparse
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from evolve.commands import evolve
from evolve.config import preset_files, toml
from evolve.config.anchors import BUILT_IN, FROZEN
from evolve.config.model import Config
from evolve.config.preset_files import ConfigError, preset_names
from evolve.config.sections import SECTIONS, Games
from evolve.config.toml import from_toml, load
from evolve.kinds.stages import Groups, Knockout, RoundRobin
from evolve.kinds.variation import Uniform
from game.rules import DrawRules

PRESETS = preset_names()
KEYS = (
    "preset, network, generations, seed, plugins, learning, founders, population, fitness, optimiser, variation, "
    "games, search, points, stages, rating, saving, workers"
)


def lines_of(*settings: str, preset: str | None = None, path: Path | None = None) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as raised:
        load(preset, path, settings)
    assert str(raised.value) == "; ".join(raised.value.lines)
    assert all(line.isprintable() for line in raised.value.lines)
    return raised.value.lines


def written(folder: Path, text: str) -> Path:
    path = folder / "some.toml"
    path.write_text(text, encoding="utf-8")
    return path


SIZES = dict.fromkeys(("crownhead-1", "first", "living", "plain"), 129)
SIZES |= {"cast": 192, "cowan": 1024, "cowan-ballots": 1024, "cowan-deep": 72, "deap": 72}
LISTED = "first, plain, cast, living, deap, cowan-deep"
LEARNT = "people, policy, zero, search-free, crownhead, q-learning"
PUBLISHED = ["blondie24", "blondie24-1999", "cowan", "cowan-ballots", "crownhead-1", "league"]


@pytest.mark.needs()
def test_the_presets_are_listed_by_their_verb() -> None:
    assert LISTED.split(", ") + PUBLISHED == PRESETS
    assert ", ".join(preset_files.listed_preset_names("evolve")) == LISTED
    assert preset_files.listed_preset_names() == f"{LISTED}, {LEARNT}".split(", ")
    parser = argparse.ArgumentParser(formatter_class=lambda prog: argparse.HelpFormatter(prog, width=400))
    evolve.arguments(parser)
    assert f"one of {LISTED} (default: first), a published system (docs/published.md)" in parser.format_help()
    page = (Path(__file__).parents[3] / "docs/presets.md").read_text(encoding="utf-8")
    for names in (re.findall(r"(?m)^## (\S+)$", page), re.findall(r"(?m)^\| `([\w-]+)` \|", page)):
        assert names[: len(LISTED.split(", "))] == LISTED.split(", ")


@pytest.mark.addition(
    "preset",
    "a file in `evolve/config/presets/`, a section in [docs/presets.md](docs/presets.md), and hashes of its "
    "first generations in `tests/evolve/test_golden_presets.py`",
)
@pytest.mark.parametrize("name", PRESETS)
def test_presets_load_and_have_a_description(name: str) -> None:
    config = load(name)
    assert config.preset == name
    assert config.population.size == SIZES.get(name, 30)
    file = preset_files.preset_files()[name]
    text = file.read_text(encoding="utf-8")
    assert text.startswith("# ")
    explained = set(SECTIONS) - {"workers", "saving", "learning", "plugins", "fitness"} | {
        "network",
        "generations",
        "stages",
    }
    explained -= set() if config.population.mean else {"optimiser"}
    explained -= set() if config.kind.varies else {"variation"}
    values = tomllib.loads(text)
    if base := values.pop("preset", None):
        values = tomllib.loads(preset_files.preset_files()[base].read_text(encoding="utf-8")) | values
    assert explained <= set(values) <= explained | {"saving"}  # all that decides results


def test_defaults_are_cowan() -> None:
    assert load() == load("cowan") == Config()


def test_cowan_has_the_values_of_its_author() -> None:
    config = load("cowan")
    assert (config.population.parents, config.population.recombined, config.population.mutants) == (16, 240, 3)
    assert config.variation.mutation == Uniform(-0.1, 0.1)
    assert (config.founders.method, config.founders.low, config.founders.high) == ("duel", -1.0, 1.0)
    assert (config.points.win, config.points.draw, config.points.loss) == (3, 1, 0)
    assert config.games.rules() == DrawRules(3, 80, True, 0)
    assert [stage.kind for stage in config.stages] == ["elimination", "groups", "round-robin"]
    assert config.stages == (Knockout(rounds=3, ties="pool"), Groups(rounds=3, size=4, advance=2), RoundRobin())


def test_a_file_goes_before_its_preset_and_settings_before_both(tmp_path: Path) -> None:
    path = written(tmp_path, 'preset = "cowan-ballots"\ngenerations = 3\nseed = 5\n[games]\nquiet_plies = 60\n')
    config = load(None, path, ["seed=6"])
    assert (config.preset, config.generations, config.seed) == ("cowan-ballots", 3, 6)
    assert config.games == Games(openings="three-move", quiet_plies=60)  # the rest of the table is the preset's


def test_an_explicit_preset_goes_before_that_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, 'preset = "cowan-ballots"\n')
    assert load("cowan", path).games.openings == "start"


def test_stages_of_a_file_replace_all_stages(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "[population]\nparents = 2\nrecombine = false\nmutants = 1\n"
        '[[stages]]\nkind = "elimination"\n[[stages]]\nkind = "round-robin"\n',
    )
    assert load(None, path).stages == (Knockout(), RoundRobin())


@pytest.mark.addition(
    "key of the configuration",
    "a field of a section in `evolve/config/sections.py`, with range and description; its default leaves older "
    "runs unchanged",
)
@pytest.mark.parametrize(
    ("setting", "read"),
    [
        ("stages.0.ties=swap", lambda config: config.stages[0].ties == "swap"),
        ("stages.2.counts=false", lambda config: config.stages[2].counts is False),
        (" games.openings =  two-move  ", lambda config: config.games.openings == "two-move"),
        ("variation.low=-1e-3", lambda config: config.variation.mutation.low == -0.001),
        (
            "variation.high=1",
            lambda config: (
                config.variation.mutation == Uniform(high=1.0) and type(config.variation.mutation.high) is float
            ),
        ),
        ("seed=9223372036854775807", lambda config: config.seed == 2**63 - 1),
    ],
)
def test_a_setting_changes_its_value(setting: str, read: Any) -> None:
    assert read(load(None, None, [setting]))
    assert not read(load())


OTHER_KINDS = {
    ("stages.2.rounds=7",): (
        "stages.2.rounds: a key of elimination, groups, not of round-robin; "
        "allowed: stages.2.kind, stages.2.counts, stages.2.best",
    ),
    ("stages.0.size=4", "stages.1.ties=swap"): (
        "stages.0.size: a key of groups, not of elimination; "
        "allowed: stages.0.kind, stages.0.counts, stages.0.rounds, stages.0.ties",
        "stages.1.ties: a key of elimination, not of groups; "
        "allowed: stages.1.kind, stages.1.counts, stages.1.rounds, stages.1.size, stages.1.advance",
    ),
    ("variation.mutation=normal", "variation.low=-0.2"): (
        "variation.low: a key of uniform, not of one-point and normal; allowed: variation.recombination, "
        "variation.mutation, variation.king, variation.step, variation.halving, variation.step_low",
    ),
    ("variation.low=-0.2", "variation.mutation=normal"): (
        "variation.low: a key of uniform, not of one-point and normal; allowed: variation.recombination, "
        "variation.mutation, variation.king, variation.step, variation.halving, variation.step_low",
    ),
    ("stages.2.kind=swiss",): (
        "stages.2.kind: expected elimination or groups or round-robin or opponents or mirror or field, got 'swiss'",
    ),
    ("variation.recombination=two-point",): (
        "variation.recombination: expected one-point or intermediate or deap:NAME, got 'two-point'; "
        "did you mean one-point?",
    ),
}  # fmt: skip


def need_field(settings: object, lines: str | tuple[str, ...]) -> Any:
    """Mark a case whose line lists the stage ``field``, which an extra adds."""
    return pytest.param(settings, lines, marks=pytest.mark.needs("cast") if "field" in str(lines) else ())


@pytest.mark.parametrize(("settings", "lines"), [need_field(*case) for case in OTHER_KINDS.items()])
def test_a_key_of_another_kind_names_the_keys_of_this_kind(settings: tuple[str, ...], lines: tuple[str, ...]) -> None:
    assert lines_of(*settings) == lines


def test_a_file_with_a_key_of_another_kind(tmp_path: Path) -> None:
    path = written(tmp_path, '[variation]\ntau = 0.1\n[[stages]]\nkind = "round-robin"\nties = "pool"\n')
    assert [line.split(";")[0] for line in lines_of(path=path)] == [
        "variation.tau: a key of self-adaptive, not of one-point and uniform",
        "stages.0.ties: a key of elimination, not of round-robin",
    ]


def test_so_many_stages_as_can_be_read_again(tmp_path: Path) -> None:
    small = ["population.parents=2", "population.recombine=false", "population.mutants=0"]
    table = '{kind="round-robin"}'
    stages = [f"stages=[{', '.join([table] * count)}]" for count in (32, 33)]
    path = written(tmp_path, toml.to_toml(load(None, None, [*small, stages[0]]), {}))
    assert len(from_toml(path).stages) == 32
    assert lines_of(*small, stages[1]) == ("stages: at most 32, got 33",)


SEED = "expected a whole number from 0 to 9223372036854775807"
GENERATIONS = "generations: expected a whole number from 0 to 1000000"
UNEVEN = "individuals cannot be divided into"
LAST = "the last stages must be ones that rank (round-robin, opponents, mirror, field)"

MISTAKES = {
    "unknown key, near": ("zeed=1", "zeed: unknown key, did you mean seed?"),
    "unknown key, far": ("qqq=1", f"qqq: unknown key, allowed: {KEYS}"),
    "odd games": ("rating.games=21", "rating.games: expected an even number (both colours on each ballot), got 21"),
    "an anchor of ladders alone": (
        f"rating.anchors=random; {FROZEN[1]}",
        f"rating.anchors: expected chain, all, none, or some of {'; '.join(BUILT_IN)}, got '{FROZEN[1]}'",
    ),
    "no anchors": (
        "rating.anchors=none",
        "rating.anchors: expected at least one; to rate no champions, set rating.every to 0",
    ),
    "near key in a section": (
        "population.parent=4",
        "population.parent: unknown key, did you mean population.parents?",
    ),
    "unknown key in a stage": ("stages.0.round=1", "stages.0.round: unknown key, did you mean stages.0.rounds?"),
    "text for a number": ("seed=many", f"seed: {SEED}, got 'many'"),
    "bool for a whole number": ("generations=true", f"{GENERATIONS}, got True"),
    "number for text": (
        "network=247",
        "network: expected cnn-247, blondie-1741, anaconda-5046, checkersai-247 or a table, got 247",
    ),
    "too small": ("population.parents=1", "population.parents: expected a whole number from 2 to 65536, got 1"),
    "choice": ("stages.0.ties=coin", "stages.0.ties: expected pool or swap, got 'coin'"),
    "stage index": ("stages.3.rounds=1", "stages.3.rounds: there is no stage 3, stages are numbered 0 to 2"),
    "stage without key": ("stages.0=1", "stages.0: expected the name of a value, such as stages.0.rounds"),
    "no equals sign": ("seed", "--set seed: expected key=value, such as population.parents=8"),
    "no key": ("=1", "--set =1: expected key=value, such as population.parents=8"),
    "part of a value": ("seed.a=1", f"seed: {SEED}, got {{'a': 1}}"),
    "value for a table": ("population=4", "population: expected a table of values, got 4"),
    "value for stages": ("stages=3", "stages: expected one or more [[stages]] tables, got 3"),
    "no stages": ("stages=[]", "stages: expected one or more [[stages]] tables, got []"),
    "low above high": ("variation.low=0.2", "variation.low: expected at most variation.high = 0.1, got 0.2"),
    "drawn at once": ("games.repetition=1", "games.repetition: expected 0 (off) or at least 2, got 1"),
    "adjudicated with one piece": ("games.adjudicate=1", "games.adjudicate: expected 0 (off) or at least 2, got 1"),
    "games without end": (
        "games.quiet_plies=0",
        "games.quiet_plies: games could last for ever: set this or games.max_plies above 0",
    ),
    "no longer than the ballots": (
        "games={openings='three-move',max_plies=3}",
        "games.max_plies: expected more than the 3 plies of three-move openings, or 0, got 3",
    ),
    "quiet for the length of the ballots": (
        "games={openings='two-move',quiet_plies=1,men_reset=false}",
        "games.quiet_plies: expected more than the 2 plies of two-move openings, or 0, got 1",
    ),
    "pairs do not come out even": ("population.parents=15", f"stages.0.rounds: 225 {UNEVEN} pairs"),
    "all go on": ("stages.1.advance=4", "stages.1.advance: expected less than stages.1.size = 4, got 4"),
    "too few are left": (
        "stages.1.rounds=4",
        "stages: 8 of 1024 individuals are left at the end, expected at least population.parents = 16",
    ),
    "no ranking at the end": ("stages.2.kind=groups", f"stages.2.kind: {LAST}"),
    "a ranking in between": ("stages.0.kind=round-robin", f"stages.1.kind: {LAST}"),
}  # fmt: skip


@pytest.mark.parametrize(("setting", "line"), [need_field(*case) for case in MISTAKES.values()], ids=MISTAKES)
def test_mistake_is_reported_with_its_path_and_allowed_values(setting: str, line: str) -> None:
    assert lines_of(setting) == (line,)


@pytest.mark.parametrize(
    "setting",
    [
        f"seed={'1' * 5000}",
        f"seed=0x{'f' * 5000}",
        f"seed={'[' * 5000}",
        f"stages.{'1' * 5000}.rounds=1",
        f"{'x' * 5000}=1",
        "seed=1\ngenerations=2",
        "a\nb=1",
        "a\nb",
    ],
)
def test_monstrous_settings_are_mistakes_in_one_line(setting: str) -> None:
    (line,) = lines_of(setting)
    assert len(line) < 12_000


def test_mistakes_are_reported_together(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
        genrations = 3
        seed = "x"
        workers = 2
        [population]
        parents = true
        mutant = 3
        [games]
        openings = "four-move"
        quiet_plies = -1
        [[stages]]
        kind = "knock-out"
        size = 1
        [[stages]]
        round = 1
        """,
    )
    lines = lines_of("points.win=0.5", "stages.7.rounds=1", "nonsense", path=path)
    assert {line.split(":", 1)[0] for line in lines} == {
        "--set nonsense",
        "stages.7.rounds",
        "genrations",
        "seed",
        "workers",
        "population.parents",
        "population.mutant",
        "games.openings",
        "games.quiet_plies",
        "points.win",
        "stages.0.kind",
        "stages.0.size",
        "stages.1.round",
    }
    assert len(lines) == 13


def test_contradictions_are_reported_together() -> None:
    lines = lines_of("variation.low=1", "founders.low=2", "games.repetition=1", "games.quiet_plies=0")
    assert [line.split(":", 1)[0] for line in lines] == [
        "founders.low",
        "variation.low",
        "games.repetition",
        "games.quiet_plies",
    ]


@pytest.mark.parametrize("preset", ["cowann", "", "../presets/cowan", "cowan.toml", "Cowan"])
def test_an_unknown_preset(preset: str) -> None:
    (line,) = lines_of(preset=preset)
    assert line.startswith(f"preset: unknown preset {preset!r}, there are ")
    if preset == "cowann":
        assert line.endswith("; did you mean cowan?")


@pytest.mark.parametrize("value", ['""', "0", "false", "[1]", "{}", f"0x{'f' * 5000}", '"nonsense"'])
def test_a_file_with_an_unknown_preset(value: str, tmp_path: Path) -> None:
    (line,) = lines_of(path=written(tmp_path, f"preset = {value}\n"))
    assert line.startswith("preset: unknown preset ")


NOT_TOML = {
    "no TOML": b"seed 1\n",
    "a key twice": b"seed = 1\nseed = 2\n",
    "a table twice": b"[games]\n[games]\n",
    "cut": b"seed = ",
    "binary": b"\x00\x01\x02",
    "no UTF-8": b'preset = "\xff"\n',
    "UTF-16": "seed = 1\n".encode("utf-16"),
    "deep": b"seed = " + b"[" * 100_000,
    "deep tables": b"seed = " + b"{a=" * 5_000,
    "a number of thousands of digits": b"seed = " + b"1" * 5_000,
}


@pytest.mark.parametrize("data", NOT_TOML.values(), ids=NOT_TOML)
def test_a_file_that_is_no_toml(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(data)
    assert lines_of(path=path)[0].startswith(f"{path}: not a TOML file: ")
    with pytest.raises(ConfigError, match="not a TOML file"):
        from_toml(path)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "[stages]\nkind = 'round-robin'\n",
            "stages: expected one or more [[stages]] tables, got {'kind': 'round-robin'}",
        ),
        ("[[games]]\nrepetition = 3\n", "games: expected a table of values, got [{'repetition': 3}]"),
        ("population = 64\n", "population: expected a table of values, got 64"),
        ("[seed]\nx = 1\n", "seed: expected a whole number from 0 to 9223372036854775807, got {'x': 1}"),
        ('"a\\nb" = 1\n', f"a b: unknown key, allowed: {KEYS}"),
    ],
)
def test_a_file_of_the_wrong_shape(text: str, line: str, tmp_path: Path) -> None:
    assert lines_of(path=written(tmp_path, text)) == (line,)


def test_a_file_that_is_not_there_or_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "none.toml"
    assert lines_of(path=path) == (f"{path}: cannot be read: No such file or directory",)
    assert lines_of(path=tmp_path) == (f"{tmp_path}: cannot be read: Is a directory",)


@pytest.mark.usefixtures("ordinary_rights")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = written(tmp_path, "seed = 1\n")
    path.chmod(0)
    assert lines_of(path=path) == (f"{path}: cannot be read: Permission denied",)


def test_a_file_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "marked.toml"
    path.write_bytes("\ufeffseed = 7\n".encode())
    assert load(None, path).seed == 7
