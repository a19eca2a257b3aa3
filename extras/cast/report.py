"""Reports on a cast: its map as a table, with the traits of its members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from evolve.inspection.contents import INDIVIDUALS, Contents, ReportTable, Section
from evolve.inspection.results import Report
from evolve.report.overview import GenerationOverview, IndividualOverview, RunOverview
from evolve.run.columns import GenerationError
from evolve.run.generation_csv import Generation
from extras.cast.differences import TraitDifference, differences, differences_text
from extras.cast.kind import map_of, mutants_of
from extras.cast.members import held_rows, score_of
from extras.cast.names import name_members
from extras.cast.trait_maps import Axis, TraitMap
from game.number_text import percent_text
from game.traits import TRAITS, TraitMean, sentence

LISTED = 10
"""Number of members that a report lists."""
UNKNOWN = "too few games for a sentence"
ALIKE = "nothing that is clearly more than chance"
SAYS = "Scores against the field of the run, in %; in these games members were chosen, so their strength is flattered."


@dataclass(frozen=True)
class ReportedMember:
    """A member as reports describe it.

    Attributes:
        cell: such as ``back-row=4,pieces=3``.
        square: where tables and pictures have it, from 1 for each axis.
        score: its share of the points, from 0 to 1.
        called: its name among the characters.
    """

    name: str
    cell: str
    square: tuple[int, ...]
    traits: Sequence[TraitMean]
    score: float
    games: int
    called: str
    unlike: tuple[TraitDifference, ...]

    @property
    def character(self) -> str:
        return sentence(self.traits) or UNKNOWN

    def plain(self) -> dict[str, Any]:
        return {
            "called": self.called,
            "cell": self.cell,
            "character": sentence(self.traits),
            "unlike": [one.plain() for one in self.unlike],
            "traits": {
                trait.name: mean.value if mean.games else None for trait, mean in zip(TRAITS, self.traits, strict=True)
            },
        }


def reported(rows: Generation, cells: TraitMap, source: str) -> list[ReportedMember]:
    """Return the members in the rows of a generation, the best first.

    Raises:
        GenerationError: a column is missing, or a row is damaged.
    """
    held, damaged = held_rows(rows, cells, source)
    if damaged:
        raise GenerationError(f"{source}: {damaged[0]}")
    assert rows.counts is not None  # the map has been read
    traits, counts = [one.traits for one in held], rows.counts.tolist()
    return [
        ReportedMember(
            name=rows.names[one.row],
            cell=cells.name(one.cell),
            square=one.cell,
            traits=one.traits,
            score=score_of(counts[one.row]),
            games=counts[one.row][0],
            called=name.text,
            unlike=unlike,
        )
        for one, name, unlike in zip(held, name_members(traits), differences(traits), strict=True)
    ]


class CastReport(Report):
    def run_contents(self, run: RunOverview) -> Contents:
        contents = super().run_contents(run)
        first, *others = contents.sections
        members, cells = _newest(run), map_of(run.config)
        held = f"{len(members)} of {cells.cells:,} cells, {mutants_of(run.config):,} mutants a generation"
        facts = [(label, held if label == "population" else text) for label, text in first.facts]
        return replace(
            contents,
            sections=[
                replace(first, facts=facts),
                *sections(members, cells, f"{run.run.player_name}@{run.newest}"),
                *others,
            ],
        )

    def member_contents(self, subject: GenerationOverview | IndividualOverview) -> Contents:
        contents = super().member_contents(subject)
        first, *others = contents.sections
        if not isinstance(subject, IndividualOverview):
            characters = _characters(_members(subject)[:INDIVIDUALS])
            return replace(contents, sections=[*contents.sections, characters])
        one = _member(subject)
        facts = [("called", one.called), ("cell", one.cell), ("character", one.character)]
        facts.append(("unlike others", differences_text(one.unlike) or ALIKE))
        listed = [
            [trait.name, trait.say(mean.value), trait.unit, f"{mean.games:,}"]
            for trait, mean in zip(TRAITS, one.traits, strict=True)
        ]
        table = ReportTable(("trait<", "mean", "unit<", "games"), listed)
        section = Section("Traits", table=table, more="From all its games against the field of the run.")
        return replace(contents, sections=[replace(first, facts=[*facts, *first.facts]), section, *others])

    def plain(self) -> Any:
        values = super().plain()
        if isinstance(self.subject, IndividualOverview):
            values |= _member(self.subject).plain()
        elif isinstance(self.subject, GenerationOverview):
            pairs = zip(values["ranking"], _members(self.subject), strict=True)
            values["ranking"] = [each | one.plain() for each, one in pairs]
        return values

    def own_values(self, run: RunOverview) -> dict[str, Any]:
        members = [{"name": one.name, "score": one.score, "games": one.games} | one.plain() for one in _newest(run)]
        return super().own_values(run) | {"cells": map_of(run.config).cells, "members": members}


def _newest(run: RunOverview) -> list[ReportedMember]:
    rows = run.run.read_generation(run.newest, thinned=True)
    return reported(rows, map_of(run.config), str(run.run.generation_path(run.newest)))


def _members(generation: GenerationOverview) -> list[ReportedMember]:
    assert generation.run is not None
    return reported(generation.rows, map_of(generation.run.config(generation.generation)), generation.source)


def _member(one: IndividualOverview) -> ReportedMember:
    return next(member for member in _members(one.of) if member.name == one.name)


def _characters(members: Sequence[ReportedMember], generation: str = "") -> Section:
    rows = [[one.name, percent_text(one.score), str(one.games), one.called, one.cell, one.character] for one in members]
    headings = ("member<", "score", "games", "called<", "cell<", "character<")
    shields = {(row, 3): f"{generation}:{one.name}" for row, one in enumerate(members) if generation}
    return Section(f"The best {len(rows)} members", table=ReportTable(headings, rows, (), shields), leads=True)


def _ranges(axis: Axis) -> list[str]:
    """Return the range of each cell along an axis as text; the first and the last are open."""
    digits = TRAITS[axis.trait].digits
    width = (axis.high - axis.low) / axis.cells
    ends = [f"{axis.low + width * number:.{max(digits, 1)}f}" for number in range(axis.cells + 1)]
    if axis.cells == 1:
        return ["all"]
    middle = [f"{ends[number]} to {ends[number + 1]}" for number in range(1, axis.cells - 1)]
    return [f"below {ends[1]}", *middle, f"from {ends[-2]}"]


def sections(members: Sequence[ReportedMember], cells: TraitMap, generation: str) -> list[Section]:
    """Return the map and the best members; `generation` is the name of the player of their generation."""
    axes, held = cells.axes, f"{len(members)} of {cells.cells} cells are held."
    first, second = axes[0], axes[1] if len(axes) > 1 else None
    name = TRAITS[first.trait].name
    lines, shields = [], {}
    for row, text in enumerate(_ranges(first), 1):
        line = [f"{row}", text]
        for column in range(1, (second.cells if second else 1) + 1):
            here = [one for one in members if one.square[:2] == (row, column)[: len(axes)]]
            line.append(f"{100 * here[0].score:.0f} ({len(here)})" if here else "-")
            if here:
                shields[row - 1, column + 1] = f"{generation}:{here[0].name}"
        lines.append(line)
    across = [f"{TRAITS[second.trait].name} 1", *map(str, range(2, second.cells + 1))] if second else ["score"]
    others = ", over all values of the other traits" if len(axes) > 2 else ""
    best = f"The best score, and the number of members{others}. {held} {SAYS}"
    table = ReportTable((name, TRAITS[first.trait].unit + "<", *across), lines, (0,), shields)
    return [Section("Map", table=table, more=best, leads=True), _characters(members[:LISTED], generation)]
