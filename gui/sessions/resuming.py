"""How a session goes on with a run: from which generation, up to which, with how many processes. No pygame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gui.sessions.fields import whole, wrong_workers
from gui.sessions.unthinned import join_spans

FIELDS = ("from", "generations", "workers")
HINT = "What came after it is put aside"


@dataclass
class Resuming:
    """The fields as they are written; empty ones mean that the run goes on as it would by itself.

    Attributes:
        newest: the newest complete generation; -1 if there is none.
        last: the last generation that the run is to come to; -1 if that is not known.
        values: text by field: `FIELDS`.
        whole: generations that kept their weights, ascending; none if that is not known.
    """

    newest: int
    last: int
    values: dict[str, str] = field(default_factory=lambda: dict.fromkeys(FIELDS, ""))
    whole: Sequence[int] = ()

    @classmethod
    def of(cls, newest: int, last: int, workers: str = "", whole: Sequence[int] = ()) -> Resuming:
        """As a person finds it; a run that is complete is to become twice as long."""
        form = cls(newest, last, whole=whole)
        form.values["workers"] = workers
        if 0 <= last <= newest:
            form.values["generations"] = str(2 * newest or 15)
        return form

    def number(self, name: str) -> int | None:
        """A field as a number; None if it is empty or none that is possible."""
        from evolve.config.search import MAX_GENERATIONS

        low, high = (0, self.newest) if name == "from" else (self._start + 1, MAX_GENERATIONS)
        return whole(self.values[name].strip(), low, high)

    @property
    def _start(self) -> int:
        """The generation after which it goes on."""
        found = whole(self.values["from"].strip(), 0, self.newest)
        return self.newest if found is None else found

    @property
    def restart(self) -> int | None:
        """The generation that it goes back to; None if no generation is discarded."""
        found = self.number("from")
        return None if found is None or found >= self.newest else found

    @property
    def wrong(self) -> dict[str, str]:
        """What is wrong, a sentence by field."""
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
        """What may be in the field of the generation to go on from."""
        every = not self.whole or len(self.whole) > self.newest
        return HINT if every else f"Kept whole: {join_spans(self.whole)}"

    @property
    def summary(self) -> str:
        """What will happen, in a sentence or two."""
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
