"""A run whose config.toml was changed by hand: what decides results is named with both values and refused."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from pathlib import Path

import pytest

from evolve.config import preset_files
from evolve.config.begun import FREE, changes, copy_deciding_values, deciding_values
from evolve.config.model import Config
from evolve.config.toml import load
from tests.cases import for_each
from tests.evolve.tiny_sessions import Evolve, digest, results

RECORD = "# The values that decide results"
BY_HAND = {
    "points": ("win = 3", "win = 2", "points.win 3 -> 2"),
    "an operator": ("high = 0.1", "high = 0.2", "variation.high 0.1 -> 0.2"),
    "rating, which is in the log": ("every = 5", "every = 6", "rating.every 5 -> 6"),
    "a stage": ('ties = "pool"', 'ties = "swap"', "stages.0.ties 'pool' -> 'swap'"),
    "the network": (
        'network = "cnn-247"',
        'network = "blondie-1741"',
        "network 'cnn-247' -> 'blondie-1741', variation.king none -> 'steps'",
    ),
    "one more stage": (
        "\n# What this run",
        '\n[[stages]]\nkind = "round-robin"\nbest = 0\n\n# What this run',
        "stages.3.kind none -> 'round-robin', stages.3.counts none -> True, stages.3.best none -> 0",
    ),
    "a value left out, which is another by itself": ("rounds = 2\n# after", "# after", "stages.0.rounds 2 -> 1"),
}


def change(run: Path, old: str, new: str) -> None:
    """Replace the first such text of a run's configuration, before the copy."""
    path = run / "config.toml"
    text = path.read_text(encoding="utf-8")
    values, record, copy = text.partition(RECORD)
    assert record
    assert old in values
    path.write_text(values.replace(old, new, 1) + record + copy, encoding="utf-8")


@pytest.mark.parametrize(("old", "new", "named"), BY_HAND.values(), ids=BY_HAND)
def test_a_value_that_decides_results(old: str, new: str, named: str, evolve: Evolve, one: Path) -> None:
    change(one, old, new)
    before = results(one)
    refused = evolve("--resume=one", "--generations=3")
    path = one / "config.toml"
    assert refused.code == 2
    assert refused.err.splitlines()[-1] == (
        f"main.py: {path}: changed by hand since the run was begun: {named}; change it back, or begin another run with "
        f"evolve --config {path}"
    )
    assert results(one) == before
    change(one, new, old)
    assert evolve("--resume=one").code == 0


def test_settings_without_effect_may_change(evolve: Evolve, one: Path, template: Path) -> None:
    for old, new in (
        ("chunk = 0", "chunk = 9"),
        ("generations = 2", "generations = 3"),
        ("\nevery = 1\n", "\nevery = 2\n"),
    ):
        change(one, old, new)
    assert evolve("--resume=one").json["generations"] == 3
    assert set(FREE) == {"preset", "generations", "saving", "workers"}
    text = (one / "config.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)["record"] == tomllib.loads((template / "config.toml").read_text())["record"]


def test_a_copy_that_was_changed_as_well(evolve: Evolve, one: Path) -> None:
    path = one / "config.toml"
    text = path.read_text(encoding="utf-8")
    for changed in (
        text.replace("win = 3", "win = 2").replace('"points.win" = 3', '"points.win" = 2'),
        re.sub('"sha256" = ".*"\n', "", text),
        text.replace('"points.win" = 3', '"points.win.a" = 3'),
    ):
        assert changed != text
        path.write_text(changed, encoding="utf-8")
        refused = evolve("--resume=one")
        assert refused.code == 2
        assert "record.begun was changed: its checksum does not match; change it back" in refused.err


def test_a_run_begun_before_there_was_a_copy(evolve: Evolve, one: Path, template: Path) -> None:
    """With the keys of all kinds, as files were then; it goes on to the same bytes, and has a copy from then on."""
    path = one / "config.toml"
    text = path.read_text(encoding="utf-8").partition(f"\n{RECORD}")[0]
    text = text.replace('kind = "round-robin"\n', 'kind = "round-robin"\nrounds = 1\nties = "pool"\nsize = 4\n')
    path.write_text(text.replace('mutation = "uniform"\n', 'mutation = "uniform"\ntau = 0.0\n'), encoding="utf-8")
    before = path.read_bytes()
    assert evolve("--resume=one").json["digest"] == digest(template)
    assert path.read_bytes() == before
    assert evolve("--resume=one", "--from=0", "--generations=1").code == 0
    assert evolve("--resume=one", "--generations=2").json["digest"] == digest(template)
    assert path.read_bytes() == (template / "config.toml").read_bytes()


@for_each("preset", preset_files.preset_names())
def test_the_copy_gives_the_values_back(preset: str) -> None:
    config = load(preset, None, ["seed=7"])
    copy = copy_deciding_values(config)
    assert changes(copy, config) == ""
    assert changes(copy, load(preset, None, ["seed=7", "generations=1", "workers.chunk=2"])) == ""
    assert changes(copy, load(preset, None, ["seed=8"])) == "seed 7 -> 8"
    assert len(deciding_values(config)) > 36


def test_number_of_reported_differences_is_limited() -> None:
    result = changes(copy_deciding_values(Config()), load("crownhead-1"))
    assert result.endswith(" more")
    assert result.count(" -> ") == 5


@pytest.mark.parametrize("copy", [None, 3, [], {}, {"sha256": 1}, {"seed": 1}])
def test_no_copy_at_all_but_something_in_its_place(copy: object) -> None:
    assert changes(copy, Config()).startswith("record.begun ")


def test_values_of_a_newer_program_are_those_that_it_takes_by_itself() -> None:
    """A copy without a key that came later is no change as long as the key has its default."""
    copy = copy_deciding_values(Config())
    values = {name: value for name, value in copy.items() if name not in ("sha256", "games.men_reset", "stages.1.size")}

    older = {"sha256": hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()} | values
    assert changes(older, Config()) == ""
    assert changes(older, load(None, None, ["games.men_reset=false"])) == "games.men_reset True -> False"
