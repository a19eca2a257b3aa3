"""Reports on runs in which one network learns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from evolve.inspection.contents import (
    ROWS,
    Contents,
    ReportTable,
    Section,
    Sparkline,
    champions_table,
    describe_strength,
    describe_weights,
    how_obtained,
    openings_text,
    time_and_size,
    whole_run,
)
from evolve.inspection.phrases import interval_text, rating_text
from evolve.report.curves import Course, DrawnCurve, alike, without_repeats
from evolve.report.findings import Finding
from evolve.report.overview import IndividualOverview, RunOverview
from game.number_text import count_text

if TYPE_CHECKING:
    from evolve.inspection.games import Strength, Tournament

FEWEST_TO_DRAW = 4
"""Curves are drawn from this number of generations on."""


def of_run(
    run: RunOverview,
    course: Course,
    strength: Strength | None,
    tournament: Tournament | None,
    warnings: Sequence[Finding],
) -> Contents:
    """Return the report of a run: its method, its course and the newest network."""
    config, history = run.config, run.history
    spec, games = config.network, history.total("games")
    facts = [
        ("preset", f"{config.preset}, seed {config.seed}"),
        ("method", config.learning.method.describe()),
        ("network", f"{spec.name}, {spec.weights:,} weights"),
        *how_obtained(config),
        ("samples", f"{history.total('samples'):,}"),
        *([("games", f"{games:,} from {openings_text(config)}")] if games else []),
        *time_and_size(run, "of learning"),
    ]
    shown = [] if run.newest + 1 < FEWEST_TO_DRAW else _sparklines(course)
    newest = [*_of_log(course, run.newest), *describe_strength(strength)]
    sections = [
        Section("", facts),
        Section("Generations", table=_generations(course), curves=shown),
        Section(f"The newest network, {run.champion.name}", newest),
        *_tables(course, run.newest),
    ]
    if tournament is not None:
        sections.append(Section("Generations against each other", table=champions_table(tournament)))
    return whole_run(run, sections, warnings)


def of_generation(
    one: IndividualOverview, course: Course, strength: Strength | None, warnings: Sequence[Finding], *, named: bool
) -> Contents:
    """Return the report of a generation, which is one network: its origin, its row of the log, its weights.

    Args:
        one: the network.
        course: of its run.
        strength: its games against fixed opponents.
        warnings: about it.
        named: whether the report was asked for by the name of the network.
    """
    assert one.of.generation is not None
    fact, note = one.fact, one.note
    facts = [("note", note.text)] if note is not None and note.text else []
    if fact is not None:
        origin = f"learnt, from {' and '.join(fact.parents)}" if fact.parents else "the start of learning"
        facts.append(("origin", origin))
    facts += [*_of_log(course, one.of.generation), *describe_strength(strength)]
    sections = [Section("", facts), *_tables(course, one.of.generation), *describe_weights(one)]
    spec = one.of.spec
    assert spec is not None  # of a run
    what = f"{one.name}, {spec.weights:,} weights, for {spec.name}"
    if named:
        star = "★ " if note is not None and note.starred else ""
        return Contents(star + one.name, "", one.of.source, sections, warnings)
    return Contents(one.of.source, "", what, sections, warnings)


def _of_log(course: Course, generation: int) -> list[tuple[str, str]]:
    """Return facts of a generation from the log, without the curves that are displayed as tables."""
    numbers = course.history.numbers
    games, wins, draws, losses, samples = (
        int(numbers[name][generation]) for name in ("games", "wins", "draws", "losses", "samples")
    )
    facts = [("samples", f"{samples:,}")] if samples else []
    if games:
        facts.append(("games", f"{count_text(games, 'game')}: {wins:,} won, {draws:,} drawn, {losses:,} lost"))
    for group in alike(course.curves):
        if len(group) == 1 and group[0].title != "games":
            text = group[0].write_all(generation, sure=True)
            facts += [(group[0].title, text)] if text else []
    rating = course.history.rating(generation)
    if rating is not None:
        facts.append(("rating", f"{rating_text(rating[0])} ({interval_text(*rating[1:])})"))
    return facts


def _tables(course: Course, generation: int) -> list[Section]:
    """Return tables of curves whose lines have the same names, with a row for each curve."""
    tables = []
    for group in alike(course.curves):
        lines = [
            [curve.title, *(curve.write_sure(line, generation) for line in curve.lines)]
            for curve in group
            if curve.write_all(generation)
        ]
        if len(group) > 1 and len(group[0].lines) > 1 and lines:
            sure = {line.name: line.sure(generation) for line in group[0].lines}
            title = f"In generation {generation}{', with 95 % intervals by game' if any(sure.values()) else ''}"
            dispensable = sorted(reversed(sure), key=lambda name: sure[name])
            tables.append(Section(title, table=ReportTable(["<", *sure], lines, dispensable)))
    return tables


def _generations(course: Course) -> ReportTable:
    """Return selected rows of the log: preferably rated generations, and the last one."""
    history = course.history
    numbers, rating = history.numbers, history.interval("rating")
    games = history.total("games") > 0
    curves = [curve for curve in without_repeats(course.curves) if curve.moves and curve.title != "games"]
    headings = ["gen", "samples", *(["won/drawn/lost"] if games else []), *map(_heading, curves)]
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
    dispensable = ["samples", *map(_heading, curves[:0:-1]), *(["won/drawn/lost"] if games else [])]
    return ReportTable([*headings, *(["rating", "95 % interval<"] if rating else [])], lines, dispensable)


def _heading(curve: DrawnCurve) -> str:
    """Return the heading for the first line of a curve."""
    name = curve.lines[0].name
    if curve.short.endswith(f", {name}"):
        return curve.short
    return curve.title if len(curve.lines) == 1 or name == curve.title else f"{curve.title}, {name}"


def _sparklines(course: Course) -> list[Sparkline]:
    """Return the curves that change over generations."""
    sparklines = []
    for curve in without_repeats(course.curves):
        values = np.array(curve.lines[0].values)
        if curve.moves:
            sparklines.append(
                Sparkline(_heading(curve), values, "{:.1f} %")
                if curve.percent
                else Sparkline(_heading(curve), values, "{:.3g}")
            )
    rating = course.history.interval("rating")
    return [*sparklines, Sparkline("rating", rating[0], "{:.0f}")] if rating else sparklines
