"""Event files for TensorBoard, written to the run folder during a session (``--tensorboard``)."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
from dataclasses import asdict

from evolve.run.folder import Run
from evolve.run.log import RATED_COLUMNS
from evolve.session.reporters import Forwarder, GenerationReport, Reporter
from extras.export.event_file import EventFile


class TensorBoard(Forwarder):
    """A reporter that also writes event files.

    Args:
        run: the run, whose lock the caller holds.
        reporter: displays the session.
    """

    def __init__(self, run: Run, reporter: Reporter) -> None:
        super().__init__(reporter)
        self._run = run
        self._file: EventFile | None = None

    def on_started(self, generation: int, last: int, workers: int) -> None:
        with self._reported_errors():
            self._file = EventFile(self._run)
        super().on_started(generation, last, workers)

    def on_nothing_left(self) -> None:
        with self._reported_errors():
            EventFile(self._run).close()
        super().on_nothing_left()

    def on_generation(self, report: GenerationReport) -> None:
        self._add(report)
        super().on_generation(report)

    def on_rating(self, report: GenerationReport) -> None:
        self._add(report, RATED_COLUMNS)
        super().on_rating(report)

    def close(self) -> None:
        if self._file is not None:
            with self._reported_errors():
                self._file.close()
        super().close()

    def _add(self, report: GenerationReport, only: Collection[str] = ()) -> None:
        if self._file is None:
            return
        record_of = {**report.numbers, **asdict(report)}
        fields = {name: value for name, value in record_of.items() if not only or name in only}
        values = {name: value for name, value in fields.items() if type(value) in (int, float)}
        last = report.generation == report.last and not report.rating_follows
        with self._reported_errors():
            self._file.add(report.generation, values, last=last)

    @contextlib.contextmanager
    def _reported_errors(self) -> Iterator[None]:
        """Report a failure to write events, and continue without them."""
        try:
            yield
        except OSError as error:
            if self._file is not None:
                with contextlib.suppress(OSError):
                    self._file.close()
            self._file = None
            self._reporter.on_message(
                f"no more events for TensorBoard: {error.filename or self._run.path}: {error.strerror}"
            )
