"""The report of figures: which are measured, in how many rounds, and their tables."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from importlib import metadata
from pathlib import Path
from typing import Any

from evolve.bench import sessions, speed
from evolve.bench.figures import REFERENCE, MachineSpeed, Probe, Source, run_interleaved
from evolve.bench.signature import signature
from game.errors import InputError
from game.resources import cores

ROUNDS = 5
SIGNATURE = "signature"
SOURCES: tuple[Source, ...] = (speed.probes, sessions.probes)


def measure(
    *, quick: bool, only: list[str] | None, show: Callable[[str], None], sources: Sequence[Source] = SOURCES
) -> dict[str, Any]:
    """Measure, and return all figures as plain data.

    Args:
        quick: tiny samples in one round, which show that everything runs; their values mean nothing.
        only: groups or figures to measure; None for all.
        show: called with a description of each measurement.
        sources: make the probes to choose from.

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
    """Return the probes whose group or one of whose figures is wanted."""
    known = {kind.name for probe in probes for kind in probe.kinds} | {probe.group for probe in probes} | {SIGNATURE}
    unknown = sorted(wanted - known)
    if unknown or not wanted:
        what = f"{', '.join(map(repr, unknown))}: no such figure" if unknown else "expected names of figures"
        raise InputError(f"--only: {what}, known are {', '.join(sorted(known))}")
    return [probe for probe in probes if probe.group in wanted or wanted & {kind.name for kind in probe.kinds}]


def machine() -> dict[str, Any]:
    """Return processor, cores, load and versions; the vector instructions are known on Linux alone."""
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
    """Return the result as tables in Markdown."""
    here, calibration = result["machine"], result["calibration"]
    clock, vectors = calibration["clock_ghz"], calibration["vectors_gflops"]
    loops = calibration["python_million_steps"]
    lines = [
        f"Machine: {here['processor'] or here['system']}, {here['cores']} cores, {here['vectors'] or 'plain vectors'}, "
        f"Python {here['python']}, numba {here['numba']}",
        f"Calibration: clock {clock['median']:.2f} GHz ({clock['low']:.2f} to {clock['high']:.2f}), vectors "
        f"{vectors['median']:.0f} GFLOP/s, plain Python {loops['median']:.1f} million steps/s",
        f"Goals are for {REFERENCE}. This machine's clock is {calibration['speed']:.2f} times as fast; measured by "
        f"processor time, as for search-, frame-, idle- and window-first-cpu, {calibration['speed_alone']:.2f} times.",
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
    """Return whether the median is at least as good as a goal."""
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
