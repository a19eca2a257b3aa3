"""Figures of this machine: probes, whose samples are taken in turn, and the report.

Rounds of all probes are interleaved, so a noisy moment affects all of them alike. A figure is the median of its
samples, and is reported with the smallest and the largest sample.
"""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from extras.bench.signature import signature
from game.errors import InputError
from game.installation import cores

ROUNDS = 5
SIGNATURE = "signature"

Sample = Callable[[], dict[str, float]]


@dataclass(frozen=True)
class Metric:
    name: str
    unit: str
    text: str


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
    metrics: tuple[Metric, ...]
    prepare: Callable[[], Sample]
    rounds: int


Source = Callable[[int, bool, ExitStack], list[Probe]]
"""Function that makes probes from the number of rounds, whether samples are tiny, and a stack that closes resources."""


def run_interleaved(
    probes: Sequence[Probe], before_round: Callable[[], None], show: Callable[[str], None] = lambda text: None
) -> dict[str, list[float]]:
    """Take one sample of each probe in each round; return the samples by the name of their metric."""
    samples: dict[str, list[float]] = {metric.name: [] for probe in probes for metric in probe.metrics}
    rounds = max((probe.rounds for probe in probes), default=0)
    take = [probe.prepare() for probe in probes]
    for number in range(rounds):
        before_round()
        for probe, sample in zip(probes, take, strict=True):
            if number < probe.rounds:
                show(f"round {number + 1} of {rounds}: {probe.metrics[0].name}")
                for name, value in sample().items():
                    samples[name].append(value)
    show("")
    return samples


def measure(
    sources: Sequence[Source],
    only: list[str] | None,
    show: Callable[[str], None],
    *,
    quick: bool = False,
    before_round: Callable[[], None] = lambda: None,
) -> tuple[list[Metric], dict[str, Any]]:
    """Measure, and return the metrics, and all figures as plain data.

    Args:
        only: groups or figures to measure; None for all.
        quick: tiny samples in one round, which show that everything runs; their values mean nothing.

    Raises:
        InputError: `only` is empty, or contains an unknown name.
    """
    with ExitStack() as open_until:
        probes = [probe for source in sources for probe in source(1 if quick else ROUNDS, quick, open_until)]
        probes = probes if only is None else _chosen(probes, set(only))
        samples = run_interleaved(probes, before_round, show)
    metrics = [metric for probe in probes for metric in probe.metrics]
    return metrics, {
        "machine": machine(),
        "figures": [_as_json(metric, samples[metric.name]) for metric in metrics],
        "signature": signature() if only is None or SIGNATURE in only else None,
    }


def _as_json(metric: Metric, samples: list[float]) -> dict[str, Any]:
    return {
        "name": metric.name,
        "unit": metric.unit,
        "text": metric.text,
        "median": statistics.median(samples) if samples else None,
        "low": min(samples, default=None),
        "high": max(samples, default=None),
        "rounds": len(samples),
    }


def _chosen(probes: list[Probe], wanted: set[str]) -> list[Probe]:
    known = {SIGNATURE}.union(*({probe.group, *(metric.name for metric in probe.metrics)} for probe in probes))
    unknown = sorted(wanted - known)
    if unknown or not wanted:
        what = f"{', '.join(map(repr, unknown))}: no such figure" if unknown else "expected names of figures"
        raise InputError(f"--only: {what}; known are {', '.join(sorted(known))}")
    return [probe for probe in probes if probe.group in wanted or wanted & {metric.name for metric in probe.metrics}]


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
    """Return the report of `measure`, whose figures may have further columns under ``more``."""
    here = result["machine"]
    lines = [
        f"Machine: {here['processor'] or here['system']}, {here['cores']} cores, {here['vectors'] or 'plain vectors'}, "
        f"Python {here['python']}, numba {here['numba']}",
        *result.get("notes", ()),
        "",
    ]
    rows = [("figure", "median", "low to high", "unit", *result.get("columns", ()), "description")]
    for figure in result["figures"]:
        spread = f"{number(figure['low'])} to {number(figure['high'])}" if figure["rounds"] else "not measured"
        median = number(figure["median"]) or "-"
        rows.append((figure["name"], median, spread, figure["unit"], *figure.get("more", ()), figure["text"]))
    if result["figures"]:
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        table = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
        lines += [f"| {line} |" for line in table]
        lines.insert(-len(result["figures"]), "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    if result["signature"] is not None:
        lines += ["", f"Bench: {result['signature']}"]
    return "\n".join(lines)


def number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def names(text: str | None) -> list[str] | None:
    """Return the names in the value of ``--only``, or None without it."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]
