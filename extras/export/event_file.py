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
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tensorboardX.proto.event_pb2 import Event, SessionLog
from tensorboardX.proto.summary_pb2 import Summary
from tensorboardX.record_writer import RecordWriter
from tensorboardX.summary import hparams, scalar

from evolve.config.anchors import SHOWN_ZERO, ZERO, shown_above
from evolve.config.model import Config
from evolve.config.values import dotted_rows
from evolve.run.folder import Run
from evolve.run.log import read_history
from evolve.run.packed import signature_of_generation

PREFIX, SUFFIX = "events.out.tfevents.", ".crownhead"
VERSION = "brain.Event:2"

TAGS = {
    "best_points": "points/best",
    "mean_points": "points/mean",
    "worst_points": "points/worst",
    "diversity": "diversity/distance",
    "distinct": "diversity/distinct",
    "games": "games/played",
    "evaluations": "games/evaluations",
    "failures": "games/failures",
    "seconds": "speed/seconds",
    "rating": "rating/rating",
    "rating_low": "rating/low",
    "rating_high": "rating/high",
    "beaten": "rating/beaten",
    "beaten_by": "rating/beaten_by",
    "unproven": "rating/unproven",
}
"""Tags of columns of the log; other columns get a tag that begins with ``log/``."""

MEANINGS = {
    "points/best": ("best points", "Points of the champion in the tournament of its generation."),
    "points/mean": ("mean points", "Mean points of an individual in the tournament of its generation."),
    "points/worst": ("worst points", "Points of the last individual in the tournament of its generation."),
    "diversity/distance": ("diversity", "Root mean square distance between genomes, in the units of weights."),
    "diversity/distinct": ("distinct genomes", "Number of different genomes in a generation."),
    "games/played": ("games", "Number of games of a generation."),
    "games/evaluations": ("evaluations", "Number of positions that networks evaluated in a generation."),
    "games/failures": ("failures", "Number of games lost because a value was not a finite number."),
    "games/won": ("share won", "Share of games won, from 0 to 1."),
    "games/drawn": ("share drawn", "Share of games drawn, from 0 to 1."),
    "games/plies": ("plies a game", "Mean length of a game, in plies (moves of one side)."),
    "speed/seconds": ("seconds a generation", "Time that a generation took, in seconds."),
    "speed/games": ("games a second", "Games per second."),
    "rating/rating": ("rating (Elo)", f"Rating of the champion, in Elo; {ZERO} has {SHOWN_ZERO}."),
    "rating/low": ("rating, low end (Elo)", "Low end of the 95 % interval of the rating, in Elo."),
    "rating/high": ("rating, high end (Elo)", "High end of the 95 % interval of the rating, in Elo."),
    "rating/beaten": ("opponents beaten", "Opponents beaten so far: 1 random moves, 2 Beginner, up to 7 Champion."),
    "rating/beaten_by": ("generation that beat them", "The generation that was shown to beat the last of them."),
    "rating/unproven": ("tests without a verdict", "Number of tests so far that showed nothing."),
}
"""Display name and description, with the unit, of each tag."""

OMITTED = ("generation", "individuals", "wins", "draws", "losses", "plies", "last")
"""Columns that are not written, because they are constant, are the step itself, or are written as shares."""


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
        self._described = set[str]()
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
        scalars = {
            TAGS.get(name, f"log/{name}"): value + shown_above(name)
            for name, value in values.items()
            if name not in OMITTED
        }
        games = values.get("games", 0)
        if games:
            if "wins" in values:
                scalars["games/won"] = values["wins"] / games
            scalars["games/drawn"] = values.get("draws", math.nan) / games
            scalars["games/plies"] = values.get("plies", math.nan) / games
            scalars["speed/games"] = games / values["seconds"] if values.get("seconds") else math.nan
        summary = Summary()
        for tag, value in sorted(scalars.items()):
            if math.isfinite(value):
                column = tag.removeprefix("log/")
                names = MEANINGS.get(tag, (column, f"Column {column} of log.csv."))
                summary.MergeFrom(scalar(tag, value, *(names if tag not in self._described else ())))
                self._described.add(tag)
        return summary


def _settings(config: Config) -> dict[str, Any]:
    """Return the settings of a run, named as in its configuration."""
    values: dict[str, Any] = {"preset": config.preset, "network": config.network.name, "seed": config.seed}
    values["generations"] = config.generations
    undecisive = ("saving.", "workers.")
    values |= {name: value for name, value, _ in dotted_rows(config) if not name.startswith(undecisive)}
    texts = {name: str(list(value) if isinstance(value, tuple) else value) for name, value in values.items()}
    return {name: value if isinstance(value, int | float) else texts[name] for name, value in values.items()}
