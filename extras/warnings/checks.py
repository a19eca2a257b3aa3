"""The warnings about a subject of ``inspect``, and the names of the checks that were made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolve.report.checked import Checked, Finding
from evolve.report.overview import GenerationOverview, RunOverview

if TYPE_CHECKING:
    from evolve.inspection.games import Strength
    from evolve.report.overview import Subject


def check(subject: Subject, strength: Strength | None = None) -> Checked:
    """Check a subject, and the games that it played if there are any."""
    checked = Checked()
    if isinstance(subject, RunOverview):
        checked = _of_run(subject)
    elif isinstance(subject, GenerationOverview):
        checked = _of_generation(subject)
    if strength is None:
        return Checked(checked.findings, checked.looked, "No games were played, so strength was not checked.")
    warning = _of_strength(strength)
    results = [*checked.findings, *([warning] if warning else [])]
    return Checked(results, [*checked.looked, "random level"])


def _of_run(run: RunOverview) -> Checked:
    from extras.warnings import findings

    numbers, rated = run.history.numbers, run.history.interval("rating")
    warnings, looked = list[Finding | None](), list[str]()
    if "diversity" in numbers:
        looked.append("convergence")
        warnings.append(findings.check_diversity(numbers["diversity"]))
    if "validation_loss" in numbers:
        looked.append("overfitting")
        warnings.append(findings.check_overfitting(run.run.cli_name, numbers["validation_loss"], numbers["loss"]))
    if run.diversity is not None:
        warnings[0] = warnings[0] or findings.check_near_copies(run.diversity, "survivors")
    if run.kind.breeds and (repeats := findings.count_repeats(run.run.path, run.newest)) is not None:
        looked.append("repeated games")
        warnings.append(findings.check_repeats(repeats))
    if rated and run.history.rated > 1:
        looked.append("a fall")
        warnings.append(findings.check_fall(rated))
    return Checked([warning for warning in warnings if warning], looked)


def _of_generation(one: GenerationOverview) -> Checked:
    from extras.warnings import findings

    warnings, looked = list[Finding | None](), list[str]()
    if one.diversity is not None:
        looked.append("convergence")
        warnings.append(findings.check_near_copies(one.diversity))
    repeats = None
    if one.run is not None and one.generation is not None and one.kind.breeds:
        repeats = findings.count_repeats(one.run.path, one.generation)
    if repeats is not None:
        looked.append("repeated games")
        warnings.append(findings.check_repeats(repeats))
    return Checked([warning for warning in warnings if warning], looked)


def _of_strength(strength: Strength) -> Finding | None:
    from evolve.strength import effort
    from extras.warnings import findings

    played, how = strength.random, effort.describe(strength.how)
    known, learnt = strength.as_evolved, strength.learnt
    return findings.check_random_level(
        strength.player, played.estimate, played.games, how, as_evolved=known, learnt=learnt
    )
