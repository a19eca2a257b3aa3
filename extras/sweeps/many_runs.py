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

from evolve.config.anchors import RATING_COLUMNS
from evolve.config.begun import deciding_values
from evolve.config.values import differing
from evolve.report.overview import RunOverview
from evolve.run.files import RunError
from evolve.run.log import LOG_COLUMNS, NETWORK_COLUMNS
from evolve.strength import elo, means
from evolve.strength.means import SampleMean
from extras.sweeps.sweep import setting_text
from game.errors import near_names

USUAL = ("rating", "diversity")
"""Default columns, if runs have them."""
NEVER_NEGATIVE = frozenset((*LOG_COLUMNS, *NETWORK_COLUMNS)) - {
    *(*RATING_COLUMNS, "best_points", "mean_points", "worst_points")
}
"""Columns whose intervals do not extend below 0."""
UNITS = {"rating": "Elo", "diversity": "root mean square distance", "seconds": "s"}
"""Units of columns."""
MANY = (
    "Runs that differ only in their seed are drawn as their mean, up to the last generation they all have, and from "
    "three seeds on with a band: its 95 % interval (Student's t). Other runs are single lines."
)
MOST_IN_NAME = 3
"""Maximum number of values in the name of a group."""


@dataclass(frozen=True)
class Group:
    """Runs that differ only in their seed.

    Attributes:
        values: all values that decide their results, except the seed, by dotted name.
    """

    name: str
    runs: tuple[RunOverview, ...]
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        return self.name if len(self.runs) == 1 else f"{self.name} ({len(self.runs)} seeds)"

    def curve(self, column: str) -> dict[int, SampleMean]:
        """Return the mean of a column over the runs, by generation, where all of them have a value."""
        columns = [run.history.numbers.get(column, np.empty(0)) for run in self.runs]
        length = min(map(len, columns))
        known = np.flatnonzero(np.isfinite([values[:length] for values in columns]).all(axis=0))
        return {at: _mean(column, [(run, at) for run in self.runs]) for at in known.tolist()}

    def newest(self, column: str) -> SampleMean | None:
        """Return the mean over the runs of their last known values; None without values."""
        places = [(run, newest[0]) for run in self.runs if (newest := last(run, column)) is not None]
        return _mean(column, places) if places else None


def _mean(column: str, places: Sequence[tuple[RunOverview, int]]) -> SampleMean:
    """Return the mean of a column over runs and generations; of one, its interval is that of the log, or infinite."""
    values, errors = list[float](), list[float]()
    for run, generation in places:
        values.append(float(run.history.numbers[column][generation]))
        interval = run.history.interval(column)
        low, high = (float(ends[generation]) for ends in interval[1:]) if interval else (math.nan, math.nan)
        error = (high - low) / 2 / math.sqrt(elo.THRESHOLD)
        errors.append(error if math.isfinite(error) else 0.0)
    mean = means.mean(values, errors)
    if len(values) == 1 and not math.isnan(low):
        return replace(mean, low=low, high=high)
    return replace(mean, low=max(mean.low, 0.0)) if column in NEVER_NEGATIVE else mean


def last(run: RunOverview, column: str) -> tuple[int, float] | None:
    """Return the last generation with a value of a column, and the value; None if there is none."""
    values = run.history.numbers.get(column, np.empty(0))
    known = np.flatnonzero(np.isfinite(values))
    return (int(known[-1]), float(values[known[-1]])) if len(known) else None


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
        repeated: names of runs that are left out because another run, at least as long, has the same setting and seed.
        unbegun: names of runs without a complete generation.
    """

    groups: tuple[Group, ...]
    columns: tuple[str, ...]
    repeated: tuple[str, ...] = ()
    unbegun: tuple[str, ...] = ()

    @property
    def runs(self) -> list[RunOverview]:
        return [run for group in self.groups for run in group.runs]

    @cached_property
    def differences(self) -> dict[str, list[Any]]:
        return differing([group.values for group in self.groups], [group.runs[0].config for group in self.groups])


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
    many = ManyRuns(named, (), tuple(repeated), tuple(unbegun))
    return replace(many, columns=_columns(many.runs, columns))


def _columns(runs: Sequence[RunOverview], wanted: Sequence[str]) -> tuple[str, ...]:
    there = list(dict.fromkeys(itertools.chain.from_iterable(run.history.numbers for run in runs)))
    there.remove("generation")
    for name in wanted:
        if name not in there:
            near = near_names(name, there) or f"; there are {', '.join(there)}"
            raise RunError(f"--column: {name}: no log of these runs has a column of this name{near}")
    known = [name for name in USUAL if any(last(run, name) is not None for run in runs)]
    return tuple(dict.fromkeys(wanted or known or there[:1]))


def _names(
    runs: Sequence[Sequence[RunOverview]], values: Sequence[dict[str, Any]], settings: Mapping[Path, str]
) -> list[str]:
    different = differing(values, [members[0].config for members in runs])
    of_members = [{settings.get(run.run.path, "") for run in members} for members in runs]
    own = [min(result) if len(result) == 1 else "" for result in of_members]
    names = []
    for at, members in enumerate(runs):
        if len(members) == 1:
            names.append(members[0].name)
        elif own[at] and own.count(own[at]) == 1:
            names.append(own[at])
        elif different and len(different) <= MOST_IN_NAME:
            names.append(setting_text(list(different), [row[at] for row in different.values()]))
        else:
            names.append(members[0].config.preset if len(runs) == 1 else f"{members[0].name} and seeds")
    return names if len(set(names)) == len(names) else [members[0].name for members in runs]
