"""Event files for TensorBoard, ``evolve --tensorboard``: the numbers of each generation, beside the run.

The format is small enough to be written here: a file is a row of records (length, checksum, bytes, checksum), and each
holds one ``Event`` message of a handful of fields. It is written without any package; the tests read it back with
TensorBoard itself.

Each session begins a file of its own, with all generations that the log knows: the log is the source, so nothing is
doubled or missing after a kill or a restart, and a session may start without the option and go on with it. Its first
event tells TensorBoard to forget what it read before. Of older files the last is kept: a TensorBoard that is looking on
reads its file to the end before it takes the next.

Source: ``tensorboard/compat/proto/event.proto`` and ``summary.proto`` for the messages; ``tensorflow/core/lib/io/
record_writer.h`` for records and masked checksums; RFC 3720 for CRC-32C.
"""

from __future__ import annotations

import contextlib
import math
import struct
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from evolve.run.files import open_regular, write_atomically
from evolve.run.folder import RunFolder
from evolve.run.log import read_history
from evolve.session.reporters import GenerationReport, Reporter

FOLDER = "tensorboard"
"""Below the run folder."""

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

UNSHOWN = ("generation", "individuals", "wins", "draws", "losses", "plies", "last")
"""Columns that are the same all along, or are shown as shares."""


class TensorBoard(Reporter):
    """Writes event files, and passes everything on to another reporter.

    Args:
        run: the run, whose lock the caller holds.
        reporter: shows the session to a person.
    """

    def __init__(self, run: RunFolder, reporter: Reporter) -> None:
        self._run, self._reporter = run, reporter
        self._path: Path | None = None

    def on_loading(self, what: str, number: int, steps: int) -> None:
        """Pass it on."""
        self._reporter.on_loading(what, number, steps)

    def on_compiling(self, kernel: str, number: int) -> None:
        """Pass it on."""
        self._reporter.on_compiling(kernel, number)

    def on_started(self, generation: int, last: int, workers: int) -> None:
        """Begin a file with what was played before."""
        with self._whatever_happens():
            self._path = begin(self._run)
        self._reporter.on_started(generation, last, workers)

    def on_nothing_left(self) -> None:
        """Write a file with all that was played."""
        with self._whatever_happens():
            begin(self._run)
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
        if self._path is not None:
            record_of = {**report.learnt, **asdict(report)}
            fields = {name: value for name, value in record_of.items() if name.startswith(prefix)}
            values = {name: value for name, value in fields.items() if type(value) in (int, float)}
            with self._whatever_happens(), open_regular(self._path, "ab") as file:
                file.write(record(event(time.time(), report.generation, scalars(values))))

    def on_message(self, text: str) -> None:
        """Pass it on."""
        self._reporter.on_message(text)

    def close(self) -> None:
        """Pass it on."""
        self._reporter.close()

    @contextlib.contextmanager
    def _whatever_happens(self) -> Iterator[None]:
        """If events cannot be written, report that once and go on without them."""
        try:
            yield
        except OSError as error:
            self._path = None
            self._reporter.on_message(f"no more events for TensorBoard: {error.filename or FOLDER}: {error.strerror}")


def begin(run: RunFolder) -> Path:
    """Write a new event file with all that the log knows, and take all older ones but the last away.

    Generations get the time at which their files were written.

    Raises:
        OSError: it could not be written.
    """
    folder = run.path / FOLDER
    folder.mkdir(exist_ok=True)
    older = sorted(folder.glob(f"{PREFIX}*{SUFFIX}"))
    numbers = [int(digits) for path in older if (digits := path.name[len(PREFIX) :].split(".")[0]).isdigit()]
    now = time.time()
    path = folder / f"{PREFIX}{max([int(now), *(number + 1 for number in numbers)]):010d}{SUFFIX}"
    known = run.manifest()
    history = read_history(run, known)
    began = run.generation_path(0).stat().st_mtime if len(history) else now
    events = [event(began, 0, _field(3, VERSION)), event(began, 0, _field(7, _varint_field(1, 1)))]
    for generation in range(len(history)):
        values = {name: float(column[generation]) for name, column in history.numbers.items()}
        written = run.generation_path(generation).stat().st_mtime
        events.append(event(written, generation, scalars(values)))
    write_atomically(path, b"".join(map(record, events)), durable=False)
    for each in older[:-1]:
        each.unlink(missing_ok=True)
    return path


def scalars(values: Mapping[str, float]) -> bytes:
    """The part of an event that holds numbers by tag, from columns of the log; what is not finite is left out."""
    shown = {TAGS.get(name, f"log/{name}"): value for name, value in values.items() if name not in UNSHOWN}
    games = values.get("games", 0)
    if games:
        if "wins" in values:
            shown["games/won"] = values["wins"] / games
        shown["games/drawn"] = values.get("draws", math.nan) / games
        shown["games/plies"] = values.get("plies", math.nan) / games
        shown["speed/games"] = games / values["seconds"] if values.get("seconds") else math.nan
    summary = b"".join(
        _field(1, _field(1, tag.encode()) + b"\x15" + struct.pack("<f", value))  # Summary.Value: tag, simple_value
        for tag, value in sorted(shown.items())
        if math.isfinite(value)
    )
    return _field(5, summary)


def event(wall_time: float, step: int, what: bytes) -> bytes:
    """An ``Event`` message.

    Args:
        wall_time: seconds since 1970.
        step: the generation.
        what: its remaining field.
    """
    return b"\x09" + struct.pack("<d", wall_time) + _varint_field(2, step) + what


def record(data: bytes) -> bytes:
    """Bytes as a record: length and data, each with its checksum."""
    length = struct.pack("<Q", len(data))
    return length + _masked_crc(length) + data + _masked_crc(data)


def _field(number: int, data: bytes) -> bytes:
    """A field of bytes, text or a message."""
    return bytes([number << 3 | 2]) + _varint(len(data)) + data


def _varint_field(number: int, value: int) -> bytes:
    return bytes([number << 3]) + _varint(value)


def _varint(value: int) -> bytes:
    """A whole number from 0 on, seven bits a byte, the lowest first."""
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)


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
