"""The saved configuration of a run: every value, each explained, read back to the bit."""

from __future__ import annotations

import tomllib
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evolve.config.anchors import BUILT_IN
from evolve.config.begun import changes, copy_deciding_values
from evolve.config.model import Config
from evolve.config.preset_files import ConfigError, preset_names
from evolve.config.sections import SECTIONS, FitnessRules, Learning, Optimisation
from evolve.config.toml import from_toml, load, to_toml
from evolve.config.values import flat_values, only_active, to_values
from evolve.kinds.optimisers.optimiser import Distribution
from evolve.kinds.selection import Best
from evolve.kinds.stages import Groups, Knockout, Mirror, RoundRobin, Stage
from evolve.kinds.variation import SelfAdaptive, Uniform
from game.networks.spec import Spec
from game.openings import PLIES
from tests.game.networks.network_samples import BY_MOVER

PRESETS = preset_names()


def written(folder: Path, text: str) -> Path:
    path = folder / "some.toml"
    path.write_text(text, encoding="utf-8")
    return path


def _values(kind: type[Any]) -> dict[str, st.SearchStrategy[Any]]:
    """A strategy for each field of a section, from what its metadata allows."""
    results: dict[str, st.SearchStrategy[Any]] = {}
    for item in fields(kind):
        rule = item.metadata
        if "family" in rule:
            results[item.name] = st.sampled_from([*rule["family"].kinds.values()]).flatmap(_of_kind)
        elif "choices" in rule:
            results[item.name] = st.sampled_from(rule["choices"])
        elif rule["type"] is bool:
            results[item.name] = st.booleans()
        elif rule["type"] in (str, tuple):
            results[item.name] = st.just(item.default)
        elif rule["type"] is int:
            results[item.name] = st.integers(rule["low"], rule["high"])
        else:
            results[item.name] = st.floats(rule["low"], rule["high"])
    return results


def _of_kind(kind: type[Any]) -> st.SearchStrategy[Any]:
    return st.builds(kind, **_values(kind))


def _factors(number: int) -> list[int]:
    divisor = next((d for d in range(2, number + 1) if number % d == 0), None)
    return [] if divisor is None else [divisor, *_factors(number // divisor)]


@st.composite
def configs(draw: st.DrawFn) -> Config:
    """Any configuration that is right."""
    given = {name: draw(st.builds(kind, **_values(kind))) for name, kind in SECTIONS.items()}
    given["learning"] = Learning()  # those that learn have tests of their own
    low, high = sorted((given["founders"].low, given["founders"].high))
    given["founders"] = replace(given["founders"], low=low, high=high)
    mutation = given["variation"].mutation
    if isinstance(mutation, Uniform):
        mutation = Uniform(*sorted((mutation.low, mutation.high)))
    if isinstance(mutation, SelfAdaptive):
        low, high = sorted((mutation.step_low, mutation.step_high or 1e6))
        mutation = replace(mutation, step_low=low, step_high=max(high, 1e-6))
        given["founders"] = replace(given["founders"], step=mutation.step_high)
    given["variation"] = replace(given["variation"], mutation=mutation)
    games = given["games"]
    shortest = max(PLIES.values()) + 1  # longer than any opening
    longest = max(games.max_plies, shortest) if games.max_plies else 0
    given["games"] = replace(
        games,
        repetition=0 if games.repetition == 1 else games.repetition,
        quiet_plies=max(games.quiet_plies, shortest) if games.quiet_plies else (0 if longest else 80),
        max_plies=longest,
        adjudicate=0 if games.adjudicate == 1 else games.adjudicate,
    )
    names = draw(st.lists(st.sampled_from(BUILT_IN), min_size=1))
    given["rating"] = replace(given["rating"], games=draw(st.integers(1, 5000)) * 2, anchors="; ".join(names))
    population = given["population"]
    if population.selection.run_kind:  # it needs a stage of its own
        given["population"] = population = replace(population, selection=Best())
    stages: list[Stage] = []
    optimiser = given["optimiser"].kind
    if isinstance(optimiser, Distribution):
        given["optimiser"] = Optimisation(replace(optimiser, step=max(optimiser.step, optimiser.step_low)))
    if population.mean:
        given["fitness"] = FitnessRules()
        mutants = max(2, population.mutants // 2 * 2)
        parents = min(population.parents, 1 + mutants)
        given["population"] = population = replace(population, parents=parents, recombine=False, mutants=mutants)
        given["founders"] = replace(given["founders"], method=draw(st.sampled_from(["bred", "predicted", "player"])))
        best = draw(st.integers(2, 1 + mutants))
        stages.append(replace(draw(_of_kind(Mirror)), best=best, counts=True))
    elif given["founders"].method == "player":
        given["founders"] = replace(given["founders"], method="duel")
    factors = [] if population.mean else _factors(population.size // population.parents)
    assume(all(factor <= Groups.rules()["size"]["high"] for factor in factors))
    for factor in draw(st.permutations(factors)):
        if factor == 2 and draw(st.booleans()):
            stages.append(replace(draw(_of_kind(Knockout)), rounds=1))
        else:
            stages.append(replace(draw(_of_kind(Groups)), rounds=1, size=factor, advance=1))
    stages.append(replace(draw(_of_kind(RoundRobin)), best=0))
    return Config(
        preset=draw(st.sampled_from(PRESETS) | st.text(st.characters(codec="utf-8"), max_size=20)),
        generations=draw(st.integers(0, 1_000_000)),
        seed=draw(st.integers(0, 2**63 - 1)),
        stages=tuple(stages),
        **given,
    )


@settings(max_examples=25)
@given(config=configs())
def test_a_saved_configuration_reads_back_equal(config: Config, tmp_path_factory: pytest.TempPathFactory) -> None:
    assume(config.population.size <= 1_000_000)
    record = {"format": 1, "numpy": "2.4.1", "python": "3.11.7"}
    text = to_toml(config, record)
    path = written(tmp_path_factory.mktemp("config"), text)
    again = from_toml(path)
    config = only_active(config)
    assert again == config
    assert repr(again) == repr(config)  # -0.0 too, and no whole number where a float was
    assert to_toml(again, record) == text
    assert tomllib.loads(text)["record"] == record
    if config.preset in PRESETS:
        assert load(None, path) == config  # as the file of another session


def test_network_of_a_file_replaces_that_of_its_preset(tmp_path: Path) -> None:
    own = (
        '[network]\nname = "mine"\ninput = "pieces"\nlayers = []\n[network.extras]\n'
        "piece_difference = true\ntables = true\n"
    )
    before = load("first").network
    network = load("first", written(tmp_path, own)).network
    assert before.layers and not before.tables
    assert (network.name, network.layers, network.tables) == ("mine", (), True)
    part = load("first", written(tmp_path, "[network.extras]\nking = 2.0\n")).network  # a part of one has no name
    assert part == replace(before, king=2.0)


@pytest.mark.parametrize("spec", BY_MOVER, ids=lambda spec: spec.name)
def test_saved_configuration_keeps_networks_that_see_the_side_to_move(spec: Spec, tmp_path: Path) -> None:
    """In its file and in the copy by which changes by hand are found; of networks without layers, too."""
    config = replace(Config(), network=spec)
    path = written(tmp_path, to_toml(config, {}))
    assert from_toml(path) == config
    assert changes(copy_deciding_values(config), from_toml(path)) == ""
    other = replace(config, network=replace(spec, king=2.5))
    assert changes(copy_deciding_values(config), other) == f"network.extras.king {spec.king} -> 2.5"


def test_a_saved_configuration_names_its_file_in_every_line(tmp_path: Path) -> None:
    wrong = to_toml(Config(), {}).replace("parents = 16", "parents = 1").replace("win = 3", "win = 999")
    path = written(tmp_path, wrong)
    with pytest.raises(ConfigError) as raised:
        from_toml(path)
    assert raised.value.lines == (
        f"{path}: population.parents: expected a whole number from 2 to 65536, got 1",
        f"{path}: points.win: expected a whole number from -100 to 100, got 999",
    )


OLD = Path(__file__).parents[3] / "populations" / "crownhead-1" / "config.toml"
KEYS_OF_OTHERS = "rounds = 7\nsize = 1\ngames = 0\nopponents = 'nobody'\n"


def test_an_older_file_has_keys_of_all_kinds(tmp_path: Path) -> None:
    """Those of other kinds decided nothing then, whatever they were."""
    text = OLD.read_text(encoding="utf-8")
    assert {"rounds", "ties", "tau"} <= {line.partition(" = ")[0] for line in text.splitlines()}
    config = load("crownhead-1", None, ["seed=1"])
    assert from_toml(OLD) == load(None, OLD) == config
    path = written(tmp_path, text.replace('kind = "round-robin"', f'kind = "round-robin"\n{KEYS_OF_OTHERS}').replace(
        "rounds = 1\n", ""
    ).replace("size = 4\n", "").replace("games = 5\n", "").replace('opponents = "population"\n', ""))  # fmt: skip
    assert from_toml(path) == config


def test_an_older_file_with_a_key_that_never_was_one(tmp_path: Path) -> None:
    path = written(tmp_path, OLD.read_text(encoding="utf-8").replace("advance = 2", "advence = 2", 1))
    with pytest.raises(ConfigError, match=r"stages\.0\.advence: unknown key"):
        from_toml(path)


IDLE = (
    *("founders.step", "population.stride", "variation.king", "games.swap", "points.each", "saving.newest"),
    *("optimiser.kind", "founders.games", "founders.depth", "founders.rounds", "founders.positions"),
    *("founders.player", "founders.genome", "founders.obtained", "fitness.kind", "fitness.weights"),
    *("search.equal_depth", "search.table_bits", "search.deepen_by", "search.deepest"),
)
"""Keys of sections that decide nothing in the first preset."""


@pytest.mark.parametrize(
    ("setting", "keys"),
    [
        ("variation.mutation=self-adaptive", ["founders.step"]),
        ("games.openings=three-move", ["games.swap", "points.each"]),
        ("saving.every=5", ["saving.newest"]),
        ("search.depth=2", ["search.equal_depth", "search.table_bits"]),
        ("search.quiescence=true", ["search.equal_depth", "search.table_bits"]),
        ("search.selective=true", ["search.table_bits"]),
        ("search.deepen_every=9", ["search.equal_depth", "search.table_bits", "search.deepen_by", "search.deepest"]),
    ],
)
def test_a_value_is_in_force_by_another(setting: str, keys: list[str]) -> None:
    before, after = (flat_values(to_values(load("cowan", None, given))) for given in ([], [setting]))
    assert not set(IDLE) & set(before)
    assert [key for key in IDLE if key in after] == [key for key in IDLE if key in keys]


@pytest.mark.parametrize(
    ("deciding", "idle"),
    [
        (["rating.every=0"], ["rating.games=6", "rating.anchors=random"]),
        (["search.blondie=true"], ["search.quiescence=true"]),
        (["search.selective=true"], ["search.equal_depth=true"]),
        (["games.quiet_plies=0", "games.max_plies=200"], ["games.men_reset=false"]),
        (["variation.mutation=normal"], ["variation.step_low=0.01"]),
        ([], ["games.swap=false", "founders.step=0.3", "population.stride=2.0"]),
    ],
)
def test_configurations_are_equal_where_only_idle_values_differ(
    deciding: list[str], idle: list[str], tmp_path: Path
) -> None:
    """Files of older programs hold them; who sets one is told that it does nothing."""
    path = tmp_path / "older.toml"
    path.write_text("\n".join(text.replace("=random", '="random"') for text in idle), encoding="utf-8")
    assert load("cowan", path, deciding) == load("cowan", None, deciding)
    with pytest.raises(ConfigError) as raised:
        load("cowan", None, [*deciding, *idle])
    for line, text in zip(raised.value.lines, idle, strict=True):
        assert line.startswith(f"{text.partition('=')[0]}: has no effect with the other values")
    assert not {text.partition("=")[0] for text in idle} & set(flat_values(to_values(load("cowan", None, deciding))))
