"""Playing one run of a sweep, to its last generation or to an earlier one."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from evolve.run.status import lock
from evolve.session import create
from evolve.session.reporters import GenerationReport, Reporter, with_own
from evolve.workers.pool import worker_count
from extras.sweeps.sweep import Sweep, SweepMember

if TYPE_CHECKING:
    from evolve.session.frame import Summary
    from evolve.workers.pool import Machines


def play_run(
    plan: Sweep,
    member: SweepMember,
    options: argparse.Namespace,
    cluster: Machines | None,
    show: Callable[..., None],
    until: int | None = None,
) -> Summary:
    """Play a run from its newest generation to the last one of the sweep, or to `until`; show its progress."""
    run = plan.run(member)
    config, _ = create.reopen(run, plan.generations, [], own=options.plugin)
    with lock(run.path):
        from evolve.session.frame import session_class

        workers = worker_count(options.workers)
        reporter = with_own(_Follower(plan.generations, show, until), run.path)
        try:
            return session_class(config).run(run, config, reporter, workers=workers, cluster=cluster)
        finally:
            reporter.close()


class _Follower(Reporter):
    """A reporter that shows the generation of a run, and ends its session after `until`."""

    def __init__(self, last: int, show: Callable[..., None], until: int | None) -> None:
        self._last, self._show, self._until = last, show, last if until is None else until
        self._newest = -1

    def on_loading(self, what: str, number: int, steps: int) -> None:
        self._show(f"loading {what}")

    def on_generation(self, report: GenerationReport) -> None:
        self._newest = report.generation
        self._show(f"generation {report.generation} of {self._last}")

    @property
    def enough(self) -> bool:
        return self._newest >= self._until
