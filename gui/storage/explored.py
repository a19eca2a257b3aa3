"""Whose games the explorer looks through, read once for all boards of the window."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evolve.run.append_only import CHAMPIONS
from evolve.run.files import signature
from game.board import Position
from game.errors import InputError
from game.pdn.text import encode_path
from gui.model.endings import PDN_RESULT
from gui.model.explorer import Explorer
from gui.model.pdn_reader import PdnReader
from gui.storage.kept_games import KeptGames
from gui.storage.places import read_bytes

OWN = "games"
"""The name of the games that were played here; any other name is the path of a PDN file."""


@dataclass(frozen=True)
class OwnGame:
    """A kept game as the explorer reads it."""

    start: Position | None
    written: list[int]
    result: str


class OwnGames:
    """The kept games, one after another; those that cannot be read are left out."""

    trouble = ""

    def __init__(self, kept: KeptGames) -> None:
        self._paths: Iterator[Path] = (kept.path(game) for game in kept.games)
        self._all, self._read = len(kept.games), 0

    @property
    def share(self) -> float:
        """How many were read, 0 to 1."""
        return self._read / self._all if self._all else 1.0

    def read(self) -> OwnGame | None:
        """The next game; None after the last one."""
        for path in self._paths:
            self._read += 1
            with contextlib.suppress(OSError, ValueError, TypeError, KeyError, IndexError, InputError, RecursionError):
                values = json.loads(read_bytes(path) or b"")
                result = "*" if values["ending"] is None else PDN_RESULT[values["ending"][0]]
                written = [encode_path(move) for move in values["moves"]]
                return OwnGame(Position.from_fen(values["start"]), written, result)
        return None

    def close(self) -> None:
        """Read no more."""
        self._paths = iter(())


class Explored:
    """The games that are explored, and the index of them.

    Attributes:
        name: `OWN`, or the path of a PDN file; empty before anything was chosen.
        explorer: the index; None before there is one.
        trouble: why there is none, in one sentence.
    """

    def __init__(self, kept: KeptGames) -> None:
        self.name = ""
        self.explorer: Explorer | None = None
        self.trouble = ""
        self._kept = kept
        self._of: object = None

    @property
    def title(self) -> str:
        """Whose games these are."""
        return title_of(self.name)

    @property
    def reading(self) -> bool:
        """Whether there is more to read."""
        looking = self.name == OWN and not (self._kept.complete and self._of == self._kept.version)
        unread = self.explorer is None or not self.explorer.complete
        return bool(self.name) and not self.trouble and (looking or unread)

    def choose(self, name: str) -> str:
        """Explore other games; why that is not possible, or nothing."""
        self.close()
        self.name, self.trouble = name, ""
        if name == OWN:
            self._kept.look_again()
        else:
            try:
                self.explorer, self._of = Explorer(PdnReader(Path(name))), signature(Path(name))
            except InputError as error:
                self.trouble = str(error)
        return self.trouble

    def look_again(self) -> None:
        """Read anew what has changed since it was read."""
        if self.name == OWN:
            self._kept.look_again()
        elif self.name and not self.reading and self._of != signature(Path(self.name)):
            self.choose(self.name)

    def step(self, seconds: float) -> bool:
        """Read on for this many seconds; False once all is done."""
        if self.name == OWN and not self._kept.complete:
            self._kept.step(seconds)
        elif self.name == OWN and (self.explorer is None or self._of != self._kept.version):
            self.explorer, self._of = Explorer(OwnGames(self._kept)), self._kept.version
        elif self.explorer is not None:
            self.explorer.step(seconds)
        return self.reading

    def close(self) -> None:
        """Forget what was read."""
        if self.explorer is not None:
            self.explorer.close()
        self.explorer, self._of = None, None


def title_of(name: str) -> str:
    """Whose games a name means, in words."""
    path = Path(name)
    return "Your games" if name == OWN else f"Champions of {path.parent.name}" if path.name == CHAMPIONS else path.name


def champions_of(run: Path) -> str:
    """The name of the games of the champions of a run; empty if there are none."""
    path = run / CHAMPIONS
    return str(path) if path.is_file() else ""
