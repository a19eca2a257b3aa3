"""Reports on a subject and its games, as JSON values and as sections for readers."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.config.anchors import SCALE
from evolve.inspection import contents, terminal
from evolve.inspection.contents import Contents
from evolve.report.ancestry import Ancestor, FounderShares
from evolve.report.checked import Checked
from evolve.report.overview import GenerationOverview, IndividualOverview, RunOverview, Subject
from evolve.run import notes
from evolve.run.columns import COUNT_COLUMNS
from evolve.run.folder import LOOP
from evolve.run.log import History
from evolve.run.row_index import Head
from extras import modules

if TYPE_CHECKING:
    from evolve.inspection.games import Strength


@dataclass(frozen=True)
class Report:
    """A report on a run, a generation or an individual.

    Attributes:
        parts: further parts, each with ``name``, ``plain()`` and ``sections()``, from extras.
    """

    subject: Subject
    strength: Strength | None = None
    tree: Ancestor | None = None
    parts: tuple[Any, ...] = ()
    written: tuple[Path, ...] = ()

    @cached_property
    def checked(self) -> Checked | None:
        return next((module.check(self.subject, self.strength) for module in modules("checks")), None)

    def plain(self) -> Any:
        subject = self.subject
        if isinstance(subject, RunOverview):
            values = _of_run(self, subject)
        elif isinstance(subject, GenerationOverview):
            values = _of_generation(self, subject)
        else:
            values = _of_individual(self, subject)
        values |= {part.name: part.plain() for part in self.parts}
        return values | asdict(self.checked or Checked()) | {"written": [str(path) for path in self.written]}

    def contents(self) -> Contents:
        return replace(self._contents(), checked=self.checked)

    def _contents(self) -> Contents:
        subject = self.subject
        made = self.run_contents(subject) if isinstance(subject, RunOverview) else self.member_contents(subject)
        return replace(made, sections=[*made.sections, *(each for part in self.parts for each in part.sections())])

    def run_contents(self, run: RunOverview) -> Contents:
        return contents.of_run(run, self.strength)

    def member_contents(self, subject: GenerationOverview | IndividualOverview) -> Contents:
        if isinstance(subject, GenerationOverview):
            return contents.of_generation(subject, self.strength)
        return contents.of_individual(subject, self.strength, self.tree)

    def own_values(self, run: RunOverview) -> dict[str, Any]:
        common, born = run.common_ancestor, run.born
        return {
            "champion": plain_head(run.champion)
            | {
                "born": None if born is None else {"generation": born.generation, "name": born.name},
                **_founders(run.founders),
            },
            "survivors": [plain_head(head) for head in run.survivors] if run.by_rank else None,
            "survivors_diversity": run.diversity and asdict(run.diversity),
            "common_ancestor": None if common is None else {"generation": common.generation, "name": common.name},
        }

    def place(self, generation: GenerationOverview) -> dict[str, Any]:
        if generation.run is None or generation.generation is None:
            return {"file": generation.source}
        return {"run": str(generation.run.path), "generation": generation.generation}

    def show(self) -> None:
        terminal.show(self.contents(), self.written)


def _of_run(report: Report, run: RunOverview) -> dict[str, Any]:
    return {
        "kind": "run",
        "run": str(run.run.path),
        "scale": SCALE,
        "state": run.state,
        "generation": run.newest,
        "generations": run.config.generations,
        "preset": run.config.preset,
        "seed": run.config.seed,
        "network": run.config.network.name,
        "weights": run.config.network.weights,
        "obtained": (None if LOOP in run.made_with else run.config.obtained) or None,
        "individuals": int(run.history.numbers["individuals"][-1]),
        "games": run.history.total("games"),
        "evaluations": run.history.total("evaluations"),
        "bytes": run.size,
        "digest": run.manifest.digest(),
        "made_with": run.made_with,
        "verdict": run.verdict,
        **report.own_values(run),
        "about": asdict(notes.read_of_run(run.run)),
        "strength": _strength(report.strength),
        "log": [plain_row(run.history, number) for number in range(len(run.history))],
    }


def plain_row(log: History, generation: int) -> dict[str, Any]:
    numbers = {name: json_number(float(values[generation])) for name, values in log.numbers.items()}
    return {"champion": log.champions[generation]} | numbers


def _of_generation(report: Report, generation: GenerationOverview) -> dict[str, Any]:
    front = [generation.rows.names[row] for row in generation.pareto_front]
    return {
        "kind": "generation" if generation.run else "file",
        **report.place(generation),
        "individuals": len(generation.rows.names),
        "weights": generation.rows.weights.shape[1],
        "network": None if generation.spec is None else generation.spec.name,
        "origins": dict(generation.origins),
        "diversity": generation.diversity and asdict(generation.diversity),
        "ranking": [_individual_facts(generation, row) for row in generation.order],
        **({"pareto_front": front} if generation.weights else {}),
        "strength": _strength(report.strength),
    }


def _of_individual(report: Report, one: IndividualOverview) -> dict[str, Any]:
    return {
        "kind": "individual",
        **report.place(one.of),
        "network": None if one.of.spec is None else one.of.spec.name,
        **_individual_facts(one.of, one.row),
        "king": one.king,
        **_founders(one.founders),
        "ancestors": _tree(report.tree),
        "children": [plain_head(head) for head in one.children],
        "nearest": [{"name": name, "distance": distance} for name, distance in one.nearest],
        "strength": _strength(report.strength),
        "genome": [float(weight) for weight in one.weights],
    }


def _individual_facts(generation: GenerationOverview, row: int) -> dict[str, Any]:
    one = IndividualOverview(generation, row)
    fitness = {name: values[row] for name, values in generation.objectives.items()}
    return {"name": one.name} | (plain_head(one.fact) if one.fact is not None else {}) | fitness


def plain_head(head: Head) -> dict[str, Any]:
    known = {"name": head.name, "rank": head.rank, "origin": head.origin, "parents": head.parents}
    return known | dict(zip(COUNT_COLUMNS, head.results or (), strict=False))


def _founders(founders: FounderShares) -> dict[str, Any]:
    shares = [asdict(founder) for founder in founders.shares]
    return {"founders": shares, "founders_exact": founders.exact, "founders_of_ancestors": founders.ancestors}


def _tree(place: Ancestor | None) -> dict[str, Any] | None:
    if place is None:
        return None
    known = {} if place.fact is None else {"rank": place.fact.rank, "origin": place.fact.origin}
    parents = [_tree(parent) for parent in place.ancestors]
    return {"generation": place.generation, "name": place.name, **known, "parents": parents}


def _strength(strength: Strength | None) -> dict[str, Any] | None:
    if strength is None:
        return None
    from evolve.strength import effort, match_report

    played = {"random": strength.random, "material": strength.material}
    facts = {"player": strength.player, "search": effort.as_json(strength.how), "opponent": strength.opponent}
    return facts | {name: match_report.as_json(match) for name, match in played.items()}


def json_number(value: float) -> float | int | None:
    """Return a number for JSON: an integer if it is whole, None if it is not finite."""
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() else float(value)
