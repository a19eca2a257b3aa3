"""The configuration of a session: one frozen, documented object.

The metadata of each field says what is allowed and what it means; `evolve.config_file` checks and documents by it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from game.networks.shipped import CNN_247
from game.networks.spec import Spec
from game.rules import MAX_PLIES, DrawRules

MAX_SEED = 2**63 - 1
MAX_GENERATIONS = 1_000_000


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
        ("duel", "uniform"),
        "duel: two drawn genomes play, the winner joins, ties and losers are dropped; uniform: all join",
    )
    low: float = _number(-1.0, -1e6, 1e6, "smallest weight drawn")
    high: float = _number(1.0, -1e6, 1e6, "largest weight drawn")


@dataclass(frozen=True)
class Population:
    """Sizes: n parents, n(n-1) children of their pairs, and mutants of all of these."""

    parents: int = _whole(16, 2, 256, "survivors of a generation: the parents of the next")
    recombine: bool = _switch(True, "every pair of parents has two children by recombination")
    mutants: int = _whole(3, 0, 100, "mutated children of each parent and of each recombined child")

    @property
    def recombined(self) -> int:
        """Children by recombination in a generation."""
        return self.parents * (self.parents - 1) if self.recombine else 0

    @property
    def size(self) -> int:
        """Individuals in a generation."""
        return (self.parents + self.recombined) * (1 + self.mutants)


@dataclass(frozen=True)
class Variation:
    """How children differ from their parents."""

    recombination: str = _choice("one-point", ("one-point",), "cut both genomes at one random point, swap the ends")
    mutation: str = _choice("uniform", ("uniform",), "add a number drawn uniformly to every weight")
    low: float = _number(-0.1, -1e6, 1e6, "smallest number added to a weight")
    high: float = _number(0.1, -1e6, 1e6, "largest number added to a weight")


@dataclass(frozen=True)
class Games:
    """Where games start, and when they are drawn."""

    openings: str = _choice(
        "start",
        ("start", "two-move", "three-move"),
        "start: one game a pairing, colours drawn; ballots: two games a pairing on one ballot, colours swapped",
    )
    repetition: int = _whole(3, 0, 1000, "drawn at this occurrence of a position (0: off)")
    quiet_plies: int = _whole(80, 0, MAX_PLIES, "drawn after this many plies without progress (0: off)")
    men_reset: bool = _switch(True, "the move of a man is progress; otherwise only a capture is")
    max_plies: int = _whole(0, 0, MAX_PLIES, "drawn at this length (0: off)")

    def rules(self) -> DrawRules:
        """The draw rules of a match."""
        return DrawRules(self.repetition, self.quiet_plies, self.men_reset, self.max_plies)


@dataclass(frozen=True)
class Points:
    """Points of an individual for each of its pairings."""

    win: int = _whole(3, -100, 100, "for a win")
    draw: int = _whole(1, -100, 100, "for a draw")
    loss: int = _whole(0, -100, 100, "for a loss")


@dataclass(frozen=True)
class Stage:
    """One stage of the tournament that ranks a generation; stages follow each other, the last is a round robin."""

    kind: str = _choice(
        "elimination",
        ("elimination", "groups", "round-robin"),
        "elimination: random pairs, the winner goes on; groups: each plays each, the best go on; "
        "round-robin: all play all, which ranks those who are left",
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
    counts: bool = _switch(True, "its games count for games, wins, draws, losses and points in the saved generation")


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
    points: Points = field(default_factory=Points)
    stages: tuple[Stage, ...] = DEFAULT_STAGES
    workers: Workers = field(default_factory=Workers)


SECTIONS: dict[str, type[Any]] = {
    "founders": Founders,
    "population": Population,
    "variation": Variation,
    "games": Games,
    "points": Points,
    "workers": Workers,
}
