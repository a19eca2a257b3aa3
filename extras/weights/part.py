"""The weights of an individual as a part of a report."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from evolve.inspection.contents import ReportTable, Section
from evolve.report.overview import GenerationOverview, IndividualOverview, RunOverview
from extras.weights import patterns
from game.number_text import signed_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evolve.report.overview import Subject
    from evolve.workers.pool import Pool
    from game.networks.spec import Spec


def part(subject: Subject, options: argparse.Namespace, show: Callable[[str], None], pool: Pool) -> WeightsPart | None:
    """Return the weights of an individual, or of the network of a generation that learnt; None for other subjects."""
    if isinstance(subject, RunOverview) or (isinstance(subject, GenerationOverview) and subject.kind.breeds):
        return None
    return WeightsPart(subject if isinstance(subject, IndividualOverview) else subject.individual())


@dataclass(frozen=True)
class Stretch:
    name: str
    weights: int
    low: float
    mean: float
    high: float
    deviation: float


@dataclass(frozen=True)
class WeightsPart:
    """The weights of an individual (``parts`` of `extras.Extra`)."""

    one: IndividualOverview
    name: ClassVar[str] = "parts"

    @property
    def stretches(self) -> list[Stretch]:
        """Statistics of the weights by parts of the network; of all weights if the network is unknown."""
        one, stretches = self.one, []
        if not one.weights.size:
            return []
        places = [("weights", 0, len(one.weights))]
        if one.of.spec is not None:
            places = [(part.name, part.start, part.stop) for part in one.of.spec.parts]
        for name, start, stop in places:
            some = one.weights[start:stop].astype(np.float64)
            stretches.append(
                Stretch(name, stop - start, float(some.min()), float(some.mean()), float(some.max()), float(some.std()))
            )
        return stretches

    def plain(self) -> list[dict[str, Any]]:
        return list(map(asdict, self.stretches))

    def sections(self) -> list[Section]:
        one, stretches, sections = self.one, self.stretches, list[Section]()
        if stretches:
            lines = []
            for part in stretches:
                numbers = (f"{value:.3f}" for value in (part.low, part.mean, part.high, part.deviation))
                lines.append([part.name, f"{part.weights:,}", *numbers])
            headings = ("part<", "weights", "smallest", "mean", "largest", "deviation")
            sections.append(Section("Weights", table=ReportTable(headings, lines, ("deviation", "mean", "weights"))))
        if one.of.spec is not None and one.of.spec.patterns and one.weights.size:
            sections.append(_patterns(one.of.spec, one.weights.astype(np.float64)))
        return sections


PATTERNS = 8
"""Maximum number of patterns in the table of an individual."""


def _patterns(spec: Spec, weights: NDArray[np.float64]) -> Section:
    used, total = patterns.count_used(spec, weights)
    lines = []
    for pattern in patterns.find_strongest(spec, weights, PATTERNS):
        squares = (patterns.squares_text(some) or "none" for some in (pattern.own, pattern.theirs, pattern.empty))
        lines.append([signed_text(pattern.value, 3), f"{pattern.pieces:.3g}", *squares])
    headings = ("worth", "pieces", "own men on<", "their men on<", "no men on<")
    return Section(
        "Patterns",
        [("in use", f"{used:,} of {total:,}")],
        ReportTable(headings, lines, ("no men on<", "pieces")) if lines else None,
        more="the patterns of largest value, for Black to move" if lines else "",
    )
