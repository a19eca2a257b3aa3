"""How a session tells a person what happens: plain lines, or a live view on a terminal. All to standard error."""

from __future__ import annotations

import sys
import time
from collections import deque
from dataclasses import dataclass
from typing import Any, TextIO

SLOW_SECONDS = 0.5
RECENT = 10
"""Generations over which time left and games a second are averaged."""


@dataclass(frozen=True)
class GenerationReport:
    """A generation that was played; the fields are those of its line in the log."""

    generation: int
    champion: str
    individuals: int
    games: int
    draws: int
    failures: int
    plies: int
    evaluations: int
    best_points: int
    mean_points: float
    worst_points: int
    distinct: int
    diversity: float
    seconds: float
    last: int


class Reporter:
    """Told what happens in a session; this one keeps quiet."""

    def compiling(self, what: str, number: int, steps: int) -> None:
        """Kernels are loaded, or compiled at the very first start: step `number` of `steps`."""

    def started(self, generation: int, last: int, workers: int) -> None:
        """The workers are there; `generation` is the first to be played."""

    def games(self, count: int) -> None:
        """So many more games are done."""

    def generation(self, report: GenerationReport) -> None:
        """A generation was played (it may not be on disk yet)."""

    def message(self, text: str) -> None:
        """Something to tell."""

    def close(self) -> None:
        """Nothing more comes."""


class Pace:
    """Seconds a generation over the last ten."""

    def __init__(self) -> None:
        self._recent: deque[tuple[float, int]] = deque(maxlen=RECENT)

    def add(self, report: GenerationReport) -> None:
        """Take a generation in."""
        self._recent.append((report.seconds, report.games))

    @property
    def games_a_second(self) -> float:
        """Mean over the recent generations."""
        seconds = sum(each for each, _ in self._recent)
        return sum(games for _, games in self._recent) / seconds if seconds else 0.0

    def left(self, generations: int) -> float:
        """Seconds that so many more generations will take."""
        return generations * sum(each for each, _ in self._recent) / len(self._recent) if self._recent else 0.0


def duration(seconds: float) -> str:
    """Such as ``0:07`` or ``2:03:09``."""
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"


HEADINGS = (
    f"{'gen':>4}  {'champion':<10} {'games':>6} {'draws':>6}  {'points b/m/w':>12}  "
    f"{'distinct':>8} {'diversity':>9} {'games/s':>7} {'left':>5}"
)


def line(report: GenerationReport, pace: Pace) -> str:
    """A generation as one line under `HEADINGS`."""
    points = f"{report.best_points}/{report.mean_points:.1f}/{report.worst_points}"
    share = f"{100 * report.draws / max(report.games, 1):.1f} %"
    left = duration(pace.left(report.last - report.generation))
    return (
        f"{report.generation:>4}  {report.champion:<10} {report.games:>6,} {share:>6}  {points:>12}  "
        f"{report.distinct:>8,} {report.diversity:>9.3f} {pace.games_a_second:>7,.0f} {left:>5}"
    )


class LineReporter(Reporter):
    """One line a generation, for logs and pipes; at the very first start also what is compiled."""

    def __init__(self, stream: TextIO | None = None, *, first_start: bool = False) -> None:
        self._stream = stream or sys.stderr
        self._first_start = first_start
        self._pace = Pace()
        self._began = 0.0

    def compiling(self, what: str, number: int, steps: int) -> None:
        if number == 1:
            self._began = time.monotonic()
        if self._first_start or time.monotonic() - self._began > SLOW_SECONDS:
            when = "; only at the first start" if self._first_start else ""
            self._print(f"{'compiling' if when else 'loading'} {what} ({number} of {steps}{when})")

    def started(self, generation: int, last: int, workers: int) -> None:
        seconds = time.monotonic() - self._began
        self._print(f"ready after {seconds:.1f} s; generations {generation} to {last} on {workers} workers")
        self._print(HEADINGS)

    def generation(self, report: GenerationReport) -> None:
        self._pace.add(report)
        self._print(line(report, self._pace))

    def message(self, text: str) -> None:
        self._print(text)

    def _print(self, text: str) -> None:
        print(text, file=self._stream, flush=True)


class TerminalReporter(Reporter):
    """The same lines, and below them live bars of generations and of games."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

        console = Console(stderr=True, highlight=False, markup=False)
        self._pace = Pace()
        self._games = self._last_games = 0
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description:<12}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            console=console,
            transient=True,
        )
        self._generations: Any = None
        self._bar: Any = None

    def compiling(self, what: str, number: int, steps: int) -> None:
        if number == 1:
            self._progress.start()
            self._bar = self._progress.add_task("compiling", total=steps, note="")
        note = f"{what} (some seconds at the very first start)"
        self._progress.update(self._bar, completed=number - 1, note=note)

    def started(self, generation: int, last: int, workers: int) -> None:
        self._progress.remove_task(self._bar)
        note = f"{workers} workers"
        self._generations = self._progress.add_task("generations", total=last + 1, completed=generation, note=note)
        self._bar = self._progress.add_task("games", total=None, note="")
        self._progress.console.print(HEADINGS, style="bold")

    def games(self, count: int) -> None:
        self._games += count
        total = max(self._last_games, self._games) or None
        self._progress.update(self._bar, completed=self._games, total=total)

    def generation(self, report: GenerationReport) -> None:
        self._pace.add(report)
        self._progress.console.print(line(report, self._pace))
        left = duration(self._pace.left(report.last - report.generation))
        note = f"{self._pace.games_a_second:,.0f} games/s, {left} left"
        self._progress.update(self._generations, advance=1, note=note)
        self._last_games, self._games = self._games, 0

    def message(self, text: str) -> None:
        self._progress.console.print(text, style="yellow")

    def close(self) -> None:
        self._progress.stop()
