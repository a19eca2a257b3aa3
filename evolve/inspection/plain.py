"""Reports as plain values, for JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from evolve.report import comparison
from evolve.report.ancestry import Ancestor, Founders
from evolve.report.findings import Finding
from evolve.report.overview import GenerationOverview, IndividualOverview, RunOverview
from evolve.run import notes
from evolve.run.columns import COUNT_COLUMNS
from evolve.run.log import History
from evolve.run.row_index import Head

if TYPE_CHECKING:
    from evolve.inspection.games import Strength, Tournament


def of_run(run: RunOverview, strength: Strength | None, tournament: Tournament | None, found: Sequence[Finding]) -> Any:
    """A run; its log as one object a generation, with the columns that it has."""
    changed = comparison.differences_from_origin(run.run, run.config, run.made_with)
    return {
        "kind": "run",
        "run": str(run.run.path),
        "state": run.state,
        "generation": run.newest,
        "generations": run.config.generations,
        "preset": run.config.preset,
        "seed": run.config.seed,
        "network": run.config.network.name,
        "weights": run.config.network.weights,
        "obtained": run.config.obtained or None,
        "individuals": int(run.history.numbers["individuals"][-1]),
        "games": run.history.total("games"),
        "evaluations": run.history.total("evaluations"),
        "bytes": run.size,
        "digest": run.manifest.digest(),
        "made_with": run.made_with,
        "changed": None if changed is None else [asdict(each) for each in changed],
        "repeat": comparison.repeat_command(run.run, run.config, run.made_with, run.newest),
        **(_learnt(run) if run.course is not None else _evolved(run)),
        "about": asdict(notes.read_of_run(run.run)),
        "notes": [asdict(note) for note in run.notes],
        "strength": _strength(strength),
        "champions": _tournament(tournament),
        "findings": _findings(found),
        "log": [_row(run.history, number) for number in range(len(run.history))],
    }


def _row(log: History, generation: int) -> dict[str, Any]:
    numbers = {name: number(float(values[generation])) for name, values in log.numbers.items()}
    return {"champion": log.champions[generation]} | numbers


def _evolved(run: RunOverview) -> dict[str, Any]:
    """What only a population has."""
    common, born = run.common_ancestor, run.born
    return {
        "champion": _fact(run.champion)
        | {
            "born": None if born is None else {"generation": born.generation, "name": born.name},
            **_founders(run.founders),
        },
        "survivors": [_fact(fact) for fact in run.survivors] if run.by_rank else None,
        "survivors_diversity": run.diversity and asdict(run.diversity),
        "common_ancestor": None if common is None else {"generation": common.generation, "name": common.name},
    }


def _learnt(run: RunOverview) -> dict[str, Any]:
    """What only a network that learns has; all numbers of its method are in the log."""
    method = run.config.learning.method
    return {
        "champion": _fact(run.champion),
        "learning": {"method": method.kind, **asdict(method)},
        "samples": run.history.total("samples"),
    }


def of_generation(generation: GenerationOverview, strength: Strength | None, found: Sequence[Finding]) -> Any:
    """A generation of a run, or a file."""
    return {
        "kind": "generation" if generation.run else "file",
        **_place(generation),
        "individuals": len(generation.rows.names),
        "weights": generation.rows.weights.shape[1],
        "network": None if generation.spec is None else generation.spec.name,
        "origins": dict(generation.origins),
        "diversity": generation.diversity and asdict(generation.diversity),
        "shared_stretches": [list(each) for each in generation.stretches],
        "ranking": [individual_facts(generation, row) for row in generation.order],
        "notes": [asdict(note) for note in generation.notes],
        "strength": _strength(strength),
        "findings": _findings(found),
    }


def of_individual(
    one: IndividualOverview, strength: Strength | None, found: Sequence[Finding], tree: Ancestor | None
) -> Any:
    """An individual, with its genome."""
    return {
        "kind": "individual",
        **_place(one.of),
        "network": None if one.of.spec is None else one.of.spec.name,
        **individual_facts(one.of, one.row),
        "king": one.king,
        "note": None if one.note is None else asdict(one.note),
        **_founders(one.founders),
        "ancestors": _tree(tree),
        "children": [_fact(fact) for fact in one.children],
        "nearest": [{"name": name, "distance": distance} for name, distance in one.nearest],
        "parts": [asdict(part) for part in one.parts],
        "strength": _strength(strength),
        "findings": _findings(found),
        "genome": [float(weight) for weight in one.weights],
    }


def of_comparison(first: RunOverview, second: RunOverview) -> Any:
    """What differs between two runs."""
    return {
        "with": str(second.run.path),
        "same_generations": comparison.same_generations(first, second),
        "configuration": [asdict(each) for each in comparison.configurations(first.config, second.config)],
        "results": [asdict(each) for each in comparison.results(first, second)],
    }


def individual_facts(generation: GenerationOverview, row: int) -> dict[str, Any]:
    """Name, and rank, origin, parents and results where the file tells them."""
    one = IndividualOverview(generation, row)
    return {"name": one.name} | (_fact(one.fact) if one.fact is not None else {})


def _place(generation: GenerationOverview) -> dict[str, Any]:
    if generation.run is None or generation.generation is None:
        return {"file": generation.source}
    place = {"run": str(generation.run.path), "generation": generation.generation}
    course = generation.course
    return place if course is None else place | {"log": _row(course.history, generation.generation)}


def _fact(fact: Head) -> dict[str, Any]:
    known = {"name": fact.name, "rank": fact.rank, "origin": fact.origin, "parents": fact.parents}
    return known | dict(zip(COUNT_COLUMNS, fact.results or (), strict=False))


def _founders(founders: Founders) -> dict[str, Any]:
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
    return facts | {name: match_report.as_json(each) for name, each in played.items()}


def _tournament(tournament: Tournament | None) -> dict[str, Any] | None:
    if tournament is None:
        return None
    score, low = tournament.scores()
    return {
        "names": tournament.names,
        "generations": [champion.generation for champion in tournament.champions],
        "scores": [[number(value) for value in row] for row in score],
        "scores_low": [[number(value) for value in row] for row in low],
        "ratings": [{name: number(value) for name, value in _parts(rating)} for rating in tournament.ratings],
        "nodes": list(tournament.nodes),
        "strengths": [_strength(each) for each in tournament.strengths],
    }


def _parts(rating: Any) -> list[tuple[str, float]]:
    return [("rating", rating.value), ("low", rating.low), ("high", rating.high)]


def _findings(found: Sequence[Finding]) -> list[dict[str, str]]:
    return [asdict(each) for each in found]


def number(value: float) -> float | int | None:
    """A number as JSON has it: whole ones without a point, none for what is not finite."""
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() else float(value)
