"""Goals of figures, and the speed of this machine, which scales them.

Goals are for one core of a 4.5 GHz AMD Zen 5 (AVX-512), and are scaled by the clock alone. The clock is measured by a
dependency chain of 64-bit multiplications (3 cycles each on AMD's Zen, Intel's Core and Apple's M processors) and
exclusive ors (1 cycle). So the steps per second times 4 are the clock frequency, less the share of the core that other
programs take.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from extras.bench import figures
from extras.bench.figures import Source, number
from game.networks.named import ANACONDA_5046, CNN_247
from tests.measurements import timing_kernels

REFERENCE = "one core of a 4.5 GHz AMD Zen 5 (AVX-512)"
REFERENCE_GHZ = 4.5

_FACTOR, _MASK = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9


@dataclass(frozen=True)
class Metric(figures.Metric):
    """A quantity to measure, with a goal.

    Attributes:
        scales: whether the goal scales with the clock; false for ratios.
        alone: whether this metric, and the clock that scales its goal, are measured in processor time of the thread.
    """

    goal: float | None = None
    lower: bool = False
    scales: bool = True
    alone: bool = False

    def goal_here(self, speed: float) -> float | None:
        """Return the goal on a machine whose clock is `speed` times that of the reference machine."""
        if self.goal is None or not self.scales:
            return self.goal
        return self.goal / speed if self.lower else self.goal * speed


GOALS = {
    "perft": Metric("perft", "", "", 400.0),
    "games": Metric("games", "", "", 65_000.0),
    "generations-15": Metric("generations-15", "", "", 3.0, lower=True),
    **{
        f"search-{name}": Metric(f"search-{name}", "", "", goal, alone=True)
        for name, goal in (("material", 33.0), (CNN_247.name, 16.0), (ANACONDA_5046.name, 10.5))
    },
}
"""The goals of figures of the verb `bench`, which knows none."""


@dataclass
class MachineSpeed:
    """Samples of the calibration loops, which always do the same work.

    Attributes:
        seconds: approximate duration of each loop.
        clock: GHz, by wall time.
        alone: GHz, by the processor time of this thread.
    """

    seconds: float = 0.1
    clock: list[float] = field(default_factory=list)
    alone: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        timing_kernels.integer_chain(1, np.uint64(_FACTOR), np.uint64(_MASK))

    def sample(self) -> None:
        steps = round(self.seconds * REFERENCE_GHZ * 1e9 / timing_kernels.CHAIN_CYCLES)
        started, before = time.perf_counter(), time.thread_time()
        timing_kernels.integer_chain(steps, np.uint64(_FACTOR), np.uint64(_MASK))
        seconds, own = time.perf_counter() - started, time.thread_time() - before
        self.clock.append(steps * timing_kernels.CHAIN_CYCLES / seconds / 1e9)
        self.alone.append(steps * timing_kernels.CHAIN_CYCLES / (own or seconds) / 1e9)

    @property
    def speed(self) -> float:
        """The clock of this machine divided by the clock of the reference machine."""
        return statistics.median(self.clock) / REFERENCE_GHZ

    @property
    def speed_alone(self) -> float:
        """Like `speed`, with the clock measured in processor time."""
        return statistics.median(self.alone) / REFERENCE_GHZ

    def as_json(self) -> dict[str, object]:
        loops = {"clock_ghz": self.clock, "clock_alone_ghz": self.alone}
        spreads: dict[str, object] = {
            name: {"median": statistics.median(samples), "low": min(samples), "high": max(samples)}
            for name, samples in loops.items()
        }
        return spreads | {
            "reference": REFERENCE,
            "reference_clock_ghz": REFERENCE_GHZ,
            "speed": self.speed,
            "speed_alone": self.speed_alone,
        }


def measure(
    sources: Sequence[Source], *, quick: bool, only: list[str] | None, show: Callable[[str], None]
) -> dict[str, Any]:
    """Measure, and return all figures and the goals as plain data.

    Args:
        quick: tiny samples in one round, which show that everything runs; their values mean nothing.
        only: groups or figures to measure; None for all.
    """
    clock = MachineSpeed(0.02 if quick else 0.1)
    clock.sample()
    metrics, result = figures.measure(sources, only, show, quick=quick, before_round=clock.sample)
    for metric, figure in zip(metrics, result["figures"], strict=True):
        goal = metric if isinstance(metric, Metric) else GOALS.get(metric.name, Metric(metric.name, "", ""))
        figure["better"] = "lower" if goal.lower else "higher"
        figure["goal"] = goal.goal
        figure["goal_here"] = goal.goal_here(clock.speed_alone if goal.alone else clock.speed)
    return result | {"quick": quick, "calibration": clock.as_json()}


def text(result: dict[str, Any]) -> str:
    calibration = result["calibration"]
    clock = calibration["clock_ghz"]
    notes = [
        f"Calibration: clock {clock['median']:.2f} GHz ({clock['low']:.2f} to {clock['high']:.2f})",
        f"Goals are for {REFERENCE}. This machine's clock is {calibration['speed']:.2f} times as fast; measured by "
        "processor time, as for search- and tree-, "
        f"{calibration['speed_alone']:.2f} times.",
        *(["Quick: tiny samples, which only show that everything runs."] if result["quick"] else []),
    ]
    rows = [
        figure | {"more": (number(figure["goal"]), number(figure["goal_here"]), verdict(figure))}
        for figure in result["figures"]
    ]
    return figures.text(result | {"figures": rows, "columns": ("goal", "goal here", ""), "notes": notes})


def verdict(figure: dict[str, Any]) -> str:
    """Return whether a figure reached its goal, only the goal at the clock of this machine, or neither."""
    if figure["goal"] is None or figure["median"] is None:
        return ""
    return "reached" if _reached(figure, "goal") else "at this clock" if _reached(figure, "goal_here") else "missed"


def _reached(figure: dict[str, Any], goal: str) -> bool:
    ahead: float = figure["median"] - figure[goal]
    return ahead <= 0 if figure["better"] == "lower" else ahead >= 0
