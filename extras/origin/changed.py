"""The values in which a run differs from its origin, as a part of its report."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from evolve.inspection.contents import ReportTable, Section
from evolve.inspection.phrases import value_text
from evolve.report.overview import RunOverview
from evolve.run.folder import LOOP
from extras.origin.comparison import Difference, differences_from_origin

if TYPE_CHECKING:
    from evolve.report.overview import Subject
    from evolve.workers.pool import Pool


def part(subject: Subject, options: argparse.Namespace, show: Callable[[str], None], pool: Pool) -> ChangedPart | None:
    if not isinstance(subject, RunOverview):
        return None
    return ChangedPart(subject, differences_from_origin(subject.run, subject.config, subject.made_with))


@dataclass(frozen=True)
class ChangedPart:
    """The differences between a run and its origin; None if they are unknown."""

    name: ClassVar[str] = "changed"

    run: RunOverview
    differences: list[Difference] | None

    def plain(self) -> list[dict[str, Any]] | None:
        return None if self.differences is None else [asdict(difference) for difference in self.differences]

    def sections(self) -> list[Section]:
        made_with, differences = self.run.made_with, self.differences
        if LOOP in made_with:
            return []
        before = made_with.get("branched_from", self.run.config.preset)
        title = f"Configuration, compared with {before}"
        if not differences:
            return [Section(title, more="no difference" if differences is not None else "not known here")]
        lines = [[value.name, value_text(value.second), value_text(value.first)] for value in differences]
        return [Section(title, table=ReportTable(("<", "here<", f"{before}<"), lines))]
