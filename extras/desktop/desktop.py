"""The menu entry, the icons and the file type of Crownhead on the desktops of Linux.

They are installed for one user, as files below ``XDG_DATA_HOME`` (freedesktop.org: Desktop Entry 1.5, Shared MIME-info
0.21).
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evolve.run.files import together
from game.errors import InputError
from game.installation import START
from gui.look import shapes
from gui.look.theme import LIGHT
from gui.storage.whole_files import in_words, read_bytes
from gui.toolkit import pygame

NAME, COMMENT = "Crownhead", "Play checkers against players that evolved"
PDN_TYPE, PDN_NAME = "application/x-draughts-pdn", "Draughts games"
SIZES = (48, 64, 128, 256)
SECONDS = 30
"""Time limit of each system command, such as ``update-mime-database``."""


def icon(side: int) -> bytes:
    surface = pygame.Surface((side, side), pygame.SRCALPHA, 32)
    surface.blit(shapes.piece(side, True, LIGHT.black), (0, 0))
    stream = io.BytesIO()
    pygame.image.save(surface, stream, "icon.png")
    return stream.getvalue()


def desktop() -> LinuxDesktop:
    """Return the desktop of this system.

    Raises:
        InputError: this system has no supported desktop.
    """
    if sys.platform.startswith("linux"):
        return LinuxDesktop(Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"))
    raise InputError(f"desktop: expected Linux, this is {sys.platform}: make a link to crownhead-window")


def _run(*command: str, environment: dict[str, str] | None = None) -> bool:
    """Run a system command; return False if it is missing, fails or does not end."""
    nowhere: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    try:
        return not subprocess.run(command, **nowhere, env=environment, timeout=SECONDS, check=False).returncode
    except (OSError, subprocess.TimeoutExpired):
        return False


ENTRY = "crownhead.desktop"


def quoted(word: str) -> str:
    """Return a word of a command as an argument of ``Exec``. Source: Desktop Entry Specification 1.5."""
    for sign in '\\`$"':
        word = word.replace(sign, f"\\{sign}")
    return f'"{word}"'.replace("\\", "\\\\").replace("%", "%%")


class LinuxDesktop:
    """A desktop that follows the specifications of freedesktop.org.

    CSV files are not offered: if a type has no explicit default, any program that lists it may become its default.
    Damaged files of the program are replaced or removed.
    """

    def __init__(self, data: Path, command: Sequence[str] = START) -> None:
        self._applications, self._mime = data / "applications", data / "mime"
        self._entry, self._types = self._applications / ENTRY, self._mime / "packages" / "crownhead.xml"
        self._icons = {side: data / f"icons/hicolor/{side}x{side}/apps/crownhead.png" for side in SIZES}
        self._command = command

    def install(self) -> list[str]:
        """Install or update the program, and return lines that say what was done."""
        for path in self._files():
            if os.path.lexists(path) and _read(path) is None:
                _remove(path)  # also because system commands would wait for it
        with together() as write:
            for path, contents in self._files().items():
                write(path, contents)
        lines = [f"menu entry   {self._entry}", f"PDN files    a double click opens them ({PDN_TYPE})"]
        return [*lines, *self._refresh()]

    def remove(self) -> list[str]:
        """Remove everything that `install` added, and return lines that say what was done."""
        lines = []
        for path in self._files():
            try:
                _remove(path)
                lines.append(f"removed      {path}")
            except FileNotFoundError:
                pass
            except OSError as error:
                lines.append(f"note         {path}: cannot be removed: {in_words(error)}")
        if not lines:
            return ["nothing was installed"]
        return [*lines, *self._refresh()]

    def parts(self) -> dict[str, bool]:
        """Return the parts of an installation by name, and whether each is present and up to date."""
        return {str(path): _read(path) == contents for path, contents in self._files().items()}

    def _files(self) -> dict[Path, bytes]:
        entry = f"""[Desktop Entry]
Type=Application
Version=1.0
Name={NAME}
GenericName=Checkers
Comment={COMMENT}
Exec={" ".join(map(quoted, (*self._command, "play", "--open")))} %f
Icon=crownhead
Terminal=false
Categories=Game;BoardGame;
Keywords=checkers;draughts;evolution;PDN;
StartupWMClass=crownhead
MimeType={PDN_TYPE};
"""
        package = f"""<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="{PDN_TYPE}">
    <comment>{PDN_NAME}</comment>
    <acronym>PDN</acronym>
    <expanded-acronym>Portable Draughts Notation</expanded-acronym>
    <sub-class-of type="text/plain"/>
    <icon name="crownhead"/>
    <glob pattern="*.pdn"/>
  </mime-type>
</mime-info>
"""
        icons = {path: icon(side) for side, path in self._icons.items()}
        return {self._entry: entry.encode("utf-8", "surrogateescape"), self._types: package.encode(), **icons}

    def _refresh(self) -> list[str]:
        _run("update-desktop-database", str(self._applications))
        if not _run("update-mime-database", str(self._mime)):
            return ["note         PDN files are not recognised without update-mime-database (shared-mime-info)"]
        return []


def _read(path: Path) -> bytes | None:
    try:
        return read_bytes(path)
    except (OSError, ValueError):
        return None


def _remove(path: Path) -> None:
    """Remove whatever is there; of folders, only empty ones."""
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink()
