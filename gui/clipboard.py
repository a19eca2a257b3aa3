"""A clipboard of the window alone; `gui.system` has the one that other programs share."""

from __future__ import annotations


class Clipboard:
    """Text that was copied in this window."""

    def __init__(self) -> None:
        self._text = ""

    def copy(self, text: str) -> str:
        """Put text on the clipboard; return what went wrong, in one sentence, or an empty text."""
        self._text = text
        return ""

    def paste(self) -> str:
        """Return the text on the clipboard; empty if there is none."""
        return self._text
