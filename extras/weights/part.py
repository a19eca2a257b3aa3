"""The weights of an individual as a part of a report."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from evolve.inspection.contents import ReportTable, Section
from evolve.report.overview import GenerationOverview, IndividualOverview, RunOverview

if TYPE_CHECKING:
    from evolve.report.overview import Subject
    from evolve.workers.pool import Pool


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
        lines = []
        for part in self.stretches:
            numbers = (f"{value:.3f}" for value in (part.low, part.mean, part.high, part.deviation))
            lines.append([part.name, f"{part.weights:,}", *numbers])
        headings = ("part<", "weights", "smallest", "mean", "largest", "deviation")
        table = ReportTable(headings, lines, ("deviation", "mean", "weights"))
        return [Section("Weights", table=table)] if lines else []
