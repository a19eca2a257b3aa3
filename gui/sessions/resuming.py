"""Resuming a run: from which generation, up to which one, with how many processes. No pygame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from gui.sessions.fields import whole, wrong_workers

FIELDS = ("from", "generations", "workers")
HINT = "Later generations are put aside"
MOST_SPANS = 6
"""Of numbers in one sentence."""


@dataclass
class Resuming:
    """The form that resumes a run; empty fields leave everything as it was.

    Attributes:
        newest: the newest complete generation; -1 if there is none.
        last: the generation at which the run was to end; -1 if unknown.
        values: text of each of the `FIELDS`.
        whole: generations that kept their weights, ascending; empty if unknown.
    """

    newest: int
    last: int
    values: dict[str, str] = field(default_factory=lambda: dict.fromkeys(FIELDS, ""))
    whole: Sequence[int] = ()

    @classmethod
    def of(cls, newest: int, last: int, workers: str = "", whole: Sequence[int] = ()) -> Resuming:
        """Return the form as it opens; a complete run is to become twice as long."""
        form = cls(newest, last, whole=whole)
        form.values["workers"] = workers
        if 0 <= last <= newest:
            form.values["generations"] = str(2 * newest or 15)
        return form

    def number(self, name: str) -> int | None:
        """Return a field as a number; None if it is empty or not allowed."""
        from evolve.config.search import MAX_GENERATIONS

        low, high = (0, self.newest) if name == "from" else (self._start + 1, MAX_GENERATIONS)
        return whole(self.values[name].strip(), low, high)

    @property
    def _start(self) -> int:
        """The generation after which the run goes on."""
        number = whole(self.values["from"].strip(), 0, self.newest)
        return self.newest if number is None else number

    @property
    def restart(self) -> int | None:
        """The generation from which it resumes; None if no generation is discarded."""
        number = self.number("from")
        return None if number is None or number >= self.newest else number

    @property
    def wrong(self) -> dict[str, str]:
        """What is wrong, one sentence by field."""
        from evolve.config.search import MAX_GENERATIONS

        wrong = {}
        text = {name: value.strip() for name, value in self.values.items()}
        if text["from"] and self.number("from") is None:
            known = f"A generation from 0 to {self.newest:,}, please." if self.newest >= 0 else "There is none yet."
            wrong["from"] = known
        elif self.restart is not None and self.whole and self.restart not in self.whole:
            wrong["from"] = f"Generation {self.restart:,} was thinned; whole: {join_spans(self.whole)}."
        if text["generations"] and self.number("generations") is None:
            wrong["generations"] = f"A whole number from {self._start + 1:,} to {MAX_GENERATIONS:,}, please."
        if not text["generations"] and 0 <= self.last <= self._start:
            wrong["generations"] = f"The run is complete to generation {self._start:,}. How far shall it go?"
        if why := wrong_workers(text["workers"]):
            wrong["workers"] = why
        return wrong

    @property
    def hint(self) -> str:
        """The hint of the field for the generation to resume from."""
        every = not self.whole or len(self.whole) > self.newest
        return HINT if every else f"Kept whole: {join_spans(self.whole)}"

    @property
    def summary(self) -> str:
        """What will happen, in one or two sentences."""
        if self.newest < 0:
            return "No generation is complete yet: it begins with generation 0."
        if self.restart is None:
            return f"It goes on after generation {self.newest:,}; nothing is lost."
        first, again = self.restart + 1, self.number("generations") or self.last
        gone = f"Generation {first:,} is" if first == self.newest else f"Generations {first:,} to {self.newest:,} are"
        played = f"{first:,}" if again <= first else f"{first:,} to {min(again, self.newest):,}"
        # Everything derives from seed and configuration, which a run keeps.
        return (
            f"{gone} put aside, in files that end in .given-up. By the same seed {played} will be the same bytes "
            "again; a branch makes others."
        )


def find_unthinned(path: Path) -> list[int]:
    """Return the generations of a run that kept their weights; empty if the run cannot be read."""
    from evolve.run.folder import Run
    from game.errors import InputError

    try:
        return Run(path).manifest().whole
    except (InputError, OSError):
        return []


def join_spans(numbers: Sequence[int]) -> str:
    """Return ascending numbers in words, as in ``0, 5, 10 and 13 to 15``; of many spans the first and the last."""
    starts = [at for at in range(len(numbers)) if at == 0 or numbers[at] != numbers[at - 1] + 1]
    spans = []
    for first, end in pairwise([*starts, len(numbers)]):
        low, high = numbers[first], numbers[end - 1]
        spans.append(f"{low:,}" if low == high else f"{low:,} to {high:,}")
    if len(spans) > MOST_SPANS:
        spans = [*spans[: MOST_SPANS // 2], "…", *spans[-MOST_SPANS // 2 + 1 :]]
    return " and ".join([", ".join(spans[:-1]), spans[-1]] if len(spans) > 1 else spans)
