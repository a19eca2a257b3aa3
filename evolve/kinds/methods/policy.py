"""Learning which moves are played, from recorded games."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from evolve.kinds.kind import choice, number, switch, whole
from evolve.kinds.methods.method import Curve, Method, beside
from game.errors import InputError
from game.regular_files import open_regular

if TYPE_CHECKING:
    from game.networks.spec import Spec
    from game.pdn.text import RawGame

TOP = (1, 2, 3, 5, 10)
"""Top-k: whether the move that was played is among so many best first steps."""
SURE = (1, 3)
"""Top-k that have a 95 % interval."""
MEASURED = {"all": "all", "choice": "with a choice", "seen": "boards of training games", "unseen": "other boards"}
"""Positions of the games held out, with their names for people: all of them, those with more than one legal first step,
and of these the boards that training games have, and the others."""


def sure(what: str, tops: tuple[int, ...]) -> tuple[str, ...]:
    """Return the columns beside the top-k of a kind of positions; each top-k has the same positions and games."""
    return tuple(dict.fromkeys(each for count in tops for each in beside(f"{what}_top{count}")))


def text(default: str, what: str) -> str:
    """A field for words."""
    value: str = field(default=default, metadata={"type": str, "text": what})
    return value


@dataclass(frozen=True)
class Policy(Method, kind="policy"):
    """policy: the first step of each move of recorded games; most of them become the first choice of the network."""

    columns: ClassVar[tuple[str, ...]] = (
        "rate",
        "validation_loss",
        *(f"{kind}_top{count}" for kind in MEASURED for count in TOP),
        "illegal",
        "test_all_top1",
        "test_choice_top1",
        *(column for kind in MEASURED for column in sure(kind, SURE)),
        *(column for kind in ("test_all", "test_choice") for column in sure(kind, SURE[:1])),
    )
    curves: ClassVar[tuple[Curve, ...]] = (
        Curve("loss", (("validation_loss", "validation"), ("loss", "training"))),
        Curve("top-1", tuple((f"{kind}_top1", words) for kind, words in MEASURED.items()), percent=True, short="top-1"),
        *(
            Curve(
                f"top-k, {words}",
                tuple((f"{kind}_top{count}", f"top-{count}") for count in TOP),
                percent=True,
                short=f"{words}, top-1",
            )
            for kind, words in MEASURED.items()
        ),
        Curve("illegal first choices", (("illegal", "illegal"),), percent=True),
        Curve("test", (("test_all_top1", "all"), ("test_choice_top1", "with a choice")), percent=True),
    )
    shown: ClassVar[tuple[str, ...]] = ("validation_loss", "all_top1", "all_top3", "choice_top1", "unseen_top1")
    outside: ClassVar[tuple[str, ...]] = ("games",)
    obtained: ClassVar[str] = "from recorded games, with a gradient"
    learner: ClassVar[str] = "evolve.learning.policy:PolicyLearner"

    games: str = text("", "file of recorded games, PDN")
    sha256: str = text("", "of this file, when the run began")
    validation: float = number(0.03, 0.0, 0.9, "share of the games that each generation is measured by")
    test: float = number(0.05, 0.0, 0.9, "share of the games that the last generation is measured by")
    losers: bool = switch(True, "moves of sides that lost are learnt, too")
    samples: int = whole(80_000, 1, 100_000_000, "positions that a generation learns from")
    batch: int = whole(128, 1, 1_000_000, "of them, for a step of Adam")
    rate: float = number(3e-3, 1e-9, 10.0, "of Adam at its highest, after a twentieth of the generations to `settled`")
    decay: float = number(0.0, 0.0, 1.0, "of weights in each step, times the rate (AdamW)")
    start: str = choice(
        "random",
        ("random", "placed"),
        "of a linear layer with as many units as inputs: random weights, as in other layers; or what changes next to "
        "nothing, so that neighbours stay neighbours, and tells squares apart",
    )
    settled: int = whole(40, 1, 1_000_000, "generation in which the rate, having fallen as a cosine does, reaches 0")

    def problem(self, network: Spec) -> str:
        """First steps are what the head of a policy says."""
        if network.heads is None or network.heads.policy == "none":
            return 'network: expected one with [heads] policy = "steps"'
        if network.heads.value != "none":
            return 'network: expected heads.value = "none", since recorded games teach moves alone'
        if self.validation + self.test >= 1:
            return f"learning.validation: expected less than {1 - self.test:g}, so that games are left to learn from"
        return ""

    def state_size(self, weights: int) -> int:
        """Adam keeps two moments a weight and the number of its steps, which its rate counts, too."""
        return 2 * weights + 2

    def begun(self) -> Policy:
        """The same with the checksum of the file, and with its path from the root, for resumption in other folders.

        Raises:
            InputError: there is none, it cannot be read, or it has no game that can be learnt from.
        """
        if not self.games:
            raise InputError("learning.games: expected a file of recorded games: --games FILE")
        sha256 = file_digest(self.games)
        check_games(self.games)
        return replace(self, games=os.path.abspath(self.games), sha256=sha256)

    def check_outside(self) -> None:
        """The file of games is where the run says, and has not changed."""
        try:
            sha256 = file_digest(self.games)
        except InputError as error:
            raise InputError(f"{error}; if it has moved, say where it is: --games FILE") from error
        if sha256 != self.sha256:
            raise InputError(f"{self.games}: has changed since the run began: put it back, or begin another run")


def check_games(path: str) -> None:
    """Refuse a file without a game that can be learnt from, before there is a run; it is read up to the first one.

    Raises:
        InputError: it has none.
    """
    from game.pdn.check import check

    class FoundError(Exception):
        """There is one."""

    class Looking:
        def on_game(self, raw: RawGame, codes: list[int], _: object) -> None:
            if raw.sound and codes:
                raise FoundError

    try:
        report = check(path, Looking())
    except FoundError:
        return
    except InputError as error:
        raise InputError(f"learning.games: {error}") from None
    count, why = report.games, f": line {report.errors[0]}" if report.errors else ""
    what = f"no game of {count:,} can" if count > 1 else "its only game cannot"
    raise InputError(
        f"learning.games: {path}: {f'{what} be learnt from{why}' if count else 'there are no games in it'}"
    )


def file_digest(path: str) -> str:
    """The SHA-256 of a file, hexadecimal.

    Raises:
        InputError: it cannot be read.
    """
    try:
        file: Any = open_regular(Path(path), links=True)
        with file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"learning.games: {path}: {error.strerror or error}") from None
