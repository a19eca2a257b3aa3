"""Figures of this machine: probes, their samples, the machine speed that scales the goals, and the report.

Rounds of all probes are interleaved, so a noisy moment affects all of them alike. A figure is the median of its
samples, and is reported with the smallest and the largest sample.

Goals are for one core of a 4.5 GHz AMD Zen 5 (AVX-512), and are scaled by the clock alone. The clock is measured by a
dependency chain of 64-bit multiplications (3 cycles each on AMD's Zen, Intel's Core and Apple's M processors) and
exclusive ors (1 cycle). So the steps per second times 4 are the clock frequency, less the share of the core that other
programs take. Speeds of vectors and of plain Python are only reported; they can be low where the clock is fast.
"""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from evolve.bench.signature import signature
from game import timing_kernels
from game.errors import InputError
from game.installation import cores

ROUNDS = 5
SIGNATURE = "signature"

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
        scales: whether the goal scales with the clock; false for ratios.
        alone: whether this metric, and the clock that scales its goal, are measured in processor time of the thread.
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
        prepare: compiles code and starts processes, and returns a function that measures once. This function returns
            values by metric name, and omits metrics that cannot be measured.
        rounds: number of samples; if 0, the figures are listed without values.
    """

    group: str
    kinds: tuple[Metric, ...]
    prepare: Callable[[], Sample]
    rounds: int


@dataclass
class Figure:
    kind: Metric
    samples: list[float] = field(default_factory=list)

    @property
    def median(self) -> float | None:
        return statistics.median(self.samples) if self.samples else None

    def goal_here(self, speed: float) -> float | None:
        """Return the goal on a machine whose clock is `speed` times that of the reference machine."""
        goal = self.kind.goal
        if goal is None or not self.kind.scales:
            return goal
        return goal / speed if self.kind.lower else goal * speed

    def as_json(self, speed: float) -> dict[str, object]:
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
"""Function that makes probes from the number of rounds, whether samples are tiny, and a stack that closes resources."""


def run_interleaved(
    probes: Sequence[Probe], calibrate: Callable[[], None], show: Callable[[str], None] = lambda text: None
) -> list[Figure]:
    """Take one sample of each probe in each round.

    Args:
        calibrate: called before each round, so that calibration and figures are measured under the same conditions.
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
    """Samples of the calibration loops, which always do the same work.

    Attributes:
        seconds: approximate duration of each loop.
        clock: GHz, by wall time.
        alone: GHz, by the processor time of this thread.
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
        """The clock of this machine divided by the clock of the reference machine."""
        return statistics.median(self.clock) / REFERENCE_GHZ

    @property
    def speed_alone(self) -> float:
        """Like `speed`, with the clock measured in processor time."""
        return statistics.median(self.alone) / REFERENCE_GHZ

    def as_json(self) -> dict[str, object]:
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
    word = _FACTOR
    for _ in range(steps):
        word = ((word * _FACTOR) & _64_BITS) ^ _MASK
    return word


# Report -----------------------------------------------------------------------------------------------------------


def measure(
    sources: Sequence[Source], *, quick: bool, only: list[str] | None, show: Callable[[str], None]
) -> dict[str, Any]:
    """Measure, and return all figures as plain data.

    Args:
        quick: tiny samples in one round, which show that everything runs; their values mean nothing.
        only: groups or figures to measure; None for all.

    Raises:
        InputError: `only` is empty, or contains an unknown name.
    """
    rounds = 1 if quick else ROUNDS
    with ExitStack() as open_until:
        probes = [probe for source in sources for probe in source(rounds, quick, open_until)]
        signed = only is None or SIGNATURE in only
        if only is not None:
            probes = _chosen(probes, set(only))
        calibration = MachineSpeed(0.02 if quick else 0.1)
        calibration.sample()
        figures = run_interleaved(probes, calibration.sample, show)
    return {
        "machine": machine(),
        "quick": quick,
        "calibration": calibration.as_json(),
        "figures": [
            figure.as_json(calibration.speed_alone if figure.kind.alone else calibration.speed) for figure in figures
        ],
        "signature": signature() if signed else None,
    }


def _chosen(probes: list[Probe], wanted: set[str]) -> list[Probe]:
    """Return the probes whose group, or one of whose figures, is wanted."""
    known = {kind.name for probe in probes for kind in probe.kinds} | {probe.group for probe in probes} | {SIGNATURE}
    unknown = sorted(wanted - known)
    if unknown or not wanted:
        what = f"{', '.join(map(repr, unknown))}: no such figure" if unknown else "expected names of figures"
        raise InputError(f"--only: {what}; known are {', '.join(sorted(known))}")
    return [probe for probe in probes if probe.group in wanted or wanted & {kind.name for kind in probe.kinds}]


def machine() -> dict[str, Any]:
    name, flags = platform.processor(), ""
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = dict(line.split(":", 1) for line in info.read_text(encoding="utf-8").splitlines() if ":" in line)
        values = {key.strip(): value.strip() for key, value in lines.items()}
        name, flags = values.get("model name", name), values.get("flags", values.get("Features", ""))
    vectors = next((vector for vector in ("avx512f", "avx2", "asimd") if vector in flags.split()), "")
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "processor": name,
        "vectors": vectors,
        "cores": cores(),
        "load": load,
        "system": platform.system(),
        "python": platform.python_version(),
        **{package: metadata.version(package) for package in ("numpy", "numba", "llvmlite")},
        "target": os.environ.get("NUMBA_CPU_NAME", "host"),
    }


def text(result: dict[str, Any]) -> str:
    here, calibration = result["machine"], result["calibration"]
    clock, vectors = calibration["clock_ghz"], calibration["vectors_gflops"]
    loops = calibration["python_million_steps"]
    lines = [
        f"Machine: {here['processor'] or here['system']}, {here['cores']} cores, {here['vectors'] or 'plain vectors'}, "
        f"Python {here['python']}, numba {here['numba']}",
        f"Calibration: clock {clock['median']:.2f} GHz ({clock['low']:.2f} to {clock['high']:.2f}), vectors "
        f"{vectors['median']:.0f} GFLOP/s, plain Python {loops['median']:.1f} million steps/s",
        f"Goals are for {REFERENCE}. This machine's clock is {calibration['speed']:.2f} times as fast; measured by "
        "processor time, as for search-, tree-, frame-, idle- and window-first-cpu, "
        f"{calibration['speed_alone']:.2f} times.",
        "",
    ]
    rows: list[tuple[str, ...]] = [("figure", "median", "low to high", "unit", "goal", "goal here", "", "description")]
    for figure in result["figures"]:
        rows.append(_row(figure))
    lines += _table(rows) if len(rows) > 1 else []
    if result["quick"]:
        lines += ["", "Quick: tiny samples, which only show that everything runs."]
    if result["signature"] is not None:
        lines += ["", f"Bench: {result['signature']}"]
    return "\n".join(lines)


def _row(figure: dict[str, Any]) -> tuple[str, ...]:
    if figure["median"] is None:
        return figure["name"], "-", "not measured", figure["unit"], _number(figure["goal"]), "", "", figure["text"]
    spread = f"{_number(figure['low'])} to {_number(figure['high'])}"
    verdict = ""
    if figure["goal"] is not None:
        verdict = (
            "reached" if _reached(figure, "goal") else "at this clock" if _reached(figure, "goal_here") else "missed"
        )
    goals = _number(figure["goal"]), _number(figure["goal_here"])
    return figure["name"], _number(figure["median"]), spread, figure["unit"], *goals, verdict, figure["text"]


def _reached(figure: dict[str, Any], goal: str) -> bool:
    ahead: float = figure["median"] - figure[goal]
    return ahead <= 0 if figure["better"] == "lower" else ahead >= 0


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return lines
