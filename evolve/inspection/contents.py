"""Reports as sections of facts and tables, which the terminal and the page display."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evolve.inspection.phrases import (
    distances_text,
    first_parents,
    founders_text,
    groups_text,
    interval_text,
    origins_text,
    parents_text,
    rating_text,
    results_text,
    score_text,
    value_text,
)
from evolve.report import comparison
from evolve.report.ancestry import Ancestor
from evolve.report.findings import Finding
from evolve.report.many_runs import ManyRuns
from evolve.report.overview import GenerationOverview, IndividualOverview, RunOverview
from evolve.run import notes
from evolve.run.status import ENDED
from game.networks import description
from game.networks.description import SEEN, table_names
from game.networks.kinds import square_place
from game.number_text import clock_text, count_text, megabytes_text, percent_text, signed_text

if TYPE_CHECKING:
    from evolve.config.model import Config
    from evolve.inspection.games import Strength, Tournament
    from game.networks.spec import Spec


ROWS = 14
"""Generations in the table of a run."""

PATTERNS = 8
"""Of an individual, in a table."""

SHOWN = 16
"""Individuals in the table of a generation."""


@dataclass(frozen=True)
class ReportTable:
    """Headings and rows.

    Attributes:
        headings: of the columns; one is aligned to the left if its heading ends in ``<``.
        rows: texts.
        dispensable: headings of columns that a narrow terminal leaves out, the first of them first.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    dispensable: Sequence[str] = ()


@dataclass(frozen=True)
class Sparkline:
    """A number over generations, and how its first and last value are written."""

    name: str
    values: NDArray[np.float64]
    form: str


@dataclass(frozen=True)
class Section:
    """One part of a report; what it does not have is empty.

    Attributes:
        title: above it.
        facts: names and texts.
        table: below the facts.
        more: a remark below the table.
        curves: numbers over generations.
        tree: ancestors.
        kernels: of a first layer, or tables, float64 of shape (rows, columns, filters), row 0 on the player's own side;
            NaN where there is no weight.
        kernel_names: above each of them.
    """

    title: str
    facts: Sequence[tuple[str, str]] = ()
    table: ReportTable | None = None
    more: str = ""
    curves: Sequence[Sparkline] = ()
    tree: Ancestor | None = None
    kernels: NDArray[Any] | None = None
    kernel_names: Sequence[str] = ()


@dataclass(frozen=True)
class Contents:
    """A whole report.

    Attributes:
        name: of what it is about.
        state: what is most important about it.
        detail: where it is, or what it consists of.
        sections: in order; the first has no title.
        findings: warnings; None where there are none to tell.
        looked: what was looked for.
        missed: what could not be looked for, in sentences.
    """

    name: str
    state: str
    detail: str
    sections: Sequence[Section]
    findings: Sequence[Finding] | None = field(default=None)
    looked: Sequence[str] = ()
    missed: str = ""


def of_run(
    run: RunOverview, strength: Strength | None, tournament: Tournament | None, found: Sequence[Finding]
) -> Contents:
    """A run: what it is, how it went, its champion, and what stands out."""
    config, history = run.config, run.history
    spec = config.network
    chosen = "survive" if run.by_rank else f"are chosen as parents ({config.population.selection.kind})"
    drawn = percent_text(history.total("draws") / max(history.total("games"), 1))
    facts = [
        ("preset", f"{config.preset}, seed {config.seed}"),
        *([("branched from", run.made_with["branched_from"])] if "branched_from" in run.made_with else []),
        ("network", f"{spec.name}, {spec.weights:,} weights"),
        *how_obtained(config),
        ("population", f"{int(history.numbers['individuals'][-1]):,}, of which {len(run.survivors)} {chosen}"),
        ("games", f"{history.total('games'):,} from {openings_text(config)}, {drawn} drawn"),
        *time_and_size(run, "of play"),
    ]
    sections = [
        Section("", facts),
        Section("Generations", table=_generations(run), curves=_curves(run)),
        Section(f"The champion, {run.champion.name}", _champion(run, strength)),
    ]
    if tournament is not None:
        sections.append(Section("Champions against each other", table=champions_table(tournament)))
    return whole_run(run, sections, found)


def how_obtained(config: Config) -> list[tuple[str, str]]:
    """Return how the networks of a run are obtained, as a fact; none if a plugin decides it."""
    return [("obtained", config.obtained)] if config.obtained else []


def openings_text(config: Config) -> str:
    """Where games begin."""
    return "the start position" if config.games.openings == "start" else f"{config.games.openings} ballots"


def time_and_size(run: RunOverview, spent: str) -> list[tuple[str, str]]:
    """What a run took, for what, its digest, and how it is repeated."""
    seconds = run.history.numbers.get("seconds")
    time = [] if seconds is None else [("time", f"{clock_text(float(np.nansum(seconds)))} {spent}")]
    again = comparison.repeat_command(run.run, run.config, run.made_with, run.newest)
    facts = [*time, ("on disk", megabytes_text(run.size)), ("digest", run.manifest.digest() or "-")]
    return [*facts, ("repeat", again)] if again is not None else facts


def whole_run(run: RunOverview, sections: Sequence[Section], found: Sequence[Finding]) -> Contents:
    """The report of a run: its sections, notes, state and place."""
    stars = [(f"{'★' if each.starred else ' '} {each.name}", each.text) for each in run.notes]
    about = notes.read_of_run(run.run)
    kept = [*([("tags", ", ".join(about.tags))] if about.tags else []), *([("note", about.text)] if about.text else [])]
    more = [
        *([Section("Your note on the run", kept)] if kept else []),
        _changed(run),
        *([Section("Your stars and notes", stars)] if stars else []),
    ]
    why = f" ({run.said.reason})" if run.said is not None and run.said.reason else ""
    on_cluster = run.said is not None and run.said.cluster and run.said.state not in ENDED
    where = f" on {run.said.cluster}" if run.said is not None and on_cluster else ""
    last = run.config.generations if run.said is None else run.said.generations
    state = f"{run.state}{where}{why}, generation {run.newest} of {last}"
    return Contents(run.run.name, state, str(run.run.path), [*sections, *more], found)


def _changed(run: RunOverview) -> Section:
    """The values that a run does not share with its preset, or with the run that it branched from."""
    before = run.made_with.get("branched_from", run.config.preset)
    title = f"Configuration beside {before}"
    found = comparison.differences_from_origin(run.run, run.config, run.made_with)
    if not found:
        return Section(title, more="no difference" if found is not None else "not known here")
    lines = [[each.name, value_text(each.second), value_text(each.first)] for each in found]
    return Section(title, table=ReportTable(("<", "here<", f"{before}<"), lines))


def of_generation(one: GenerationOverview, strength: Strength | None, found: Sequence[Finding]) -> Contents:
    """A generation or a file: how different its individuals are, and the best of them."""
    rows = one.rows
    network = "a network that is not known here (--network describes it)" if one.spec is None else one.spec.name
    what = "its weights were taken out" if one.thinned else f"{rows.weights.shape[1]:,} weights each, for {network}"
    facts = [("origins", origins_text(one.origins))] if one.origins else []
    if one.diversity is not None:
        facts += [
            ("distinct", f"{one.diversity.distinct:,} of {len(rows.names):,} genomes"),
            ("apart", distances_text(one.diversity)),
            ("near copies", groups_text(one.diversity.groups)),
        ]
    facts += describe_strength(strength)
    shown = one.order[:SHOWN]
    marks = {note.name: "★ " if note.starred else "• " for note in one.notes}
    lines = []
    for row in shown:
        fact = one.individual(rows.names[row]).fact
        if fact is None:
            lines.append([rows.names[row]])
        else:
            name = marks.get(fact.name, "") + fact.name
            counts = map(str, fact.results or ())
            lines.append([str(fact.rank), name, fact.origin, first_parents(fact.parents), *counts])
    ranked = rows.ranks is not None
    headings = (
        ["rank", "name<", "origin<", "parents<", "games", "won", "drawn", "lost", "points"] if ranked else ["name<"]
    )
    rest = len(rows.names) - len(shown)
    table = Section(
        "The best" if ranked else "Individuals",
        table=ReportTable(headings, lines, ("parents<", "origin<", "drawn", "lost", "won", "games") if ranked else ()),
        more=f"and {rest:,} more" if rest else "",
    )
    return Contents(one.source, count_text(len(rows.names), "individual"), what, [Section("", facts), table], found)


def of_individual(
    one: IndividualOverview, strength: Strength | None, tree: Ancestor | None, found: Sequence[Finding]
) -> Contents:
    """An individual: results, family, weights, kernels."""
    fact = one.fact
    star = "★ " if one.note is not None and one.note.starred else ""
    facts = [("note", one.note.text)] if one.note is not None and one.note.text else []
    if fact is not None:
        facts += [("came about", parents_text(fact)), ("results", results_text(fact))]
    facts += describe_strength(strength)
    if one.king is not None:
        facts.append(("king", f"worth {one.king:.3f} men"))
    if one.founders.shares:
        facts.append(("founders", founders_text(one.founders)))
    if one.children:
        best = ", ".join(f"{child.name} (rank {child.rank})" for child in one.children[:3])
        facts.append(("children", f"{len(one.children)} in the next generation; the best: {best}"))
    if one.nearest:
        facts.append(("most alike", ", ".join(f"{name} ({distance:.2f} apart)" for name, distance in one.nearest[:3])))
    sections = [Section("", facts)]
    if tree is not None and tree.ancestors:
        sections.append(Section("Ancestors", tree=tree))
    sections += describe_weights(one)
    state = "" if fact is None else f"rank {fact.rank} of {len(one.of.rows.names):,}"
    return Contents(star + one.name, state, one.of.source, sections, found)


def describe_weights(one: IndividualOverview) -> list[Section]:
    """What the weights of an individual are like; nothing if they were not kept."""
    sections = []
    if one.parts:
        lines = []
        for part in one.parts:
            numbers = (f"{value:.3f}" for value in (part.low, part.mean, part.high, part.deviation))
            lines.append([part.name, f"{part.weights:,}", *numbers])
        headings = ("part<", "weights", "smallest", "mean", "largest", "deviation")
        table = ReportTable(headings, lines, ("deviation", "mean", "weights"))
        sections.append(Section("Weights", table=table))
    if one.of.spec is not None and one.weights.size:
        sections += _pictured(one.of.spec, one.weights.astype(np.float64))
    return sections


def _pictured(spec: Spec, weights: NDArray[np.float64]) -> list[Section]:
    """Weights in rows and columns: tables, and the kernels of a first layer."""
    found = []
    if spec.tables:
        names = table_names(spec)
        boards = np.full((8, 8, len(names)), np.nan)
        for square in range(32):
            boards[square_place(square)] = spec.parts[0].of(weights).reshape(-1, 32)[:, square]
        found.append(Section("Tables", kernels=boards, kernel_names=names))
    if spec.patterns:
        found.append(_patterns(spec, weights))
    if spec.layers and spec.layers[0].kind == "convolution":
        kernels = spec.layer_parts(0)[0].of(weights)
        planes, filters = kernels.shape[2:]
        names = [f"{plane} {filter + 1}" for plane in SEEN for filter in range(filters)] if planes > 1 else []
        found.append(Section("First kernels", kernels=kernels.reshape(*kernels.shape[:2], -1), kernel_names=names))
    return found


def _patterns(spec: Spec, weights: NDArray[np.float64]) -> Section:
    used, there = description.count_used(spec, weights)
    lines = []
    for each in description.find_strongest(spec, weights, PATTERNS):
        squares = (description.squares_text(some) or "none" for some in (each.own, each.theirs, each.empty))
        lines.append([signed_text(each.value, 3), f"{each.pieces:.3g}", *squares])
    headings = ("worth", "pieces", "own men on<", "their men on<", "no men on<")
    return Section(
        "Patterns",
        [("in use", f"{used:,} of {there:,}")],
        ReportTable(headings, lines, ("no men on<", "pieces")) if lines else None,
        more="those of the largest worth, for Black to move" if lines else "",
    )


def of_comparison(first: RunOverview, second: RunOverview) -> Contents:
    """Two runs: only what differs."""
    same = comparison.same_generations(first, second)
    until = f"up to generation {same - 1}" if same else "not even generation 0"
    at = min(first.newest, second.newest)
    sections = [Section("", [("the same", f"{until}, by their checksums" if same else until)])]
    for title, found in (
        ("Configuration", comparison.configurations(first.config, second.config)),
        (f"Results at generation {at}", comparison.results(first, second)),
    ):
        lines = [[each.name, value_text(each.first), value_text(each.second)] for each in found]
        headings = ("<", f"{first.run.name}<", f"{second.run.name}<")
        table = ReportTable(headings, lines) if lines else None
        sections.append(Section(title, table=table, more="" if lines else "no difference"))
    return Contents(f"{first.run.name} and {second.run.name}", "", "only what differs", sections)


def _generations(run: RunOverview) -> ReportTable:
    """The log in some rows: rated champions first, and the last."""
    numbers, rating = run.history.numbers, run.history.interval("rating")
    headings = ["gen", "champion<", "origin<", "points b/m/w", "drawn", "distinct", "diversity"]
    lines = []
    for generation in run.history.milestones(ROWS):
        best, mean, worst = (numbers[f"{name}_points"][generation] for name in ("best", "mean", "worst"))
        line = [
            str(generation),
            run.history.champions[generation],
            run.pedigree.head(generation)[0].origin,
            f"{best:.0f}/{mean:.1f}/{worst:.0f}",
            percent_text(numbers["draws"][generation] / max(numbers["games"][generation], 1)),
            f"{numbers['distinct'][generation]:,.0f}",
            f"{numbers['diversity'][generation]:.3f}",
        ]
        if rating:
            value, low, high = (float(each[generation]) for each in rating)
            line += [rating_text(value), interval_text(low, high)]
        lines.append(line)
    headings += ["rating", "95 % interval<"] if rating else []
    return ReportTable(headings, lines, ("distinct", "drawn", "origin<", "diversity", "points b/m/w", "champion<"))


def _curves(run: RunOverview) -> list[Sparkline]:
    """What changes over generations; nothing for a few of them."""
    if run.newest < 3:
        return []
    numbers, rating = run.history.numbers, run.history.interval("rating")
    drawn = 100 * numbers["draws"] / np.maximum(numbers["games"], 1)
    found = [Sparkline("diversity", numbers["diversity"], "{:.2f}"), Sparkline("drawn", drawn, "{:.0f} %")]
    return [*found, Sparkline("rating", rating[0], "{:.0f}")] if rating else found


def _champion(run: RunOverview, strength: Strength | None) -> list[tuple[str, str]]:
    born, common = run.born, run.common_ancestor
    came = parents_text(run.champion)
    if born is not None and born.fact is not None and born.generation < run.newest:
        came = f"in generation {born.generation} as {born.name}, {parents_text(born.fact)}"
    facts = [("came about", came), ("results", results_text(run.champion)), *describe_strength(strength)]
    facts.append(("founders", founders_text(run.founders)))
    if common is not None:
        ago = run.newest - common.generation
        back = "of this very generation" if ago == 0 else f"{count_text(ago, 'generation')} back"
        facts.append(("survivors", f"all {len(run.survivors)} descend from {common.name}, {back}"))
    return facts


def describe_strength(strength: Strength | None) -> list[tuple[str, str]]:
    """Scores against the plain players; nothing if no games were played."""
    if strength is None:
        return []
    from evolve.strength import effort

    how = effort.describe(strength.how)
    return [
        ("against random", score_text(strength.random, how)),
        ("against material", score_text(strength.material, how)),
    ]


def champions_table(tournament: Tournament) -> ReportTable:
    """The champions of a run and their results."""
    from evolve.strength import effort

    lines = [
        [
            str(champion.generation),
            champion.name,
            rating_text(rating.value),
            interval_text(rating.low, rating.high),
            effort.text(nodes),
            percent_text(strength.random.estimate.score),
            percent_text(strength.material.estimate.score),
        ]
        for champion, rating, nodes, strength in zip(
            tournament.champions, tournament.ratings, tournament.nodes, tournament.strengths, strict=True
        )
    ]
    headings = ("gen", "champion<", "Elo", "95 % interval<", "nodes a move", "against random", "against material")
    return ReportTable(headings, lines, ("against random", "against material", "nodes a move", "champion<"))


INTERVALS = (
    "Of each run the newest value. Over three seeds or more a mean with its 95 % interval (Student's t), over two the "
    "lowest to the highest end of the intervals of their own games, of one its own interval."
)


def of_many_runs(many: ManyRuns) -> Contents:
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
        lines.append([*line, f"{games:,}", clock_text(sum(map(seconds_of, group.runs)))])
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


def seconds_of(run: RunOverview) -> float:
    """Return the seconds that all generations of a run took."""
    return float(np.nansum(run.history.numbers.get("seconds", 0.0)))
