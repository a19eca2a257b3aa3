"""The contents of reports: sections of facts and tables, for the terminal and for HTML pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

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
)
from evolve.report.ancestry import Ancestor
from evolve.report.checked import Checked
from evolve.report.overview import GenerationOverview, IndividualOverview, RunOverview
from evolve.run import notes
from evolve.run.folder import LOOP
from evolve.run.status import ENDED
from game.number_text import clock_text, count_text, megabytes_text, percent_text

if TYPE_CHECKING:
    from evolve.config.model import Config
    from evolve.inspection.games import Strength


ROWS = 14
"""Maximum number of generations in the table of a run."""

INDIVIDUALS = 16
"""Maximum number of individuals in the table of a generation."""


@dataclass(frozen=True)
class ReportTable:
    """A table.

    Attributes:
        dispensable: numbers of columns that a narrow terminal omits, in this order.
        shields: names of players whose emblems a page has in cells, by row and column.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    dispensable: Sequence[int] = ()
    shields: Mapping[tuple[int, int], str] = field(default_factory=dict)

    def kept(self, widths: Sequence[int], room: int, gap: int) -> list[int]:
        """Return the columns that are shown in a width, without as many dispensable ones as do not fit."""
        kept = list(range(len(widths)))
        for column in self.dispensable:
            if sum(widths[at] + gap for at in kept) - gap > room:
                kept.remove(column)
        return kept


@dataclass(frozen=True)
class Section:
    """One part of a report; its elements are optional.

    Attributes:
        more: a remark below the table.
        leads: whether the page of a run begins with it.
    """

    title: str
    facts: Sequence[tuple[str, str]] = ()
    table: ReportTable | None = None
    more: str = ""
    tree: Ancestor | None = None
    leads: bool = False


@dataclass(frozen=True)
class Contents:
    """The contents of a report, with its warnings if there are checks."""

    name: str
    state: str
    detail: str
    sections: Sequence[Section]
    checked: Checked | None = None
    folder: str = ""


def of_run(run: RunOverview, strength: Strength | None) -> Contents:
    config, history = run.config, run.history
    spec = config.network
    chosen = "survive" if run.by_rank else f"are chosen as parents ({config.population.selection.kind})"
    drawn = percent_text(history.total("draws") / max(history.total("games"), 1))
    size, of_own_loop = int(history.numbers["individuals"][-1]), LOOP in run.made_with
    population = f"{size:,}" + ("" if of_own_loop else f", of which {len(run.survivors)} {chosen}")
    facts = [
        *([("made by", "a user's own loop; only that loop can continue the run")] if of_own_loop else []),
        ("games as in" if of_own_loop else "preset", f"{config.preset}, seed {config.seed}"),
        *([("branched from", run.made_with["branched_from"])] if "branched_from" in run.made_with else []),
        ("network", f"{spec.name}, {spec.weights:,} weights"),
        *([] if of_own_loop else how_obtained(config)),
        *([("population", population)] if run.kind.breeds else []),
        ("games", f"{history.total('games'):,} from {openings_text(config)}, {drawn} drawn"),
        *([("verdict", run.verdict)] if run.verdict else []),
        *time_and_size(run, "of play"),
    ]
    if not run.kind.breeds:  # the extra that made it reports on its generations
        newest = Section(f"The network of generation {run.newest:,}", describe_strength(strength))
        return whole_run(run, [Section("", facts), newest])
    sections = [
        Section("", facts),
        Section("Generations", table=_generations(run)),
        Section(f"The champion of generation {run.newest:,}", _champion(run, strength)),
    ]
    return whole_run(run, sections)


def how_obtained(config: Config) -> list[tuple[str, str]]:
    return [("obtained", config.obtained)] if config.obtained else []


def openings_text(config: Config) -> str:
    return "the start position" if config.games.openings == "start" else f"{config.games.openings} ballots"


def time_and_size(run: RunOverview, spent: str) -> list[tuple[str, str]]:
    """Return the time of a run (`spent` says on what), its size and digest."""
    seconds = run.history.numbers.get("seconds")
    time = [] if seconds is None else [("time", f"{clock_text(float(np.nansum(seconds)))} {spent}")]
    return [*time, ("on disk", megabytes_text(run.size)), ("digest", run.manifest.digest() or "-")]


def whole_run(run: RunOverview, sections: Sequence[Section]) -> Contents:
    """Return the report on a run: the given sections, with the note on it, state and path."""
    about = notes.read_of_run(run.run)
    kept = [*([("tags", ", ".join(about.tags))] if about.tags else []), *([("note", about.text)] if about.text else [])]
    more = [Section("Your note on the run", kept)] if kept else []
    why = f" ({run.status.reason})" if run.status is not None and run.status.reason else ""
    on_cluster = run.status is not None and run.status.cluster and run.status.state not in ENDED
    where = f" on {run.status.cluster}" if run.status is not None and on_cluster else ""
    last = run.config.generations if run.status is None else run.status.generations
    state = f"{run.state}{where}{why}, generation {run.newest} of {last}"
    return Contents(run.run.name, state, "", [*sections, *more], folder=str(run.run.path))


def of_generation(one: GenerationOverview, strength: Strength | None) -> Contents:
    rows = one.rows
    network = "an unknown network (--network describes it)" if one.spec is None else one.spec.name
    what = "only the champion has weights" if one.thinned else f"{rows.weights.shape[1]:,} weights each, for {network}"
    facts = [("origins", origins_text(one.origins))] if one.origins else []
    if one.diversity is not None:
        facts += [
            ("distinct", f"{one.diversity.distinct:,} of {len(rows.names):,} genomes"),
            ("apart", distances_text(one.diversity)),
            ("near copies", groups_text(one.diversity.groups)),
        ]
    facts += describe_strength(strength)
    if front := one.pareto_front:
        names = ", ".join(rows.names[row] for row in front[:INDIVIDUALS])
        facts.append(("Pareto front", f"{count_text(len(front), 'individual')}: {names}"))
    best = one.order[:INDIVIDUALS]
    lines = []
    for row in best:
        fact = one.individual(rows.names[row]).fact
        if fact is None:
            lines.append([rows.names[row]])
        else:
            counts = map(str, fact.results or ())
            fitness = [f"{values[row]:.4g}" for values in one.objectives.values()]
            lines.append([str(fact.rank), fact.name, fact.origin, first_parents(fact.parents), *counts, *fitness])
    ranked = rows.ranks is not None
    headings = (
        ["rank", "name<", "origin<", "parents<", "games", "won", "drawn", "lost", "points"] if ranked else ["name<"]
    )
    dispensable = ("parents<", "origin<", "drawn", "lost", "won", "games") if ranked else ()
    headings += [*one.objectives]
    rest = len(rows.names) - len(best)
    table = Section(
        "The best" if ranked else "Individuals",
        table=ReportTable(headings, lines, [*map(headings.index, dispensable)]),
        more=f"and {rest:,} more" if rest else "",
    )
    return Contents(one.source, count_text(len(rows.names), "individual"), what, [Section("", facts), table])


def of_individual(one: IndividualOverview, strength: Strength | None, tree: Ancestor | None) -> Contents:
    fact = one.fact
    facts = [] if fact is None else [("origin", parents_text(fact)), ("results", results_text(fact))]
    facts += describe_strength(strength)
    if one.king is not None:
        facts.append(("king", f"worth {one.king:.3f} men"))
    if one.founders.shares:
        facts.append(("founders", founders_text(one.founders)))
    if one.children:
        best = ", ".join(f"{child.name} (rank {child.rank})" for child in one.children[:3])
        facts.append(("children", f"{len(one.children)} in the next generation; the best: {best}"))
    if one.nearest:
        facts.append(("nearest", ", ".join(f"{name} (distance {distance:.2f})" for name, distance in one.nearest[:3])))
    sections = [Section("", facts)]
    if tree is not None and tree.ancestors:
        sections.append(Section("Ancestors", tree=tree))
    state = "" if fact is None else f"rank {fact.rank} of {len(one.of.rows.names):,}"
    return Contents(one.name, state, one.of.source, sections)


def _generations(run: RunOverview) -> ReportTable:
    numbers, rating = run.history.numbers, run.history.interval("rating")
    headings = ["gen", "champion<", "origin<", "best/mean/worst", "drawn", "distinct", "diversity"]
    lines = []
    for generation in run.history.milestones(ROWS):
        best, mean, worst = (numbers[f"{name}_points"][generation] for name in ("best", "mean", "worst"))
        line = [
            str(generation),
            run.history.champions[generation],
            run.pedigree.head(generation)[0].origin,
            f"{best:.0f} / {mean:.1f} / {worst:.0f}",
            percent_text(numbers["draws"][generation] / max(numbers["games"][generation], 1)),
            f"{numbers['distinct'][generation]:,.0f}",
            f"{numbers['diversity'][generation]:.3f}",
        ]
        if rating:
            value, low, high = (float(column[generation]) for column in rating)
            line += [rating_text(value), interval_text(low, high)]
        lines.append(line)
    headings += ["rating", "95 % interval<"] if rating else []
    dispensable = ("distinct", "drawn", "origin<", "diversity", "best/mean/worst", "champion<")
    return ReportTable(headings, lines, [*map(headings.index, dispensable)])


def _champion(run: RunOverview, strength: Strength | None) -> list[tuple[str, str]]:
    born, common = run.born, run.common_ancestor
    came = parents_text(run.champion)
    if born is not None and born.fact is not None and born.generation < run.newest:
        came = f"in generation {born.generation} as {born.name}, {parents_text(born.fact)}"
    results = results_text(run.champion)
    facts = [("name", run.champion.name), ("origin", came), ("results", results), *describe_strength(strength)]
    facts.append(("founders", founders_text(run.founders)))
    if common is not None:
        ago = run.newest - common.generation
        back = "of this generation" if ago == 0 else f"{count_text(ago, 'generation')} back"
        facts.append(("survivors", f"all {len(run.survivors)} descend from {common.name}, {back}"))
    return facts


def describe_strength(strength: Strength | None) -> list[tuple[str, str]]:
    if strength is None:
        return []
    from evolve.strength import effort

    how = effort.describe(strength.how)
    return [
        ("against random", score_text(strength.random, how)),
        ("against material", score_text(strength.material, how)),
    ]
