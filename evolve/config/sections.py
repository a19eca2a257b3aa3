"""The sections of a configuration: frozen, documented objects.

The metadata of each field contains its allowed values and its meaning; `evolve.config.check` and `evolve.config.toml`
use them to check values and to document files.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from evolve.config.search import MAX_GENERATIONS, Search
from evolve.kinds.kind import choice, load_added, load_kinds, number, string, switch, texts, whole
from evolve.kinds.methods import Evolves, Method
from evolve.kinds.objectives import Objectives, Rank
from evolve.kinds.optimisers.optimiser import Mean, Optimiser
from evolve.kinds.pairing import Points
from evolve.kinds.selection import Best, Selection
from evolve.kinds.stages import Groups, Knockout, RoundRobin, Stage
from evolve.kinds.variation import Mutation, OnePoint, Recombination, Uniform
from game.endgame.slices import MOST_BUILT
from game.installation import module_name
from game.rules import MAX_PLIES, DrawRules
from game.search.layout import MAX_DEPTH

load_kinds(module_name("evolve.kinds.optimisers"))
load_added()

MOST = 65_536
"""Maximum of parents, and of mutants of a parent or of a mean."""


@dataclass(frozen=True)
class Founders:
    """Settings for making generation 0."""

    method: str = choice(
        "duel",
        ("duel", "uniform", "bred", "predicted", "player"),
        "duel: random genomes play in pairs, and only winners join; uniform: all random genomes join; "
        "bred: the parents are random, the others are their children; predicted: as bred, but around one founder that "
        "has learnt to predict the results of games; player: the network of an earlier run is the first mean, or its "
        "mutants fill a map",
    )
    low: float = number(-1.0, -1e6, 1e6, "smallest random weight", lambda config: not config.founded)
    high: float = number(1.0, -1e6, 1e6, "largest random weight", lambda config: not config.founded)
    step: float = number(
        0.05, 1e-6, 1e6, "self-adaptive mutation: initial step size of every weight", lambda config: config.has_steps
    )
    games: int = whole(10_000, 1, 1_000_000, "predicted: number of games to learn from", lambda config: config.predicts)
    depth: int = whole(
        2, 1, MAX_DEPTH, "predicted: search depth in these games, in plies", lambda config: config.predicts
    )
    rounds: int = whole(
        200, 0, 1_000_000, "predicted: generations of the evolution strategy", lambda config: config.predicts
    )
    positions: int = whole(
        2048,
        1,
        1_000_000,
        "predicted: new positions on which each of these generations is judged",
        lambda config: config.predicts,
    )
    player: str = string(
        "", "player: an individual of a run, such as RUN, RUN@15 or RUN@15:NAME", lambda config: config.founded
    )
    genome: str = string("", "player: digest of its weights when the run began", lambda config: config.founded)
    obtained: str = string("", "player: how it was obtained", lambda config: config.founded)


@dataclass(frozen=True)
class Plugins:
    """Python files with your own kinds; a run keeps copies of them."""

    files: tuple[str, ...] = texts("Python files with your own kinds", lambda config: bool(config.plugins.files))
    sha256: tuple[str, ...] = texts("SHA-256 of each file", lambda config: bool(config.plugins.files))


@dataclass(frozen=True)
class Population:
    """The members of a generation: n parents, n(n-1) children of their pairs, and mutants of them; or a mean and its
    mutants.
    """

    parents: int = whole(16, 2, MOST, "survivors of a generation, which are the parents of the next")
    recombine: bool = switch(True, "every pair of parents has two children by recombination")
    mutants: int = whole(3, 0, MOST, "mutants of each parent and of each recombined child; or of the mean")
    mean: bool = switch(
        False,
        "a generation begins with the mean of all parents; the others are pairs of mutants that are mirror images; "
        "no parent survives",
    )
    stride: float = number(
        1.0,
        0.1,
        100.0,
        "mean: how far it moves from the last mean (1: to the mean of the parents, 2: twice as far)",
        lambda config: config.population.mean,
    )
    selection: Selection = field(
        default=Best(),
        metadata={"family": Selection, "default": Best.kind, "when": lambda config: not config.population.mean},
    )

    @property
    def recombined(self) -> int:
        return self.parents * (self.parents - 1) if self.recombine else 0

    @property
    def size(self) -> int:
        if self.mean:
            return 1 + self.mutants
        return (self.parents + self.recombined) * (1 + self.mutants)


@dataclass(frozen=True)
class Variation:
    """The recombination and mutation by which children differ from their parents."""

    recombination: Recombination = field(
        default=OnePoint(),
        metadata={
            "family": Recombination,
            "default": OnePoint.kind,
            "when": lambda config: config.population.recombine,
        },
    )
    mutation: Mutation = field(
        default=Uniform(), metadata={"family": Mutation, "default": Uniform.kind, "when": lambda config: config.mutates}
    )
    king: str = choice(
        "steps",
        ("steps", "lognormal"),
        "mutation of king values, which stay in [1, 3]: steps adds -0.1, 0 or 0.1; lognormal multiplies by "
        "exp(N / sqrt 2)",
        lambda config: config.network.evolving_king,
    )


@dataclass(frozen=True)
class Optimisation:
    """The optimiser that makes the next mean from the last one and its mutants (`population.mean`)."""

    kind: Optimiser = field(
        default=Mean(),
        metadata={"family": Optimiser, "default": Mean.kind, "when": lambda config: config.population.mean},
    )


def _judges(config: Any) -> bool:
    return bool(config.fitness.kind.kind != Rank.kind)


@dataclass(frozen=True)
class FitnessRules:
    """The fitness by which parents are selected."""

    kind: Objectives = field(default=Rank(), metadata={"family": Objectives, "default": Rank.kind, "when": _judges})
    weights: str = string(
        "1", "for each number of the fitness, as in DEAP: above 0 it is maximised, below 0 minimised", _judges
    )

    @property
    def numbers(self) -> tuple[float, ...]:
        """The weights; a ValueError if one is not a number other than 0."""
        if self.kind.kind == Rank.kind:
            return (-1.0,)
        numbers = tuple(float(text) for text in self.weights.split(","))
        if not all(number and math.isfinite(number) for number in numbers):
            raise ValueError
        return numbers


@dataclass(frozen=True)
class Learning:
    """The method by which one network learns, in runs that do not evolve a population."""

    method: Method = field(
        default=Evolves(),
        metadata={"family": Method, "default": Evolves.kind, "when": lambda config: not config.kind.breeds},
    )


@dataclass(frozen=True)
class Games:
    """The openings and the ends of games."""

    openings: str = choice(
        "start", ("start", "two-move", "three-move"), "start: the first position; two-move, three-move: random ballots"
    )
    swap: bool = switch(
        True,
        "each pairing plays its opening twice, with colours swapped; otherwise once",
        lambda config: config.games.openings != "start",
    )
    repetition: int = whole(3, 0, 1000, "drawn at this occurrence of a position (0: off)")
    quiet_plies: int = whole(80, 0, MAX_PLIES, "drawn after this many plies without progress (0: off)")
    men_reset: bool = switch(
        True,
        "the move of a man is progress; otherwise only a capture is",
        lambda config: bool(config.games.quiet_plies),
    )
    max_plies: int = whole(0, 0, MAX_PLIES, "drawn at this length in plies (0: off)")
    adjudicate: int = whole(
        0, 0, MOST_BUILT, "games end as soon as tablebases of up to this many pieces know the result (0: off)"
    )

    def rules(self) -> DrawRules:
        return DrawRules(self.repetition, self.quiet_plies, self.men_reset, self.max_plies)

    @property
    def a_pairing(self) -> int:
        return 2 if self.swap and self.openings != "start" else 1


@dataclass(frozen=True)
class Rating:
    """Ratings of champions during a session; no other result depends on them."""

    every: int = whole(5, 0, MAX_GENERATIONS, "every n-th generation the champion plays the anchors (0: never)")
    games: int = whole(
        20,
        2,
        10_000,
        "games against each anchor, an even number: two from each ballot, with colours swapped",
        lambda config: bool(config.rating.every),
    )
    anchors: str = field(
        default="random; material,depth=1; material,depth=2",
        metadata={
            "type": str,
            "text": "fixed opponents, separated by semicolons, as for the command ladder",
            "when": lambda config: bool(config.rating.every),
        },
    )
    estimate_depth: int = whole(
        0,
        0,
        MAX_DEPTH,
        "plies with which each champion plays two games against random moves and each piece counter that looks no "
        "further, for a rough estimate between ratings (0: no estimates)",
        lambda config: bool(config.rating.every),
    )

    @property
    def estimates(self) -> bool:
        return bool(self.every and self.estimate_depth)


@dataclass(frozen=True)
class Saving:
    """The choice of generations that keep weights and step sizes; no result depends on it."""

    every: int = whole(1, 0, MAX_GENERATIONS, "multiples of this number keep everything (1: all generations, 0: none)")
    newest: int = whole(
        2,
        1,
        1000,
        "number of newest generations that keep everything, too; hall_of_fame.csv keeps all champions in any case",
        lambda config: config.saving.thins,
    )

    @property
    def thins(self) -> bool:
        return self.every != 1

    def keeps(self, generation: int) -> bool:
        """Return whether a generation keeps everything permanently."""
        return self.every > 0 and generation % self.every == 0


@dataclass(frozen=True)
class WorkerRules:
    """The distribution of games over processes; no result depends on it."""

    start_method: str = choice("auto", ("auto", "fork", "forkserver", "spawn"), "how worker processes are started")
    chunk: int = whole(0, 0, 1_000_000, "games per task (0: a few tasks for each worker)")
    timeout: float = number(300.0, 0.1, 1e6, "seconds after which a task counts as hung")


DEFAULT_STAGES = Knockout(rounds=3), Groups(rounds=3), RoundRobin()


SECTIONS: dict[str, type[Any]] = {
    "plugins": Plugins,
    "learning": Learning,
    "founders": Founders,
    "population": Population,
    "fitness": FitnessRules,
    "optimiser": Optimisation,
    "variation": Variation,
    "games": Games,
    "search": Search,
    "points": Points,
    "rating": Rating,
    "saving": Saving,
    "workers": WorkerRules,
}

EVOLVING = (Founders, Population, FitnessRules, Optimisation, Variation, Points, Stage)
"""Parts of a configuration that have an effect only in runs that breed (`RunKind.breeds`)."""
