"""What a report says of many runs: groups of equal settings, means over their seeds, and what differs between them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from evolve.inspection.contents import Contents, ReportTable, Section
from evolve.inspection.plain import number
from evolve.inspection.words import interval_text, value_text
from evolve.report.many_runs import Group, ManyRuns
from evolve.report.overview import RunOverview
from game.number_text import clock_text, count_text

INTERVALS = (
    "Of each run the newest value. Over three seeds or more a mean with its 95 % interval (Student's t), over two the "
    "lowest to the highest end of the intervals of their own games, of one its own interval."
)


def contents(many: ManyRuns) -> Contents:
    """Groups side by side."""
    first = Section("", table=_groups(many), more=INTERVALS)
    sections = [first, Section("Runs", table=_runs(many), more=_left_out(many))]
    if many.stopped:
        sections.append(Section("Settings that were stopped", list(many.stopped)))
    if len(many.groups) > 1:
        facts = [(name, _values_text(many, values)) for name, values in many.differences.items()]
        sections.append(Section("What differs in configuration", facts, more="" if facts else "no difference"))
    name = count_text(len(many.runs), "run")
    return Contents(
        name, "", f"{count_text(len(many.groups), 'setting')}; runs of one differ only in their seed", sections
    )


def _groups(many: ManyRuns) -> ReportTable:
    lines = []
    for group in many.groups:
        newest = [len(run.history) - 1 for run in group.runs]
        line = [group.name, str(len(group.runs)), _range_text(newest)]
        for column in many.columns:
            mean = group.newest(column)
            if mean is None:
                line += ["-", ""]
            else:
                line += [_text(column, mean.value), _interval(column, mean.low, mean.high)]
        games = sum(run.history.total("games") for run in group.runs)
        lines.append([*line, f"{games:,}", clock_text(sum(map(_seconds, group.runs)))])
    shown = [heading for column in many.columns for heading in (column, f"{column}, interval<")]
    more = [heading for heading in shown[:1:-1]]
    return ReportTable(("setting<", "seeds", "generation", *shown, "games", "time"), lines, ("games", "time", *more))


def _runs(many: ManyRuns) -> ReportTable:
    lines = []
    for group in many.groups:
        for run in group.runs:
            values = (run.last(column) for column in many.columns)
            shown = [_text(column, each[1]) if each else "-" for column, each in zip(many.columns, values, strict=True)]
            newest, digest = len(run.history) - 1, run.manifest.digest()
            lines.append([run.name, str(run.config.seed), str(newest), *shown, digest[:16] or "-"])
    headings = ("run<", "seed", "generation", *many.columns, "digest begins with<")
    return ReportTable(headings, lines, ("digest begins with<", *many.columns[:0:-1]))


def _left_out(many: ManyRuns) -> str:
    found = []
    if many.repeated:
        found.append(
            f"Not counted, since another run of the same setting and seed goes as far: {', '.join(many.repeated)}."
        )
    if many.unbegun:
        found.append(f"Without a complete generation: {', '.join(many.unbegun)}.")
    return " ".join(found)


def _values_text(many: ManyRuns, values: list[Any]) -> str:
    """Each value with the groups that have it."""
    by_value: dict[str, list[str]] = {}
    for group, value in zip(many.groups, values, strict=True):
        by_value.setdefault(value_text(value), []).append(group.name)
    return "; ".join(f"{value} in {', '.join(names)}" for value, names in by_value.items())


def _range_text(numbers: list[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"


def _text(column: str, value: float) -> str:
    return f"{value:.0f}" if column == "rating" else f"{value:.4g}"


def _interval(column: str, low: float, high: float) -> str:
    if column == "rating" or not math.isfinite(low) or not math.isfinite(high):
        return interval_text(low, high)
    return f"{low:.4g} to {high:.4g}"


def _seconds(run: RunOverview) -> float:
    return float(np.nansum(run.history.numbers.get("seconds", 0.0)))


def plain(many: ManyRuns) -> dict[str, Any]:
    """All of it as plain values, for JSON; curves of means by generation."""
    return {
        "kind": "runs",
        "columns": list(many.columns),
        "settings": [_plain_group(many, group) for group in many.groups],
        "differences": [
            {"name": name, "values": [value if _is_plain(value) else str(value) for value in values]}
            for name, values in many.differences.items()
        ],
        "repeated": list(many.repeated),
        "unbegun": list(many.unbegun),
        "stopped": [{"setting": setting, "reason": reason} for setting, reason in many.stopped],
    }


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)


def _plain_group(many: ManyRuns, group: Group) -> dict[str, Any]:
    columns = {}
    for column in many.columns:
        newest, band = group.newest(column), group.band(column)
        columns[column] = {
            "newest": newest and {name: number(getattr(newest, name)) for name in ("value", "low", "high")},
            "seeds": 0 if newest is None else newest.count,
            "generations": [] if band is None else band.generations.tolist(),
            **{
                name: [] if band is None else [number(float(value)) for value in getattr(band, name)]
                for name in ("mean", "low", "high")
            },
        }
    return {
        "setting": group.name,
        "runs": [
            {
                "name": run.name,
                "run": str(run.run.path),
                "seed": run.config.seed,
                "generation": len(run.history) - 1,
                "games": run.history.total("games"),
                "seconds": _seconds(run),
                "digest": run.manifest.digest(),
            }
            for run in group.runs
        ],
        "columns": columns,
    }
