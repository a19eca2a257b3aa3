"""Many runs: which of them are one group, and means over their seeds beside a twin by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from evolve.config import toml
from evolve.report.overview import RunOverview
from evolve.run.folder import Run
from evolve.run.log import History
from evolve.run.manifest import Manifest
from evolve.strength import means
from extras.origin import comparison
from extras.sweeps.many_runs import Group, group_runs

NAN = math.nan


def logged(name: str, *settings: str, **columns: list[float]) -> RunOverview:
    """A run that is nowhere on disk."""
    length = max(map(len, columns.values()), default=1)
    numbers = {"generation": np.arange(length, dtype=np.float64)} | {key: np.array(one) for key, one in columns.items()}
    config = toml.load(settings=settings)
    return RunOverview(Run(Path(name)), config, {}, Manifest(), History(("x",) * length, numbers), name)


def test_runs_that_differ_only_in_their_seed_are_one_group() -> None:
    runs = [
        logged("a", "seed=1", diversity=[1.0]),
        logged("b", "seed=2", "variation.high=0.2", diversity=[1.0]),
        logged("c", "seed=2", "generations=30", "workers.chunk=7", diversity=[1.0]),  # what decides no result
        logged("d", "seed=3", "variation.high=0.2", diversity=[1.0]),
    ]
    result = group_runs(runs)
    assert [(group.name, [run.name for run in group.runs]) for group in result.groups] == [
        ("high=0.1", ["a", "c"]),
        ("high=0.2", ["b", "d"]),
    ]
    assert result.differences == {"variation.high": [0.1, 0.2]}
    alone = group_runs([runs[0], runs[1]])
    assert [group.name for group in alone.groups] == ["a", "b"]
    assert [group.name for group in group_runs(runs[::2]).groups] == ["cowan"]


def test_defaults_that_another_value_puts_in_force_are_no_difference() -> None:
    runs = [logged("a", "search.depth=1"), logged("b", "search.depth=3"), logged("c", "seed=2", "search.depth=3")]
    assert group_runs(runs).differences == {"search.depth": [1, 3]}
    assert [group.name for group in group_runs(runs).groups] == ["a", "depth=3"]
    runs[0] = logged("d", "search.depth=5", "search.table_bits=12")
    runs.append(logged("e", "search.depth=1"))
    result = group_runs(runs).differences
    assert result == {"search.depth": [5, 3, 1], "search.table_bits": [12, 14, None]}
    one, other = (toml.load(settings=[f"search.depth={depth}"]) for depth in (1, 3))
    assert [each.name for each in comparison.configurations(one, other)] == ["search.depth"]


def test_an_interval_of_a_non_negative_value_ends_at_0() -> None:
    group = Group("x", tuple(logged(f"r{number}", diversity=[number], rating=[number]) for number in (0.0, 0.1, 9.0)))
    for column, low in (("diversity", 0.0), ("rating", means.mean([0.0, 0.1, 9.0]).low)):
        newest = group.newest(column)
        assert newest is not None and newest == group.curve(column)[0]
        assert newest.low == pytest.approx(low) and low <= 0


def test_the_interval_of_a_rating_is_not_narrower_than_its_games_leave_it() -> None:
    runs = tuple(logged(f"r{n}", rating=[57.3], rating_low=[-42.7], rating_high=[157.3]) for n in range(3))
    half = means.quantile(2) * 100 / math.sqrt(3.841458820694124) / math.sqrt(3)
    assert Group("x", runs).curve("rating")[0].high - 57.3 == pytest.approx(half)


def test_branches_are_grouped_by_where_they_come_from() -> None:
    made = [logged(f"b{seed}", f"seed={seed}", diversity=[1.0]) for seed in (1, 2, 3)]
    made[0].made_with.update(branched_from="mine@3", branched_digest="aa")
    made[1].made_with.update(branched_from="mine@3", branched_digest="aa")
    assert [len(group.runs) for group in group_runs(made).groups] == [2, 1]


def test_a_seed_counts_once() -> None:
    short, long = (logged(name, "seed=1", diversity=[1.0] * length) for name, length in (("short", 2), ("long", 3)))
    for order in ([short, long], [long, short]):
        result = group_runs(order)
        assert [run.name for run in result.runs] == ["long"]
        assert result.repeated == ("short",)


def test_a_curve_has_the_means_of_generations_that_all_runs_know() -> None:
    rows = [[1.0, 2.0, NAN, 4.0, 7.0], [2.0, 2.5, 3.0, 3.0], [4.0, NAN, 5.0, 8.0]]
    group = Group("x", tuple(logged(f"r{seed}", f"seed={seed}", rating=row) for seed, row in enumerate(rows)))
    assert group.curve("rating") == {at: means.mean([row[at] for row in rows]) for at in (0, 3)}
    assert group.newest("rating") == means.mean([7.0, 3.0, 8.0])
    assert group.curve("none") == {} and group.newest("none") is None


def test_a_single_run_has_the_interval_of_its_games() -> None:
    one = logged("a", "seed=1", rating=[1.0, 5.0, NAN], rating_low=[0.0, 4.0, NAN], rating_high=[2.0, 7.0, NAN])
    alone = Group("x", (one,)).newest("rating")
    assert alone is not None and (alone.value, alone.low, alone.high) == (5.0, 4.0, 7.0)
    unsure = Group("x", (logged("b", "seed=2", rating=[3.0, 1.0]),)).newest("rating")
    assert unsure is not None and math.isinf(unsure.low)
