"""The method `policy-gradient`: its keys in TOML, its columns in the log, and their curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from evolve.kinds.kind import number, string, switch, whole
from evolve.kinds.methods import GAMES, LogCurve
from extras.learning.methods import BY_GAMES, Policy, Taught

if TYPE_CHECKING:
    from game.networks.spec import Spec


@dataclass(frozen=True)
class PolicyGradient(Taught, kind="policy-gradient"):
    """policy-gradient: to win more of its games against earlier generations, without a search; then who wins them."""

    plays: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = ("value_loss", "entropy", "rate")
    curves: ClassVar[tuple[LogCurve, ...]] = (
        GAMES,
        LogCurve("loss of results", (("value_loss", "new games"),)),
        LogCurve("entropy of its choices", (("entropy", "nats"),)),
    )
    shown: ClassVar[tuple[str, ...]] = ("value_loss", "entropy")
    obtained: ClassVar[str] = BY_GAMES
    ways: ClassVar[tuple[str, ...]] = (Policy.obtained, obtained)
    search: ClassVar[str] = "tree"
    learner: ClassVar[str] = "extras.learning.policy_gradient:PolicyGradientLearner"

    teacher: str = string(
        "", "an earlier run by this method, or by `policy` with a value, whose network is the first one"
    )
    genome: str = string("", "digest of the teacher's weights when the run began")
    recorded: bool = switch(False, "whether the teacher has learnt from recorded games, as when the run began")
    games: int = whole(400, 2, 100_000, "games in each generation, an even number: two per ballot, colours swapped")
    earlier: int = whole(6, 1, 100, "number of earlier generations, drawn evenly from all, that it plays against")
    plies: int = whole(4, 0, 100, "most random plies between the ballot and the first choice of a game")
    length: int = whole(160, 20, 100_000, "plies after which a game is a draw")
    judging_from: int = whole(
        31, 1, 1_000_000, "generation from which it plays against itself and learns results alone; its choices stay"
    )
    judged: int = whole(1500, 2, 100_000, "games in these generations, by its first choices; an even number")
    results: float = number(0.1, 0.0, 100.0, "weight of the loss of results in generations before them")
    entropy: float = number(0.005, 0.0, 10.0, "weight of the entropy of its choices, which keeps them from narrowing")
    batch: int = whole(512, 1, 1_000_000, "positions in each step of Adam; each position is learnt once")
    rate: float = number(1e-4, 1e-9, 10.0, "rate of Adam")

    def problem(self, network: Spec) -> str:
        if self.games % 2:
            return f"learning.games: expected an even number, got {self.games}"
        if network.heads is None or network.heads.value != "wdl" or network.heads.policy != "steps":
            return 'network: expected one with [heads] value = "wdl" and policy = "steps"'
        return ""

    @property
    def places(self) -> int:
        return 1 + self.earlier  # the network and earlier ones
