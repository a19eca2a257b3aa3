"""Event files for TensorBoard: numbers of each generation and settings of the run.

Sessions write them into the run folder itself because TensorBoard names a run after the folder of its files. Each new
file begins with all generations of the log, so no event is duplicated or missing after a crash or a restart, and events
can be enabled in the middle of a run. The second event of a file makes TensorBoard discard the events of earlier files.
The newest of these is kept, because a running TensorBoard reads its file to the end before it opens the next.

tensorboardX makes the messages and writes the records. Its `SummaryWriter` is not used: it writes in a thread of its
own, whose errors reach nobody.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tensorboardX.proto.event_pb2 import Event, SessionLog
from tensorboardX.proto.summary_pb2 import Summary
from tensorboardX.record_writer import RecordWriter
from tensorboardX.summary import hparams, scalar

from evolve.config.anchors import shown_above
from evolve.config.model import Config
from evolve.config.values import dotted_rows
from evolve.run.folder import Run
from evolve.run.log import RATED_COLUMNS, read_history
from evolve.run.packed import signature_of_generation
from evolve.session.reporters import Forwarder, GenerationReport, Reporter

PREFIX, SUFFIX = "events.out.tfevents.", ".crownhead"
VERSION = "brain.Event:2"

TAG = "log/"
"""Prefix of tags, which are columns of the log."""


class EventFile:
    """A new event file of a run, with all generations of its log.

    Creating it removes all older event files except the newest. Each event has the time at which the file of its
    generation was written.

    Args:
        run: a run whose lock the caller holds if the file is in its folder.
        folder: the folder of the file, by default that of the run.

    Raises:
        OSError: the file could not be written, and is not left.
    """

    def __init__(self, run: Run, folder: Path | None = None) -> None:
        folder = folder or run.path
        folder.mkdir(parents=True, exist_ok=True)
        older = sorted(folder.glob(f"{PREFIX}*{SUFFIX}"))
        numbers = [int(digits) for path in older if (digits := path.name[len(PREFIX) :].split(".")[0]).isdigit()]
        number = max([int(time.time()), *(older_number + 1 for older_number in numbers)])
        self.path = folder / f"{PREFIX}{number:010d}{SUFFIX}"
        history = read_history(run, run.manifest())
        times = [
            (
                found.changed / 1e9
                if (found := signature_of_generation(run.generation_path(generation)))
                else time.time()
            )
            for generation in range(len(history))
        ]
        config = run.config()
        # Without a list of settings for all runs, TensorBoard makes one from every run, and each curve is a metric.
        _, begun, self._complete = hparams(_settings(config), {})
        began = times[0] if times else time.time()
        self._writer = RecordWriter(str(self.path))
        try:
            self._write(Event(wall_time=began, file_version=VERSION))
            self._write(Event(wall_time=began, session_log=SessionLog(status=SessionLog.START)))
            self._write(Event(wall_time=began, summary=begun))
            for generation, written in enumerate(times):
                values = {name: float(column[generation]) for name, column in history.numbers.items()}
                self._write(Event(wall_time=written, step=generation, summary=self._scalars(values)))
            if len(times) > config.generations:
                self._write(Event(wall_time=times[-1], summary=self._complete))
            self._writer.flush()
        except BaseException:
            with contextlib.suppress(OSError):
                self._writer.close()
            self.path.unlink(missing_ok=True)
            raise
        for path in older[:-1]:
            path.unlink(missing_ok=True)

    def add(self, generation: int, values: Mapping[str, float], *, last: bool = False) -> None:
        """Add the numbers of a generation, by column of the log. `last` marks the run as complete.

        Raises:
            OSError: the file could not be written.
        """
        now = time.time()
        self._write(Event(wall_time=now, step=generation, summary=self._scalars(values)))
        if last:
            self._write(Event(wall_time=now, summary=self._complete))
        self._writer.flush()

    def close(self) -> None:
        self._writer.close()

    def _write(self, event: Any) -> None:
        self._writer.write(event.SerializeToString())

    def _scalars(self, values: Mapping[str, float]) -> Any:
        """Return the summary of a generation; values that are not finite are omitted."""
        summary = Summary()
        for name, value in values.items():
            if name != "generation" and math.isfinite(value):
                summary.MergeFrom(scalar(TAG + name, value + shown_above(name)))
        return summary


def _settings(config: Config) -> dict[str, Any]:
    """Return the settings of a run, named as in its configuration."""
    values: dict[str, Any] = {"preset": config.preset, "network": config.network.name, "seed": config.seed}
    values["generations"] = config.generations
    undecisive = ("saving.", "workers.")
    values |= {name: value for name, value, _ in dotted_rows(config) if not name.startswith(undecisive)}
    texts = {name: str(list(value) if isinstance(value, tuple) else value) for name, value in values.items()}
    return {name: value if isinstance(value, int | float) else texts[name] for name, value in values.items()}


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
        values = {name: value for name, value in fields.items() if type(value) in (int, float) and name != "last"}
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
