"""Figures of this machine: probes, their samples, and the machine's speed by which goals are scaled.

Rounds of all probes are interleaved, so a noisy moment affects all of them alike. A figure is the median of its
samples, and is reported with the smallest and the largest sample.

Goals are for one core of a 4.5 GHz AMD Zen 5 (AVX-512), and are scaled by the clock alone. The clock is measured by a
chain of 64-bit multiplications (3 cycles each on AMD's Zen, Intel's Core and Apple's M processors) and exclusive ors
(1 cycle), each of which waits for the one before: steps per second times 4 is the clock that the program got, less the
share of the core that other programs took. Two more loops are reported, since a machine may have a fast clock but
narrow vectors or a slow Python: multiply-adds of vectors (at most 2 x 16 x 2 operations a cycle with AVX-512, so 288
GFLOP/s on the reference machine; half of it with AVX2), and the same chain in plain Python.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

import numpy as np

from game import timing_kernels

REFERENCE = "one core of a 4.5 GHz AMD Zen 5 (AVX-512)"
REFERENCE_GHZ = 4.5
REFERENCE_GFLOPS = REFERENCE_GHZ * 2 * 16 * 2

_FACTOR, _MASK = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9
_64_BITS = (1 << 64) - 1

Sample = Callable[[], dict[str, float]]


@dataclass(frozen=True)
class Metric:
    """A quantity to measure.

    Attributes:
        name: its name in JSON and tables.
        unit: such as ``million/s`` or ``s``.
        text: its description.
        goal: on the reference machine; None if there is none.
        lower: whether less is better.
        scales: whether the goal depends on the clock (ratios do not).
        alone: whether it is measured by the processor time of its thread, and its goal scaled by that clock.
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
    """Metrics that are measured together.

    Attributes:
        group: the name by which ``--only`` selects all figures of the group.
        kinds: its metrics.
        prepare: compiles and starts what is needed, and returns a function that measures once: values by name of the
            metric. A value may be missing where it cannot be measured.
        rounds: number of samples; with 0 the figures are listed without a value.
    """

    group: str
    kinds: tuple[Metric, ...]
    prepare: Callable[[], Sample]
    rounds: int


@dataclass
class Figure:
    """A metric with its samples so far."""

    kind: Metric
    samples: list[float] = field(default_factory=list)

    @property
    def median(self) -> float | None:
        """Median of the samples; None if there are none."""
        return statistics.median(self.samples) if self.samples else None

    def goal_here(self, speed: float) -> float | None:
        """Return the goal on a machine whose clock is `speed` times that of the reference machine."""
        goal = self.kind.goal
        if goal is None or not self.kind.scales:
            return goal
        return goal / speed if self.kind.lower else goal * speed

    def as_json(self, speed: float) -> dict[str, object]:
        """Return the figure as plain data, with the goal at that speed."""
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


Source = Callable[[int, bool, ExitStack], list[Probe]]
"""Makes probes from the number of rounds, whether samples are tiny, and a stack that closes what they keep open."""


def run_interleaved(
    probes: Sequence[Probe], calibrate: Callable[[], None], show: Callable[[str], None] = lambda text: None
) -> list[Figure]:
    """Take all samples, in each round one of each probe.

    Args:
        probes: the probes.
        calibrate: called before each round, so the calibration sees the machine as the figures do.
        show: called with a description of each measurement.
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


@dataclass
class MachineSpeed:
    """Samples of loops that always do the same work.

    Attributes:
        seconds: approximate duration of each loop.
        clock: GHz, by wall time.
        alone: GHz, by the processor time of this thread.
        vectors: GFLOP/s of fused multiply-adds.
        python: million steps per second in plain Python.
    """

    seconds: float = 0.1
    clock: list[float] = field(default_factory=list)
    alone: list[float] = field(default_factory=list)
    vectors: list[float] = field(default_factory=list)
    python: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._memory = np.full(32, 1e-3, np.float32)
        timing_kernels.integer_chain(1, np.uint64(_FACTOR), np.uint64(_MASK))
        timing_kernels.vector_sums(1, self._memory.ctypes.data)

    def sample(self) -> None:
        """Run each loop once."""
        steps = round(self.seconds * REFERENCE_GHZ * 1e9 / timing_kernels.CHAIN_CYCLES)
        started, before = time.perf_counter(), time.thread_time()
        timing_kernels.integer_chain(steps, np.uint64(_FACTOR), np.uint64(_MASK))
        seconds, own = time.perf_counter() - started, time.thread_time() - before
        self.clock.append(steps * timing_kernels.CHAIN_CYCLES / seconds / 1e9)
        self.alone.append(steps * timing_kernels.CHAIN_CYCLES / (own or seconds) / 1e9)
        operations = timing_kernels.CHAINS * 16 * 2
        steps = round(self.seconds * REFERENCE_GFLOPS * 1e9 / operations)
        started = time.perf_counter()
        timing_kernels.vector_sums(steps, self._memory.ctypes.data)
        self.vectors.append(steps * operations / (time.perf_counter() - started) / 1e9)
        steps = round(self.seconds * 10e6)
        started = time.perf_counter()
        python_chain(steps)
        self.python.append(steps / (time.perf_counter() - started) / 1e6)

    @property
    def speed(self) -> float:
        """Clock of this machine divided by that of the reference machine."""
        return statistics.median(self.clock) / REFERENCE_GHZ

    @property
    def speed_alone(self) -> float:
        """The same by processor time."""
        return statistics.median(self.alone) / REFERENCE_GHZ

    def as_json(self) -> dict[str, object]:
        """Return all loops as plain data."""
        loops = {
            "clock_ghz": self.clock,
            "clock_alone_ghz": self.alone,
            "vectors_gflops": self.vectors,
            "python_million_steps": self.python,
        }
        spreads: dict[str, object] = {
            name: {"median": statistics.median(samples), "low": min(samples), "high": max(samples)}
            for name, samples in loops.items()
        }
        return spreads | {
            "reference": REFERENCE,
            "reference_clock_ghz": REFERENCE_GHZ,
            "reference_vectors_gflops": REFERENCE_GFLOPS,
            "speed": self.speed,
            "speed_alone": self.speed_alone,
        }


def python_chain(steps: int) -> int:
    """Run `game.timing_kernels.integer_chain` in plain Python."""
    word = _FACTOR
    for _ in range(steps):
        word = ((word * _FACTOR) & _64_BITS) ^ _MASK
    return word
