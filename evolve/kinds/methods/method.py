"""What a method of learning is: a class whose fields are its keys in TOML, and what the program has to know before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from evolve.kinds.kind import Kind

if TYPE_CHECKING:
    from game.networks.spec import Spec


@dataclass(frozen=True)
class Curve:
    """Numbers of the log that are shown together, over generations.

    Attributes:
        title: what they are.
        lines: column and name of each; the first one stands for all where there is room for one.
        percent: they are shares of 1, shown as percentages.
        short: of the first line, where there is little room; its name if empty.
    """

    title: str
    lines: tuple[tuple[str, str], ...]
    percent: bool = False
    short: str = ""


def beside(column: str) -> tuple[str, str, str, str]:
    """Return the columns that a log may have beside one of shares, such as ``all_top1``: the ends of its 95 % interval,
    and the numbers of positions and games that it rests on (``all_positions``).
    """
    what = column.rpartition("_")[0]
    return f"{column}_low", f"{column}_high", f"{what}_positions", f"{what}_games"


LOSS = Curve("loss", (("loss", "loss"),))
GAMES = Curve("games", (("won", "won"), ("drawn", "drawn"), ("lost", "lost")), percent=True)
"""Shares of the games that it learns from; these columns are not in the log, which has counts."""


@dataclass(frozen=True)
class Method(Kind):
    """How one network learns from generation to generation.

    Attributes:
        learns: whether one network learns; otherwise a population evolves.
        plays: whether games are played to learn from.
        columns: of the log, its own, behind those that all methods have.
        curves: how reports show columns; each of the others has one of its own.
        shown: of these columns, those that a person sees while it learns; all if empty.
        outside: keys that say where things outside the run are, which decides nothing and may be told anew.
        obtained: how its network comes about, in the words of `Config.obtained`.
        learner: module and class of `evolve.learning` that do the work, with a colon between them.
    """

    kinds: ClassVar[dict[str, type[Method]]] = {}
    learns: ClassVar[bool] = True
    plays: ClassVar[bool] = False
    columns: ClassVar[tuple[str, ...]] = ()
    curves: ClassVar[tuple[Curve, ...]] = ()
    shown: ClassVar[tuple[str, ...]] = ()
    outside: ClassVar[tuple[str, ...]] = ()
    obtained: ClassVar[str] = "by games alone, with a gradient"
    learner: ClassVar[str] = ""

    @classmethod
    def all_curves(cls) -> tuple[Curve, ...]:
        """Return those of the loss, which comes first, of all other columns, and of the results of games.

        Columns `beside` others belong to the curves of these.
        """
        own = {column for curve in cls.curves for column, _ in curve.lines}
        first = () if "loss" in own else (LOSS,)
        known = own.union(*map(beside, own))
        others = (Curve(column, ((column, column),)) for column in cls.columns if column not in known)
        return (*first, *cls.curves, *others, *((GAMES,) if cls.plays and GAMES not in cls.curves else ()))

    def problem(self, network: Spec) -> str:
        """Why such a network cannot learn by this method, as ``key: text``; empty if it can."""
        return ""

    def begun(self) -> Method:
        """The same, with what a run keeps of things outside it, such as the checksum of a file.

        Raises:
            InputError: something is missing.
        """
        return self

    def check_outside(self) -> None:
        """See that things outside a run are still those with which it began.

        Raises:
            InputError: one is not, or cannot be read.
        """

    @property
    def places(self) -> int:
        """Genomes that workers have to see at once."""
        return 0

    def state_size(self, weights: int) -> int:
        """Numbers that are kept beside the weights, such as moments of an optimiser."""
        return 0


@dataclass(frozen=True)
class Evolves(Method, kind="none"):
    """none: a population evolves (verb evolve)."""

    learns: ClassVar[bool] = False
