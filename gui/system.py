"""Clipboard and speaker of the system; either may be missing."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import ClassVar

from gui.toolkit import pygame

log = logging.getLogger(__name__)

PROGRAM_SECONDS = 2.0
"""Maximum seconds that a program of the clipboard may take."""


class Clipboard:
    """A clipboard that only this window uses."""

    def __init__(self) -> None:
        self._text = ""

    def copy(self, text: str) -> str:
        """Put text on the clipboard; return an error message, or an empty string."""
        self._text = text
        return ""

    def copy_picture(self, png: bytes) -> bool:
        """Put a picture on the clipboard; return whether it takes pictures."""
        return False

    def paste(self) -> str:
        return self._text


PICTURE_PROGRAMS: tuple[tuple[str, ...], ...] = (
    ("wl-copy", "--type", "image/png"),
    ("xclip", "-selection", "clipboard", "-t", "image/png"),
)
"""Programs that put a picture from standard input on the clipboard of Linux, where pygame 2.6 puts only text."""


TEXT_TYPES: tuple[str, ...] = ("text/plain;charset=utf-8", pygame.SCRAP_TEXT)
"""Types of text in a clipboard. Under X11, pygame 2.6 does not handle its own type, the second one."""
if sys.platform in ("win32", "darwin"):
    TEXT_TYPES = TEXT_TYPES[::-1]


class SystemClipboard(Clipboard):
    """The clipboard that all programs share; if the system has none, one that only this window uses."""

    def __init__(self) -> None:
        super().__init__()
        self._ready = False

    def copy(self, text: str) -> str:
        super().copy(text)
        try:
            self._begin()
            if hasattr(pygame.scrap, "put_text"):  # pygame-ce
                pygame.scrap.put_text(text)
            else:
                self._put(text.encode())
        except (pygame.error, ValueError) as error:
            log.info("the clipboard of the system cannot be used: %s", error)
            why = str(error).rstrip(".")
            return f"Only this window can paste it: the clipboard of the system cannot be used ({why})."
        return ""

    def copy_picture(self, png: bytes) -> bool:
        if sys.platform == "win32":
            with contextlib.suppress(pygame.error, ValueError):
                self._begin()
                pygame.scrap.put("PNG", png)  # the name of this format among programs of Windows
                return True
        for program, *options in PICTURE_PROGRAMS:
            if (place := shutil.which(program)) is None:
                continue
            try:
                subprocess.run(
                    [place, *options], input=png, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                    check=True, timeout=PROGRAM_SECONDS,
                )  # fmt: skip
                return True
            except (OSError, subprocess.SubprocessError) as error:
                log.info("%s cannot be used: %s", program, error)
        return False

    def paste(self) -> str:
        try:
            self._begin()
            if hasattr(pygame.scrap, "get_text"):
                return str(pygame.scrap.get_text())
            data = next(filter(None, map(pygame.scrap.get, TEXT_TYPES)), None)
        except (pygame.error, ValueError, UnicodeError):
            return super().paste()
        return super().paste() if data is None else bytes(data).decode(errors="replace").rstrip("\0")

    @staticmethod
    def _put(data: bytes) -> None:
        try:
            pygame.scrap.put(TEXT_TYPES[0], data)
        except pygame.error:
            pygame.scrap.put(TEXT_TYPES[1], data)

    def _begin(self) -> None:
        if not self._ready and not hasattr(pygame.scrap, "put_text"):
            pygame.scrap.init()
        self._ready = True


class Speaker:
    """A silent speaker; that of an extra plays sounds.

    Attributes:
        audible: whether there is anything to switch on and off.
    """

    audible: ClassVar[bool] = False

    def begin(self) -> None:
        """Prepare in the background."""

    def play(self, name: str) -> None:
        """Play a sound, if the device is ready: ``capture-2`` of so many men, ``move``, ``crown`` and so on."""


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Silence the error stream, to which libraries write if there is no sound card or display."""
    if not sys.platform.startswith("linux"):
        yield
        return
    try:
        kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    except OSError:
        yield
        return
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
