"""What a method of learning is: a class whose fields are its keys in TOML, and what the program has to know before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from evolve.kinds.kind import Kind

if TYPE_CHECKING:
    from game.networks.spec import Spec


@dataclass(frozen=True)
class Method(Kind):
    """How one network learns from generation to generation.

    Attributes:
        learns: whether one network learns; otherwise a population evolves.
        plays: whether games are played to learn from.
        columns: of the log, its own, behind those that all methods have.
        learner: module and class of `evolve.learning` that do the work, with a colon between them.
    """

    kinds: ClassVar[dict[str, type[Method]]] = {}
    learns: ClassVar[bool] = True
    plays: ClassVar[bool] = False
    columns: ClassVar[tuple[str, ...]] = ()
    learner: ClassVar[str] = ""

    def problem(self, network: Spec) -> str:
        """Why such a network cannot learn by this method, as ``key: text``; empty if it can."""
        return ""

    def state_size(self, weights: int) -> int:
        """Numbers that are kept beside the weights, such as moments of an optimiser."""
        return 0


@dataclass(frozen=True)
class Evolves(Method, kind="none"):
    """none: a population evolves (verb evolve)."""

    learns: ClassVar[bool] = False
