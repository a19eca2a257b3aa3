"""Everything that one report says, and the ways to say it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.inspection import contents, learnt, many, plain, terminal
from evolve.inspection.contents import Contents
from evolve.report import findings
from evolve.report.ancestry import Ancestor
from evolve.report.findings import Finding, FindingKind
from evolve.report.many_runs import ManyRuns
from evolve.report.overview import GenerationOverview, IndividualOverview, RunOverview

if TYPE_CHECKING:
    from evolve.inspection.games import Strength, Tournament

OneSubject = RunOverview | GenerationOverview | IndividualOverview
Subject = OneSubject | ManyRuns


@dataclass(frozen=True)
class Report:
    """Everything that a report says.

    Attributes:
        subject: what is reported on.
        strength: games of its best against plain players; None if none were played.
        tournament: games between champions of a run; None if none were played.
        tree: ancestors of an individual.
        other: a run to compare with.
        written: files of figures and pages.
    """

    subject: Subject
    strength: Strength | None = None
    tournament: Tournament | None = None
    tree: Ancestor | None = None
    other: RunOverview | None = None
    written: tuple[Path, ...] = ()

    @property
    def findings(self) -> list[Finding]:
        """All warnings: first what the files show, then what the games show."""
        subject = self.subject
        played = self.tournament.findings if self.tournament else []
        found = [] if isinstance(subject, IndividualOverview) else list(subject.findings)
        if FindingKind.DECLINED in (each.kind for each in played):  # by more champions and games than are rated
            found = [each for each in found if each.kind != FindingKind.DECLINED]
        return found + (self.strength.findings if self.strength else []) + played

    def plain(self) -> Any:
        """As plain values."""
        subject = self.subject
        if isinstance(subject, ManyRuns):
            return many.plain(subject) | {"written": [str(path) for path in self.written]}
        if isinstance(subject, RunOverview):
            values = plain.of_run(subject, self.strength, self.tournament, self.findings)
            if self.other is not None:
                values["compared"] = plain.of_comparison(subject, self.other)
        elif isinstance(subject, GenerationOverview):
            values = plain.of_generation(subject, self.strength, self.findings)
        else:
            values = plain.of_individual(subject, self.strength, self.findings, self.tree)
        return values | {"looked": self.looked, "missed": self.missed, "written": [str(path) for path in self.written]}

    @property
    def looked(self) -> list[str]:
        """What warnings were looked for, in words: some need rows, some the log, some games."""
        subject = self.subject
        found = [] if isinstance(subject, IndividualOverview) else list(subject.looked)
        found += ["random level"] if self.strength else []
        return list(dict.fromkeys([*found, *(["cycles", "a fall"] if self._champions_met else [])]))

    @property
    def _champions_met(self) -> bool:
        return self.tournament is not None and len(self.tournament.champions) > 1

    @property
    def missed(self) -> str:
        """What could not be looked for, in sentences; empty if everything was."""
        found = [] if self.strength else ["No games were played: strength was not looked at."]
        if isinstance(self.subject, RunOverview):
            found.append(findings.not_looked_for(self.subject.history.rated, played=self._champions_met))
        return " ".join(filter(None, found))

    def contents(self) -> Contents:
        """As sections of facts and tables."""
        return replace(self._contents(), looked=self.looked, missed=self.missed)

    def _contents(self) -> Contents:
        subject = self.subject
        if isinstance(subject, ManyRuns):
            return many.contents(subject)
        if isinstance(subject, RunOverview):
            if self.other is not None:
                return contents.of_comparison(subject, self.other)
            if subject.course is not None:
                return learnt.of_run(subject, subject.course, self.strength, self.tournament, self.findings)
            return contents.of_run(subject, self.strength, self.tournament, self.findings)
        named = isinstance(subject, IndividualOverview)
        one = subject if isinstance(subject, IndividualOverview) else subject.individual()
        if one.of.course is not None:
            return learnt.of_generation(one, one.of.course, self.strength, self.findings, named=named)
        if isinstance(subject, GenerationOverview):
            return contents.of_generation(subject, self.strength, self.findings)
        return contents.of_individual(subject, self.strength, self.tree, self.findings)

    def show(self) -> None:
        """Print it on standard output."""
        terminal.show(self.contents(), self.written)
