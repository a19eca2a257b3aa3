"""The clipboard behind a small interface: the window has the system's, tests and a window without one have this."""

from __future__ import annotations

from typing import Protocol


class Clipboard(Protocol):
    """Text that is shared with other programs."""

    def copy(self, text: str) -> str:
        """Put text there; what went wrong, in one sentence, or an empty text."""
        ...

    def paste(self) -> str:
        """The text that is there; empty if there is none."""
        ...


class OwnClipboard:
    """A clipboard of this window alone."""

    def __init__(self) -> None:
        self._text = ""

    def copy(self, text: str) -> str:
        """Put text there."""
        self._text = text
        return ""

    def paste(self) -> str:
        """The text that is there."""
        return self._text
