"""Reports on a cast: its map as a table and as pictures, with the traits of its members."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evolve.inspection.contents import INDIVIDUALS, Contents, ReportTable, Section
from evolve.inspection.results import Report
from evolve.report.overview import GenerationOverview, IndividualOverview, RunOverview
from evolve.run.columns import GenerationError
from extras.cast.archive import Archive, archive_of
from extras.cast.differences import TraitDifference, differences, differences_text
from extras.cast.kind import map_of, mutants_of
from extras.cast.members import read_row
from extras.cast.names import name_members
from extras.cast.trait_maps import Axis
from game.number_text import percent_text
from game.traits import TRAITS, TraitMean, sentence

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from extras.reports.figures.style import NamedFigure

LISTED = 10
"""Number of members that a report lists."""
UNKNOWN = "too few games for a sentence"
ALIKE = "nothing that is clearly more than chance"
UNLIKE = (
    "The one or two traits furthest from the mean of all members, with the member's own value: at least one standard "
    "deviation of the members, and three standard errors."
)
SAYS = "Scores against the field of the run, in %; in these games members were chosen, so their strength is flattered."
MAP = (
    "The map of the cast: scores of the members against the field, in %, by traits; empty squares have no member. "
    "Each picture is one value of the other traits."
)


class CastReport(Report):
    """A report on a run that evolves a cast, or on one of its generations."""

    def run_contents(self, run: RunOverview) -> Contents:
        contents = super().run_contents(run)
        first, *others = contents.sections
        archive = _archive(run)
        held = (
            f"{len(archive.members)} of {archive.cells.cells:,} cells, {mutants_of(run.config):,} mutants a generation"
        )
        facts = [(label, held if label == "population" else text) for label, text in first.facts]
        return replace(contents, sections=[replace(first, facts=facts), *sections(archive), *others])

    def member_contents(self, subject: GenerationOverview | IndividualOverview) -> Contents:
        contents = super().member_contents(subject)
        first, *others = contents.sections
        if not isinstance(subject, IndividualOverview):
            best = [IndividualOverview(subject, row) for row in subject.order[:INDIVIDUALS]]
            known = _apart(_members(subject))
            characters = _characters([(one.name, *known[one.row], *_character(one)) for one in best])
            return replace(contents, sections=[*contents.sections, *characters])
        cell, means = _character(subject)
        called, unlike = _apart(_members(subject.of))[subject.row]
        facts = [("called", called), ("cell", cell), ("character", sentence(means) or UNKNOWN)]
        facts.append(("unlike others", differences_text(unlike) or ALIKE))
        listed = [
            [trait.name, trait.say(mean.value), trait.unit, f"{mean.games:,}"]
            for trait, mean in zip(TRAITS, means, strict=True)
        ]
        table = ReportTable(("trait<", "mean", "unit<", "games"), listed)
        section = Section("Traits", table=table, more="From all its games against the field of the run.")
        return replace(contents, sections=[replace(first, facts=[*facts, *first.facts]), section, *others])

    def plain(self) -> Any:
        values = super().plain()
        if isinstance(self.subject, IndividualOverview):
            values |= _plain_character(self.subject, *_apart(_members(self.subject.of))[self.subject.row])
        elif isinstance(self.subject, GenerationOverview):
            known = _apart(_members(self.subject))
            members = (IndividualOverview(self.subject, row) for row in self.subject.order)
            values["ranking"] = [
                each | _plain_character(one, *known[one.row])
                for each, one in zip(values["ranking"], members, strict=True)
            ]
        return values

    def run_figures(self, run: RunOverview) -> Iterator[NamedFigure]:
        archive = _archive(run)
        yield "map", MAP, lambda: heat_map(archive)
        from extras.reports.figures import runs  # Matplotlib takes half a second

        yield from runs.of_run(run)

    def own_values(self, run: RunOverview) -> dict[str, Any]:
        archive = _archive(run)
        order = archive.best_first()
        members = [
            {
                "name": archive.members[cell].individual.name,
                "called": called,
                "cell": archive.cells.name(cell),
                "score": archive.members[cell].score,
                "games": int(archive.members[cell].counts[0]),
                "character": sentence(archive.members[cell].traits),
                "unlike": [one.plain() for one in unlike],
                "traits": _traits(archive.members[cell].traits),
            }
            for cell, (called, unlike) in zip(order, _apart_in(archive), strict=True)
        ]
        return super().own_values(run) | {"cells": archive.cells.cells, "members": members}


def _archive(run: RunOverview) -> Archive:
    rows = run.run.read_generation(run.newest, thinned=True)
    return archive_of(rows, map_of(run.config), run.config.network.king, str(run.run.generation_path(run.newest)))


def _character(one: IndividualOverview) -> tuple[str, list[TraitMean]]:
    assert one.of.run is not None
    cells = map_of(one.of.run.config(one.of.generation))
    try:
        cell, means = read_row(one.of.rows.columns, one.row, cells)
    except (ValueError, KeyError) as error:
        raise GenerationError(f"{one.source}: its row is damaged: {error}") from error
    return cells.name(cell), means


def _members(generation: GenerationOverview) -> list[Sequence[TraitMean]]:
    """Return the traits of the members of a generation, by row; those of damaged rows are unknown."""
    assert generation.run is not None
    rows, cells = generation.rows, map_of(generation.run.config(generation.generation))
    members: list[Sequence[TraitMean]] = []
    for row in range(len(rows.names)):
        try:
            members.append(read_row(rows.columns, row, cells)[1])
        except (ValueError, KeyError):
            members.append([TraitMean(math.nan, math.nan, 0)] * len(TRAITS))
    return members


def _apart(members: Sequence[Sequence[TraitMean]]) -> list[tuple[str, tuple[TraitDifference, ...]]]:
    """Return what each member is called, and what sets it apart from the others."""
    names = (name.text for name in name_members(members))
    return list(zip(names, differences(members), strict=True))


def _apart_in(archive: Archive) -> list[tuple[str, tuple[TraitDifference, ...]]]:
    return _apart([archive.members[cell].traits for cell in archive.best_first()])


def _plain_character(one: IndividualOverview, called: str, unlike: Sequence[TraitDifference]) -> dict[str, Any]:
    cell, means = _character(one)
    plain = [difference.plain() for difference in unlike]
    return {"called": called, "cell": cell, "character": sentence(means), "unlike": plain, "traits": _traits(means)}


def _characters(
    members: Sequence[tuple[str, str, Sequence[TraitDifference], str, Sequence[TraitMean]]],
) -> list[Section]:
    rows = [[name, called, cell, sentence(means) or UNKNOWN] for name, called, _, cell, means in members]
    unlike = [[name, differences_text(own) or ALIKE] for name, _, own, *_ in members]
    return [
        Section("Their characters", table=ReportTable(("member<", "called<", "cell<", "character<"), rows)),
        Section("Unlike the others", table=ReportTable(("member<", "what sets it apart<"), unlike), more=UNLIKE),
    ]


def _traits(means: Sequence[TraitMean]) -> dict[str, float | None]:
    return {trait.name: mean.value if mean.games else None for trait, mean in zip(TRAITS, means, strict=True)}


def _ranges(axis: Axis) -> list[str]:
    """Return the range of each cell along an axis as text; the first and the last are open."""
    digits = TRAITS[axis.trait].digits
    width = (axis.high - axis.low) / axis.cells
    ends = [f"{axis.low + width * number:.{max(digits, 1)}f}" for number in range(axis.cells + 1)]
    if axis.cells == 1:
        return ["all"]
    middle = [f"{ends[number]} to {ends[number + 1]}" for number in range(1, axis.cells - 1)]
    return [f"below {ends[1]}", *middle, f"from {ends[-2]}"]


def sections(archive: Archive) -> list[Section]:
    axes, order = archive.cells.axes, archive.best_first()
    squares = {cell: archive.square(cell) for cell in order}
    held = f"{len(order)} of {archive.cells.cells} cells are held."
    first, second = axes[0], axes[1] if len(axes) > 1 else None
    name = TRAITS[first.trait].name
    lines = []
    for row, text in enumerate(_ranges(first), 1):
        line = [f"{row}", text]
        for column in range(1, (second.cells if second else 1) + 1):
            here = [cell for cell, square in squares.items() if square[:2] == (row, column)[: len(axes)]]
            line.append(f"{100 * archive.members[here[0]].score:.0f} ({len(here)})" if here else "-")
        lines.append(line)
    across = [f"{TRAITS[second.trait].name}={number}" for number in range(1, second.cells + 1)] if second else ["score"]
    others = ", over all values of the other traits" if len(axes) > 2 else ""
    best = f"The best score, and the number of members{others}. {held} {SAYS}"
    listed = [
        [
            archive.members[cell].individual.name,
            percent_text(archive.members[cell].score),
            str(int(archive.members[cell].counts[0])),
            *(trait.say(mean.value) for trait, mean in zip(TRAITS, archive.members[cell].traits, strict=True)),
        ]
        for cell in order[:LISTED]
    ]
    heads = ("member<", "score", "games", *(trait.name for trait in TRAITS))
    return [
        Section("Map", table=ReportTable((name, TRAITS[first.trait].unit + "<", *across), lines), more=best),
        Section(f"The best {len(listed)} members", table=ReportTable(heads, listed, [t.name for t in TRAITS][::-1])),
        *_characters(
            [
                (archive.members[cell].individual.name, *apart, archive.cells.name(cell), archive.members[cell].traits)
                for cell, apart in zip(order[:LISTED], _apart_in(archive), strict=False)
            ]
        ),
    ]


def heat_map(archive: Archive) -> Figure:
    """Draw the best score in each square of the first two traits, once for each value of the others."""
    from extras.reports.figures import style

    axes = archive.cells.axes
    rows, columns = axes[0].cells, axes[1].cells if len(axes) > 1 else 1
    layers = list(itertools.product(*(range(1, axis.cells + 1) for axis in axes[2:])))
    across = min(len(layers), 5)
    down = math.ceil(len(layers) / across)
    figure = style.figure(max(1.6, style.WIDE / across * rows / max(columns, 1)) * down + 0.4)
    grid = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True)
    known = [100 * archive.members[cell].score for cell in archive.members]
    mesh: Any = None
    for place, panel in enumerate(grid.flat):
        if place >= len(layers):
            panel.set_axis_off()
            continue
        table = np.full((rows, columns), np.nan)
        for cell in reversed(archive.best_first()):  # the best of a square is drawn last
            row, column, *layer = (*archive.square(cell), *[1] * (len(axes) == 1))
            if tuple(layer) == layers[place]:
                table[row - 1, column - 1] = 100 * archive.members[cell].score
        edges = [np.arange(count + 1) + 0.5 for count in (columns, rows)]
        mesh = panel.pcolormesh(*edges, table, cmap="cividis", vmin=min(known), vmax=max(known) + 1e-9)
        numbers = zip(axes[2:], layers[place], strict=True)
        panel.set_title(", ".join(f"{TRAITS[axis.trait].name} {number}" for axis, number in numbers), fontsize=7)
        panel.set_xticks(range(1, columns + 1))
        panel.set_yticks(range(1, rows + 1))
    grid[-1, 0].set_xlabel(TRAITS[axes[1].trait].name if len(axes) > 1 else "")
    grid[0, 0].set_ylabel(TRAITS[axes[0].trait].name)
    figure.colorbar(mesh, ax=grid, label="score, %", fraction=0.03)
    return figure
