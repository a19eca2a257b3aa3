"""The report on a run in which one network learns, with its figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evolve.inspection.network_report import NetworkReport
from evolve.report.overview import RunOverview

if TYPE_CHECKING:
    from extras.reports.figures.style import NamedFigure


class LearningReport(NetworkReport):
    """A report on a run in which one network learns, or on one of its generations."""

    def run_figures(self, run: RunOverview) -> Iterator[NamedFigure]:
        from extras.learning import figures

        return figures.of_run(run)
