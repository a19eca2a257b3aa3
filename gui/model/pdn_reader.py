"""Reads the games of a PDN file of any size one after another, as they are written."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from evolve.run.files import signature_of
from game.pdn.text import RawGame, raw_games
from gui.files import kind_of
from gui.model.record import RecordError

LARGEST_GAME = 2_000_000
"""Bytes that one game may have: more would keep a frame waiting, and no game of checkers has them."""

_BLOCK = 1 << 16
_NEWLINE = re.compile(rb"\r\n|\r|\n")


class PdnReader:
    """A PDN file, game by game.

    Attributes:
        path: the file.
        signature: of the file when it was opened.
        stream: the file, with its lines.
        games: games read so far.
        trouble: why it was not read to its end; empty if all is well.
    """

    def __init__(self, path: Path) -> None:
        """Open a file.

        Raises:
            RecordError: it cannot be opened, or is no text.
        """
        self.path = path
        self.games = 0
        self.trouble = ""
        try:
            if not path.is_file():  # opening a pipe would wait for whoever writes to it
                path.stat()
                raise RecordError(f"{path}: is {kind_of(path)}, expected a PDN file")
            self.stream = LinedFile(path.open("rb"))
            self.signature = signature_of(path)
        except OSError as error:
            raise RecordError(f"{path}: cannot be opened: {error.strerror}") from error
        try:
            if b"\0" in self.stream.file.peek(_BLOCK):  # type: ignore[attr-defined]
                raise RecordError(f"{path}: is no text file, expected PDN")
        except RecordError:
            self.close()
            raise
        except OSError as error:
            self.close()
            raise RecordError(f"{path}: cannot be read: {error.strerror}") from error
        self._games: Iterator[RawGame] | None = raw_games(self.stream, notes=False)  # type: ignore[arg-type]

    @property
    def complete(self) -> bool:
        """Whether there is nothing more to read."""
        return self._games is None

    @property
    def share(self) -> float:
        """How much of the file was read, 0 to 1."""
        return 1.0 if self._games is None else self.stream.read_bytes / max(self.signature.size, 1)

    def read(self) -> RawGame | None:
        """The next game; None, with `trouble` if something is wrong, after the last one."""
        try:
            raw = None if self._games is None else next(self._games, None)
        except OSError as error:
            self.trouble = f"{self.path}: cannot be read on: {error.strerror}"
            raw = None
        if raw is None or self.stream.too_long:
            if self.stream.too_long:
                after = f"after game {self.games}, " if self.games else ""
                size = f"{LARGEST_GAME // 1_000_000} MB"
                self.trouble = f"{self.path}: {after}more than {size} without the end of a game: not read on"
            self.close()
            return None
        self.stream.game_from = self.stream.read_bytes
        self.games += 1
        return raw

    def close(self) -> None:
        """Read no more."""
        self._games = None
        self.stream.file.close()


class LinedFile:
    """A binary file that remembers on which line each block starts."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.read_bytes = 0
        self.game_from = 0
        self.too_long = False
        self._offsets, self._lines = array("Q", [0]), array("Q", [1])
        self._line = 1
        self._after_return = False

    def read(self, size: int) -> bytes:
        """As the file's, which ends where a game is too long."""
        self.too_long = self.too_long or self.read_bytes - self.game_from > LARGEST_GAME
        if self.too_long:
            return b""
        block = self.file.read(size)
        split = self._after_return and block.startswith(b"\n")
        if self.read_bytes and block and not split:
            self._offsets.append(self.read_bytes)
            self._lines.append(self._line)
        self._line += block.count(b"\n") + block.count(b"\r") - block.count(b"\r\n") - split
        self._after_return = block.endswith(b"\r")
        self.read_bytes += len(block)
        return block

    def seek_line(self, file: IO[bytes], line: int) -> None:
        """Go to the start of a line of the same file."""
        known = max(bisect_left(self._lines, line) - 1, 0)  # the last block that starts on an earlier line
        offset, missing = self._offsets[known], line - self._lines[known]
        while missing:
            file.seek(offset)
            block = file.read(_BLOCK)
            if not block:
                return
            if block.endswith(b"\r"):  # perhaps the first half of a newline
                block += file.read(1)
            ends = [found.end() for found in _NEWLINE.finditer(block)]
            used = min(missing, len(ends))
            missing -= used
            offset += ends[used - 1] if used and not missing else len(block)
        file.seek(offset)
