"""TensorBoard events of a session (``--tensorboard``), written to the run folder (`evolve.export`)."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from dataclasses import asdict

from evolve.export.event_file import EventFile
from evolve.run.folder import Run
from evolve.session.reporters import GenerationReport, Reporter


class TensorBoard(Reporter):
    """A reporter that writes event files, and passes all calls to another reporter.

    Args:
        run: the run, whose lock the caller holds.
        reporter: displays the session.
    """

    def __init__(self, run: Run, reporter: Reporter) -> None:
        self._run, self._reporter = run, reporter
        self._file: EventFile | None = None
        self._undrawn: list[int] = []

    def on_loading(self, what: str, number: int, steps: int) -> None:
        """Pass it on."""
        self._reporter.on_loading(what, number, steps)

    def on_compiling(self, kernel: str, number: int) -> None:
        """Pass it on."""
        self._reporter.on_compiling(kernel, number)

    def on_started(self, generation: int, last: int, workers: int) -> None:
        """Begin a file with the generations before."""
        with self._whatever_happens():
            self._file = EventFile(self._run)
        self._reporter.on_started(generation, last, workers)

    def on_nothing_left(self) -> None:
        """Write a file with all generations."""
        with self._whatever_happens():
            EventFile(self._run)
        self._reporter.on_nothing_left()

    def on_games(self, count: int) -> None:
        """Pass it on."""
        self._reporter.on_games(count)

    def on_work(self, generation: int, what: str, done: int, total: int) -> None:
        """Pass it on."""
        self._reporter.on_work(generation, what, done, total)

    def on_generation(self, report: GenerationReport) -> None:
        """Add the events of a generation."""
        self._add(report)
        self._reporter.on_generation(report)

    def on_rating(self, report: GenerationReport) -> None:
        """Add the rating of a generation."""
        self._add(report, "rating")
        self._reporter.on_rating(report)

    def _add(self, report: GenerationReport, prefix: str = "") -> None:
        if self._file is None:
            return
        record_of = {**report.numbers, **asdict(report)}
        fields = {name: value for name, value in record_of.items() if name.startswith(prefix)}
        values = {name: value for name, value in fields.items() if type(value) in (int, float)}
        last = report.generation == report.last and not report.rating_follows
        with self._whatever_happens():
            self._file.add_numbers(report.generation, values, last=last)
        self._draw(report.generation)
        self._undrawn += [report.generation] * (report.rating is not None)

    def _draw(self, playing: float) -> None:
        """Add pictures of rated champions; that of the newest generation may not be saved yet."""
        due = [generation for generation in self._undrawn if generation < playing]
        if due and self._file is not None:
            with self._whatever_happens():
                self._file.add_pictures(due)
            self._undrawn = self._undrawn[len(due) :]

    def on_message(self, text: str) -> None:
        """Pass it on."""
        self._reporter.on_message(text)

    def close(self) -> None:
        """Add the events that were delayed, and pass it on."""
        self._draw(math.inf)
        self._reporter.close()

    @contextlib.contextmanager
    def _whatever_happens(self) -> Iterator[None]:
        """If events cannot be written, report that once and continue without them."""
        try:
            yield
        except OSError as error:
            self._file = None
            self._reporter.on_message(
                f"no more events for TensorBoard: {error.filename or self._run.path}: {error.strerror}"
            )
