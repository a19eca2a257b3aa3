"""A small terminal: the lines that a person sees after text has been written to it."""

from __future__ import annotations

import re


class Screen:
    """A terminal that wraps lines, and supports carriage return, line feed and erasing to the right.

    Attributes:
        lines: the lines that contain text, from top to bottom.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self.lines = [""]
        self._column = 0

    def feed(self, text: str) -> None:
        """Write a text; colours and other control sequences have no effect."""
        for control, letter in re.findall(r"(\x1b\[[0-9;?]*[A-Za-z])|(.)", text, re.DOTALL):
            if control == "\x1b[K":
                self.lines[-1] = self.lines[-1][: self._column]
            elif letter == "\r":
                self._column = 0
            elif letter == "\n" or (letter and self._column == self.width):
                self.lines.append("")
                self._column = 0
            if letter and letter not in "\r\n":
                line = self.lines[-1].ljust(self._column)
                self.lines[-1] = line[: self._column] + letter + line[self._column + 1 :]
                self._column += 1
