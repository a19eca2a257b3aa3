"""The command that repeats a run, as a part of its report."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from evolve.inspection.contents import Section
from evolve.report.overview import RunOverview
from extras.origin.comparison import repeat_command

if TYPE_CHECKING:
    from evolve.report.overview import Subject
    from evolve.workers.pool import Pool


def part(subject: Subject, options: argparse.Namespace, show: Callable[[str], None], pool: Pool) -> RepeatedPart | None:
    if not isinstance(subject, RunOverview):
        return None
    return RepeatedPart(repeat_command(subject.run, subject.config, subject.made_with, subject.newest))


@dataclass(frozen=True)
class RepeatedPart:
    """A command; None if no command repeats the run."""

    name: ClassVar[str] = "repeat"

    command: str | None

    def plain(self) -> str | None:
        return self.command

    def sections(self) -> list[Section]:
        return [] if self.command is None else [Section("", [("repeat", self.command)])]
