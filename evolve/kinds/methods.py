"""The family of learning methods, and the curves in which reports draw columns of the log."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from evolve.kinds.kind import Kind, load_added

if TYPE_CHECKING:
    from pathlib import Path

    from game.networks.spec import Spec


@dataclass(frozen=True)
class LogCurve:
    """Columns of the log that are drawn together, over generations; where there is room for one line, the first."""

    title: str
    lines: tuple[tuple[str, str], ...]
    percent: bool = False
    short: str = ""


def beside(column: str) -> tuple[str, str, str, str]:
    """Return the columns that may accompany a column of shares, such as ``all_top1``, in a log."""
    what = column.rpartition("_")[0]
    return f"{column}_low", f"{column}_high", f"{what}_positions", f"{what}_games"


LOSS = LogCurve("loss", (("loss", "loss"),))
GAMES = LogCurve("games", (("won", "won"), ("drawn", "drawn"), ("lost", "lost")), percent=True)
"""Shares of games won, drawn and lost; they are computed from the counts in the log."""


@dataclass(frozen=True)
class Method(Kind):
    """A method by which one network learns from generation to generation.

    Attributes:
        run_kind: its `evolve.config.model.RunKind`, as ``module:class``.
        curves: the curves in which reports draw columns; every other column gets a curve of its own.
        shown: the columns that progress displays; empty for all of `columns`.
        outside: keys that locate files outside the run; results do not depend on these paths.
        search: the default of the option ``search`` of its players; empty if the network decides.
    """

    kinds: ClassVar[dict[str, type[Method]]] = {}
    run_kind: ClassVar[str] = "evolve.session.network_run:NetworkRuns"
    plays: ClassVar[bool] = False
    columns: ClassVar[tuple[str, ...]] = ()
    curves: ClassVar[tuple[LogCurve, ...]] = ()
    shown: ClassVar[tuple[str, ...]] = ()
    outside: ClassVar[tuple[str, ...]] = ()
    obtained: ClassVar[str] = ""
    search: ClassVar[str] = ""
    learner: ClassVar[str] = ""

    @classmethod
    def all_curves(cls) -> tuple[LogCurve, ...]:
        """Return all curves: the loss, `curves`, one for each remaining column, and the results of games."""
        own = {column for curve in cls.curves for column, _ in curve.lines}
        first = () if "loss" in own else (LOSS,)
        known = own.union(*map(beside, own))
        others = (LogCurve(column, ((column, column),)) for column in cls.columns if column not in known)
        return (*first, *cls.curves, *others, *((GAMES,) if cls.plays and "won" not in own else ()))

    def problem(self, network: Spec) -> str:
        """Return why a network cannot learn by this method, as ``key: text``; empty if it can."""
        return ""

    def begun(self, network: Spec, runs: Path) -> Method:
        """Return the method with the data that a run records about files outside it, such as a checksum."""
        return self

    def played_again(self, generation: int) -> range:
        """Return the generations whose networks play their games again in a session that begins after a generation."""
        return range(0)

    def how_obtained(self) -> str:
        """Return how its network is obtained with these values, in the words of `Config.obtained`."""
        return self.obtained

    def check_outside(self) -> None:
        """Check that files outside the run have not changed since it began."""

    @property
    def places(self) -> int:
        """Number of genomes that workers must be able to see at once."""
        return 0

    def state_size(self, weights: int) -> int:
        """Return the number of values kept in addition to the weights, such as the moments of an optimiser."""
        return 0


@dataclass(frozen=True)
class Evolves(Method, kind="none"):
    """none: a population evolves (verb evolve)."""

    run_kind: ClassVar[str] = "evolve.config.model:RunKind"


def search_by_keys(keys: Container[str]) -> str:
    """Return the default of the option ``search`` for a method whose code is not here, given the keys of its values."""
    if "heat" in keys:
        return "glance"
    if "judging_from" in keys:
        return "tree"
    return "tree" if "visits" in keys and not any(key in keys for key in ("stages", "own_nodes")) else ""


def method_of(tables: Mapping[str, Any]) -> type[Method]:
    """Return the method that plain values of a configuration name; `Method` if it is unknown. This needs no numpy."""
    load_added("methods")
    section = tables.get("learning")
    name = section.get("method", Evolves.kind) if isinstance(section, dict) else Evolves.kind
    return Method.kinds.get(str(name), Method)
