"""The report of ``inspect`` on several runs or a sweep, from their configurations and logs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evolve.config.anchors import RATING_COLUMNS, SCALE, shown_above, shown_text
from evolve.inspection import terminal
from evolve.inspection.command import named_run
from evolve.inspection.contents import Contents, ReportTable, Section
from evolve.inspection.phrases import interval_text, value_text
from evolve.inspection.results import json_number
from evolve.report.overview import RunOverview, read_run
from evolve.run.files import RunError
from evolve.run.folder import Run
from extras.sweeps import sweep
from extras.sweeps.many_runs import MANY, Group, ManyRuns, group_runs, last
from game.errors import InputError, capital
from game.number_text import clock_text, count_text

if TYPE_CHECKING:
    from extras.reports.figures.style import NamedFigure


@dataclass(frozen=True)
class RunsReport:
    """A report on several runs, with the interface of `evolve.inspection.results.Report`."""

    subject: ManyRuns
    written: Sequence[Path] = ()

    def plain(self) -> dict[str, Any]:
        many = self.subject
        return {
            "kind": "runs",
            "scale": SCALE,
            "columns": list(many.columns),
            "settings": [_plain_group(many, group) for group in many.groups],
            "differences": [
                {
                    "name": name,
                    "values": [one if isinstance(one, int | float | str | None) else str(one) for one in values],
                }
                for name, values in many.differences.items()
            ],
            "repeated": list(many.repeated),
            "unbegun": list(many.unbegun),
            "written": [str(path) for path in self.written],
        }

    def contents(self) -> Contents:
        many = self.subject
        first = Section("", table=_groups(many), more=INTERVALS)
        sections = [first, Section("Runs", table=_runs(many), more=_remarks(many))]
        if len(many.groups) > 1:
            sections.append(_differences(many))
        name = count_text(len(many.runs), "run")
        if len(many.runs) <= 3:
            name += f": {', '.join(run.name for run in many.runs)}"
        groups = f"{count_text(len(many.groups), 'setting')}; runs of a setting differ only in their seeds"
        return Contents(name, "", groups, sections)

    def show(self) -> None:
        terminal.show(self.contents(), self.written)

    def figures(self) -> Iterator[NamedFigure]:
        from extras.sweeps import figures

        return figures.of_runs(self.subject)

    def curves(self) -> str:
        """Return the same curves for a page, as HTML."""
        from extras.reports.moving import LEVELS, curves_part

        many = self.subject
        generations = range(max(len(run.history) for run in many.runs))
        data = [
            {
                "title": capital(column.replace("_", " ")),
                "lines": LEVELS if column == "rating" else [],
                "curves": [_line(group, column, generations) for group in many.groups],
            }
            for column in many.columns
        ]
        return curves_part(data, MANY)


def _line(group: Group, column: str, generations: range) -> dict[str, Any]:
    curve, above = group.curve(column), shown_above(column)
    ends = ("value", "low", "high") if len(group.runs) > 2 else ("value",)
    values = {end: [getattr(curve[at], end) + above if at in curve else None for at in generations] for end in ends}
    texts = [_text(column, curve[at].value) if at in curve else "" for at in generations]
    return {"name": group.label, "texts": texts, "values": values.pop("value"), **values}


def report(options: argparse.Namespace) -> RunsReport | None:
    """Return a report on the runs that the options of ``inspect`` name; None if they name a single subject."""
    named_sweeps = [(target, sweep.find(options.runs, target)) for target in options.targets]
    if len(named_sweeps) == 1 and named_sweeps[0][1] is None:
        if options.column:
            raise InputError("--column: only for several runs, or a sweep")
        return None
    for option, given in (
        ("--games", options.games),
        ("--earlier", getattr(options, "earlier", None) is not None),
        ("--network", options.network is not None),
    ):
        if given:
            raise InputError(f"{option}: not with several runs, since only their configurations and logs are read")
    named, unbegun, settings = dict[Path, str](), list[str](), dict[Path, str]()

    def name_run(path: Path, name: str) -> None:
        if any(path.samefile(other) for other in named):
            raise InputError(f"{name}: named twice")
        named[path] = name

    for target, members in named_sweeps:
        if members is None:
            name_run(_whole_run(target, options.runs).path, target)
            continue
        above = f"{target.rstrip('/')}/" if len(named_sweeps) > 1 else ""
        for member in members.members:
            run = members.run(member)
            settings[run.path] = member.setting
            name = f"{above}{run.name}"
            known = run.manifest()
            if known.newest < 0 and known.damage is None:
                unbegun.append(name)
            else:
                name_run(run.path, name)
    if not named:
        raise RunError(f"{' '.join(options.targets)}: no generation is complete yet")
    runs = [read_run(Run(path), name) for path, name in named.items()]
    return RunsReport(group_runs(runs, options.column, settings, unbegun))


def _whole_run(target: str, runs: Path) -> Run:
    run, number = named_run(target, runs)
    if number is not None:
        raise InputError(f"{target}: only whole runs and sweeps can be compared")
    return run


INTERVALS = (
    "Means of the newest values of all runs, with 95 % intervals: of the mean over seeds (Student's t), or of a single "
    "run from its games."
)


MOST_COLUMNS = 4
"""Maximum number of settings with a column for each."""


def _groups(many: ManyRuns) -> ReportTable:
    lines = []
    for group in many.groups:
        newest = sorted({len(run.history) - 1 for run in group.runs})
        line = [group.name, str(len(group.runs)), " to ".join(map(str, sorted({newest[0], newest[-1]})))]
        for column in many.columns:
            mean = group.newest(column)
            if mean is None:
                line += ["-", ""]
            else:
                line += [_text(column, mean.value), interval_text(mean.low, mean.high, partial(_text, column))]
        games = sum(run.history.total("games") for run in group.runs)
        lines.append([*line, f"{games:,}", clock_text(sum(map(_seconds_of, group.runs)))])
    headings = [heading for column in many.columns for heading in (column, f"{column}, interval<")]
    end = 3 + len(headings)
    dispensable = (end, end + 1, *range(end - 1, 4, -1), 1, 4)  # games, time, intervals and means, seeds
    return ReportTable(("setting<", "seeds", "generation", *headings, "games", "time"), lines, dispensable)


def _runs(many: ManyRuns) -> ReportTable:
    lines = []
    for group in many.groups:
        for run in group.runs:
            values = (last(run, column) for column in many.columns)
            cells = [_text(column, one[1]) if one else "-" for column, one in zip(many.columns, values, strict=True)]
            newest, digest = len(run.history) - 1, run.manifest.digest()
            lines.append([run.name, str(run.config.seed), str(newest), *cells, digest[:16] or "-"])
    headings = ("run<", "seed", "generation", *many.columns, "digest begins with<")
    return ReportTable(headings, lines, range(len(headings) - 1, 3, -1))


def _remarks(many: ManyRuns) -> str:
    sentences = []
    if many.repeated:
        sentences.append(f"Not counted, because another run has the same setting and seed: {', '.join(many.repeated)}.")
    if many.unbegun:
        sentences.append(f"Without a complete generation: {', '.join(many.unbegun)}.")
    return " ".join(sentences)


def _differences(many: ManyRuns) -> Section:
    """Return the values that differ: a column for each of a few settings, else the settings with each value."""
    title = "What differs in configuration"
    if not many.differences:
        return Section(title, more="no difference")
    if len(many.groups) > MOST_COLUMNS:
        return Section(title, [(name, _values_text(many, values)) for name, values in many.differences.items()])
    lines = [[name, *map(value_text, values)] for name, values in many.differences.items()]
    return Section(title, table=ReportTable(("<", *(f"{group.name}<" for group in many.groups)), lines))


def _values_text(many: ManyRuns, values: list[Any]) -> str:
    by_value: dict[str, list[str]] = {}
    for group, value in zip(many.groups, values, strict=True):
        by_value.setdefault(value_text(value), []).append(group.name)
    return "; ".join(f"{value} in {', '.join(names)}" for value, names in by_value.items())


def _text(column: str, value: float) -> str:
    return shown_text(value, brief=True) if column in RATING_COLUMNS else f"{value:.4g}"


def _seconds_of(run: RunOverview) -> float:
    return float(np.nansum(run.history.numbers.get("seconds", 0.0)))


def _plain_group(many: ManyRuns, group: Group) -> dict[str, Any]:
    columns = {}
    for column in many.columns:
        newest, curve = group.newest(column), group.curve(column)
        columns[column] = {
            "newest": newest and {name: json_number(getattr(newest, name)) for name in ("value", "low", "high")},
            "seeds": 0 if newest is None else newest.count,
            "generations": list(curve),
            "mean": [json_number(each.value) for each in curve.values()],
            "low": [json_number(each.low) for each in curve.values()],
            "high": [json_number(each.high) for each in curve.values()],
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
                "seconds": _seconds_of(run),
                "digest": run.manifest.digest(),
            }
            for run in group.runs
        ],
        "columns": columns,
    }
