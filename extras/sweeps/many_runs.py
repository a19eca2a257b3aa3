"""Many runs: groups of runs that differ only in their seed, and means over seeds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.config.anchors import RATING_COLUMNS
from evolve.config.begun import deciding_values
from evolve.config.values import idle_values
from evolve.report.overview import RunOverview
from evolve.run.files import RunError
from evolve.run.log import LOG_COLUMNS, NETWORK_COLUMNS
from evolve.run.runs import near_names
from evolve.strength import elo, means

USUAL = ("rating", "diversity")
"""Default columns, if runs have them."""
NEVER_NEGATIVE = frozenset((*LOG_COLUMNS, *NETWORK_COLUMNS)) - {
    *(*RATING_COLUMNS, "best_points", "mean_points", "worst_points")
}
"""Columns whose intervals do not extend below 0."""
UNITS = {"rating": "Elo", "diversity": "root mean square distance", "seconds": "s"}
"""Units of columns."""
MOST_IN_NAME = 3
"""Maximum number of values in the name of a group."""


@dataclass(frozen=True)
class Band:
    """The mean of a column over the runs of a group, at generations for which all runs have a value.

    Attributes:
        generations: int64 of shape (n,).
        mean: mean over the runs, float64 of shape (n,).
        low: lower end of the band, float64 of shape (n,). The band is the 95 % interval of the mean (Student's t); for
            two runs, it covers the intervals of both; for a single run, it is the value itself.
        high: upper end of the band.
    """

    generations: NDArray[np.int64]
    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


@dataclass(frozen=True)
class Group:
    """Runs that differ only in their seed.

    Attributes:
        values: all values that decide their results, except the seed, by dotted name.
    """

    name: str
    runs: tuple[RunOverview, ...]
    values: dict[str, Any] = field(default_factory=dict)

    def band(self, column: str) -> Band | None:
        """Return mean and band of a column; None if no generation has a value in all runs."""
        columns = [run.history.numbers.get(column) for run in self.runs]
        if any(values is None for values in columns):
            return None
        length = min(len(values) for values in columns if values is not None)
        rows = np.stack([values[:length] for values in columns if values is not None])
        known = np.flatnonzero(np.isfinite(rows).all(axis=0))
        if not len(known):
            return None
        rows = rows[:, known]
        mean, count = rows.mean(axis=0), len(rows)
        if count == 1:
            return Band(known, mean, mean, mean)
        if count == 2:
            ends = np.stack([_ends(run, column)[:, known] for run in self.runs])
            return Band(known, mean, ends.min(axis=(0, 1)), ends.max(axis=(0, 1)))
        half = means.quantile(count - 1) * np.maximum(
            rows.std(axis=0, ddof=1) / math.sqrt(count),
            np.sqrt(sum(_errors(run, column)[known] ** 2 for run in self.runs)) / count,
        )
        return Band(known, mean, np.maximum(mean - half, _least(column)), mean + half)

    def newest(self, column: str) -> means.SampleMean | None:
        """Return the mean over seeds of the last known values, with an interval as in `band`; None without values.

        For a single run, the interval is the one in its log, or infinite.
        """
        known = [(run, newest) for run in self.runs if (newest := last(run, column)) is not None]
        if not known:
            return None
        values = [value for _, (_, value) in known]
        mean = means.mean(values, [float(_errors(run, column)[at]) for run, (at, _) in known])
        if len(values) == 2:
            ends = np.stack([_ends(run, column)[:, at] for run, (at, _) in known])
            return replace(mean, low=float(ends.min()), high=float(ends.max()))
        interval = known[0][0].history.interval(column)
        if len(values) == 1 and interval is not None:
            at = known[0][1][0]
            return replace(mean, low=float(interval[1][at]), high=float(interval[2][at]))
        return replace(mean, low=max(mean.low, _least(column)))


def _least(column: str) -> float:
    return 0.0 if column in NEVER_NEGATIVE else -math.inf


def last(run: RunOverview, column: str) -> tuple[int, float] | None:
    """Return the last generation with a value of a column, and the value; None if there is none."""
    values = run.history.numbers.get(column, np.empty(0))
    known = np.flatnonzero(np.isfinite(values))
    return (int(known[-1]), float(values[known[-1]])) if len(known) else None


def _ends(run: RunOverview, column: str) -> NDArray[np.float64]:
    """Return the ends of a column's intervals, shape (2, generations); without an interval, both are the value."""
    values, interval = run.history.numbers[column], run.history.interval(column)
    ends = np.stack([values, values] if interval is None else interval[1:])
    return np.where(np.isfinite(ends), ends, values)


def _errors(run: RunOverview, column: str) -> NDArray[np.float64]:
    """Return the standard errors of a column by generation; 0 without an interval."""
    interval = run.history.interval(column)
    if interval is None:
        return np.zeros(len(run.history))
    width = (interval[2] - interval[1]) / 2
    return np.where(np.isfinite(width), width, 0.0) / math.sqrt(elo.THRESHOLD)


def _values(run: RunOverview) -> dict[str, Any]:
    """Return all values that decide the results of a run, except the seed, by dotted name."""
    known = deciding_values(run.config)
    known.pop("seed")
    origin = {f"record.{key}": run.made_with.get(key) for key in ("results", "branched_from", "branched_digest")}
    return known | {key: value for key, value in origin.items() if value is not None}


@dataclass(frozen=True)
class ManyRuns:
    """Runs in groups.

    Attributes:
        groups: the groups, in the order in which they were named.
        columns: columns of the logs to display.
        repeated: names of runs that are left out because another run, at least as long, has the same setting and seed.
        unbegun: names of runs without a complete generation.
        same_generations: of two runs, the number of generations from 0 on with the same bytes; otherwise None.
    """

    groups: tuple[Group, ...]
    columns: tuple[str, ...]
    repeated: tuple[str, ...] = ()
    unbegun: tuple[str, ...] = ()
    same_generations: int | None = None

    @property
    def runs(self) -> list[RunOverview]:
        return [run for group in self.groups for run in group.runs]

    @cached_property
    def differences(self) -> dict[str, list[Any]]:
        return _differing([group.values for group in self.groups], [group.runs[0] for group in self.groups])


def group_runs(
    runs: Sequence[RunOverview],
    columns: Sequence[str] = (),
    settings: Mapping[Path, str] = MappingProxyType({}),
    unbegun: Iterable[str] = (),
) -> ManyRuns:
    """Put runs into groups.

    Args:
        columns: columns to display; empty for the usual ones.
        settings: the settings of the runs of sweeps, by their folders.
        unbegun: names of runs without a complete generation.

    Raises:
        RunError: no run has one of the columns.
    """
    groups: dict[frozenset[Any], tuple[dict[str, Any], dict[int, RunOverview]]] = {}
    repeated = []
    for run in runs:
        values = _values(run)
        # A hashable key avoids comparing each run with all others. Only records changed by hand contain lists.
        key = frozenset((name, repr(value) if isinstance(value, list) else value) for name, value in values.items())
        if key not in groups:
            groups[key] = (values, {run.config.seed: run})
            continue
        seeds = groups[key][1]
        other = seeds.get(run.config.seed)  # equal but for their lengths, so only the longer one counts
        if other is None or len(run.history) > len(other.history):
            seeds[run.config.seed] = run
        if other is not None:
            repeated.append(run.name if seeds[run.config.seed] is other else other.name)
    members = [list(seeds.values()) for _, seeds in groups.values()]
    decided = [values for values, _ in groups.values()]
    named = tuple(map(Group, _names(members, decided, settings), map(tuple, members), decided))
    same = same_generations(*runs) if len(runs) == 2 else None
    many = ManyRuns(named, (), tuple(repeated), tuple(unbegun), same)
    return replace(many, columns=_columns(many.runs, columns))


def same_generations(first: RunOverview, second: RunOverview) -> int:
    """Count the generations from 0 on that have equal checksums in the manifests of both runs."""
    pairs = zip(first.manifest.entries, second.manifest.entries, strict=False)
    return next(
        (number for number, (a, b) in enumerate(pairs) if a.first != b.first), min(first.newest, second.newest) + 1
    )


def columns_of(runs: Sequence[RunOverview]) -> list[str]:
    there = list(dict.fromkeys(itertools.chain.from_iterable(run.history.numbers for run in runs)))
    there.remove("generation")
    return there


def _columns(runs: Sequence[RunOverview], wanted: Sequence[str]) -> tuple[str, ...]:
    there = columns_of(runs)
    for name in wanted:
        if name not in there:
            near = near_names(name, there) or f"; there are {', '.join(there)}"
            raise RunError(f"--column: {name}: no log of these runs has a column of this name{near}")
    known = [name for name in USUAL if any(last(run, name) is not None for run in runs)]
    return tuple(dict.fromkeys(wanted or known or there[:1]))


def _differing(all_values: Sequence[dict[str, Any]], runs: Sequence[RunOverview]) -> dict[str, list[Any]]:
    """Return the values that differ between runs, by name; None where a run has none.

    A value that is inactive in one run does not differ from the same value that is active in another, since another
    difference makes it active.
    """
    idle = [idle_values(run.config) for run in runs]
    names = dict.fromkeys(itertools.chain.from_iterable(all_values))
    rows = {name: [values.get(name) for values in all_values] for name in names}
    full = {
        name: [default.get(name) if value is None else value for value, default in zip(row, idle, strict=True)]
        for name, row in rows.items()
    }
    return {name: row for name, row in rows.items() if any(value != full[name][0] for value in full[name])}


def _names(
    runs: Sequence[Sequence[RunOverview]], values: Sequence[dict[str, Any]], settings: Mapping[Path, str]
) -> list[str]:
    different = _differing(values, [members[0] for members in runs])
    of_members = [{settings.get(run.run.path, "") for run in members} for members in runs]
    own = [min(found) if len(found) == 1 else "" for found in of_members]
    ends = [name.rpartition(".")[2] for name in different]
    keys = [short if ends.count(short) == 1 else name for name, short in zip(different, ends, strict=True)]
    names = []
    for at, members in enumerate(runs):
        pairs = zip(keys, (row[at] for row in different.values()), strict=True)
        if len(members) == 1:
            names.append(members[0].name)
        elif own[at] and own.count(own[at]) == 1:
            names.append(own[at])
        elif different and len(different) <= MOST_IN_NAME:
            names.append(" ".join(f"{key}={value}" for key, value in pairs if value is not None))
        else:
            names.append(members[0].config.preset if len(runs) == 1 else f"{members[0].name} and seeds")
    return names if len(set(names)) == len(names) else [members[0].name for members in runs]
