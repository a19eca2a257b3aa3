"""The complete generations of a run: numbers of the log, champions, and where their games are. No pygame."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run import manifest
from evolve.run.append_only import CHAMPIONS, HALL_OF_FAME
from evolve.run.file_stamp import Signature, signature
from evolve.run.files import open_regular
from evolve.run.hall_of_fame import HallOfFame
from evolve.run.log import Log
from evolve.run.tail import Tail

if TYPE_CHECKING:
    from game.networks.spec import Spec
    from gui.individuals.pictures import Picture

MOST_GAME_BYTES = 1 << 20
_ROUND = re.compile(rb'\[Round "(\d{1,9})\.')


class Generations:
    """What the growing files of a run hold, each read only as far as it has grown.

    Args:
        path: the run folder.

    Attributes:
        busy: whether there is more to read at once.
        trouble: what is wrong with a file, in one sentence; empty if nothing is.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log, self._hall, self._games = Log(path), HallOfFame(path), Tail(path / CHAMPIONS)
        self._signature: Signature | None = None
        self._complete: float = math.inf
        self._no_picture = ""
        self._game_at: dict[int, int] = {}
        self._game_start = 0
        self._game_end = 0
        self.busy = False
        self._spec: Spec | None = None
        self._pictures: dict[int, list[Picture]] = {}

    @property
    def champions(self) -> list[str]:
        """Names, by generation."""
        return self._log.champions

    @property
    def newest(self) -> int:
        """Number of the newest complete generation of the log; -1 if there is none."""
        return len(self.champions) - 1

    @property
    def trouble(self) -> str:
        """What is wrong with the files, in one sentence; empty if they are sound."""
        found = (self._log.trouble, self._hall.trouble, self._no_picture, self._games.trouble)
        return next((text for text in found if text), "")

    @property
    def points(self) -> list[float]:
        """Of the champions, from their file; NaN where it has none."""
        return self._hall.points

    def column(self, name: str) -> list[float]:
        """Values of a column by generation; NaN for an empty field, an empty array if the log has no such column."""
        return self._log.column(name)

    def interval(self, name: str) -> tuple[list[float], list[float], list[float]] | None:
        """A column with both ends of its 95 % interval, NaN where unknown; None if the log does not have it.

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
        self._look_for_complete()
        # A kill between log and manifest leaves the line of a generation that is given up when the run goes on.
        log, hall, games = self._log.step(self._complete), self._hall.step(), self._games.read()
        self.busy = log.more or hall.more or games.more
        if log.anew or hall.anew:
            self._pictures, self._no_picture = {}, ""
        if games.anew:
            self._game_at, self._game_start, self._game_end = {}, 0, 0
        for at, line in games.lines:
            self._take_game(at, line)
        return any(news.anew or news.lines for news in (log, hall, games))

    def _look_for_complete(self) -> None:
        """The newest generation of the manifest, from its last line; if that is damaged, the newest of the log."""
        now = signature(self.path / manifest.NAME)
        if now is None or now != self._signature:
            self._signature = now
            try:
                newest = manifest.last_number(self.path)
            except FileNotFoundError:
                newest = -1
            self._complete = math.inf if newest is None else newest

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
            with open_regular(self.path / CHAMPIONS) as file:
                file.seek(start)
                return str(file.read(min(end - start, MOST_GAME_BYTES)), "utf-8", "replace")
        except OSError:
            return ""

    def pictures(self, generation: int) -> list[Picture]:
        """The first layer of a champion as pictures; empty if it cannot be read."""
        if generation not in self._pictures:
            if not 0 <= generation < len(self._hall):
                return []
            if len(self._pictures) > 64:
                self._pictures.clear()
            self._pictures[generation] = self._pictured(generation)
        return self._pictures[generation]

    def _pictured(self, generation: int) -> list[Picture]:
        from evolve.run.row_index import GenerationError
        from game.errors import InputError
        from gui.individuals.pictures import first_layer

        try:
            weights = self._hall.champion(generation).weights
            if self._spec is None:
                from evolve.run.folder import RunFolder

                self._spec = RunFolder(self.path).network()
            if len(weights) != self._spec.weights:
                raise GenerationError(f"{len(weights)} weights, expected {self._spec.weights}")
            return first_layer(weights.tolist(), self._spec)
        except GenerationError:
            self._no_picture = f"{HALL_OF_FAME}, line {generation + 2}: damaged, expected a champion."
        except InputError as error:
            self._no_picture = str(error)
        return []
