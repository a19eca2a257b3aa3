"""Values of reports as text, for the terminal and the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from evolve.config.anchors import shown_text
from evolve.report.ancestry import FounderShares
from evolve.report.genomes import NEAR, Diversity
from evolve.run.row_index import Head
from game.number_text import count_text, percent_text

if TYPE_CHECKING:
    from evolve.strength.match import MatchResult

PARENTS_SHOWN = 4
"""Maximum number of parents that are listed for an individual. A mean can have dozens."""


def say_no_warnings(looked: Sequence[str]) -> str:
    return (
        f"No warnings. Checked for: {', '.join(looked)}."
        if looked
        else "No checks were made, since no games were played."
    )


def origins_text(origins: Mapping[str, int]) -> str:
    order = sorted(origins.items(), key=lambda item: -item[1])
    return ", ".join(count_text(n, name) if name in ("founder", "survivor") else f"{n:,} {name}" for name, n in order)


def parents_text(fact: Head) -> str:
    if not fact.parents:
        return "a founder, without parents in this run" if fact.origin == "founder" else fact.origin
    how = {"survivor": "survived, previously", "recombined": "by recombination of", "mutated": "by mutation, from"}
    parents = list(fact.parents)
    if len(parents) > PARENTS_SHOWN:
        first = ", ".join(parents[: PARENTS_SHOWN - 1])
        parents = [first, f"{len(parents) - PARENTS_SHOWN + 1:,} more"]
    return f"{how.get(fact.origin, fact.origin + ', from')} {' and '.join(parents)}"


def first_parents(parents: Sequence[str]) -> str:
    """Return the names of the first two parents, and the number of the others, for the cell of a table."""
    more = len(parents) - 2
    return " ".join(parents[:2]) + (f" and {more:,} more" if more > 0 else "") or "-"


def rating_text(value: float, text: Callable[[float], str] = shown_text) -> str:
    """Format a rating; an infinite one, as after winning every game, becomes a dash."""
    return text(value) if math.isfinite(value) else "-"


def interval_text(low: float, high: float, text: Callable[[float], str] = shown_text) -> str:
    """Format the interval of a rating, such as ``1480 to 1545`` or ``above 1620``; arguments as for `rating_text`."""
    if math.isfinite(low) and math.isfinite(high):
        return f"{text(low)} to {text(high)}"
    return f"above {text(low)}" if math.isfinite(low) else f"below {text(high)}" if math.isfinite(high) else ""


def results_text(fact: Head) -> str:
    assert fact.results is not None  # generations of runs always have results
    games, wins, draws, losses, points = fact.results
    return f"{points} points in {count_text(games, 'game')}: {wins} won, {draws} drawn, {losses} lost"


def score_text(played: MatchResult, how: str) -> str:
    estimate = played.estimate
    score = f"{percent_text(estimate.score)} ({100 * estimate.low:.1f} to {100 * estimate.high:.1f})"
    counts = f"{played.wins} won, {played.draws} drawn, {played.losses} lost"
    return f"{score} in {played.games:,} games {how}: {counts}"


def founders_text(founders: FounderShares) -> str:
    shares, shown = founders.shares, 4
    lost = sum(founder.generation > 0 for founder in shares)
    of = count_text(founders.ancestors, "ancestor") + ("" if lost else " in generation 0")
    words = f"{len(shares)} of {of}" if founders.exact else f"{of}, expected shares"
    digits = 1 if founders.exact else 0
    named = ", ".join(f"{founder.name} ({100 * founder.share:.{digits}f} %)" for founder in shares[:shown])
    more = f" and {len(shares) - shown} more" if len(shares) > shown else ""
    where = f"; {count_text(lost, 'line')} cannot be followed to generation 0" if lost else ""
    return f"{words}: {named}{more}{where}"


def distances_text(diversity: Diversity) -> str:
    if diversity.individuals < 2 or not diversity.length:
        return "nothing to compare"
    mean, nearest = diversity.mean_distance, diversity.nearest
    of = "" if diversity.measured == diversity.individuals else f" (measured on {diversity.measured:,} of them)"
    return (
        f"{mean:.2f} on average, {percent_text(mean / diversity.length)} of a genome's length (unrelated ones: 141 %); "
        f"{nearest:.2f} to the nearest (median){of}"
    )


def groups_text(sizes: Sequence[int]) -> str:
    groups = [size for size in sizes if size > 1]
    near = f"closer than {100 * NEAR:.0f} % of a genome's length"
    if not groups:
        return f"none {near}"
    largest = ", ".join(map(str, groups[:3]))
    if len(groups) == 1:
        return f"1 group of {largest}, {near}"
    return f"{len(groups):,} groups, the largest of {largest}, {near}"


def value_text(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
