"""The games that the explorer reads: your own, or those of a PDN file."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

from evolve.run.append_only import CHAMPIONS
from evolve.run.files import Stamp
from extras.explorer.explorer import Explorer, RecordedGame
from game.board import Position
from game.errors import InputError
from game.pdn.game import encode_path
from gui.model.ending import PDN_RESULT
from gui.model.pdn import PdnReader
from gui.services import Services
from gui.storage.kept_games import KeptGames
from gui.storage.whole_files import read_bytes

OWN = "games"
"""The name of your own games in the explorer; any other name is the path of a PDN file."""


class OwnGames:
    """A reader of the saved games, one after another; unreadable ones are skipped."""

    trouble: str = ""

    def __init__(self, kept: KeptGames) -> None:
        self._paths: Iterator[Path] = (kept.path(game) for game in kept.games)
        self._all, self._read = len(kept.games), 0

    @property
    def share(self) -> float:
        return self._read / self._all if self._all else 1.0

    def read(self) -> RecordedGame | None:
        for path in self._paths:
            self._read += 1
            with contextlib.suppress(OSError, ValueError, TypeError, KeyError, IndexError, InputError, RecursionError):
                values = json.loads(read_bytes(path) or b"")
                result = "*" if values["ending"] is None else PDN_RESULT[values["ending"][0]]
                written = [encode_path(move) for move in values["moves"]]
                return RecordedGame(Position.from_fen(values["start"]), written, result)
        return None

    def close(self) -> None:
        self._paths = iter(())


class Explored:
    """The games in the explorer, and their index.

    Attributes:
        name: `OWN`, or the path of a PDN file; empty before anything was chosen.
    """

    def __init__(self, kept: KeptGames) -> None:
        self.name = ""
        self.explorer: Explorer | None = None
        self.trouble = ""
        self._kept = kept
        self._version: object = None
        self._file = Stamp()

    @property
    def title(self) -> str:
        return title_of(self.name)

    @property
    def reading(self) -> bool:
        looking = self.name == OWN and not (self._kept.complete and self._version == self._kept.version)
        unread = self.explorer is None or not self.explorer.complete
        return bool(self.name) and not self.trouble and (looking or unread)

    def choose(self, name: str) -> str:
        """Explore the games of this name; return an error message, or an empty string."""
        self.close()
        self.name, self.trouble = name, ""
        if name == OWN:
            self._kept.look_again()
        else:
            try:
                self._file = Stamp(Path(name))
                self._file.refresh()
                self.explorer = Explorer(PdnReader(Path(name)))
            except InputError as error:
                self.trouble = str(error)
        return self.trouble

    def look_again(self) -> None:
        if self.name == OWN:
            self._kept.look_again()
        elif self.name and not self.reading and self._file.refresh():
            self.choose(self.name)

    def step(self, seconds: float) -> bool:
        if self.name == OWN and not self._kept.complete:
            self._kept.step(seconds)
        elif self.name == OWN and (self.explorer is None or self._version != self._kept.version):
            self.explorer, self._version = Explorer(OwnGames(self._kept)), self._kept.version
        elif self.explorer is not None:
            self.explorer.step(seconds)
        return self.reading

    def close(self) -> None:
        if self.explorer is not None:
            self.explorer.close()
        self.explorer, self._version = None, None


def title_of(name: str) -> str:
    path = Path(name)
    return "Your games" if name == OWN else f"Champions of {path.parent.name}" if path.name == CHAMPIONS else path.name


def champions_of(run: Path) -> str:
    """Return the name of the games of a run's champions; empty if it has none."""
    path = run / CHAMPIONS
    return str(path) if path.is_file() else ""


def explored_games(services: Services) -> Explored:
    """Return the games in the explorer; all screens share them (`Services.shared`)."""
    return Explored(services.kept)
