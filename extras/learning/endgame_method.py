"""The method `endgame`: its keys in TOML, its columns in the log, and their curves."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from evolve.kinds.kind import number, string, switch, whole
from evolve.kinds.methods import LogCurve
from extras.learning.method import LearningMethod
from game.endgame.slices import LEAST_PIECES, MOST_BUILT, MOST_NUMBERED, select_slices, slices_of, slices_with
from game.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from evolve.breeding.founder import EarlierIndividual
    from game.endgame.table_file import FileInfo
    from game.networks.spec import Spec

SOURCES = range(LEAST_PIECES, MOST_NUMBERED + 1)
"""Numbers of pieces of the positions that can be learnt from; those with more than `MOST_BUILT` are in tables only as
`TABLES_ABOVE`."""
TABLES_ABOVE = "4,3"
"""The sides of the tables with 7 pieces."""
JUDGED = {
    "all": "all",
    "quiet": "no capture pending",
    "capturing": "a capture pending",
    "balanced": "balanced",
    **{f"pieces_{number}": f"{number} pieces" for number in SOURCES},
    "proved": "proved by a search",
    "unproved": "not proved",
}
"""Kinds of positions, with their displayed names. In balanced ones no side is a man or more ahead."""
WAYS = {
    "network": "network",
    "ply": "one ply",
    "either": "either",
    "count": "piece count",
    "threshold": "network if sure, else ply",
}
"""Ways to judge who wins, with their displayed names; with `either`, the network or the ply is right."""
RESULT_WORDS = ("won", "drawn", "lost")
THRESHOLDS = (0.7, 0.8, 0.9)
"""Chances of a network's judgement above which it stands; the one that is best in validation is used."""


def at_threshold(threshold: float) -> str:
    """Return the column for the share of all positions that are judged right with a threshold."""
    return f"all_at_{round(100 * threshold)}"


def judged_columns(prefix: str) -> tuple[str, ...]:
    return tuple(
        prefix + column
        for column in (
            *(f"{kind}_{way}" for kind in JUDGED for way in WAYS),
            *map(at_threshold, THRESHOLDS),
            *(f"{actual}_{judged}" for actual in RESULT_WORDS for judged in RESULT_WORDS),
            *(f"{words}_{judged}" for words in ("right", "wrong") for judged in RESULT_WORDS),
        )
    )


def judged_curves(prefix: str, title: str) -> tuple[LogCurve, ...]:
    def curve(words: str, lines: Iterable[tuple[str, str]], short: str = "") -> LogCurve:
        return LogCurve(f"{title}, {words}", tuple((prefix + column, name) for column, name in lines), True, short)

    return (
        *(
            curve(words, ((f"{kind}_{way}", name) for way, name in WAYS.items()), f"{words}, network")
            for kind, words in JUDGED.items()
        ),
        *(
            curve(f"{word} positions", ((f"{word}_{judged}", f"judged {judged}") for judged in RESULT_WORDS))
            for word in RESULT_WORDS
        ),
        *(
            curve(f"how sure where {word}", ((f"{word}_{judged}", judged) for judged in RESULT_WORDS))
            for word in ("right", "wrong")
        ),
        curve("by threshold", ((at_threshold(threshold), f"{threshold}") for threshold in THRESHOLDS)),
    )


@dataclass(frozen=True)
class Endgame(LearningMethod, kind="endgame"):
    """endgame: who wins with few pieces, from tablebases."""

    columns: ClassVar[tuple[str, ...]] = (
        "rate",
        "validation_loss",
        *judged_columns(""),
        "threshold",
        "test_loss",
        *judged_columns("test_"),
    )
    curves: ClassVar[tuple[LogCurve, ...]] = (
        LogCurve("loss", (("validation_loss", "validation"), ("loss", "training"))),
        *judged_curves("", "right"),
        *judged_curves("test_", "test"),
    )
    shown: ClassVar[tuple[str, ...]] = (
        *("validation_loss", "all_network", "all_ply", "all_threshold", "balanced_network", "all_count"),
    )
    obtained: ClassVar[str] = "from tablebases, with a gradient"
    learner: ClassVar[str] = "extras.learning.endgame:EndgameLearner"

    pieces_from: int = whole(2, LEAST_PIECES, MOST_NUMBERED, "smallest number of pieces of the positions")
    pieces_to: int = whole(
        5, LEAST_PIECES, MOST_NUMBERED, "largest number of pieces of the positions; 7 and 8 need `sides` or a teacher"
    )
    sides: str = string(
        "",
        "if given, such as 4,3: positions of `pieces_to` pieces have these numbers on both sides; 7 pieces then come "
        "from tables",
    )
    share: float = number(
        0.1, 1e-6, 0.999999, "share of the positions of `sides`, if there are others with fewer pieces"
    )
    teacher: str = string("", "an earlier run by this method, such as RUN or RUN@4, whose network is the first one")
    genome: str = string("", "digest of the teacher's weights when the run began")
    frozen: bool = switch(False, "only the last `tuned` layers learn")
    tuned: int = whole(1, 1, 100, "number of layers, counted from the last, that learn if `frozen`")
    proof_nodes: int = whole(
        4000, 1, 1_000_000_000, "positions visited at most by a search that tries to prove a result"
    )
    proof_tables: int = whole(
        5,
        LEAST_PIECES,
        MOST_BUILT,
        "if `pieces_to` is 7 or 8: largest number of pieces of its tables; results with more are searched",
    )
    played: float = number(
        0.5, 0.0, 1.0, "share of positions to be searched that are from games of a piece counter; others are random"
    )
    tables: str = string("", "checksum of the contents of these tables when the run began")
    positions: int = whole(2_000_000, 1, 1_000_000_000, "number of different positions that are learnt from")
    fresh: bool = switch(
        False,
        "each generation learns from positions that no earlier one has seen, until there are no others; `positions` is "
        "not used",
    )
    quiet: bool = switch(False, "positions in which a capture is pending are left out")
    balanced: bool = switch(False, "positions in which a side is a man or more ahead are left out; a king counts 1.5")
    measured: int = whole(
        100_000, 1, 10_000_000, "positions that measure each generation, and as many others the last one (the test)"
    )
    weighting: float = number(
        0.5, 0.0, 1.0, "exponent of the weights of wins, draws and losses, (N / N_i) ** weighting; 0: all are equal"
    )
    samples: int = whole(1_000_000, 1, 100_000_000, "positions learnt from in each generation")
    batch: int = whole(1024, 1, 1_000_000, "positions in each step of Adam")
    rate: float = number(1e-3, 1e-9, 10.0, "highest rate of Adam, reached after a twentieth of `settled`")
    decay: float = number(0.0, 0.0, 1.0, "weight decay in each step, times the rate (AdamW)")
    settled: int = whole(8, 1, 1_000_000, "generation in which the rate, falling along a cosine, reaches 0")

    def problem(self, network: Spec) -> str:
        if self.pieces_from > self.pieces_to:
            most = f"{self.pieces_to} (learning.pieces_to)"
            return f"learning.pieces_from: expected at most {most}, got {self.pieces_from}"
        if self.sides and (problem := self._problem_of_sides()):
            return problem
        if network.heads is None or network.heads.value != "wdl" or network.heads.policy != "none":
            return 'network: expected one with [heads] value = "wdl" and policy = "none"'
        if self.above:
            if not self.teacher:
                return (
                    "learning.pieces_to: 7 and 8 pieces need an earlier run to start from: learning.teacher; tables "
                    f"with 7 are those of learning.sides={TABLES_ABOVE}"
                )
            if self.fresh or self.weighting:
                key, value = ("fresh", "false") if self.fresh else ("weighting", "0")
                return f"learning.{key}: expected {value} with 7 or 8 pieces, whose results are searched"
        for numbers, sides, share in self.selections:
            there = sum(which.positions for which in select_slices(*numbers, sides, balanced=self.balanced))
            if share * self.positions > there and not self.fresh:
                words = f"{'balanced ' * self.balanced}positions of {self.pieces_text}"
                return (
                    f"learning.positions: expected at most {int(there / share):,}, the {words}, got {self.positions:,}"
                )
        return ""

    def _problem_of_sides(self) -> str:
        sides = self.both_sides
        if sides is None or sum(sides) != self.pieces_to or not all(sides):
            example = f"{self.pieces_to - self.pieces_to // 2},{self.pieces_to // 2}"
            return f"learning.sides: expected two numbers that add up to learning.pieces_to, such as {example}"
        if self.pieces_to > MOST_BUILT and self.sides != TABLES_ABOVE:
            return f"learning.sides: expected {TABLES_ABOVE} above {MOST_BUILT} pieces, as there are no other tables"
        return "learning.fresh: expected false with learning.sides" if self.fresh else ""

    @property
    def selections(self) -> list[tuple[tuple[int, int], tuple[int, int] | None, float]]:
        """Choices of positions from tables: least and largest number of pieces, sides, and share of all samples."""
        if (sides := self.both_sides) is None:
            return [((self.pieces_from, self.tables_to if self.above else self.pieces_to), None, 1.0)]
        fewer, sided = (self.pieces_from, self.pieces_to - 1), (self.pieces_to, self.pieces_to)
        if self.pieces_from == self.pieces_to:
            return [(sided, sides, 1.0)]
        return [(fewer, None, 1 - self.share), (sided, sides, self.share)]

    @property
    def both_sides(self) -> tuple[int, int] | None:
        own, comma, theirs = self.sides.partition(",")
        return (int(own), int(theirs)) if comma and own.isdecimal() and theirs.isdecimal() else None

    @property
    def above(self) -> range:
        """The numbers of pieces without tables."""
        return range(0) if self.sides else range(max(self.pieces_from, self.tables_to + 1), self.pieces_to + 1)

    @property
    def tables_to(self) -> int:
        """The largest number of pieces with all tables."""
        if self.sides:
            return min(self.pieces_to, MOST_BUILT)
        return self.pieces_to if self.pieces_to <= MOST_BUILT else self.proof_tables

    @property
    def pieces_text(self) -> str:
        least = f"{self.pieces_from} to " * (self.pieces_from < self.pieces_to)
        return f"{least}{self.pieces_to} pieces{f' ({self.sides})' * bool(self.sides)}"

    def how_obtained(self) -> str:
        return f"from tablebases{' and by own searches' if self.above else ''}, with a gradient"

    def first(self, network: Spec) -> EarlierIndividual:
        from evolve.breeding.founder import EarlierIndividual

        return EarlierIndividual("learning", "teacher", self.teacher, network, self.genome)

    def begun(self, network: Spec, runs: Path) -> Endgame:
        """Return the method with the checksum of the tables, and the generation and the digest of the teacher.

        Raises:
            InputError: tables are missing or others than the configuration says, or the teacher cannot be used.
        """
        if self.tables:
            self.check_outside()
        begun = replace(self, tables=self._tables_digest())
        if not self.teacher:
            return begun
        player, genome, obtained = self.first(network).identify(runs)
        if not obtained.startswith("from tablebases"):
            raise InputError(
                f"learning.teacher: expected a run by the method endgame, got {player}, obtained {obtained}"
            )
        return replace(begun, teacher=player, genome=genome)

    def check_outside(self) -> None:
        if self._tables_digest() != self.tables:
            raise InputError(
                f"learning.tables: the tablebases of up to {self.tables_to} pieces are not those that the run began "
                "with: restore them, or begin another run without this key"
            )

    def _tables_digest(self) -> str:
        from game.endgame.tables import complete_tables

        tables = complete_tables(self.tables_to, f"learning.{'proof_tables' if self.above else 'pieces_to'}")
        numbers = range(LEAST_PIECES, self.tables_to + 1)
        infos = [tables.info(which) for pieces in numbers for which in slices_of(pieces)]
        infos += self.infos_above()
        counts = "\n".join(f"{info.slice.name} {info.wins} {info.draws} {info.losses}" for info in infos)
        return hashlib.sha256(counts.encode()).hexdigest()

    def infos_above(self) -> list[FileInfo]:
        """Return the contents of the tables of `sides` with more pieces than `tables_to`.

        Raises:
            InputError: some are missing or damaged.
        """
        from game.endgame import table_file
        from game.endgame.tables import build_command

        if not self.sides or self.pieces_to <= self.tables_to:
            return []
        wanted, folder = set(slices_with(self.both_sides or (0, 0))), table_file.tablebase_folder()
        infos = [] if folder is None else [info for info in table_file.survey(folder) if info.slice in wanted]
        if not infos or any(info.fault for info in infos):
            command = f"{build_command(self.pieces_to)} --sides {self.sides}"
            raise InputError(
                f"learning.sides: the tablebases of {self.sides} are not complete; build them with {command}"
            )
        return infos
