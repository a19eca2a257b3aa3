"""A run: all that its small files and the heads of its generations hold; no game is played."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.config.model import Config
from evolve.report import findings, genomes, rating_course
from evolve.report.ancestry import Founders, Member, Pedigree
from evolve.report.findings import Finding
from evolve.report.genomes import Diversity
from evolve.report.learning import Course
from evolve.report.population import check_origins_of, part_places
from evolve.run import log as history
from evolve.run import notes
from evolve.run.champions import Repeats, count_repeats
from evolve.run.files import RunError
from evolve.run.folder import Run
from evolve.run.log import History
from evolve.run.manifest import Manifest
from evolve.run.notes import Note
from evolve.run.row_index import Head
from evolve.run.status import Status


@dataclass(frozen=True)
class RunOverview:
    """A run as its small files and the heads of its generations tell it.

    Attributes:
        run: the run.
        config: what it plays.
        made_with: versions of format, results, Python and packages.
        manifest: what is complete.
        history: the log.
        state: what it is doing.
        said: what its session said of itself last; None if it never did.
        survivors: the best of the newest generation, by default the parents of the next; the first is the champion.
        weights: of the survivors, float32 of shape (survivors, weights).
        diversity: of the survivors; None where one network learns, or selection does not go by rank.
        repeats: how different the champion's games in the newest ranking are; None if they are not on record.
        notes: stars and notes of the person.
        size: bytes of all its files.
    """

    run: Run
    config: Config
    made_with: dict[str, Any]
    manifest: Manifest
    history: History
    state: str
    said: Status | None
    survivors: tuple[Head, ...]
    weights: NDArray[np.float32] = field(repr=False)
    diversity: Diversity | None
    repeats: Repeats | None
    notes: tuple[Note, ...]
    size: int
    pedigree: Pedigree = field(repr=False)

    @property
    def by_rank(self) -> bool:
        """True if the best become parents; parents of another selection are known only from their children."""
        return self.pedigree.chosen_by_rank(self.newest)

    @property
    def newest(self) -> int:
        """The newest complete generation."""
        return self.manifest.newest

    @property
    def champion(self) -> Head:
        """The best of the newest generation."""
        return self.survivors[0]

    @cached_property
    def born(self) -> Member | None:
        """The champion where it came about, before it survived under other names."""
        return self.pedigree.find_birth(self.newest, self.champion.name)

    @cached_property
    def founders(self) -> Founders:
        """Whose weights the champion has."""
        return self.pedigree.founders(self.newest, self.champion.name)

    @cached_property
    def common_ancestor(self) -> Member | None:
        """The youngest ancestor of all survivors; None if selection does not go by rank."""
        if not self.by_rank:
            return None
        return self.pedigree.common_ancestor(self.newest, [fact.name for fact in self.survivors])

    @cached_property
    def course(self) -> Course | None:
        """How a network has learnt; None where a population evolves."""
        return Course.of(self.config, self.history)

    @cached_property
    def findings(self) -> list[Finding]:
        """Warnings that need no games."""
        spec, rated = self.config.network, self.history.interval("rating")
        course = rating_course.check_course(rated) if rated else []
        if self.course is not None:
            numbers = self.history.numbers
            losses = [numbers.get(name, np.empty(0)) for name in ("validation_loss", "loss")]
            overfitted = findings.check_overfitting(self.run.cli_name, *losses)
            return [overfitted, *course] if overfitted else course
        found = [findings.check_diversity(self.history.numbers["diversity"])]
        if self.diversity is not None:
            found[0] = found[0] or findings.check_near_copies(self.diversity, "survivors")
            if len(self.survivors) > 1:
                stretches = genomes.find_shared_stretches(self.weights, findings.least_stretch(spec.weights))
                found.append(findings.check_shared_stretches(stretches, spec.weights, part_places(spec), "survivors"))
        found += [
            check_origins_of(self.pedigree, self.newest),
            findings.check_repeats("the champion's ranking", self.repeats) if self.repeats else None,
            *course,
        ]
        return [each for each in found if each]

    @property
    def looked(self) -> list[str]:
        """What `findings` looks for, in words."""
        found = [] if self.course else ["convergence"]
        found += ["overfitting"] if self.course and "validation_loss" in self.history.numbers else []
        found += [] if self.diversity is None else ["shared stretches", "one origin"]
        found += ["repeated games"] if self.repeats is not None else []
        return found + rating_course.looked_for(self.history.rated)

    @property
    def missed(self) -> str:
        """What `findings` would need more ratings for, in a sentence; empty if there are enough."""
        return rating_course.not_looked_for(self.history.rated)


def run_overview(run: Run) -> RunOverview:
    """Read what is known of a run, without playing, and of its generations only the heads.

    Of the generation files the newest is compared with the manifest; the others when they are inspected themselves.

    Raises:
        RunError: no run, or no generation is complete yet.
        DamagedRunError: a file is not what the session wrote; the way on is named.
        GenerationError: a generation cannot be read.
        ConfigError: its configuration is wrong.
    """
    made_with = run.check_format()
    config = run.config()
    state, said = run.state()
    if run.manifest().newest < 0 and run.manifest().damage is None:
        raise RunError(f"{run.name}: no generation is complete yet, there is nothing to inspect")
    newest, _ = run.read_bytes()
    manifest = run.manifest().up_to(newest)
    count = 1 if config.learns else config.population.parents
    pedigree = Pedigree(run, newest, count)
    weights = run.read_generation(newest).weights if config.learns else run.first_weights(newest, count)
    return RunOverview(
        run=run,
        config=config,
        made_with=made_with,
        manifest=manifest,
        history=history.read_history(run, manifest),
        state=state,
        said=said,
        survivors=tuple(pedigree.head(newest)),
        weights=weights,
        diversity=None if config.learns or not pedigree.chosen_by_rank(newest) else genomes.measure(weights),
        repeats=None if config.learns else count_repeats(run.path, newest),
        notes=tuple(notes.read(run).values()),
        size=sum(each.stat().st_size for each in run.path.iterdir() if each.is_file()),
        pedigree=pedigree,
    )
