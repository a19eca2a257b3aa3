"""A run as an event file for TensorBoard: the columns of its log, and its settings."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.config.anchors import shown_above
from game.regular_files import named, temporary_path

if TYPE_CHECKING:
    from evolve.config.model import Config
    from evolve.run.folder import Run

TEXTS = {"run": "write the curves and the settings of the run for TensorBoard into this folder"}
PACKAGES = ("tensorboardX",)

PREFIX, SUFFIX = "events.out.tfevents.", ".crownhead"
VERSION = "brain.Event:2"


def of_run(
    run: Run, folder: Path, save: Callable[[Path, bytes], None], progress: Callable[[int], None] = lambda number: None
) -> list[Path]:
    """Write an event file to a temporary file, and return the name that it is to have.

    Its second event makes TensorBoard discard the events of earlier files. The newest of these is kept, because a
    running TensorBoard reads it to its end before it opens the next; the others are deleted. An event has the time at
    which the file of its generation was written.

    Args:
        run: the run, also one that is being played.
        save: begins a file, as in `evolve.run.files.together`.

    Raises:
        OSError: the file cannot be written.
    """
    # tensorboardX's `SummaryWriter` writes in a thread of its own, whose errors reach nobody.
    from tensorboardX.proto.event_pb2 import Event, SessionLog
    from tensorboardX.record_writer import RecordWriter
    from tensorboardX.summary import hparams, scalar

    from evolve.run.log import read_history
    from evolve.run.packed import signature_of_generation

    folder.mkdir(parents=True, exist_ok=True)
    older = sorted(folder.glob(f"{PREFIX}*{SUFFIX}"))
    numbers = [int(digits) for path in older if (digits := path.name[len(PREFIX) :].split(".")[0]).isdigit()]
    path = folder / f"{PREFIX}{max([int(time.time()), *(number + 1 for number in numbers)]):010d}{SUFFIX}"
    history, config, now = read_history(run, run.manifest()), run.config(), time.time()
    newest = len(history) - 1
    # Without a list of settings for all runs, TensorBoard makes one from every run, and each curve is a metric.
    _, begun, complete = hparams(_settings(config), {})
    try:
        save(path, b"")
        writer = RecordWriter(str(temporary_path(path)))

        def write(written: float, **values: Any) -> None:
            writer.write(Event(wall_time=written, **values).SerializeToString())

        try:
            write(now, file_version=VERSION)
            write(now, session_log=SessionLog(status=SessionLog.START))
            write(now, summary=begun)
            for generation in range(newest + 1):
                result = signature_of_generation(run.generation_path(generation))
                written = result.changed / 1e9 if result else now
                for name, column in history.numbers.items():
                    value = float(column[generation]) + shown_above(name)
                    if name != "generation" and math.isfinite(value):
                        write(written, step=generation, summary=scalar(f"log/{name}", value))
                progress(generation)
            if newest >= config.generations:
                write(now, summary=complete)
        finally:
            writer.close()
        for each in older[:-1]:
            each.unlink(missing_ok=True)
    except OSError as error:
        raise named(error, path) from error
    return [path]


def _settings(config: Config) -> dict[str, Any]:
    from evolve.config.values import dotted_rows

    values: dict[str, Any] = {"preset": config.preset, "network": config.network.name, "seed": config.seed}
    values["generations"] = config.generations
    undecisive = ("saving.", "workers.")
    values |= {name: value for name, value, _ in dotted_rows(config) if not name.startswith(undecisive)}
    texts = {name: str(list(value) if isinstance(value, tuple) else value) for name, value in values.items()}
    return {name: value if isinstance(value, int | float) else texts[name] for name, value in values.items()}
