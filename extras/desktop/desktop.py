"""The menu entry, the icon and the file types of Crownhead on the desktops of Linux and Windows.

They are installed for one user: on Linux as files below ``XDG_DATA_HOME`` (freedesktop.org: Desktop Entry 1.5, Shared
MIME-info 0.21), on Windows as keys below ``HKEY_CURRENT_USER\\Software\\Classes`` and a link in
the Start menu.
"""

from __future__ import annotations

import contextlib
import io
import os
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evolve.run.files import together
from game.errors import InputError
from game.installation import START, data_folder
from gui.look import shapes
from gui.look.theme import LIGHT
from gui.storage.whole_files import in_words, read_bytes, write_whole
from gui.toolkit import pygame

NAME, COMMENT = "Crownhead", "Play checkers against players that evolved"
PDN_TYPE, PDN_NAME = "application/x-draughts-pdn", "Draughts games"
CSV_NAME = "Checkers players"
SIZES = (48, 64, 128, 256)
SECONDS = 30
"""Time limit of each system command, such as ``update-mime-database``."""


def icon(side: int) -> bytes:
    surface = pygame.Surface((side, side), pygame.SRCALPHA, 32)
    surface.blit(shapes.piece(side, True, LIGHT.black), (0, 0))
    stream = io.BytesIO()
    pygame.image.save(surface, stream, "icon.png")
    return stream.getvalue()


def desktop() -> LinuxDesktop | WindowsDesktop:
    """Return the desktop of this system.

    Raises:
        InputError: this system has no supported desktop.
    """
    if sys.platform.startswith("linux"):
        return LinuxDesktop(Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"))
    if sys.platform == "win32":
        import winreg

        menu = Path(os.environ["APPDATA"]) / "Microsoft" / "Windows" / "Start Menu" / "Programs"
        return WindowsDesktop(winreg, menu, data_folder())
    raise InputError(f"desktop: expected Linux or Windows, this is {sys.platform}")


def _run(*command: str, environment: dict[str, str] | None = None) -> bool:
    """Run a system command; return False if it is missing, fails or does not end."""
    nowhere: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    try:
        return not subprocess.run(command, **nowhere, env=environment, timeout=SECONDS, check=False).returncode
    except (OSError, subprocess.TimeoutExpired):
        return False


# Linux ----------------------------------------------------------------------------------------------------------------

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


# Windows --------------------------------------------------------------------------------------------------------------

CLASSES = "Software\\Classes\\"
PDN_CLASS, CSV_CLASS = "Crownhead.pdn", "Crownhead.csv"

SHORTCUT = """
$link = (New-Object -ComObject WScript.Shell).CreateShortcut($env:CROWNHEAD_LINK)
$link.TargetPath = $env:CROWNHEAD_TARGET; $link.Arguments = $env:CROWNHEAD_ARGUMENTS
$link.IconLocation = $env:CROWNHEAD_ICON; $link.Description = $env:CROWNHEAD_COMMENT; $link.Save()
"""
"""A PowerShell script that makes a link; its values come from the environment, so none of them needs quotes."""


class WindowsDesktop:
    """The desktop of Windows.

    Args:
        menu: the folder of the user's Start menu.
    """

    def __init__(self, registry: Any, menu: Path, data: Path, command: Sequence[str] = START) -> None:
        program = Path(command[0])
        windowed = program.with_name("pythonw.exe")  # opens no console
        self._command = [str(windowed if windowed.is_file() else program), *command[1:]]
        self._registry, self._link, self._icon = registry, menu / f"{NAME}.lnk", data / "crownhead.ico"

    def install(self) -> list[str]:
        write_whole(self._icon, ico(icon(256)))
        for (key, name), value in self._values().items():
            with self._registry.CreateKey(self._registry.HKEY_CURRENT_USER, CLASSES + key) as opened:
                self._registry.SetValueEx(opened, name, 0, self._registry.REG_SZ, value)
        if not self._value(".pdn", ""):
            with self._registry.CreateKey(self._registry.HKEY_CURRENT_USER, CLASSES + ".pdn") as opened:
                self._registry.SetValueEx(opened, "", 0, self._registry.REG_SZ, PDN_CLASS)
        made = self._make_link()
        _notify_shell()
        return [
            f"Start menu   {self._link if made else 'the link could not be made (PowerShell is missing)'}",
            "PDN files    a double click opens them, unless another program does",
            "CSV files    Crownhead is offered under Open with",
        ]

    def remove(self) -> list[str]:
        removed = []
        for key in (PDN_CLASS, CSV_CLASS):
            for below in ("\\shell\\open\\command", "\\shell\\open", "\\shell", "\\DefaultIcon", ""):
                with contextlib.suppress(FileNotFoundError):
                    self._registry.DeleteKey(self._registry.HKEY_CURRENT_USER, CLASSES + key + below)
                    removed += [f"removed      HKEY_CURRENT_USER\\{CLASSES}{key}"] if not below else []
        names = [(".pdn\\OpenWithProgids", PDN_CLASS), (".csv\\OpenWithProgids", CSV_CLASS)]
        names += [(".pdn", "")] if self._value(".pdn", "") == PDN_CLASS else []
        for key, name in names:
            with contextlib.suppress(FileNotFoundError):
                access = self._registry.KEY_SET_VALUE
                with self._registry.OpenKey(self._registry.HKEY_CURRENT_USER, CLASSES + key, 0, access) as opened:
                    self._registry.DeleteValue(opened, name)
        for path in (self._link, self._icon):
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
                removed.append(f"removed      {path}")
        _notify_shell()
        return removed or ["nothing was installed"]

    def parts(self) -> dict[str, bool]:
        values = {f"{CLASSES}{key}": self._value(key, name) == value for (key, name), value in self._values().items()}
        return {**values, str(self._link): self._link.is_file(), str(self._icon): self._icon.is_file()}

    def _values(self) -> dict[tuple[str, str], str]:
        """Return the values of the registry below `CLASSES`, by key and name; an empty name is the key's own value."""
        opens = subprocess.list2cmdline([*self._command, "play", "--open"]) + ' "%1"'
        values = {(".pdn\\OpenWithProgids", PDN_CLASS): "", (".csv\\OpenWithProgids", CSV_CLASS): ""}
        for key, name in ((PDN_CLASS, PDN_NAME), (CSV_CLASS, CSV_NAME)):
            values[key, ""] = name
            values[f"{key}\\DefaultIcon", ""] = str(self._icon)
            values[f"{key}\\shell\\open", "FriendlyAppName"] = NAME
            values[f"{key}\\shell\\open\\command", ""] = opens
        return values

    def _value(self, key: str, name: str) -> str | None:
        try:
            with self._registry.OpenKey(self._registry.HKEY_CURRENT_USER, CLASSES + key) as opened:
                return str(self._registry.QueryValueEx(opened, name)[0])
        except FileNotFoundError:
            return None

    def _make_link(self) -> bool:
        values = {
            "LINK": str(self._link),
            "TARGET": self._command[0],
            "ARGUMENTS": subprocess.list2cmdline(self._command[1:]),
            "ICON": str(self._icon),
            "COMMENT": COMMENT,
        }
        environment = os.environ | {f"CROWNHEAD_{name}": value for name, value in values.items()}
        self._link.parent.mkdir(parents=True, exist_ok=True)
        return _run("powershell", "-NoProfile", "-Command", SHORTCUT, environment=environment)


def ico(png: bytes) -> bytes:
    """Return an ICO file of one picture of 256 x 256 pixels, which Windows reads as PNG since Vista."""
    return struct.pack("<HHHBBBBHHII", 0, 1, 1, 0, 0, 0, 0, 1, 32, len(png), 22) + png


def _notify_shell() -> None:
    """Notify Windows that file types have changed (``SHCNE_ASSOCCHANGED``)."""
    if sys.platform == "win32":
        import ctypes

        ctypes.windll.shell32.SHChangeNotify(0x08000000, 0, None, None)
