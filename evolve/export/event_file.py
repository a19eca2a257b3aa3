"""Event files for TensorBoard in a run folder: numbers of each generation, what decided the run, and pictures.

The format is small enough to be written here: a file is a row of records (length, checksum, bytes, checksum), and each
holds one ``Event`` message of a handful of fields. It is written without any package; the tests read it back with
TensorBoard itself. It lies in the run folder itself, since TensorBoard calls a run by the folder of its files.

Each file holds all generations that the log knows: the log is the source, so nothing is doubled or missing after a kill
or a restart, and a session may start without events and go on with them. Its first event tells TensorBoard to forget
what it read before. Of older files the last is kept: a TensorBoard that is looking on reads its file to the end before
it takes the next.

Source: ``tensorboard/compat/proto/event.proto`` and ``summary.proto`` for the messages, ``tensorboard/plugins/hparams/
plugin_data.proto`` and ``api.proto`` for what decided a run; ``tensorflow/core/lib/io/record_writer.h`` for records and
masked checksums; RFC 3720 for CRC-32C.
"""

from __future__ import annotations

import contextlib
import math
import struct
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evolve.config.model import Config
from evolve.config.values import dotted_rows
from evolve.export.protobuf import data_field, double_field, float_field, whole_field
from evolve.run.champions import HallOfFameFile, read_hall_of_fame
from evolve.run.columns import GenerationError
from evolve.run.files import write_atomically
from evolve.run.folder import Run
from evolve.run.log import read_history
from game.regular_files import open_regular

EARLIER_FOLDER = "tensorboard"
"""Below the run folder: where event files of earlier versions lie."""

PREFIX, SUFFIX = "events.out.tfevents.", ".crownhead"
VERSION = b"brain.Event:2"

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
}
"""Names of columns of the log; columns that are not named here go under ``log/``."""

MEANINGS = {
    "points/best": ("best points", "Points of the champion in the tournament of its generation."),
    "points/mean": ("mean points", "Mean points of an individual in the tournament of its generation."),
    "points/worst": ("worst points", "Points of the last individual in the tournament of its generation."),
    "diversity/distance": ("diversity", "Root mean square distance between genomes, in the units of weights."),
    "diversity/distinct": ("distinct genomes", "Number of different genomes in a generation."),
    "games/played": ("games", "Number of games of a generation."),
    "games/evaluations": ("evaluations", "Number of positions that networks valued in a generation."),
    "games/failures": ("failures", "Number of games lost by a value that is not a finite number."),
    "games/won": ("share won", "Share of games won, from 0 to 1."),
    "games/drawn": ("share drawn", "Share of games drawn, from 0 to 1."),
    "games/plies": ("plies a game", "Mean length of a game, in plies (moves of one side)."),
    "speed/seconds": ("seconds a generation", "Time that a generation took, in seconds."),
    "speed/games": ("games a second", "Games per second."),
    "rating/rating": ("rating (Elo)", "Rating of the champion, in Elo; material,depth=8,quiescence=yes is 0."),
    "rating/low": ("rating, low end (Elo)", "Low end of the 95 % interval of the rating, in Elo."),
    "rating/high": ("rating, high end (Elo)", "High end of the 95 % interval of the rating, in Elo."),
    "kernels/champion": (
        "weights of the champion",
        "What its network multiplies the board by: tables and first layer; orange negative, blue positive.",
    ),
}
"""By tag: the name that is shown, and what it is, with its unit."""

UNSHOWN = ("generation", "individuals", "wins", "draws", "losses", "plies", "last")
"""Columns that are the same all along, or are shown as shares."""

MOST_PICTURES = 64
SUCCESS = 1
"""Of the statuses in ``api.proto`` that of a session that was played to its end."""


class EventFile:
    """A new event file of a run, with all that its log knows.

    Older files but the last are taken away, and those of earlier versions, which TensorBoard would show as another run.
    Generations get the time at which their files were written.

    Args:
        run: the run; nobody else may be writing its events.

    Raises:
        OSError: it could not be written.
    """

    def __init__(self, run: Run) -> None:
        older = sorted(run.path.glob(f"{PREFIX}*{SUFFIX}"))
        numbers = [int(digits) for path in older if (digits := path.name[len(PREFIX) :].split(".")[0]).isdigit()]
        now = time.time()
        number = max([int(now), *(each + 1 for each in numbers)])
        self.path = run.path / f"{PREFIX}{number:010d}{SUFFIX}"
        self._run, self._told = run, set[str]()
        history = read_history(run, run.manifest())
        times = [run.generation_path(generation).stat().st_mtime for generation in range(len(history))]
        began = times[0] if times else now
        config = run.config()
        events = [event(began, 0, data_field(3, VERSION)), event(began, 0, data_field(7, whole_field(1, 1)))]
        events.append(event(began, 0, _hparams("session_start_info", 3, _start_info(config, began))))
        rated = []
        for generation, written in enumerate(times):
            values = {name: float(column[generation]) for name, column in history.numbers.items()}
            events.append(event(written, generation, self._scalars(values)))
            if math.isfinite(values.get("rating", math.nan)):
                rated.append(generation)
        step = -(-len(rated) // MOST_PICTURES) or 1
        events += self._pictures(rated[::-1][::step][::-1])
        if len(times) > config.generations:
            events.append(_end(times[-1]))
        write_atomically(self.path, b"".join(map(record, events)), durable=False)
        for each in older[:-1]:
            each.unlink(missing_ok=True)
        _forget_earlier(run.path / EARLIER_FOLDER)

    def add_numbers(self, generation: int, values: Mapping[str, float], *, last: bool = False) -> None:
        """Add numbers of a generation by column of the log; after the `last` one the run is complete.

        Raises:
            OSError: the file could not be written.
        """
        now = time.time()
        self._append([event(now, generation, self._scalars(values)), *[_end(now)] * last])

    def add_pictures(self, generations: Iterable[int]) -> None:
        """Add pictures of the champions of generations that are saved.

        Raises:
            OSError: the file could not be written.
        """
        self._append(self._pictures(generations))

    def _append(self, events: Iterable[bytes]) -> None:
        with open_regular(self.path, "ab") as file:
            file.write(b"".join(map(record, events)))

    def _scalars(self, values: Mapping[str, float]) -> bytes:
        """The part of an event that holds numbers by tag; what is not finite is left out."""
        shown = {TAGS.get(name, f"log/{name}"): value for name, value in values.items() if name not in UNSHOWN}
        games = values.get("games", 0)
        if games:
            if "wins" in values:
                shown["games/won"] = values["wins"] / games
            shown["games/drawn"] = values.get("draws", math.nan) / games
            shown["games/plies"] = values.get("plies", math.nan) / games
            shown["speed/games"] = games / values["seconds"] if values.get("seconds") else math.nan
        finite = {tag: value for tag, value in sorted(shown.items()) if math.isfinite(value)}
        return data_field(
            5,
            b"".join(
                data_field(1, self._head(tag, "scalars", 1) + float_field(2, value)) for tag, value in finite.items()
            ),
        )

    def _head(self, tag: str, plugin: str, kind: int) -> bytes:
        """Tag of a value, and with its first one in the file what it means, and which plugin and kind of data it is."""
        if tag in self._told:
            return data_field(1, tag)
        self._told.add(tag)
        name, text = MEANINGS.get(tag, (tag.removeprefix("log/"), f"Column {tag.removeprefix('log/')} of log.csv."))
        meaning = (
            data_field(1, data_field(1, plugin)) + data_field(2, name) + data_field(3, text) + whole_field(4, kind)
        )
        return data_field(1, tag) + data_field(9, meaning)

    def _pictures(self, generations: Iterable[int]) -> list[bytes]:
        """Events with pictures of champions; of those that cannot be read or drawn there is none."""
        events = list[bytes]()
        hall: HallOfFameFile | None = None
        for generation in generations:
            with contextlib.suppress(GenerationError):
                hall = hall or read_hall_of_fame(self._run.path)
                events += self._picture(hall, generation)
        return events

    def _picture(self, hall: HallOfFameFile, generation: int) -> list[bytes]:
        import numpy as np

        from evolve.export.picture import first_weights

        spec, weights = self._run.network(), hall.champion(generation).weights
        if weights.shape != (spec.weights,) or not np.isfinite(weights).all():
            return []
        data = first_weights(spec, weights)
        wide, high = struct.unpack(">II", data[16:24])
        image = whole_field(1, high) + whole_field(2, wide) + whole_field(3, 3) + data_field(4, data)
        written = self._run.generation_path(generation).stat().st_mtime
        value = self._head("kernels/champion", "images", 3) + data_field(4, image)
        return [event(written, generation, data_field(5, data_field(1, value)))]


def _start_info(config: Config, began: float) -> bytes:
    """What decided the run, by the names that settings have.

    There is no list of them for all runs (``experiment``): TensorBoard would take that of the first run for all, and
    makes a better one of what each run tells; every curve is a metric then, the rating among them.
    """
    values: dict[str, Any] = {"preset": config.preset, "network": config.network.name, "seed": config.seed}
    values["generations"] = config.generations
    idle = ("saving.", "workers.")  # decide nothing
    values |= {name: value for name, value, _ in dotted_rows(config) if not name.startswith(idle)}
    fields = b"".join(data_field(1, data_field(1, name) + data_field(2, _value(each))) for name, each in values.items())
    return fields + double_field(5, began)


def _value(value: Any) -> bytes:
    """A ``google.protobuf.Value``: number, text or truth; anything else as TOML would have it."""
    if isinstance(value, bool):
        return whole_field(4, value)
    if isinstance(value, int | float):
        return double_field(2, value)
    return data_field(3, value if isinstance(value, str) else str(list(value) if isinstance(value, tuple) else value))


def _end(when: float) -> bytes:
    """The event of a run that is complete."""
    return event(when, 0, _hparams("session_end_info", 4, whole_field(1, SUCCESS) + double_field(2, when)))


def _hparams(name: str, number: int, message: bytes) -> bytes:
    """The part of an event that the plugin of hyperparameters reads: all stands in the description of its value."""
    plugin = data_field(1, "hparams") + data_field(2, data_field(number, message))
    return data_field(5, data_field(1, data_field(1, f"_hparams_/{name}") + data_field(9, data_field(1, plugin))))


def _forget_earlier(folder: Path) -> None:
    """Take away the event files of an earlier version, and their folder if nothing else is in it."""
    for path in folder.glob(f"{PREFIX}*{SUFFIX}"):
        path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        folder.rmdir()


def event(wall_time: float, step: int, what: bytes) -> bytes:
    """An ``Event`` message.

    Args:
        wall_time: seconds since 1970.
        step: the generation.
        what: its remaining field.
    """
    return double_field(1, wall_time) + whole_field(2, step) + what


def record(data: bytes) -> bytes:
    """Bytes as a record: length and data, each with its checksum."""
    length = struct.pack("<Q", len(data))
    return length + _masked_crc(length) + data + _masked_crc(data)


def _masked_crc(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def _table() -> tuple[int, ...]:
    values = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        values.append(value)
    return tuple(values)


_CRC_TABLE = _table()


def crc32c(data: bytes) -> int:
    """CRC-32C (Castagnoli)."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _CRC_TABLE[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF
