"""Taking times: probes whose rounds are interleaved, so that a noisy moment hits all of them alike.

A figure is the median of its samples, with the smallest and the largest beside it. Goals are stated for one machine;
`goal_here` is the goal scaled by how fast this machine's clock is (`evolve.bench.calibration`).
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

Sample = Callable[[], dict[str, float]]


@dataclass(frozen=True)
class Metric:
    """What is measured.

    Attributes:
        name: its name in JSON and tables.
        unit: such as ``million/s`` or ``s``.
        text: for people.
        goal: on the reference machine; None if there is none.
        lower: whether less is better.
        scales: whether the goal depends on the clock (ratios do not).
        alone: whether it is measured by the processor time of its thread, and so by its clock.
    """

    name: str
    unit: str
    text: str
    goal: float | None = None
    lower: bool = False
    scales: bool = True
    alone: bool = False


@dataclass(frozen=True)
class Probe:
    """Something whose figures are measured together.

    Attributes:
        group: `--only` takes this name for all figures of its probes.
        kinds: its figures.
        prepare: compiles, starts, warms up whatever is needed, and gives what measures once: values by name of the
            figure. A figure may be missing where it cannot be measured.
        rounds: how many samples to take; 0 leaves the figures out, named but empty.
    """

    group: str
    kinds: tuple[Metric, ...]
    prepare: Callable[[], Sample]
    rounds: int


@dataclass
class Figure:
    """A figure with its samples so far."""

    kind: Metric
    samples: list[float] = field(default_factory=list)

    @property
    def median(self) -> float | None:
        """The median of the samples; None if there are none."""
        return statistics.median(self.samples) if self.samples else None

    def goal_here(self, speed: float) -> float | None:
        """The goal on a machine whose clock is `speed` times that of the reference machine."""
        goal = self.kind.goal
        if goal is None or not self.kind.scales:
            return goal
        return goal / speed if self.kind.lower else goal * speed

    def as_json(self, speed: float) -> dict[str, object]:
        """The figure as plain data."""
        return {
            "name": self.kind.name,
            "unit": self.kind.unit,
            "text": self.kind.text,
            "median": self.median,
            "low": min(self.samples, default=None),
            "high": max(self.samples, default=None),
            "rounds": len(self.samples),
            "better": "lower" if self.kind.lower else "higher",
            "goal": self.kind.goal,
            "goal_here": self.goal_here(speed),
        }


def run_interleaved(
    probes: Sequence[Probe], calibrate: Callable[[], None], show: Callable[[str], None] = lambda text: None
) -> list[Figure]:
    """Take all samples, one of each probe a round.

    Args:
        probes: what to measure.
        calibrate: called before each round, so that it sees the machine as the figures do.
        show: told what is being measured.
    """
    figures = {kind.name: Figure(kind) for probe in probes for kind in probe.kinds}
    rounds = max((probe.rounds for probe in probes), default=0)
    samples = [probe.prepare() for probe in probes]
    for number in range(rounds):
        calibrate()
        for probe, sample in zip(probes, samples, strict=True):
            if number < probe.rounds:
                show(f"round {number + 1} of {rounds}: {probe.kinds[0].name}")
                for name, value in sample().items():
                    figures[name].samples.append(value)
    show("")
    return list(figures.values())
