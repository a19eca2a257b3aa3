"""Playing the runs of a sweep to their last generation."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evolve.config.anchors import shown_text
from evolve.run.status import lock
from evolve.session import create
from evolve.session.reporters import CountingLine, GenerationReport, Reporter, with_own
from evolve.workers.pool import worker_count
from extras.sweeps.sweep import Sweep, SweepMember, read_ratings

if TYPE_CHECKING:
    from evolve.workers.pool import Machines


@dataclass
class Playing:
    """Plays runs of a sweep and shows their progress.

    Attributes:
        signal: the signal that ended the session of the last run; None if none did.
    """

    plan: Sweep
    options: argparse.Namespace
    cluster: Machines | None
    line: CountingLine
    signal: int | None = field(default=None, init=False)

    def play(self, member: SweepMember, what: str) -> bool:
        """Play a run from its newest generation to the last one; return whether it has got there."""
        plan, run = self.plan, self.plan.run(member)
        if run.manifest().newest >= plan.generations:
            return True
        config, _ = create.reopen(run, plan.generations, [], own=self.options.plugin)
        with lock(run.path):
            from evolve.session.frame import session_class

            follower = _Follower(plan.generations, lambda *parts: self.line.count(what, *parts))
            reporter, workers = with_own(follower, run.path), worker_count(self.options.workers)
            try:
                summary = session_class(config).run(run, config, reporter, workers=workers, cluster=self.cluster)
            finally:
                reporter.close()
        self.line.count()
        rated = read_ratings(run)
        rating = f", rating {shown_text(rated[max(rated)][0])}" if rated else ""
        self.line.step(f"{what}: generation {summary.generations}{rating}")
        self.signal = summary.signal
        return summary.signal is None and summary.generations >= plan.generations


class _Follower(Reporter):
    """A reporter that shows the generation of a run."""

    def __init__(self, last: int, show: Callable[..., None]) -> None:
        self._last, self._show = last, show

    def on_loading(self, what: str, number: int, steps: int) -> None:
        self._show(f"loading {what}")

    def on_generation(self, report: GenerationReport) -> None:
        self._show(f"generation {report.generation} of {self._last}")
