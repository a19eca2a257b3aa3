"""Two runs side by side: only what differs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from evolve.config.model import Config
from evolve.config.values import flat_values, idle_values, to_values
from evolve.report.overview import RunOverview

UNCOMPARED = ("generation", "seconds")
"""Columns of the log that are no results."""

WHOLE = ("generations", "digest")
"""Results that are of the runs as a whole; all others are of the newest generation that both have."""


@dataclass(frozen=True)
class Difference:
    """A value that two runs do not share.

    Attributes:
        name: of a configuration with dots, as ``--set`` takes it, or of a column of the log.
        first: its value in the first run; None if that has none.
        second: its value in the second run.
    """

    name: str
    first: Any
    second: Any


def configurations(first: Config, second: Config) -> list[Difference]:
    """What differs in two configurations, in the order of `evolve.config.model.Config`; not of workers, on
    which no result depends, nor defaults that are in force in one of them because of another value.
    """
    a, b = (flat_values(to_values(config) | {"network": config.network, "workers": {}}) for config in (first, second))
    names = [*a, *(name for name in b if name not in a)]
    full_a, full_b = idle_values(first) | a, idle_values(second) | b
    return [Difference(name, a.get(name), b.get(name)) for name in names if full_a.get(name) != full_b.get(name)]


def results(first: RunOverview, second: RunOverview) -> list[Difference]:
    """What differs in the results: generations, digest, and the logs at the newest generation that both have."""
    found = [
        Difference("generations", first.newest, second.newest),
        Difference("digest", first.manifest.digest(), second.manifest.digest()),
    ]
    at = min(first.newest, second.newest)
    found.append(Difference("champion", first.history.champions[at], second.history.champions[at]))
    a, b = ({name: _plain(column[at]) for name, column in run.history.numbers.items()} for run in (first, second))
    names = [*a, *(name for name in b if name not in a)]
    found += [Difference(name, a.get(name), b.get(name)) for name in names if name not in UNCOMPARED]
    return [each for each in found if each.first != each.second]


def same_generations(first: RunOverview, second: RunOverview) -> int:
    """How many generations from 0 on are the same in both, by the checksums in their manifests; no file is read."""
    pairs = zip(first.manifest.entries, second.manifest.entries, strict=False)
    return next(
        (number for number, (a, b) in enumerate(pairs) if a.first != b.first), min(first.newest, second.newest) + 1
    )


def _plain(value: float) -> float | int | None:
    if not math.isfinite(value):
        return None
    return int(value) if float(value).is_integer() else float(value)
