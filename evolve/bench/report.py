"""The verb ``bench``: which figures, in how many rounds, and how they are shown."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from contextlib import ExitStack
from importlib import metadata
from pathlib import Path
from typing import Any

from evolve.bench import cluster, engine, opening, peers, runs, search, sessions, start, window
from evolve.bench.calibration import REFERENCE, Calibration
from evolve.bench.measure import Probe, run_interleaved
from evolve.bench.signature import signature
from game.errors import InputError
from game.resources import cores

ROUNDS = 5
PEER_ROUNDS = 3
GROUPS = (
    "perft",
    "evaluations",
    "games",
    "search",
    "sessions",
    "workers",
    "cluster",
    "start",
    "runs",
    "window",
    "peers",
    "signature",
)


def measure(*, quick: bool, only: list[str] | None, show: Callable[[str], None]) -> dict[str, Any]:
    """Measure and give all as plain data.

    Args:
        quick: tiny samples, one round: shows that everything runs, the numbers mean little.
        only: groups or figures to measure; everything if None.
        show: told what is being measured.

    Raises:
        InputError: `only` names something unknown, or nothing.
    """
    rounds = 1 if quick else ROUNDS
    wanted = set(only) if only is not None else set(GROUPS)
    with ExitStack() as open_until:
        probes = _choose(wanted, rounds, quick, open_until)
        calibration = Calibration(0.02 if quick else 0.1)
        calibration.sample()
        figures = run_interleaved(probes, calibration.sample, show)
    compared = []
    for peer in peers.PEERS:
        if wanted & {"peers", peer.name}:
            show(f"beside {peer.name}")
            compared.append(peers.compare(peer, 1 if quick else PEER_ROUNDS, quick=quick))
    show("")
    return {
        "machine": machine(),
        "quick": quick,
        "calibration": calibration.as_json(),
        "figures": [
            figure.as_json(calibration.speed_alone if figure.kind.alone else calibration.speed) for figure in figures
        ],
        "peers": compared,
        "signature": signature() if "signature" in wanted else None,
    }


def _choose(wanted: set[str], rounds: int, quick: bool, open_until: ExitStack) -> list[Probe]:
    """The probes that have a wanted figure."""
    made = [
        *engine.probes(rounds, quick=quick),
        *search.probes(rounds, quick=quick),
        *sessions.probes(rounds, quick=quick, open_until=open_until),
        *cluster.probes(rounds, quick=quick, open_until=open_until),
        *start.probes(rounds, quick=quick),
        *opening.probes(rounds, quick=quick, open_until=open_until),
        *window.probes(rounds, quick=quick),
        *runs.probes(rounds, quick=quick, open_until=open_until),
    ]
    known = {kind.name for probe in made for kind in probe.kinds} | set(GROUPS) | {peer.name for peer in peers.PEERS}
    unknown = sorted(wanted - known)
    if unknown or not wanted:
        what = f"{', '.join(map(repr, unknown))}: no such figure" if unknown else "expected names of figures"
        raise InputError(f"--only: {what}, known are {', '.join(sorted(known))}")
    return [probe for probe in made if probe.group in wanted or wanted & {kind.name for kind in probe.kinds}]


def machine() -> dict[str, Any]:
    """What this machine is, as far as the system tells."""
    name, flags = platform.processor(), ""
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = dict(line.split(":", 1) for line in info.read_text(encoding="utf-8").splitlines() if ":" in line)
        values = {key.strip(): value.strip() for key, value in lines.items()}
        name, flags = values.get("model name", name), values.get("flags", values.get("Features", ""))
    vectors = next((each for each in ("avx512f", "avx2", "asimd") if each in flags.split()), "")
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
    """The result as tables for people, in Markdown that reads well as it stands."""
    here, calibration = result["machine"], result["calibration"]
    clock, vectors = calibration["clock_ghz"], calibration["vectors_gflops"]
    loops = calibration["python_million_steps"]
    lines = [
        f"Machine: {here['processor'] or here['system']}, {here['cores']} cores, {here['vectors'] or 'plain vectors'}, "
        f"Python {here['python']}, numba {here['numba']}",
        f"Calibration: clock {clock['median']:.2f} GHz ({clock['low']:.2f} to {clock['high']:.2f}), vectors "
        f"{vectors['median']:.0f} GFLOP/s, plain Python {loops['median']:.1f} million steps/s",
        f"Goals are for {REFERENCE}; by the clock this machine has {calibration['speed']:.2f} of its speed, and "
        f"{calibration['speed_alone']:.2f} by processor time, which counts for search-, "
        "frame-, idle- and window-first-cpu.",
        "",
    ]
    rows: list[tuple[str, ...]] = [("figure", "median", "low to high", "unit", "goal", "goal here", "", "what it is")]
    for figure in result["figures"]:
        rows.append(_row(figure))
    lines += _table(rows) if len(rows) > 1 else []
    if result["peers"]:
        rows = [("beside", "theirs", "ours", "unit", "ratio", "low to high", "what is compared")]
        rows += [_peer_row(peer) for peer in result["peers"]]
        lines += ["", *_table(rows)]
    if result["quick"]:
        lines += ["", "Quick: tiny samples, to see that everything runs. These are no measurements."]
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
    """Whether the median is as good as a goal."""
    ahead: float = figure["median"] - figure[goal]
    return ahead <= 0 if figure["better"] == "lower" else ahead >= 0


def _peer_row(peer: dict[str, Any]) -> tuple[str, ...]:
    if not peer["installed"]:
        return peer["name"], "-", "-", peer["unit"], "-", "not installed", peer["text"]
    spread = f"{_number(peer['low'])} to {_number(peer['high'])}"
    rates = _number(peer["theirs"]), _number(peer["ours"])
    return f"{peer['name']} {peer['version']}", *rates, peer["unit"], _number(peer["ratio"]), spread, peer["text"]


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
