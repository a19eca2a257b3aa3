"""Reporters: the progress of a session as plain lines, or as a live view on a terminal; all on standard error."""

from __future__ import annotations

import math
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TextIO

from evolve.config.anchors import shown_interval, shown_text
from evolve.kinds import plugins
from evolve.kinds.kind import Kind
from evolve.strength.levels import KNOWN
from evolve.strength.verdict import RunVerdict
from game.errors import printable
from game.number_text import clock_text, count_text, rate_text
from game.terminal import fit_columns, fit_parts, terminal_width, written_over

if TYPE_CHECKING:
    from rich.console import RenderableType

SILENCE_SECONDS = 20.0
LEAST_HEIGHT, LEAST_WIDTH = 30, 72
"""Lines and columns of a terminal that has room for the curve of ratings below the lines of generations."""
RECENT = 10
"""Number of generations over which games per second and the remaining time are averaged."""


@dataclass(frozen=True)
class GenerationReport:
    """A generation that was played, with the columns of the log.

    Attributes:
        best_points, mean_points, worst_points, distinct, diversity: None if a generation is one network.
        numbers: the other numbers of the record.
        since: name of the champion when it first became champion in this session; empty if it is a new champion.
        rating_follows: whether the rating will be reported later, since its code is still being compiled.
    """

    generation: int
    champion: str
    individuals: int
    games: int
    draws: int
    failures: int
    plies: int
    evaluations: int
    seconds: float
    last: int
    best_points: int | None = None
    mean_points: float | None = None
    worst_points: int | None = None
    distinct: int | None = None
    diversity: float | None = None
    numbers: Mapping[str, float | None] = field(default_factory=dict)
    rating: float | None = None
    rating_low: float | None = None
    rating_high: float | None = None
    since: str = ""
    rating_follows: bool = False
    counting: bool = False

    @classmethod
    def of(cls, record: dict[str, Any], last: int, since: str, *, counting: bool = False) -> GenerationReport:
        known = {item.name for item in fields(cls)}
        return cls(
            **{name: value for name, value in record.items() if name in known},
            last=last,
            since=since,
            counting=counting,
            numbers={name: value for name, value in record.items() if name not in known},
        )


class Reporter(Kind):
    """A receiver of the events of a session; the base class ignores them."""

    kinds: ClassVar = {}

    def on_loading(self, what: str, number: int, steps: int) -> None:
        """Kernels are being loaded: step `number` of `steps`."""

    def on_compiling(self, kernel: str, number: int) -> None:
        """A kernel has to be compiled, by another process if its number is 0."""

    def on_started(self, generation: int, last: int, workers: int) -> None:
        """The workers are ready; `generation` is the first to be played."""

    def on_games(self, count: int) -> None:
        """`count` more games are finished."""

    def on_work(self, generation: int, what: str, done: int, total: int) -> None:
        """Work other than games has made progress; `done` is `total` at its end."""

    def on_generation(self, report: GenerationReport) -> None:
        """A generation was played (it may not be on disk yet)."""

    def on_rating(self, report: GenerationReport) -> None:
        """A previously reported generation now has a rating."""

    def on_message(self, text: str) -> None:
        """A message for the person who started the session."""

    def close(self) -> None:
        """The session has ended."""

    @property
    def enough(self) -> bool:
        """True if the session should end after the last reported generation."""
        return False

    @property
    def reads(self) -> bool:
        """True if a generation must be saved before it is reported, except one whose rating follows."""
        return False


class Forwarder(Reporter):
    """A reporter that forwards all events to another one; derived classes extend some of them."""

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter

    @property
    def enough(self) -> bool:
        return self._reporter.enough

    @property
    def reads(self) -> bool:
        return self._reporter.reads

    def _forward(self, event: str, *arguments: Any) -> None:
        getattr(self._reporter, event)(*arguments)


def _forwarding(event: str) -> Callable[..., None]:
    return lambda self, *arguments: self._forward(event, *arguments)


for _event in [name for name in vars(Reporter) if name.startswith("on_") or name == "close"]:
    setattr(Forwarder, _event, _forwarding(_event))


class Together(Forwarder):
    """A reporter that passes events on to several others; a plugin's reporter that fails gets no more events."""

    def __init__(self, first: Reporter, others: Sequence[Reporter]) -> None:
        super().__init__(first)
        self._others = list(others)

    def _forward(self, event: str, *arguments: Any) -> None:
        super()._forward(event, *arguments)
        for other in tuple(self._others):
            try:
                getattr(other, event)(*arguments)
            except Exception as error:  # an error in a plugin's reporter must not end the session
                self._others.remove(other)
                self._reporter.on_message(
                    f"reporter {other.kind}: {type(error).__name__}: {error}; it receives no more events"
                )


def with_own(reporter: Reporter, run: Path) -> Reporter:
    """Return a reporter that also forwards events to the reporters of loaded plugins."""
    own = plugins.kinds_of(Reporter)
    return Together(reporter, [kind(run) for kind in own]) if own else reporter


class CountingLine:
    """Progress of a command: on a terminal one line that is overwritten and cleared, elsewhere a line for each step."""

    def __init__(self, *, quiet: bool = False, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._quiet = quiet or self._stream is None
        self._live = not self._quiet and self._stream.isatty()

    def count(self, *parts: str) -> None:
        """Display as many parts as fit on the line, given the most important first; without parts, clear the line."""
        if self._live:
            width = terminal_width(self._stream)
            text = fit_parts(tuple(printable(part) for part in parts if part), width - 1)
            print(written_over(text, width), end="", file=self._stream, flush=True)

    def step(self, text: str) -> None:
        if not self._live and not self._quiet:
            print(printable(text), file=self._stream, flush=True)


class Speedometer:
    def __init__(self) -> None:
        self._recent: deque[tuple[float, int]] = deque(maxlen=RECENT)

    def add(self, report: GenerationReport) -> None:
        self._recent.append((report.seconds, report.games))

    @property
    def games_a_second(self) -> float:
        seconds = sum(each for each, _ in self._recent)
        return sum(games for _, games in self._recent) / seconds if seconds else 0.0

    def seconds_left(self, generations: int) -> float:
        return generations * sum(each for each, _ in self._recent) / len(self._recent) if self._recent else 0.0


_COLUMNS = {
    "gen": "{:>4}", "champion": "  {:<10}", "games": " {:>6}", "draws": " {:>6}", "points b/m/w": "  {:>12}",
    "distinct": "  {:>8}", "diversity": " {:>9}", "games/s": " {:>7}", "left": " {:>5}",
}  # fmt: skip
_LESSER = ("diversity", "distinct", "draws", "points b/m/w", "games/s", "games", "left")
"""Columns that a narrow terminal omits, in this order."""

_RATING = len("  rating 1234 (1150 to 1300): beats Beginner")

USUAL_STEP = 16
"""Generations from one line to the next in a run that rates all its generations, or none."""


class GenerationLines:
    """The table of a session's generations: which of them have a line, and what it says."""

    def __init__(self, last: int, columns: Sequence[str] | None = None, step: int = 0) -> None:
        self.pace = Speedometer()
        self._columns, self._step = columns, step if step > 1 else USUAL_STEP
        forms = dict(_COLUMNS)
        if columns is not None:
            forms = {name: forms[name] for name in ("gen", "champion", "games")}
            forms |= {name: f" {{:>{max(len(name), 8)}}}" for name in columns} | {"left": _COLUMNS["left"]}
        number = len(str(last))
        self._forms = forms | {"gen": f"{{:>{max(number, 4)}}}", "champion": f"  {{:<{max(number, 2) + 8}}}"}

    def has(self, report: GenerationReport) -> bool:
        """Return whether a generation has a line by itself: the rated ones, the last, and those that pass a level."""
        at = report.generation
        return at % self._step == 0 or at == report.last or RunVerdict.of(at, _judged(report)).by == at

    def _fitting(self, width: int | None) -> list[str]:
        widths = {name: len(form.format("")) for name, form in self._forms.items()}
        columns = self._columns
        lesser = _LESSER if columns is None else ("games", *columns[:0:-1], "left", "champion")
        return fit_columns(widths, None if width is None else width - _RATING, lesser)

    def headings(self, width: int | None = None) -> str:
        """Return the headings of the columns that fit a terminal of `width` columns; None for all."""
        return "".join(self._forms[name].format(name) for name in self._fitting(width))

    def line(self, report: GenerationReport, width: int | None = None) -> str:
        """Return a generation as one line under `headings`, without columns that do not fit."""
        cells = {
            "gen": report.generation,
            "champion": report.champion,
            "games": f"{report.games:,}",
            "draws": f"{100 * report.draws / max(report.games, 1):.1f} %",
            "points b/m/w": f"{report.best_points}/{report.mean_points or 0:.1f}/{report.worst_points}",
            "distinct": f"{report.distinct or 0:,}",
            "diversity": f"{report.diversity or 0:.3f}",
            "games/s": rate_text(self.pace.games_a_second),
            "left": clock_text(self.pace.seconds_left(report.last - report.generation)),
            **{name: _number(report.numbers.get(name)) for name in self._columns or ()},
        }
        text = "".join(self._forms[name].format(cells[name]) for name in self._fitting(width))
        for more in (_rating(report), _verdict(report), f"  still {report.since}" if report.since else ""):
            if width is not None and len(text) + len(more) > width:
                more = more.replace("rating ", "")
            if width is None or len(text) + len(more) <= width:
                text += more
        return text

    def rating_line(self, report: GenerationReport) -> str:
        """Return the rating of a generation whose line was printed before."""
        start = f"{self._forms['gen']}{self._forms['champion']}".format(report.generation, report.champion)
        return f"{start}{_rating(report)}{_verdict(report)}"


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}" if abs(value) < 10 else f"{value:,.1f}"


def _rating(report: GenerationReport) -> str:
    if report.rating_follows:
        return "  rating follows"
    value, low, high = report.rating, report.rating_low, report.rating_high
    if value is None or low is None or high is None:
        return ""
    if math.isinf(value):  # all games ended the same way, which gives only a bound
        return f"  rating below {shown_text(high)}" if value < 0 else f"  rating above {shown_text(low)}"
    return f"  rating {shown_text(value)} ({shown_interval(low, high)})"


def _judged(report: GenerationReport) -> dict[str, float | None]:
    return {**report.numbers, "rating": report.rating, "rating_low": report.rating_low}


def _verdict(report: GenerationReport) -> str:
    text = RunVerdict.of(report.generation, _judged(report), counting=report.counting).short
    return f": {text}" if text and report.rating is not None else ""


class TableReporter(Reporter):
    """A reporter with a table of generations.

    Args:
        stream: standard error by default; a session passes a stream that may disappear (`game.terminal`).
        silence: seconds without a line after which progress is printed; 0 to print every generation.
        table: the columns and the step of its `Table`.
    """

    silence: ClassVar = math.inf

    def __init__(self, stream: TextIO | None = None, silence: float | None = None, **table: Any) -> None:
        self._stream = stream or sys.stderr
        self._silence = self.silence if silence is None else silence
        self._options = table
        self._table = GenerationLines(0, **table)
        self._printed = 0.0
        self._named = -1

    @property
    def _width(self) -> int | None:
        return None

    def on_started(self, generation: int, last: int, workers: int) -> None:
        self._table = GenerationLines(last, **self._options)
        self._print(self._table.headings(self._width), "bold")

    def on_generation(self, report: GenerationReport) -> None:
        self._table.pace.add(report)
        if self._table.has(report) or self._is_silent:
            self._named = report.generation
            self._print(self._table.line(report, self._width))

    def on_rating(self, report: GenerationReport) -> None:
        if self._named == report.generation or self._table.has(report):
            self._print(self._table.rating_line(report))

    def on_message(self, text: str) -> None:
        self._print(printable(text), "yellow")

    @property
    def _is_silent(self) -> bool:
        return time.monotonic() - self._printed >= self._silence

    def _print(self, text: str, style: str = "") -> None:
        print(text, file=self._stream, flush=True)
        self._printed = time.monotonic()


class LineReporter(TableReporter):
    """A reporter for logs and pipes, which prints lines of generations, and each step of compilation."""

    silence = SILENCE_SECONDS
    _step, _began = "", 0.0

    def on_loading(self, what: str, number: int, steps: int) -> None:
        if number == 1:
            self._began = time.monotonic()
        self._step = f"compiling {what} ({number} of {steps}; only the first time)"

    def on_compiling(self, kernel: str, number: int) -> None:
        if self._step:
            self._print(self._step)
            self._step = ""

    def on_started(self, generation: int, last: int, workers: int) -> None:
        seconds = time.monotonic() - self._began
        self._print(
            f"ready after {seconds:.1f} s; generations {generation} to {last} on {count_text(workers, 'worker')}"
        )
        super().on_started(generation, last, workers)

    def on_work(self, generation: int, what: str, done: int, total: int) -> None:
        if self._is_silent:
            self._print(f"{_COLUMNS['gen'].format(generation)}  {what}: {done:,} of {total:,}")


class TerminalReporter(TableReporter):
    """A reporter for terminals: a table of generations and, below it, a live curve of ratings and two bars."""

    def __init__(self, stream: TextIO | None = None, silence: float | None = None, **table: Any) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
        from rich.text import Text

        super().__init__(stream, silence, **table)
        console = Console(file=self._stream, highlight=False, markup=False)
        self._games = self._last_games = 0
        self._ratings: dict[int, float] = {}
        self._curve = ""

        class CurveAndBars(Progress):
            def get_renderables(progress) -> Iterable[RenderableType]:
                if self._curve and console.height >= LEAST_HEIGHT and console.width >= LEAST_WIDTH:
                    yield Text(self._curve)
                yield from super().get_renderables()

        self._progress = CurveAndBars(
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

    def on_loading(self, what: str, number: int, steps: int) -> None:
        if self._bar is None:
            self._progress.start()
            self._bar = self._progress.add_task("loading", total=steps, note="")
        self._progress.update(self._bar, description="loading", total=steps, completed=number - 1, note=what)

    def on_compiling(self, kernel: str, number: int) -> None:
        if self._bar is not None and (kernel or number == 0):
            note = f"only the first time: {number} kernels, {kernel}" if kernel else "only the first time"
            self._progress.update(self._bar, description="compiling", note=note)

    def on_started(self, generation: int, last: int, workers: int) -> None:
        self._progress.remove_task(self._bar)
        note = count_text(workers, "worker")
        self._generations = self._progress.add_task("generations", total=last + 1, completed=generation, note=note)
        self._bar = self._progress.add_task("games", total=None, note="")
        super().on_started(generation, last, workers)

    def on_games(self, count: int) -> None:
        self._games += count
        self._display_games()

    def _display_games(self) -> None:
        total = max(self._last_games, self._games) or None
        self._progress.update(self._bar, description="games", completed=self._games, total=total)

    def on_work(self, generation: int, what: str, done: int, total: int) -> None:
        if done < total:
            self._progress.update(self._bar, description=what, completed=done, total=total)
        else:
            self._display_games()

    def on_generation(self, report: GenerationReport) -> None:
        self._draw(report)
        super().on_generation(report)
        pace = self._table.pace
        left = clock_text(pace.seconds_left(report.last - report.generation))
        note = f"{rate_text(pace.games_a_second)} games/s, {left} left"
        self._progress.update(self._generations, total=report.last + 1, advance=1, note=note)
        self._last_games, self._games = self._games, 0
        if report.rating_follows:
            self._progress.update(self._bar, description="compiling", note="only the first time: ratings")

    def on_rating(self, report: GenerationReport) -> None:
        self._progress.update(self._bar, description="games", note="")
        self._draw(report)
        super().on_rating(report)

    def _draw(self, report: GenerationReport) -> None:
        if report.rating is not None:
            self._ratings[report.generation] = report.rating
            self._curve = "\n".join(rating_curve(self._ratings, report.last))

    @property
    def _width(self) -> int:
        return self._progress.console.width

    def _print(self, text: str, style: str = "") -> None:
        self._progress.console.print(text, style=style)
        self._printed = time.monotonic()

    def close(self) -> None:
        self._progress.stop()


ROWS, COLUMNS = 12, 48
"""Size of a curve without its labels, in characters."""
_LABEL = 5


def rating_curve(ratings: Mapping[int, float], last: int, rows: int = ROWS, columns: int = COLUMNS) -> list[str]:
    """Return the lines of a chart: ratings by generation, with a dotted line at each level in their range."""
    heights = [rating for rating in ratings.values() if math.isfinite(rating)]
    generations = [generation for generation, rating in ratings.items() if math.isfinite(rating)]
    if len(heights) < 2:
        return []
    low, high = min(heights), max(heights)
    scale = (rows - 1) / max(high - low, 1.0)

    def row_of(rating: float) -> int:
        return round((high - rating) * scale)

    labels = {row_of(rating): shown_text(rating, brief=True) for rating in (high, low)}
    names = {row_of(rating): name for rating, name in KNOWN.items()}
    chart = [["·" if row in names else " "] * columns for row in range(rows)]
    places = [round(generation * (columns - 1) / max(last, 1)) for generation in generations]
    for (left, start), (right, end) in zip(
        zip(places, heights, strict=True), zip(places[1:], heights[1:], strict=True), strict=False
    ):
        for place in range(left + 1, right):
            chart[row_of(start + (end - start) * (place - left) / (right - left))][place] = "∙"
    for place, height in zip(places, heights, strict=True):
        chart[row_of(height)][place] = "●"
    lines = [
        f"{labels.get(row, ''):>{_LABEL}} │{''.join(cells)}{' ' + names[row] if row in names else ''}".rstrip()
        for row, cells in enumerate(chart)
    ]
    foot = f"generation {generations[0]}"
    return [*lines, f"{'':>{_LABEL}} └{foot:─<{columns - len(str(last)) - 1}} {last}"]
