"""The complete generations of a run: numbers of the log, champions, and where their games are. No pygame."""

from __future__ import annotations

import math
import os
import re
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.run.file_stamp import Signature, signature_of
from evolve.run.files import open_regular
from evolve.run.tail import Tail

if TYPE_CHECKING:
    from game.networks.spec import Spec
    from gui.individuals.pictures import Picture

LOG, HALL, GAMES, CONFIG = "log.csv", "hall_of_fame.csv", "champions.pdn", "config.toml"
MANIFEST, LAST_BYTES = "manifest.csv", 1 << 12
NEEDED = ("generation", "champion", "games", "best_points", "mean_points", "worst_points", "diversity", "seconds")
MOST_GAME_BYTES = 1 << 20
_ROUND = re.compile(rb'\[Round "(\d{1,9})\.')


class Generations:
    """What the growing files of a run hold, each read only as far as it has grown.

    Args:
        path: the run folder.

    Attributes:
        champions: names, by generation.
        points: of these champions, as far as their file tells; NaN where it does not.
        busy: whether there is more to read at once.
        trouble: what is wrong with a file, in one sentence; empty if nothing is.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log, self._hall, self._games = Tail(path / LOG), Tail(path / HALL), Tail(path / GAMES)
        self.champions: list[str] = []
        self.points: list[float] = []
        self._columns: dict[str, list[float]] = {}
        self._header: list[str] = []
        self._log_line = 0
        self._waiting: deque[bytes] = deque()  # lines of the log whose generations the manifest does not have yet
        self._signature: Signature | None = None
        self._complete: float = math.inf
        self._broken = ""
        self._hall_broken = ""
        self._hall_header: list[bytes] = []
        self._hall_at: list[tuple[int, int]] = []  # place and length of each champion's line
        self._game_at: dict[int, int] = {}
        self._game_start = 0
        self._game_end = 0
        self.busy = False
        self._spec: Spec | None = None
        self._pictures: dict[int, list[Picture]] = {}

    @property
    def newest(self) -> int:
        """Number of the newest complete generation of the log; -1 if there is none."""
        return len(self.champions) - 1

    @property
    def trouble(self) -> str:
        """What is wrong with a file, in one sentence; empty if nothing is."""
        found = (self._broken, self._hall_broken, self._log.trouble, self._hall.trouble, self._games.trouble)
        return next((text for text in found if text), "")

    def column(self, name: str) -> list[float]:
        """Numbers of a column by generation; NaN where a field is empty, nothing if the log has no such column."""
        return self._columns.get(name, [])

    def interval(self, name: str) -> tuple[list[float], list[float], list[float]] | None:
        """A column with both ends of its 95 % interval, NaN where nothing is known; None if the log does not have it.

        What is beyond all measure, as after games that were all won, is infinite.
        """
        columns = [self.column(each) for each in (name, f"{name}_low", f"{name}_high")]
        if any(not column for column in columns) or all(map(math.isnan, columns[0])):
            return None
        value, low, high = columns
        return value, low, high

    # Reading ------------------------------------------------------------------------------------------------------

    def step(self) -> bool:
        """Read on; returns whether anything was new."""
        log, hall, games = self._log.read(), self._hall.read(), self._games.read()
        self.busy = log.more or hall.more or games.more
        if log.anew:
            self.champions, self._columns, self._header, self._log_line, self._broken = [], {}, [], 0, ""
            self._waiting.clear()
        if hall.anew:
            self._hall_header, self._hall_at, self._hall_broken, self.points = [], [], "", []
        if log.anew or hall.anew:
            self._pictures = {}
        if games.anew:
            self._game_at, self._game_start, self._game_end = {}, 0, 0
        self._waiting.extend(line for _, line in log.lines)
        self._look_for_complete()
        taken = 0
        # A kill between log and manifest leaves the line of a generation that is given up when the run goes on.
        while self._waiting and len(self.champions) <= self._complete:
            self._take_log(self._waiting.popleft())
            taken += 1
        for at, line in hall.lines:
            self._take_champion(at, line)
        for at, line in games.lines:
            self._take_game(at, line)
        return taken > 0 or log.anew or any(news.anew or news.lines for news in (hall, games))

    def _look_for_complete(self) -> None:
        """The newest generation of the manifest, from its last line; if that makes no sense all that the log tells."""
        path = self.path / MANIFEST
        try:
            signature = signature_of(path)
            if signature == self._signature:
                return
            with open_regular(path) as file:
                file.seek(max(file.seek(0, os.SEEK_END) - LAST_BYTES, 0))
                number = file.read().rstrip(b"\n").rpartition(b"\n")[2].partition(b",")[0]
        except FileNotFoundError:
            self._signature, self._complete = None, -1
            return
        except OSError:
            signature, number = None, b""
        self._signature = signature
        self._complete = int(number) if number.isdigit() and len(number) < 10 else math.inf

    def _take_log(self, line: bytes) -> None:
        self._log_line += 1
        fields = line.decode("utf-8", "replace").rstrip("\r\n").split(",")
        if self._broken:
            return
        if not self._header:
            missing = [name for name in NEEDED if name not in fields]
            if missing:
                self._broken = f"{LOG}, line 1: column {missing[0]} is missing; this is not the log of a run."
            self._header = fields
            self._columns = {name: [] for name in fields if name not in ("generation", "champion")}
            return
        values = dict(zip(self._header, fields, strict=False))
        numbers = {name: _number(values.get(name, "")) for name in self._columns}
        sound = len(fields) == len(self._header) and values["generation"] == str(len(self.champions))
        if not sound or not all(math.isfinite(numbers[name]) for name in NEEDED[2:]):
            self._broken = (
                f"{LOG}, line {self._log_line}: damaged, expected generation {len(self.champions)}; "
                "what comes after it is not shown."
            )
            return
        self.champions.append(values["champion"])
        for name, number in numbers.items():
            self._columns[name].append(number)

    def _take_champion(self, at: int, line: bytes) -> None:
        if not self._hall_header:
            self._hall_header = line.rstrip(b"\r\n").split(b",")
        elif not self._hall_broken:
            if line.split(b",", 1)[0] == b"%d" % len(self._hall_at):
                self._hall_at.append((at, len(line)))
                self.points.append(self._points(line))
            else:
                number = len(self._hall_at)
                self._hall_broken = f"{HALL}, line {number + 2}: damaged, expected the champion of generation {number}."

    def _points(self, line: bytes) -> float:
        try:
            place = self._hall_header.index(b"points")
            return float(line.split(b",", place + 1)[place])  # not the weights, which stand behind
        except (ValueError, IndexError):
            return math.nan

    def _take_game(self, at: int, line: bytes) -> None:
        if line.startswith(b"[Event "):
            self._game_start = at
        elif line.startswith(b"[Round "):
            found = _ROUND.match(line)
            if found is not None:
                self._game_at.setdefault(int(found[1]), self._game_start)
        self._game_end = at + len(line)

    # One generation -----------------------------------------------------------------------------------------------

    def span_of(self, generation: int) -> tuple[int, int, int]:
        """The generation, and from where to where its champion's games stand in their file; two 0 if there are none."""
        start = self._game_at.get(generation)
        if start is None:
            return generation, 0, 0
        after = self._game_at.get(generation + 1, self._game_end)
        return generation, start, after

    def games_of(self, generation: int) -> str:
        """The recorded games of a champion as PDN; empty if there are none."""
        _, start, end = self.span_of(generation)
        if not end:
            return ""
        try:
            with open_regular(self.path / GAMES) as file:
                file.seek(start)
                return str(file.read(min(end - start, MOST_GAME_BYTES)), "utf-8", "replace")
        except OSError:
            return ""

    def pictures(self, generation: int) -> list[Picture]:
        """The first layer of a champion as pictures; empty if it cannot be read."""
        if generation not in self._pictures:
            if not 0 <= generation < len(self._hall_at):
                return []
            if len(self._pictures) > 64:
                self._pictures.clear()
            self._pictures[generation] = self._pictured(generation)
        return self._pictures[generation]

    def _pictured(self, generation: int) -> list[Picture]:
        from game.errors import InputError
        from gui.individuals.pictures import first_layer

        try:
            weights = self._weights(generation)
            if self._spec is None:
                from evolve.run.folder import RunFolder

                self._spec = RunFolder(self.path).network()
            if len(weights) != self._spec.weights:
                raise ValueError(f"{len(weights)} weights, expected {self._spec.weights}")
            return first_layer(weights, self._spec)
        except OSError as error:
            self._hall_broken = self._hall_broken or f"{HALL} cannot be read: {error.strerror}."
        except InputError as error:
            self._hall_broken = self._hall_broken or str(error)
        except ValueError as error:
            self._hall_broken = self._hall_broken or f"{HALL}, line {generation + 2}: damaged: {error}."
        return []

    def _weights(self, generation: int) -> Any:
        import numpy as np

        at, length = self._hall_at[generation]
        with open_regular(self.path / HALL) as file:
            file.seek(at)
            fields = file.read(length).rstrip(b"\r\n").split(b",")
        if len(fields) != len(self._hall_header):
            raise ValueError(f"{len(fields)} fields, expected {len(self._hall_header)}")
        places = {name: place for place, name in enumerate(self._hall_header)}
        count = sum(name[:1] == b"w" and name[1:].isdigit() for name in self._hall_header)
        values = np.array([float(fields[places[b"w%d" % number]]) for number in range(count)])
        if not np.isfinite(values).all():
            raise ValueError("weights that are no numbers")
        return values


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
