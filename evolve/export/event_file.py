"""Event files for TensorBoard in a run folder: numbers of each generation, settings of the run, and pictures.

Messages and checksums come from tensorboardX. Its writer is not used, because it can neither append to a file nor
replace one atomically. The files are in the run folder itself because TensorBoard names a run after the folder of its
files.

Each new file begins with all generations of the log. So no event is duplicated or missing after a crash or a restart,
and events can be enabled in the middle of a run. The first event of a file makes TensorBoard discard earlier events.
The newest of the older files is kept, because a running TensorBoard reads its file to the end before it opens the next.
"""

from __future__ import annotations

import contextlib
import math
import struct
import time
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tensorboardX.proto.api_pb2 import Status
from tensorboardX.proto.event_pb2 import Event, SessionLog
from tensorboardX.proto.plugin_hparams_pb2 import HParamsPluginData, SessionEndInfo, SessionStartInfo
from tensorboardX.proto.summary_pb2 import Summary, SummaryMetadata
from tensorboardX.record_writer import masked_crc32c

from evolve.config.anchors import SHOWN_ZERO, ZERO, shown_above
from evolve.config.model import Config, dotted_rows
from evolve.run.champions import HallOfFameFile, read_hall_of_fame
from evolve.run.columns import GenerationError
from evolve.run.files import write_atomically
from evolve.run.folder import Run
from evolve.run.log import read_history
from game.networks import pictures
from game.networks.kinds import KINDS
from game.regular_files import open_regular

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from game.networks.spec import Spec

EARLIER_FOLDER = "tensorboard"
"""Subfolder of the run folder in which earlier versions wrote event files."""

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
    "kernels/champion": (
        "weights of the champion",
        "Weights by which its network multiplies the board: tables and first layer; orange negative, blue positive.",
    ),
}
"""Display name and description, with the unit, of each tag."""

OMITTED = ("generation", "individuals", "wins", "draws", "losses", "plies", "last")
"""Columns that are not written, because they are constant, are the step itself, or are written as shares."""

MOST_PICTURES = 64
MOST_TILES = 64
WIDE = 384
"""Approximate width of a picture in pixels."""
NEGATIVE, POSITIVE, BETWEEN = (200, 80, 0), (0, 90, 180), (215, 215, 215)
"""Colours of the largest negative and positive weights, and of the lines between tiles; 0 is white."""


class EventFile:
    """A new event file of a run, with all generations of its log.

    Creating it removes all older event files except the newest, and the files of earlier versions of the program, which
    TensorBoard would list as a separate run. Each event has the time at which the file of its generation was written.

    Args:
        run: a run whose lock the caller holds.

    Raises:
        OSError: the file could not be written.
    """

    def __init__(self, run: Run) -> None:
        older = sorted(run.path.glob(f"{PREFIX}*{SUFFIX}"))
        numbers = [int(digits) for path in older if (digits := path.name[len(PREFIX) :].split(".")[0]).isdigit()]
        now = time.time()
        number = max([int(now), *(older_number + 1 for older_number in numbers)])
        self.path = run.path / f"{PREFIX}{number:010d}{SUFFIX}"
        self._run, self._described = run, set[str]()
        history = read_history(run, run.manifest())
        times = [run.generation_path(generation).stat().st_mtime for generation in range(len(history))]
        began = times[0] if times else now
        config = run.config()
        events = [
            Event(wall_time=began, file_version=VERSION),
            Event(wall_time=began, session_log=SessionLog(status=SessionLog.START)),
            _start(config, began),
        ]
        rated = []
        for generation, written in enumerate(times):
            values = {name: float(column[generation]) for name, column in history.numbers.items()}
            events.append(Event(wall_time=written, step=generation, summary=self._scalars(values)))
            if math.isfinite(values.get("rating", math.nan)):
                rated.append(generation)
        step = -(-len(rated) // MOST_PICTURES) or 1
        events += self._pictures(rated[::-1][::step][::-1])
        if len(times) > config.generations:
            events.append(_end(times[-1]))
        write_atomically(self.path, b"".join(map(record, events)), durable=False)
        for path in older[:-1]:
            path.unlink(missing_ok=True)
        _remove_earlier(run.path / EARLIER_FOLDER)

    def add_numbers(self, generation: int, values: Mapping[str, float], *, last: bool = False) -> None:
        """Add the numbers of a generation, by column of the log. `last` marks the run as complete.

        Raises:
            OSError: the file could not be written.
        """
        now = time.time()
        event = Event(wall_time=now, step=generation, summary=self._scalars(values))
        self._append([event, *[_end(now)] * last])

    def add_pictures(self, generations: Iterable[int]) -> None:
        """Add pictures of the champions of saved generations.

        Raises:
            OSError: the file could not be written.
        """
        self._append(self._pictures(generations))

    def _append(self, events: Iterable[Any]) -> None:
        with open_regular(self.path, "ab") as file:
            file.write(b"".join(map(record, events)))

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
        finite = {tag: value for tag, value in sorted(scalars.items()) if math.isfinite(value)}
        return Summary(
            value=[
                Summary.Value(tag=tag, metadata=self._metadata(tag, "scalars"), simple_value=value)
                for tag, value in finite.items()
            ]
        )

    def _metadata(self, tag: str, plugin: str) -> Any:
        """Return plugin, name and description for the first value of a tag in this file; None for later values."""
        if tag in self._described:
            return None
        self._described.add(tag)
        column = tag.removeprefix("log/")
        name, text = MEANINGS.get(tag, (column, f"Column {column} of log.csv."))
        return SummaryMetadata(
            plugin_data=SummaryMetadata.PluginData(plugin_name=plugin), display_name=name, summary_description=text
        )

    def _pictures(self, generations: Iterable[int]) -> list[Any]:
        """Return events with pictures of champions, except champions that cannot be read or drawn."""
        events = []
        hall: HallOfFameFile | None = None
        for generation in generations:
            with contextlib.suppress(GenerationError):
                hall = hall or read_hall_of_fame(self._run.path)
                events += self._picture(hall, generation)
        return events

    def _picture(self, hall: HallOfFameFile, generation: int) -> list[Any]:
        spec, weights = self._run.network(), hall.champion(generation).weights
        if weights.shape != (spec.weights,) or not np.isfinite(weights).all():
            return []
        data = draw_weights(spec, weights)
        width, height = struct.unpack(">II", data[16:24])
        image = Summary.Image(height=height, width=width, colorspace=3, encoded_image_string=data)
        tag = "kernels/champion"
        value = Summary.Value(tag=tag, metadata=self._metadata(tag, "images"), image=image)
        written = self._run.generation_path(generation).stat().st_mtime
        return [Event(wall_time=written, step=generation, summary=Summary(value=[value]))]


def _start(config: Config, began: float) -> Any:
    """Return the event with the settings of a run, named as in its configuration.

    The file has no list of settings for all runs (``experiment``), because TensorBoard would apply the list of the
    first run to all. Without such a list, TensorBoard makes one from the settings of every run, and treats each curve
    as a metric.
    """
    values: dict[str, Any] = {"preset": config.preset, "network": config.network.name, "seed": config.seed}
    values["generations"] = config.generations
    undecisive = ("saving.", "workers.")
    values |= {name: value for name, value, _ in dotted_rows(config) if not name.startswith(undecisive)}
    info = SessionStartInfo(start_time_secs=began)
    for name, value in values.items():
        if isinstance(value, bool):
            info.hparams[name].bool_value = value
        elif isinstance(value, int | float):
            info.hparams[name].number_value = value
        else:
            text = str(list(value) if isinstance(value, tuple) else value)
            info.hparams[name].string_value = text
    return _hparams("session_start_info", began, HParamsPluginData(session_start_info=info))


def _end(when: float) -> Any:
    info = SessionEndInfo(status=Status.Value("STATUS_SUCCESS"), end_time_secs=when)
    return _hparams("session_end_info", when, HParamsPluginData(session_end_info=info))


def _hparams(name: str, when: float, data: Any) -> Any:
    """Return an event for the hyperparameter plugin, which reads only the metadata of a value."""
    plugin = SummaryMetadata.PluginData(plugin_name="hparams", content=data.SerializeToString())
    value = Summary.Value(tag=f"_hparams_/{name}", metadata=SummaryMetadata(plugin_data=plugin))
    return Event(wall_time=when, summary=Summary(value=[value]))


def _remove_earlier(folder: Path) -> None:
    """Remove the event files of earlier versions, and then their folder if it is empty."""
    for path in folder.glob(f"{PREFIX}*{SUFFIX}"):
        path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        folder.rmdir()


def record(event: Any) -> bytes:
    """Return an event as a record of a file: length and data, each with its checksum.

    Source: ``tensorflow/core/lib/io/record_writer.h``.
    """
    data: bytes = event.SerializeToString()
    length = struct.pack("<Q", len(data))
    checksums = [struct.pack("<I", masked_crc32c(part)) for part in (length, data)]
    return length + checksums[0] + data + checksums[1]


# Pictures ---------------------------------------------------------------------------------------------------------


def draw_weights(spec: Spec, weights: NDArray[np.float32]) -> bytes:
    """Draw the weights by which a network multiplies the board, as a PNG: orange negative, blue positive, white 0.

    Tables are drawn as boards, men before kings. In the first layer, a filter of a convolution is drawn as one kernel
    per plane, a filter of a diagonal layer as a square with its neighbours, and an output of any other layer as one
    board, or as one board per kind of piece. All share one scale, with the player's own back row at the bottom. Only
    the first `MOST_TILES` are drawn.

    Args:
        spec: the network.
        weights: a genome of finite weights.
    """
    tiles = _tiles(spec, np.asarray(weights, np.float64))[:MOST_TILES]
    high, wide = (max(tile.shape[axis] for tile in tiles) for axis in (0, 1))
    across = math.ceil(math.sqrt(len(tiles)))
    down = -(-len(tiles) // across)
    values = np.full((down * (high + 1) - 1, across * (wide + 1) - 1), np.nan)
    for number, tile in enumerate(tiles):
        top, left = number // across * (high + 1), number % across * (wide + 1)
        values[top : top + tile.shape[0], left : left + tile.shape[1]] = tile
    largest = np.nanmax(np.abs(values)) or 1.0
    share = np.nan_to_num(values / largest)[..., None]
    ends = np.where(share < 0, NEGATIVE, POSITIVE)
    colours = np.where(np.isnan(values)[..., None], BETWEEN, 255 + np.abs(share) * (ends - 255.0))
    large = max(1, WIDE // values.shape[1])
    return png(np.round(colours).astype(np.uint8).repeat(large, 0).repeat(large, 1))


def _tiles(spec: Spec, weights: NDArray[np.float64]) -> list[Any]:
    tiles: list[Any] = []
    if spec.tables:
        tiles += [_tile(grid) for _, grid in pictures.tables(spec, weights)]
    if not spec.layers:
        return tiles
    layer, before, after = spec.joint(0)
    part = spec.layer_parts(0)[0]
    kernels = part.of(weights)
    if layer.kind == "convolution":
        return tiles + [plane[::-1] for planes in kernels.T for plane in planes.transpose(0, 2, 1)]
    if layer.kind == "diagonal":
        crosses = [_tile(grid) for grid in pictures.crosses(kernels)]
        return tiles + [cross[:, at : at + 3] for cross in crosses for at in range(0, cross.shape[1], 4)]
    index = np.arange(part.start, part.stop).reshape(part.shape)
    wiring = KINDS[layer.kind].wiring(index, before, after)
    for reached in wiring.T[:MOST_TILES]:
        values = np.where(reached >= 0, weights[reached], 0.0)
        if len(before) == 3:
            tiles += [plane[::-1] for plane in values.reshape(before).transpose(2, 0, 1)]
        else:
            tiles += [_tile(pictures.board(plane)) for plane in values.reshape(-1, 32)]
    return tiles


def _tile(grid: pictures.Grid) -> Any:
    return np.nan_to_num(np.array(grid, np.float64))[::-1]


def png(pixels: NDArray[np.uint8]) -> bytes:
    """Return a PNG file of uint8 pixels of shape (rows, columns, 3): red, green, blue.

    Source: PNG specification, third edition (W3C): signature, IHDR, IDAT, IEND.
    """
    high, wide, _ = pixels.shape
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)  # a line begins with its filter type, 0 for none
    head = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    chunks = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
