"""Choosing another kind than the preset: it starts from its own defaults, and what stays beside it is named."""

from __future__ import annotations

from pathlib import Path

from evolve.config import toml
from evolve.config.toml import load
from evolve.kinds.stages import Groups, Knockout, RoundRobin
from evolve.kinds.variation import SelfAdaptive, Uniform


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


def test_keys_that_stay_beside_another_kind_are_named(tmp_path: Path) -> None:
    path = written(tmp_path, 'preset = "crownhead-1"\n[variation]\nmutation = "self-adaptive"\n')
    line = 'variation.mutation = "self-adaptive" starts from its own defaults; the preset crownhead-1 still gives'
    for given, settings in ((path, []), (None, ["variation.mutation=self-adaptive"])):
        notes: list[str] = []
        load("crownhead-1", given, settings, notes=notes)
        assert notes == [f'{line} variation.king = "steps"']
    notes = []
    load("crownhead-1", None, ["variation.mutation=self-adaptive", "variation.king=lognormal"], notes=notes)
    load("crownhead-1", None, ["variation.mutation=normal"], notes=notes)
    assert notes == []


def test_a_whole_configuration_keeps_its_values_over_a_preset_of_other_kinds(tmp_path: Path) -> None:
    changed = load("crownhead-1", None, ["variation.mutation=self-adaptive", "variation.step_low=0.03"])
    path = written(tmp_path, toml.to_toml(changed, {}))
    notes: list[str] = []
    assert load("crownhead-1", path, notes=notes) == changed
    assert notes == []
