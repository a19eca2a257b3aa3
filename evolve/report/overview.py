"""Overviews of runs, generations and individuals, from the files of a run, without playing games."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evolve.config.model import Config, RunKind, kind_of
from evolve.config.search import Search
from evolve.kinds.objectives import Rank
from evolve.report import genomes
from evolve.report.ancestry import Ancestor, FounderShares, Pedigree
from evolve.report.curves import DrawnCurve, draw_curves
from evolve.report.genomes import Diversity
from evolve.run import champions
from evolve.run.files import RunError
from evolve.run.folder import Run
from evolve.run.log import History, read_history
from evolve.run.manifest import Manifest, rereads
from evolve.run.row_index import Head
from evolve.run.status import Status
from evolve.strength.verdict import RunVerdict
from game.networks.named import by_width
from game.networks.spec import NetworkError, Spec

if TYPE_CHECKING:
    from evolve.run.generation_csv import Generation


NEAREST = 5
"""Number of the most similar individuals to list."""


@dataclass(frozen=True)
class GenerationOverview:
    """A generation of a run, or any CSV file of individuals.

    Attributes:
        champion: genome of the best individual, float32, if the file is thinned; else None.
        weights: those of the fitness in the run, as in DEAP; empty for a file outside a run.
    """

    source: str
    rows: Generation
    spec: Spec | None
    run: Run | None = None
    generation: int | None = None
    pedigree: Pedigree | None = field(default=None, repr=False)
    champion: NDArray[np.float32] | None = field(default=None, repr=False)
    search: Search | None = None
    kind: RunKind = field(default_factory=lambda: kind_of({}), repr=False)
    weights: tuple[float, ...] = ()

    @cached_property
    def objectives(self) -> dict[str, list[float]]:
        """The numbers of the fitness of all individuals by column; empty if ranks are the fitness."""
        names = [f"fitness_{at}" for at in range(len(self.weights))]
        columns = self.rows.columns
        return {name: [float(text) for text in columns[name]] for name in names if name in columns}

    @property
    def pareto_front(self) -> list[int]:
        """The rows that no other row dominates, best first; empty with fewer than two objectives."""
        if len(self.objectives) < 2:
            return []
        values = np.array(self.weights) * np.array([*self.objectives.values()]).T
        return [
            row
            for row in self.order
            if not ((values >= values[row]).all(axis=1) & (values > values[row]).any(axis=1)).any()
        ]

    @property
    def thinned(self) -> bool:
        return self.rows.genomes is not None

    @property
    def order(self) -> list[int]:
        """The rows, best first; in the order of the file if there are no ranks."""
        ranks = self.rows.ranks
        return list(range(len(self.rows.names))) if ranks is None else [int(row) for row in ranks.argsort()]

    @property
    def origins(self) -> Counter[str]:
        """The number of individuals by origin; empty if the file has no origins."""
        return Counter(self.rows.origins or ())

    @cached_property
    def diversity(self) -> Diversity | None:
        """The diversity of all individuals; None without weights, and for a network that learns."""
        return None if self.thinned or not self.kind.breeds else genomes.measure(self.rows.weights)

    def individual(self, name: str | None = None) -> IndividualOverview:
        """Return one individual, by default the best."""
        return IndividualOverview(self, self.rows.row_of(name))


@rereads
def generation_overview(run: Run, generation: int | None = None) -> GenerationOverview:
    """Read a complete generation of a run, by default the newest, and check it against the manifest."""
    known = run.manifest()
    number = known.newest if generation is None else generation
    rows = run.read_generation(number, thinned=True)
    champion = None if rows.genomes is None else champions.champion_of(run, known, number, rows).weights[0]
    config = run.config(number)
    pedigree = Pedigree(run, known.newest, config.parents)
    source = f"{run.cli_name}@{number}"
    of_run = (rows, config.network, run, number, pedigree, champion, config.search, config.kind)
    weights = () if config.fitness.kind.kind == Rank.kind else config.fitness.numbers
    return GenerationOverview(source, *of_run, weights)


def file_overview(path: Path, network: Spec | None = None) -> GenerationOverview:
    """Read a CSV file of individuals, by default for a shipped network with their number of weights."""
    from evolve.run import generation_csv

    rows = generation_csv.read(path, width=None if network is None else network.weights)
    spec = network
    if spec is None:
        try:
            spec = by_width(rows.weights.shape[1])
        except NetworkError:
            spec = None
    return GenerationOverview(str(path), rows, spec)


@dataclass(frozen=True)
class IndividualOverview:
    of: GenerationOverview
    row: int

    @property
    def name(self) -> str:
        return self.of.rows.names[self.row]

    @property
    def source(self) -> str:
        """Its name as a player, such as ``RUN@15:Gen15_0111``."""
        return f"{self.of.source}:{self.name}"

    @property
    def weights(self) -> NDArray[np.float32]:
        """Its genome, float32; empty in a thinned file, except for the champion, which the hall of fame keeps."""
        if self.of.champion is not None and self.row == self.of.rows.row_of(None):
            return self.of.champion
        genome: NDArray[np.float32] = self.of.rows.weights[self.row]
        return genome

    @property
    def king(self) -> float | None:
        return None if self.of.rows.kings is None else float(self.of.rows.kings[self.row])

    @cached_property
    def fact(self) -> Head | None:
        """Its rank, origin, parents and results; None if the file lacks them."""
        rows = self.of.rows
        if rows.ranks is None or rows.origins is None or rows.parents is None or rows.counts is None:
            return None
        at = self.row
        return Head(self.name, int(rows.ranks[at]), rows.origins[at], rows.parents[at], tuple(rows.counts[at].tolist()))

    @cached_property
    def children(self) -> list[Head]:
        if self.of.pedigree is None or self.of.generation is None:
            return []
        return self.of.pedigree.children(self.of.generation, self.name)

    @cached_property
    def founders(self) -> FounderShares:
        if self.of.pedigree is None or self.of.generation is None:
            return FounderShares()
        return self.of.pedigree.founders(self.of.generation, self.name)

    @cached_property
    def nearest(self) -> list[tuple[str, float]]:
        """Names and distances of the most similar individuals, the nearest first; empty without weights."""
        if self.of.thinned:
            return []
        rows = self.of.rows
        apart = np.linalg.norm(rows.weights.astype(np.float64) - self.weights.astype(np.float64), axis=1)
        order = [int(row) for row in apart.argsort(kind="stable") if row != self.row]
        return [(rows.names[row], float(apart[row])) for row in order[:NEAREST]]


@dataclass(frozen=True)
class RunOverview:
    """A run as described by its small files and the first rows of its generations, which are read when needed."""

    run: Run
    config: Config
    made_with: dict[str, Any]
    manifest: Manifest
    history: History
    name: str = ""

    @property
    def state(self) -> str:
        return self._status[0]

    @property
    def status(self) -> Status | None:
        return self._status[1]

    @cached_property
    def _status(self) -> tuple[str, Status | None]:
        return self.run.state()

    @cached_property
    def pedigree(self) -> Pedigree:
        return Pedigree(self.run, self.newest, self.config.parents)

    @cached_property
    def survivors(self) -> tuple[Head, ...]:
        """The best of the newest generation, by default the parents of the next; the first is the champion."""
        return tuple(self.pedigree.head(self.newest))

    @cached_property
    def weights(self) -> NDArray[np.float32]:
        """Weights of the survivors, float32 of shape (survivors, weights)."""
        if not self.kind.breeds:
            return self.run.read_generation(self.newest).weights
        return self.run.first_weights(self.newest, self.config.population.parents)

    @cached_property
    def diversity(self) -> Diversity | None:
        return genomes.measure(self.weights) if self.kind.breeds and self.by_rank and self.weights.size else None

    @cached_property
    def size(self) -> int:
        return sum(path.stat().st_size for path in self.run.path.iterdir() if path.is_file())

    @property
    def by_rank(self) -> bool:
        """True if the best become parents. With other kinds of selection, only the children identify the parents."""
        return self.pedigree.chosen_by_rank(self.newest)

    @property
    def newest(self) -> int:
        return self.manifest.newest

    @property
    def champion(self) -> Head:
        return self.survivors[0]

    @cached_property
    def born(self) -> Ancestor | None:
        """The champion in the generation in which it was created, before it survived under other names."""
        return self.pedigree.find_birth(self.newest, self.champion.name)

    @cached_property
    def founders(self) -> FounderShares:
        return self.pedigree.founders(self.newest, self.champion.name)

    @cached_property
    def common_ancestor(self) -> Ancestor | None:
        """The most recent common ancestor of the survivors; None if parents are not selected by rank."""
        if not self.by_rank:
            return None
        return self.pedigree.common_ancestor(self.newest, [fact.name for fact in self.survivors])

    @cached_property
    def curves(self) -> list[DrawnCurve]:
        """The curves of its learning method; empty if a population evolves."""
        numbers = {name: column.tolist() for name, column in self.history.numbers.items()}
        return draw_curves(self.kind.curves(), lambda name: numbers.get(name, []))

    @property
    def kind(self) -> RunKind:
        return self.config.kind

    @cached_property
    def verdict(self) -> str:
        """The opponent that the run beats, as a clause; empty if none is known."""
        verdict = RunVerdict.last(self.history.column, counting=self.config.network.piece_difference)
        return "" if verdict is None else verdict.text


Subject = RunOverview | GenerationOverview | IndividualOverview


@rereads
def read_run(run: Run, name: str = "") -> RunOverview:
    """Read configuration, manifest and log of a run, which is enough for comparisons.

    The file of the newest generation is checked against the manifest.

    Raises:
        RunError: this is not a run, or it has no complete generation.
        DamagedRunError: a file differs from what the session wrote; the message gives a remedy.
        ConfigError: its configuration is wrong.
    """
    made_with = run.check_format()
    config = run.config()
    manifest = run.manifest()
    if manifest.newest < 0 and manifest.damage is None:
        raise RunError(f"{run.name}: no generation is complete yet, so there is nothing to inspect")
    newest, _ = run.read_bytes()
    manifest = manifest.up_to(newest)
    return RunOverview(run, config, made_with, manifest, read_history(run, manifest), name or run.name)


@rereads
def run_overview(run: Run) -> RunOverview:
    """Read an overview of a run with all its parts, so that none of them can fail later.

    Of earlier generations, only the first rows are read.
    """
    overview = read_run(run)
    _ = overview.state, overview.survivors, overview.weights, overview.diversity, overview.size
    return overview
