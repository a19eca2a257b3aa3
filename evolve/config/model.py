"""The configuration of a session: one frozen object, `Config`; and the kind of its run, `RunKind`.

`RunKind` is a run that evolves a population; other kinds derive from it. The methods of `[learning]` and the kinds of
selection name their kind (`Method.run_kind`, `Selection.run_kind`), which is imported when a configuration needs it.
All other code asks the configuration for its kind (`Config.kind`), and names no kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from evolve.config.search import MAX_GENERATIONS, Search
from evolve.config.sections import (
    DEFAULT_STAGES,
    FitnessRules,
    Founders,
    Games,
    Learning,
    Optimisation,
    Plugins,
    Population,
    Rating,
    Saving,
    Variation,
    WorkerRules,
)
from evolve.kinds.kind import whole
from evolve.kinds.methods import LogCurve, Method, method_of
from evolve.kinds.pairing import Points
from evolve.kinds.selection import Best, Selection, selection_of
from evolve.kinds.stages import Stage
from game.installation import check_extra, imported
from game.networks.named import CNN_247
from game.networks.spec import Spec

MAX_SEED = 2**63 - 1


@dataclass(frozen=True)
class Config:
    """All values that decide the results of a session, and those that distribute its work."""

    preset: str = field(default="cowan", metadata={"type": str, "text": "the preset that the values come from"})
    network: Spec = field(default=CNN_247, metadata={"text": "the network that evolves: a shipped one, or a table"})
    generations: int = whole(15, 0, MAX_GENERATIONS, "number of the last generation; the first is 0")
    seed: int = whole(0, 0, MAX_SEED, "all randomness derives from it")
    plugins: Plugins = field(default_factory=Plugins)
    learning: Learning = field(default_factory=Learning)
    founders: Founders = field(default_factory=Founders)
    population: Population = field(default_factory=Population)
    fitness: FitnessRules = field(default_factory=FitnessRules)
    optimiser: Optimisation = field(default_factory=Optimisation)
    variation: Variation = field(default_factory=Variation)
    games: Games = field(default_factory=Games)
    search: Search = field(default_factory=Search)
    points: Points = field(default_factory=Points)
    stages: tuple[Stage, ...] = DEFAULT_STAGES
    rating: Rating = field(default_factory=Rating)
    saving: Saving = field(default_factory=Saving)
    workers: WorkerRules = field(default_factory=WorkerRules)

    @property
    def kind(self) -> RunKind:
        selection = Best if self.population.mean else type(self.population.selection)
        return run_kind(type(self.learning.method), selection)

    @property
    def obtained(self) -> str:
        """The way its networks are obtained, in the same words everywhere; empty if a plugin decides.

        *By games alone*, *by own searches* or *from recorded games*, followed by *with a gradient* if one is computed.
        If they descend from a player of another run, the words for that player come first.
        """
        if self.plugins.files:
            return ""
        return self.kind.obtained(self)

    @property
    def verb(self) -> str:
        return self.kind.verb

    @property
    def has_steps(self) -> bool:
        return self.mutates and self.variation.mutation.has_steps

    @property
    def mutates(self) -> bool:
        """True if a mutation makes mutants; otherwise an optimiser draws them."""
        return self.kind.breeds and self.kind.varies and (not self.population.mean or self.optimiser.kind.mutates)

    @property
    def predicts(self) -> bool:
        return self.kind.breeds and self.founders.method == "predicted"

    @property
    def founded(self) -> bool:
        return self.kind.breeds and self.founders.method == "player"

    @property
    def state_size(self) -> int:
        return self.kind.state_size(self)

    @property
    def individuals(self) -> int:
        return self.kind.individuals(self)

    @property
    def parents(self) -> int:
        return self.kind.parents(self)

    @property
    def champions(self) -> int:
        return max(stage.champions for stage in self.stages)


class RunKind:
    """A run that evolves a population.

    Attributes:
        verb: the command that begins and continues it.
        noun: the work of its sessions, as in the title "Evolution of cowan-1".
        members: the individuals of a generation, after their number.
        breeds: whether generations are bred from populations; otherwise founders, population, optimiser, variation,
            points and stages have no effect, and a generation is one network.
        varies: whether `[variation]` makes its individuals.
        session: class of its sessions, as ``module:class``.
        report: class of its reports, as ``module:class``.
        thinned: the data that a thinned generation keeps, in words.
        lost: the data that a thinned generation has lost and the next one needs, in words.
        origin: the origin of all its individuals, for reports; empty if they have different ones.
        work: the column of the log whose sum measures the work done.
        made: the participle for a generation, as in "Generation 5 is being played".
        leader: the first individual of a generation, in one word.
        forecast: the class that forecasts the time of generations, as ``module:class``; empty if this cannot be done.
        founder: module that finds the founder of a run that continues a player.
        texts: what keys of sections mean, by dotted key, where this kind uses them in another way than others.
        kept: keys that a branch cannot change, since copied generations would not fit.
        extra: the extra with the packages that only this kind needs; empty for none.
        packages: these packages; a run records their versions, and the processor, since they affect its results.
        need: what needs them, as for `check_extra`.
        method: the method of `[learning]` that leads to this kind.
    """

    verb: ClassVar[str] = "evolve"
    noun: ClassVar[str] = "Evolution"
    members: ClassVar[str] = "individuals each"
    breeds: ClassVar[bool] = True
    varies: ClassVar[bool] = True
    session: ClassVar[str] = "evolve.session.evolution:Evolution"
    report: ClassVar[str] = "evolve.inspection.results:Report"
    thinned: ClassVar[str] = "names, results and the champion"
    lost: ClassVar[str] = "its weights"
    origin: ClassVar[str] = ""
    work: ClassVar[str] = "games"
    made: ClassVar[str] = "played"
    leader: ClassVar[str] = "Champion"
    forecast: ClassVar[str] = "evolve.session.forecast:Forecast"
    founder: ClassVar[str] = "evolve.breeding.founder"
    texts: ClassVar[dict[str, str]] = {}
    kept: ClassVar[tuple[str, ...]] = (
        "population.mean",
        "optimiser.kind",
        "founders.method",
        "founders.genome",
        "founders.obtained",
    )
    extra: ClassVar[str] = ""
    packages: ClassVar[tuple[str, ...]] = ()
    need: ClassVar[str] = ""

    def __init__(self, method: type[Method]) -> None:
        self.method = method

    @property
    def games_key(self) -> str:
        """The dotted key of the file of recorded games, if this kind needs one; else empty."""
        return ""

    def extends(self, other: RunKind) -> bool:
        """Return whether a branch of this kind can continue a run of the other kind."""
        return False

    @classmethod
    def check_installed(cls) -> None:
        """Check that the packages that only this kind needs are installed."""
        check_extra(cls.need, cls.extra, cls.packages)

    def brief(self, config: Config) -> str:
        name, weights, depth = config.network.name, config.network.weights, config.search.depth
        network = name if str(weights) in name else f"{name} with {weights:,} weights"
        look = "without looking ahead" if depth == 1 else f"{depth} plies ahead"
        players = f"{config.population.size:,} players a generation, {config.population.parents} survive"
        return f"{players}; {network}, {look}"

    def obtained(self, config: Config) -> str:
        then = config.optimiser.kind.obtained
        if not config.founded:
            return then
        before = config.founders.obtained or "as its founder was"
        return before if before.endswith(then) else f"{before}, then {then}"

    @property
    def search(self) -> str:
        """The default of the option ``search`` of its players; empty if the network decides."""
        return ""

    def individuals(self, config: Config) -> int:
        return config.population.size

    def parents(self, config: Config) -> int:
        return config.population.parents

    def bred_from(self, config: Config) -> int:
        """Return the number of individuals, best first, that must be known to make the next generation."""
        everyone = config.population.mean or not isinstance(config.population.selection, Best)
        return config.population.size if everyone else config.population.parents

    def state_size(self, config: Config) -> int:
        """Return the number of float32 values kept in addition to the weights from generation to generation."""
        return config.optimiser.kind.state_size(config.network.weights) if config.population.mean else 0

    def problems(self, config: Config) -> list[str]:
        """Return the contradictions in a configuration that are specific to this kind, as ``key: text``."""
        if config.founded and not config.population.mean:
            return ["founders.method: player needs population.mean = true"]
        return []

    def begun(self, config: Config, runs: Path) -> Config:
        """Return the configuration with the data that a run records about files outside it, such as checksums."""
        begun: Config = imported(f"{self.founder}:begun")(config, runs) if config.founded else config
        return begun

    def to_begin(self, config: Config) -> Config:
        """Return the configuration without the values that a new run records by itself (`begun`)."""
        return config

    def outside(self, config: Config) -> tuple[str, ...]:
        """Return the dotted names of keys that locate files outside the run; results do not depend on these paths."""
        return ("founders.player",) if config.founded else ()

    def played_again(self, config: Config, generation: int) -> range:
        """Return the generations whose networks play their games again in a session that begins after a generation."""
        return range(0)

    def check_moved(self, before: Config, config: Config) -> None:
        """Check that files outside the run have the same content if a configuration gives them new paths."""
        if config.founders != before.founders:
            self.check_first(config)

    def check_first(self, config: Config) -> None:
        """Check that the files outside the run that only generation 0 needs are as they were when the run began."""
        if config.founded:
            imported(f"{self.founder}:founder_of")(config)

    def made_with(self) -> dict[str, Any]:
        """Return further entries for the record of a run, such as versions that decide its results."""
        if not self.packages:
            return {}
        from importlib import metadata

        from game.compiled import kernel_cache

        versions = {package: metadata.version(package) for package in self.packages}
        return versions | {"processor": kernel_cache.processor()}

    def log_columns(self) -> tuple[str, ...]:
        """Return the columns of the log; empty for the default columns (`evolve.run.log.LOG_COLUMNS`)."""
        return ()

    def progress_columns(self) -> tuple[str, ...] | None:
        """Return the columns of the log that progress displays; None for the default columns."""
        return None

    def curves(self) -> tuple[LogCurve, ...]:
        return ()


def run_kind(method: type[Method], selection: type[Selection] = Best) -> RunKind:
    """Return the kind of run that a method leads to; a method that breeds leaves it to the selection."""
    kind: RunKind = imported(method.run_kind)(method)
    return imported(selection.run_kind)(method) if kind.breeds and selection.run_kind else kind


def kind_of(tables: Mapping[str, Any]) -> RunKind:
    """Return the kind of run that plain values of a configuration describe; the values are not checked."""
    return run_kind(method_of(tables), selection_of(tables))
