"""Files that only grow, read piece by piece while somebody writes them. No pygame."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from pathlib import Path

from evolve.run.file_stamp import Signature, signature_of
from evolve.run.files import LONGEST_LINE
from game.regular_files import open_regular

MOST = 1 << 19
"""Bytes read at a time, so that a large file does not stop the window."""


@dataclass(frozen=True)
class News:
    """What has come since the last look.

    Attributes:
        anew: the file was cut, replaced or taken away: what was read before no longer counts.
        lines: whole lines with their ends, each after the place in the file where it begins.
        more: there is more to be read at once.
    """

    anew: bool = False
    lines: tuple[tuple[int, bytes], ...] = ()
    more: bool = False


class Tail:
    """The lines of a growing file, each told once; the last one only when it ends.

    Args:
        path: the file; it need not be there yet.
        last: begin so many bytes before its end; 0 reads all of it.

    Attributes:
        trouble: why it cannot be read; empty if it can.
    """

    def __init__(self, path: Path, last: int = 0) -> None:
        self.path = path
        self.trouble = ""
        self._last = last
        self._forget()

    def _forget(self) -> None:
        self._at = 0
        self._before = b""  # the last bytes that were read, which prove that the file was not cut and written again
        self._signature: Signature | None = None
        self._begun = False

    def read(self, most: int = MOST) -> News:
        """What is new; nothing is opened if nothing has changed."""
        try:
            signature = signature_of(self.path)
            if signature == self._signature:
                return News()
            return self._read(signature, most)
        except FileNotFoundError:
            gone = self._begun
            self._forget()
            self.trouble = ""
            return News(anew=gone)
        except OSError as error:
            trouble = f"{self.path.name} cannot be read: {error.strerror}."
            news = News(anew=trouble != self.trouble and self._begun)
            self.trouble = trouble
            return news

    def _read(self, signature: Signature, most: int) -> News:
        with open_regular(self.path) as file:
            size, anew = signature.size, False
            if self._begun:
                file.seek(self._at - len(self._before))
                if size < self._at or file.read(len(self._before)) != self._before:
                    self._forget()
                    anew = True
            if not self._begun and self._last and size > self._last:
                file.seek(size - self._last)
                self._at = size - self._last + len(file.readline())
            self._begun, self.trouble = True, ""
            file.seek(self._at)
            data = file.read(most)
            if b"\n" not in data and len(data) >= most:  # one very long line
                data += file.readline(LONGEST_LINE)
                if len(data) > LONGEST_LINE:
                    self._signature = signature  # not to be tried again until it changes
                    raise OSError(errno.EFBIG, f"a line of more than {LONGEST_LINE:,} bytes", str(self.path))
        end = data.rfind(b"\n") + 1
        lines, at = [], self._at
        for line in data[:end].splitlines(keepends=True) if b"\r" not in data else _lines(data[:end]):
            lines.append((at, line))
            at += len(line)
        if end:
            self._before = data[max(end - 64, 0) : end]
        self._at = at
        more = len(data) >= most and end > 0
        self._signature = None if more else signature
        return News(anew, tuple(lines), more)


def _lines(data: bytes) -> list[bytes]:
    """Lines by line feeds alone."""
    return [part + b"\n" for part in data.split(b"\n")[:-1]]
