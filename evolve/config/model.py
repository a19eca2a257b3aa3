"""The configuration of a session: one frozen, documented object.

The metadata of each field says what is allowed and what it means; `evolve.config.toml` checks and documents by it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from game.networks.shipped import CNN_247
from game.networks.spec import Spec
from game.rules import MAX_PLIES, DrawRules
from game.search.layout import MAX_DEPTH
from game.search.limits import Limits, SearchOptions

MAX_SEED = 2**63 - 1
MAX_GENERATIONS = 1_000_000
MAX_NODES = 1_000_000_000


def _whole(default: int, low: int, high: int, text: str) -> Any:
    return field(default=default, metadata={"type": int, "low": low, "high": high, "text": text})


def _number(default: float, low: float, high: float, text: str) -> Any:
    return field(default=default, metadata={"type": float, "low": low, "high": high, "text": text})


def _switch(default: bool, text: str) -> Any:
    return field(default=default, metadata={"type": bool, "text": text})


def _choice(default: str, choices: tuple[str, ...], text: str) -> Any:
    return field(default=default, metadata={"type": str, "choices": choices, "text": text})


@dataclass(frozen=True)
class Founders:
    """How generation 0 is made."""

    method: str = _choice(
        "duel",
        ("duel", "uniform", "bred"),
        "duel: two drawn genomes play, the winner joins, ties and losers are dropped; uniform: all join; "
        "bred: population.parents are drawn, the others are their children",
    )
    low: float = _number(-1.0, -1e6, 1e6, "smallest weight drawn")
    high: float = _number(1.0, -1e6, 1e6, "largest weight drawn")
    step: float = _number(0.05, 1e-6, 1e6, "self-adaptive mutation: step size of every weight to begin with")


@dataclass(frozen=True)
class Population:
    """Sizes: n parents, n(n-1) children of their pairs, and mutants of all of these; or the mean, and mutants of it."""

    parents: int = _whole(16, 2, 256, "survivors of a generation: the parents of the next")
    recombine: bool = _switch(True, "every pair of parents has two children by recombination")
    mutants: int = _whole(3, 0, 1000, "mutated children of each parent and of each recombined child; or of the mean")
    mean: bool = _switch(
        False,
        "a generation is the mean of all parents, which leads it, and pairs of mutants that mirror each other at it; "
        "no parent stays",
    )
    stride: float = _number(
        1.0, 0.1, 100.0, "mean: how far it goes from the mean before it, 1 to the mean of the parents, 2 twice as far"
    )

    @property
    def recombined(self) -> int:
        """Children by recombination in a generation."""
        return self.parents * (self.parents - 1) if self.recombine else 0

    @property
    def size(self) -> int:
        """Individuals in a generation."""
        if self.mean:
            return 1 + self.mutants
        return (self.parents + self.recombined) * (1 + self.mutants)


@dataclass(frozen=True)
class Variation:
    """How children differ from their parents."""

    recombination: str = _choice("one-point", ("one-point",), "cut both genomes at one random point, swap the ends")
    mutation: str = _choice(
        "uniform",
        ("uniform", "normal", "self-adaptive"),
        "uniform: add a number drawn uniformly to every weight; normal: w' = w + s N with one step size s for all, "
        "which shrinks; self-adaptive: every weight w has a step size s of its own, s' = s exp(tau N), w' = w + s' N; "
        "each N is drawn from the normal distribution",
    )
    low: float = _number(-0.1, -1e6, 1e6, "uniform: smallest number added to a weight")
    high: float = _number(0.1, -1e6, 1e6, "uniform: largest number added to a weight")
    step: float = _number(0.05, 1e-6, 1e6, "normal: step size of generation 0")
    halving: int = _whole(0, 0, MAX_GENERATIONS, "normal: generations after which the step size is half (0: never)")
    tau: float = _number(0.0, 0.0, 10.0, "self-adaptive: how fast step sizes change (0: 1 / sqrt(2 sqrt(weights)))")
    step_low: float = _number(0.0, 0.0, 1e6, "normal and self-adaptive: no step size gets smaller (0: no bound)")
    step_high: float = _number(0.0, 0.0, 1e6, "self-adaptive: no step size gets larger (0: no bound)")
    decay: float = _number(0.0, 0.0, 1.0, "self-adaptive: share of itself that every weight loses first (0: off)")
    king: str = _choice(
        "steps",
        ("steps", "lognormal"),
        "king values that evolve, kept in [1, 3]: steps adds one of -0.1, 0 and 0.1; lognormal multiplies by "
        "exp(N / sqrt 2)",
    )


@dataclass(frozen=True)
class Games:
    """Where games start, and when they are drawn."""

    openings: str = _choice(
        "start",
        ("start", "two-move", "three-move"),
        "start: one game a pairing; ballots: pairings begin on ballots that are drawn",
    )
    swap: bool = _switch(True, "ballots: two games a pairing on one ballot, colours swapped; otherwise one")
    repetition: int = _whole(3, 0, 1000, "drawn at this occurrence of a position (0: off)")
    quiet_plies: int = _whole(80, 0, MAX_PLIES, "drawn after this many plies without progress (0: off)")
    men_reset: bool = _switch(True, "the move of a man is progress; otherwise only a capture is")
    max_plies: int = _whole(0, 0, MAX_PLIES, "drawn at this length (0: off)")

    def rules(self) -> DrawRules:
        """The draw rules of a match."""
        return DrawRules(self.repetition, self.quiet_plies, self.men_reset, self.max_plies)

    @property
    def a_pairing(self) -> int:
        """Games a pairing: 1, or 2 with colours swapped."""
        return 2 if self.swap and self.openings != "start" else 1


@dataclass(frozen=True)
class Search:
    """How far individuals look ahead in their games."""

    depth: int = _whole(1, 1, MAX_DEPTH, "plies of full width (1: the positions after the own moves, no look-ahead)")
    nodes: int = _whole(0, 0, MAX_NODES, "positions visited for a move (0: no limit)")
    quiescence: bool = _switch(False, "captures at the leaves are played out")
    blondie: bool = _switch(
        False, "Blondie24's rules: quiescence, a forced move costs no depth, leaves an even number of plies away"
    )
    equal_depth: bool = _switch(False, "remembered results are used only where as many plies remain: plain minimax")
    table_bits: int = _whole(14, 1, 24, "2 to this power results are remembered during a search")
    deepen_every: int = _whole(0, 0, MAX_GENERATIONS, "every so many generations look deeper (0: never)")
    deepen_by: int = _whole(2, 1, MAX_DEPTH, "plies more each time")
    deepest: int = _whole(8, 1, MAX_DEPTH, "up to this depth")

    def limits(self, generation: int) -> Limits:
        """What ends the searches of a generation."""
        depth = self.depth
        if self.deepen_every and depth < self.deepest:
            depth = min(depth + self.deepen_by * (generation // self.deepen_every), self.deepest)
        return Limits(depth, self.nodes or None)

    def style(self) -> SearchOptions:
        """How all generations look."""
        return SearchOptions(self.quiescence, self.blondie, self.equal_depth, self.table_bits)


@dataclass(frozen=True)
class Points:
    """What results are worth."""

    win: int = _whole(3, -100, 100, "for a win")
    draw: int = _whole(1, -100, 100, "for a draw")
    loss: int = _whole(0, -100, 100, "for a loss")
    each: str = _choice(
        "pairing", ("pairing", "game"), "what is won or lost: a pairing, by more games won than the other; or each game"
    )
    sharing: bool = _switch(
        False,
        "competitive fitness sharing: the last stages rank by opponents beaten, each worth 1 / (how many beat it), "
        "and only then by points",
    )


@dataclass(frozen=True)
class Stage:
    """One stage of the tournament that ranks a generation.

    Stages follow each other. Those that rank (round-robin, opponents) come last, and their points add up.
    """

    kind: str = _choice(
        "elimination",
        ("elimination", "groups", "round-robin", "opponents", "mirror"),
        "elimination: random pairs, the winner goes on; groups: each plays each, the best go on; "
        "round-robin: all play all, which ranks those who are left; opponents: each plays some drawn opponents, which "
        "ranks too; mirror: with population.mean, mutants play their mirror images, which ranks too",
    )
    rounds: int = _whole(1, 1, 20, "how often in a row (elimination and groups)")
    ties: str = _choice(
        "pool",
        ("pool", "swap"),
        "elimination, tied pairs: pool shuffles and pairs them anew, swap plays again with colours swapped; "
        "a second tie is decided by the generator",
    )
    size: int = _whole(4, 2, 1024, "groups: members of a group")
    advance: int = _whole(2, 1, 1023, "groups: how many of a group go on, by points, then wins")
    games: int = _whole(5, 1, 1000, "opponents: how many each plays; mirror: pairings of two mirror images")
    opponents: str = _choice(
        "population",
        ("population", "hall-of-fame"),
        "opponents: population draws them anew for each, with replacement, who has Black and scores like the other; "
        "hall-of-fame draws different champions of earlier generations, the same for all",
    )
    best: int = _whole(0, 0, 65_536, "stages that rank: only the best so many go on to the next stage (0: all)")
    counts: bool = _switch(True, "its games count for games, wins, draws, losses and points in the saved generation")

    @property
    def ranks(self) -> bool:
        """Whether it orders those who play it."""
        return self.kind in ("round-robin", "opponents", "mirror")

    @property
    def from_hall(self) -> bool:
        """Whether champions of earlier generations play in it."""
        return self.kind == "opponents" and self.opponents == "hall-of-fame"


@dataclass(frozen=True)
class Rating:
    """How the strength of champions is measured while a session goes on; no other result depends on it."""

    every: int = _whole(5, 0, MAX_GENERATIONS, "the champion of every so many generations plays the anchors (0: never)")
    games: int = _whole(20, 2, 10_000, "against each anchor, an even number: colours are swapped on each ballot")
    anchors: str = field(
        default="random; material,depth=1; material,depth=2",
        metadata={"type": str, "text": "fixed opponents with semicolons between them, as for the verb ladder"},
    )


@dataclass(frozen=True)
class Saving:
    """Which generations keep everything; no result depends on it. The others lose weights and step sizes."""

    every: int = _whole(1, 1, MAX_GENERATIONS, "those whose number is a multiple of this (1: all)")
    newest: int = _whole(2, 1, 1000, "and so many of the newest; champions stay in hall_of_fame.csv in any case")

    def keeps(self, generation: int) -> bool:
        """Whether a generation keeps everything for good."""
        return generation % self.every == 0


@dataclass(frozen=True)
class Workers:
    """How games are spread over processes; no result depends on it."""

    start_method: str = _choice("auto", ("auto", "fork", "forkserver", "spawn"), "how worker processes are started")
    chunk: int = _whole(0, 0, 1_000_000, "games a task (0: a few tasks a worker)")
    timeout: float = _number(300.0, 0.1, 1e6, "seconds after which a task counts as hung")


DEFAULT_STAGES = (
    Stage("elimination", 3),
    Stage("groups", 3),
    Stage("round-robin"),
)


@dataclass(frozen=True)
class Config:
    """Everything that decides the result of a session, and how its work is spread."""

    preset: str = field(default="cowan", metadata={"type": str, "text": "where the values came from"})
    network: Spec = field(default=CNN_247, metadata={"text": "the network that evolves: a shipped one, or a table"})
    generations: int = _whole(15, 0, MAX_GENERATIONS, "number of the last generation; the first is 0")
    seed: int = _whole(0, 0, MAX_SEED, "all randomness derives from it")
    founders: Founders = field(default_factory=Founders)
    population: Population = field(default_factory=Population)
    variation: Variation = field(default_factory=Variation)
    games: Games = field(default_factory=Games)
    search: Search = field(default_factory=Search)
    points: Points = field(default_factory=Points)
    stages: tuple[Stage, ...] = DEFAULT_STAGES
    rating: Rating = field(default_factory=Rating)
    saving: Saving = field(default_factory=Saving)
    workers: Workers = field(default_factory=Workers)

    @property
    def self_adaptive(self) -> bool:
        """Whether individuals have step sizes."""
        return self.variation.mutation == "self-adaptive"

    @property
    def guests(self) -> int:
        """Most champions of earlier generations that play in one."""
        return max((stage.games for stage in self.stages if stage.from_hall), default=0)


SECTIONS: dict[str, type[Any]] = {
    "founders": Founders,
    "population": Population,
    "variation": Variation,
    "games": Games,
    "search": Search,
    "points": Points,
    "rating": Rating,
    "saving": Saving,
    "workers": Workers,
}
