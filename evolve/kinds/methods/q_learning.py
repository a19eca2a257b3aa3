"""Learning the values of moves from own games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from evolve.kinds.kind import choice, number, switch, whole
from evolve.kinds.methods.method import GAMES, LOSS, Curve, Method
from game.search.layout import MAX_DEPTH

if TYPE_CHECKING:
    from game.networks.spec import Spec


@dataclass(frozen=True)
class QLearning(Method, kind="q-learning"):
    """q-learning: values of moves, from games against itself and maxima over the next moves by a frozen copy."""

    plays: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = ("epsilon", "target")
    curves: ClassVar[tuple[Curve, ...]] = (
        LOSS,
        GAMES,
        Curve("mean size of targets", (("target", "target"),)),
        Curve("random moves", (("epsilon", "random"),), percent=True),
    )
    learner: ClassVar[str] = "evolve.learning.q_learning:QLearner"

    games: int = whole(200, 2, 100_000, "of each generation, an even number: two on each ballot, colours swapped")
    earlier: float = number(0.25, 0.0, 1.0, "part of them against an earlier generation, the others against itself")
    among: int = whole(20, 1, 1000, "one of so many, the newest ones")
    epsilon: float = number(0.1, 0.0, 1.0, "chance of a random move, in generation 1")
    epsilon_end: float = number(0.02, 0.0, 1.0, "and from generation `settled` on")
    settled: int = whole(60, 1, 1_000_000, "generation from which on epsilon and rate stay, having fallen evenly")
    discount: float = number(0.99, 0.0, 1.0, "what a value is worth a move earlier")
    draw: float = number(0.0, -1.0, 1.0, "what a drawn game is worth to both; a won one is worth 1, a lost one -1")
    reply: str = choice(
        "best",
        ("best", "played"),
        "the maximum over the next moves is taken after the best reply, or after the one that was played",
    )
    look_ahead: int = whole(2, 1, MAX_DEPTH, "plies of the search for it; best: the first is the reply")
    captures: bool = switch(True, "captures are played out behind these plies")
    both_views: bool = switch(True, "quiet boards are learnt as the side to move sees them, too")
    window: int = whole(5, 1, 1000, "generations whose games are learnt from")
    batch: int = whole(256, 1, 1_000_000, "samples a step of Adam")
    steps: int = whole(160, 1, 1_000_000, "of Adam a generation")
    rate: float = number(1e-3, 1e-9, 10.0, "of Adam, in generation 1")
    rate_end: float = number(1e-4, 1e-9, 10.0, "and from generation `settled` on")
    begin: str = choice("metrics", ("metrics", "random"), "generation 0: taught by ten numbers of a board, or random")

    def problem(self, network: Spec) -> str:
        """Values go from -1 to 1, and games come in pairs."""
        if self.games % 2:
            return f"learning.games: expected an even number, got {self.games}"
        if network.activation != "tanh":
            return "network: expected tanh in the last layer and no heads, since values go from -1 to 1"
        return ""

    @property
    def places(self) -> int:
        """The network and earlier ones."""
        return 1 + self.among

    def state_size(self, weights: int) -> int:
        """Adam keeps two moments a weight and the number of its steps, which its falling rate counts, too."""
        return 2 * weights + 2
