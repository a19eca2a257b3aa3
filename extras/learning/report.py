"""The report on a run in which one network learns."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

from evolve.inspection.contents import (
    ROWS,
    Contents,
    ReportTable,
    Section,
    describe_strength,
    how_obtained,
    openings_text,
    time_and_size,
    whole_run,
)
from evolve.inspection.phrases import interval_text, rating_text
from evolve.inspection.results import Report, plain_head, plain_row
from evolve.report.curves import DrawnCurve
from evolve.report.overview import GenerationOverview, IndividualOverview, RunOverview, read_run
from evolve.run.columns import GenerationError
from game.number_text import count_text


class LearningReport(Report):
    """A report on a run in which one network learns, or on one of its generations."""

    @cached_property
    def _run(self) -> RunOverview:
        if isinstance(self.subject, RunOverview):
            return self.subject
        of = self.subject.of if isinstance(self.subject, IndividualOverview) else self.subject
        assert of.run is not None  # files alone have reports of their own
        assert of.generation is not None
        run = read_run(of.run)
        if of.generation >= len(run.history):
            newest = len(run.history) - 1
            raise GenerationError(f"{of.run.name}: no generation {of.generation}; complete generations: 0 to {newest}")
        return run

    def run_contents(self, run: RunOverview) -> Contents:
        config, history = run.config, run.history
        spec, games = config.network, history.total("games")
        facts = [
            ("preset", f"{config.preset}, seed {config.seed}"),
            ("method", config.learning.method.describe()),
            ("network", f"{spec.name}, {spec.weights:,} weights"),
            *how_obtained(config),
            ("samples", f"{history.total('samples'):,}"),
            *([("games", f"{games:,} from {openings_text(config)}")] if games else []),
            *([("verdict", run.verdict)] if run.verdict else []),
            *time_and_size(run, "of learning"),
        ]
        newest = [*_of_log(run, run.newest), *describe_strength(self.strength)]
        sections = [
            Section("", facts),
            Section("Generations", table=_generations(run)),
            Section(f"The network of generation {run.newest:,}", newest),
            *_tables(run, run.newest),
        ]
        return whole_run(run, sections)

    def member_contents(self, subject: GenerationOverview | IndividualOverview) -> Contents:
        one = subject if isinstance(subject, IndividualOverview) else subject.individual()
        generation, spec, head = one.of.generation, one.of.spec, one.fact
        assert generation is not None and spec is not None
        facts = list[tuple[str, str]]()
        if head is not None:
            origin = f"learnt, from {' and '.join(head.parents)}" if head.parents else "the start of learning"
            facts.append(("origin", origin))
        facts += [*_of_log(self._run, generation), *describe_strength(self.strength)]
        sections = [Section("", facts), *_tables(self._run, generation)]
        if isinstance(subject, IndividualOverview):
            return Contents(one.name, "", one.of.source, sections)
        what = f"{one.name}, {spec.weights:,} weights, for {spec.name}"
        return Contents(one.of.source, "", what, sections)

    def own_values(self, run: RunOverview) -> dict[str, Any]:
        method = run.config.learning.method
        return {
            "champion": plain_head(run.champion),
            "learning": {"method": method.kind, **asdict(method)},
            "samples": run.history.total("samples"),
        }

    def place(self, generation: GenerationOverview) -> dict[str, Any]:
        assert generation.generation is not None
        return super().place(generation) | {"log": plain_row(self._run.history, generation.generation)}


def _of_log(run: RunOverview, generation: int) -> list[tuple[str, str]]:
    numbers = run.history.numbers
    games, wins, draws, losses, samples = (
        int(numbers[name][generation]) for name in ("games", "wins", "draws", "losses", "samples")
    )
    facts = [("samples", f"{samples:,}")] if samples else []
    if games:
        facts.append(("games", f"{count_text(games, 'game')}: {wins:,} won, {draws:,} drawn, {losses:,} lost"))
    for group in _alike(run.curves):
        if len(group) == 1 and group[0].title != "games":
            text = group[0].write_all(generation, sure=True)
            facts += [(group[0].title, text)] if text else []
    rating = run.history.rating(generation)
    if rating is not None:
        facts.append(("rating", f"{rating_text(rating[0])} ({interval_text(*rating[1:])})"))
    return facts


def _tables(run: RunOverview, generation: int) -> list[Section]:
    """Return a table for each group of curves whose lines have the same names, with a row per curve."""
    tables = []
    for group in _alike(run.curves):
        lines = [
            [curve.title, *(curve.write_sure(line, generation) for line in curve.lines)]
            for curve in group
            if curve.write_all(generation)
        ]
        if len(group) > 1 and len(group[0].lines) > 1 and lines:
            names, sure = [line.name for line in group[0].lines], [line.sure(generation) for line in group[0].lines]
            title = f"In generation {generation}{', with 95 % intervals by game' if any(sure) else ''}"
            dispensable = sorted(range(len(sure), 0, -1), key=lambda at: sure[at - 1])
            tables.append(Section(title, table=ReportTable(["<", *names], lines, dispensable)))
    return tables


def _generations(run: RunOverview) -> ReportTable:
    """Return a selection from the rows of the log: preferably rated generations, and always the last one."""
    history = run.history
    numbers, rating = history.numbers, history.interval("rating")
    games = history.total("games") > 0
    firsts = {curve.lines[0].column: curve for curve in reversed(run.curves)}  # of several with the same first line
    curves = [curve for curve in reversed(firsts.values()) if curve.moves and curve.title != "games"]
    first = 2 + games  # column of the first curve
    headings = ["gen", "samples", *["won/drawn/lost"] * games, *map(_heading, curves)]
    lines = []
    for generation in history.milestones(ROWS):
        line = [str(generation), f"{numbers['samples'][generation]:,.0f}"]
        if games:
            line.append("/".join(f"{numbers[name][generation]:.0f}" for name in ("wins", "draws", "losses")))
        line += [curve.write(curve.lines[0].values[generation]) for curve in curves]
        if rating:
            value, low, high = (float(each[generation]) for each in rating)
            known = not math.isnan(value)
            line += [rating_text(value) if known else "", interval_text(low, high) if known else ""]
        lines.append(line)
    dispensable = [1, *range(first + len(curves) - 1, first, -1), *range(2, first)]
    return ReportTable([*headings, *(["rating", "95 % interval<"] if rating else [])], lines, dispensable)


def _heading(curve: DrawnCurve) -> str:
    name = curve.lines[0].name
    if curve.short.endswith(f", {name}"):
        return curve.short
    return curve.title if len(curve.lines) == 1 or name == curve.title else f"{curve.title}, {name}"


def _alike(curves: Sequence[DrawnCurve]) -> list[list[DrawnCurve]]:
    """Group successive curves whose lines have the same names; such a group can be displayed as a table."""

    def names(curve: DrawnCurve) -> tuple[str, ...]:
        return tuple(line.name for line in curve.lines)

    return [list(group) for _, group in itertools.groupby(curves, names)]
