"""The opponents that the champions of a run have been shown to beat, in words that are the same everywhere.

"Beats" is said only of an opponent that a champion has beaten in games against it (`evolve.session.level_tests`); the
chance that any such verdict of a run is false is at most 1/20 (`evolve.strength.betting`). Columns of the log have the
state of the tests, so a session that continues a run knows it; a run of an earlier version has no such columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evolve.strength.levels import KNOWN, RANDOM, YARDSTICKS

if TYPE_CHECKING:
    from evolve.run.log import Log

OPPONENTS = tuple(KNOWN.values())
"""The opponents in the order in which they are tested: random moves, then the levels."""

WORTH_TESTING = (RANDOM, *(level.rating for level in YARDSTICKS))
"""The ratings above which a champion is tested with them."""

COLUMNS = ("rating", "rating_low", "beaten", "beaten_by")
"""The columns of the log on which a verdict depends."""


@dataclass(frozen=True)
class LevelState:
    """The opponents that the champions of a run have been shown to beat, and the tests that ended without a verdict.

    Attributes:
        beaten: number of opponents that a champion has been shown to beat: 0 for none, 1 for random moves, 2 for
            Beginner and so on.
        by: the generation that showed the last of these; -1 for none.
        unproven: number of tests that ended without a verdict.
        tried: the highest lower end of a rating with which the next opponent was tested in vain; -inf if none was.
    """

    beaten: int = 0
    by: int = -1
    unproven: int = 0
    tried: float = -math.inf

    @classmethod
    def of_log(cls, log: Log) -> LevelState:
        """Return the state after the last line of a log."""
        state = cls()
        columns = [log.column(name) for name in ("beaten", "beaten_by", "unproven", "rating_low")]
        for beaten, by, unproven, low in zip(*columns, strict=False):
            if math.isnan(beaten) or math.isnan(unproven):
                continue
            # A new opponent has not been tried yet, so what was tried in vain before says nothing about it.
            if beaten > state.beaten:
                state = replace(state, beaten=int(beaten), by=int(by), tried=-math.inf)
            if unproven > state.unproven:
                state = replace(state, unproven=int(unproven), tried=max(state.tried, low))
        return state

    def next(self, low: float) -> int | None:
        """Return the index of the opponent to test next, the weakest not yet beaten; None if it is not worth its games.

        A test is worth its games if the whole interval of the champion's rating lies above the rating of the opponent,
        and above the interval of each champion with which this opponent was tested in vain. So a long run at the same
        strength makes few tests: the number of highest values among n similar ones grows as log n.
        """
        ahead = self.beaten < len(OPPONENTS) and low > max(WORTH_TESTING[self.beaten], self.tried)
        return self.beaten if ahead else None

    def after(self, proved: bool, generation: int, low: float) -> LevelState:
        """Return the state after a test of the next opponent with the champion of a generation."""
        if proved:
            return replace(self, beaten=self.beaten + 1, by=generation, tried=-math.inf)
        return replace(self, unproven=self.unproven + 1, tried=max(self.tried, low))

    def numbers(self) -> dict[str, int | None]:
        return {"beaten": self.beaten, "beaten_by": self.by if self.beaten else None, "unproven": self.unproven}


@dataclass(frozen=True)
class RunVerdict:
    """The strength of a run in words, after the rating of a champion.

    Attributes:
        opponent: the strongest opponent that the run has been shown to beat or, without any test, below whose rating
            no part of the champion's interval lies; empty if there is none.
        by: the generation that was shown to beat it; -1 without any test.
        below: whether the champion's rating is below that of the opponent.
        best, first: without any test, a stronger opponent that an earlier generation was rated above, and the first
            such generation; empty and -1 if there is none.
        counting: whether the networks of the run count pieces, whatever their weights.
    """

    generation: int
    opponent: str = ""
    by: int = -1
    below: bool = False
    counting: bool = False
    best: str = ""
    first: int = -1

    @classmethod
    def of(cls, generation: int, numbers: Mapping[str, float | None], *, counting: bool = False) -> RunVerdict:
        rating, low, beaten, by = (math.nan if (value := numbers.get(name)) is None else value for name in COLUMNS)
        if math.isnan(beaten):
            # Without tests, the interval of the rating decides alone.
            return cls(generation, next((name for known, name in reversed(KNOWN.items()) if low > known), ""))
        # A log of a later version may know more opponents than this one.
        index = min(int(beaten), len(OPPONENTS)) - 1
        if index < 0 or math.isnan(by):
            return cls(generation)
        return cls(generation, OPPONENTS[index], int(by), by < generation and rating < tuple(KNOWN)[index], counting)

    @classmethod
    def last(cls, column: Callable[[str], Sequence[float]], *, counting: bool) -> RunVerdict | None:
        """Return the verdict after the newest rating of a log; None if there is no rating."""
        columns = {name: column(name) for name in COLUMNS}
        lows = columns["rating_low"]
        rated = next((generation for generation in reversed(range(len(lows))) if not math.isnan(lows[generation])), -1)
        if rated < 0:
            return None
        numbers = {name: float(values[rated]) for name, values in columns.items() if len(values)}
        verdict = cls.of(rated, numbers, counting=counting)
        above = [sum(low > known for known in KNOWN) for low in lows]
        if math.isnan(numbers.get("beaten", math.nan)) and max(above) > above[rated]:
            return replace(verdict, best=OPPONENTS[max(above) - 1], first=above.index(max(above)))
        return verdict

    @property
    def text(self) -> str:
        """The verdict as a clause that names the generation; empty if there is nothing to say."""
        if self.best:
            later = f", generation {self.generation:,} above {self.opponent}" if self.opponent else ""
            return f"generation {self.first:,} is rated above {self.best}{later}"
        if not self.opponent:
            return ""
        if self.by < 0:
            return f"generation {self.generation:,} is rated above {self.opponent}"
        later = f", but generation {self.generation:,} is rated below it" if self.below else ""
        return f"generation {self.by:,} {self._beats}{later}"

    @property
    def short(self) -> str:
        """The verdict beside the rating of the champion; empty if the champion has shown nothing new."""
        if not self.opponent:
            return ""
        if self.by < 0:
            return f"rated above {self.opponent}"
        if self.by == self.generation:
            return self._beats
        return f"below {self.opponent}, which generation {self.by:,} beats" if self.below else ""

    @property
    def _beats(self) -> str:
        how = " by its built-in piece count" if self.counting and not self.by else ""
        return f"beats {self.opponent}{how}"
