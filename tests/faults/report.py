"""The table of what was tried and what held."""

from __future__ import annotations

import contextlib
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field

WIDTH = 76
FAULT = 9
HEADING = f"{'fault':<{FAULT}}{'what was done':<{WIDTH}}{'tried':>7}{'held':>7}{'seconds':>9}"


@dataclass
class Row:
    """One line of the table.

    Attributes:
        fault: F1 to F16, or what is tried besides.
        what: in words.
        tried: how often.
        held: how often what was promised came true.
        seconds: all of it took.
        note: figures worth telling.
    """

    fault: str
    what: str
    tried: int = 0
    held: int = 0
    seconds: float = 0.0
    note: str = ""
    failures: list[str] = field(default_factory=list)

    def check(self, held: object, why: str) -> None:
        """Count a trial.

        Args:
            held: whether what was promised came true; "" (no difference) counts as true.
            why: what to tell if it did not.
        """
        self.tried += 1
        if held:
            self.held += 1
        else:
            self.failures.append(why)
            print(f"       not held: {why}", file=sys.stderr, flush=True)

    def text(self) -> str:
        """The line."""
        what = f"{self.what}; {self.note}" if self.note else self.what
        words, lines = what.split(" "), [""]
        for word in words:
            if len(lines[-1]) + len(word) + 1 > WIDTH - 2:
                lines.append("  ")
            lines[-1] += (" " if lines[-1].strip() else "") + word
        first = f"{self.fault:<{FAULT}}{lines[0]:<{WIDTH}}{self.tried:>7,}{self.held:>7,}{self.seconds:>9.1f}"
        return "\n".join([first, *(f"{'':{FAULT}}{line}" for line in lines[1:])])


@dataclass
class Report:
    """Prints the table while it grows.

    Attributes:
        rows: so far.
        skipped: what was left out, with reasons.
    """

    rows: list[Row] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    @contextlib.contextmanager
    def row(self, fault: str, what: str) -> Iterator[Row]:
        """A line that is printed when its trials are over; an unexpected error is a trial that did not hold."""
        line = Row(fault, what)
        began = time.monotonic()
        try:
            yield line
        except Exception as error:
            traceback.print_exc()
            line.check(False, f"{type(error).__name__}: {error}")
        line.seconds = time.monotonic() - began
        self.rows.append(line)
        print(line.text(), flush=True)

    def skip(self, fault: str, what: str, why: str) -> None:
        """A line for what cannot be tried here."""
        self.skipped.append(f"{fault} {what}")
        print(f"{fault:<{FAULT}}{what}: skipped, {why}", flush=True)

    def note(self, fault: str, text: str) -> None:
        """A line besides the table."""
        print(f"{fault:<{FAULT}}{text}", flush=True)

    def finish(self, seconds: float) -> int:
        """Print the sums; the exit code."""
        tried, held = sum(row.tried for row in self.rows), sum(row.held for row in self.rows)
        print(f"{'all':<{FAULT}}{'':<{WIDTH}}{tried:>7,}{held:>7,}{seconds:>9.1f}")
        for row in self.rows:
            for failure in row.failures:
                print(f"not held: {row.fault} {row.what}: {failure}")
        return 0 if held == tried and tried else 1
