"""Q-learning as Lheureux published it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from evolve.kinds.kind import whole
from evolve.kinds.methods.method import GAMES, LOSS, Curve, Method

if TYPE_CHECKING:
    from game.networks.spec import Spec


@dataclass(frozen=True)
class PublishedQLearning(Method, kind="q-learning-published"):
    """q-learning-published: the system of the article, which teaches next to nothing: see docs/learning.md."""

    plays: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = ("unlost",)
    curves: ClassVar[tuple[Curve, ...]] = (
        LOSS,
        GAMES,
        Curve("games not lost", (("unlost", "not lost"),), percent=True),
    )
    learner: ClassVar[str] = "evolve.learning.published:PublishedLearner"

    games: int = whole(200, 1, 100_000, "of each generation; they are two, one for each side that is taught")

    def problem(self, network: Spec) -> str:
        """It fits the weights of layers to values."""
        return "" if network.layers and network.heads is None else "network: expected layers and no heads"

    def state_size(self, weights: int) -> int:
        """Adadelta keeps two sums a weight."""
        return 2 * weights
