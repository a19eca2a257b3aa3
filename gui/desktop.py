"""The menu entry, the icon and the file types of Crownhead on the desktops of Linux and Windows.

They are installed for one user: on Linux as files below ``XDG_DATA_HOME`` (freedesktop.org: Desktop Entry 1.5, Shared
MIME-info 0.21, MIME Applications 1.0), on Windows as keys below ``HKEY_CURRENT_USER\\Software\\Classes`` and a link in
the Start menu. PDN files are opened by a double click; CSV files are only offered under *Open with*.
"""

from __future__ import annotations

import contextlib
import io
import os
import struct
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from game.errors import InputError
from game.installation import START, data_folder
from gui.look import shapes
from gui.look.theme import LIGHT
from gui.storage.whole_files import write_whole
from gui.toolkit import pygame

NAME, COMMENT = "Crownhead", "Play checkers against players that evolved"
PDN_TYPE, PDN_NAME = "application/x-draughts-pdn", "Draughts games"
CSV_TYPE, CSV_NAME = "text/csv", "Checkers players"
SIZES = (48, 64, 128, 256)
SECONDS = 30
"""Time limit of each system command, such as ``xdg-mime``."""


def icon(side: int) -> bytes:
    """Return the icon of the window as a PNG file."""
    surface = pygame.Surface((side, side), pygame.SRCALPHA, 32)
    surface.blit(shapes.piece(side, True, LIGHT.black), (0, 0))
    stream = io.BytesIO()
    pygame.image.save(surface, stream, "icon.png")
    return stream.getvalue()


def desktop() -> Desktop:
    """Return the desktop of this system.

    Raises:
        InputError: this system has no supported desktop.
    """
    if sys.platform.startswith("linux"):
        home = Path.home()
        data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
        return LinuxDesktop(data, Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config"))
    if sys.platform == "win32":
        import winreg

        menu = Path(os.environ["APPDATA"]) / "Microsoft" / "Windows" / "Start Menu" / "Programs"
        return WindowsDesktop(winreg, menu, data_folder())
    raise InputError(f"desktop: expected Linux or Windows, this is {sys.platform}")


class Desktop(ABC):
    """A desktop on which the program can be installed for one user."""

    @abstractmethod
    def install(self) -> list[str]:
        """Install or update the program, and return lines that say what was done."""

    @abstractmethod
    def remove(self) -> list[str]:
        """Remove everything that `install` added, and return lines that say what was done."""

    @abstractmethod
    def parts(self) -> dict[str, bool]:
        """Return the parts of an installation by name, and whether each is present and up to date."""


def _run(*command: str, environment: dict[str, str] | None = None) -> str | None:
    """Run a system command and return its output; None if it is missing or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True, env=environment)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


# Linux ----------------------------------------------------------------------------------------------------------------

ENTRY = "crownhead.desktop"
PINNED = "X-Crownhead-Pinned="
"""Key of the entry that names the program which `install` made the explicit default for CSV files."""
DEFAULTS = "[Default Applications]"


def quoted(word: str) -> str:
    """Return a word of a command as an argument of ``Exec``. Source: Desktop Entry Specification 1.5."""
    for sign in '\\`$"':
        word = word.replace(sign, f"\\{sign}")
    return f'"{word}"'.replace("\\", "\\\\").replace("%", "%%")


class LinuxDesktop(Desktop):
    """A desktop that follows the specifications of freedesktop.org.

    If a type has no explicit default, any program that lists the type may become its default. So `install` makes the
    program that already opens CSV files the explicit default, and `remove` undoes this; if there is no such program,
    the entry does not list CSV files.

    Args:
        data: the user's ``XDG_DATA_HOME``.
        config: the user's ``XDG_CONFIG_HOME``.
        command: starts the program.
    """

    def __init__(self, data: Path, config: Path, command: Sequence[str] = START) -> None:
        self._applications, self._mime = data / "applications", data / "mime"
        self._entry, self._types = self._applications / ENTRY, self._mime / "packages" / "crownhead.xml"
        self._icons = {side: data / f"icons/hicolor/{side}x{side}/apps/crownhead.png" for side in SIZES}
        self._defaults, self._command = config / "mimeapps.list", command

    def install(self) -> list[str]:
        offered, pinned = self._installed() or self._pin()
        for path, contents in self._files(offered, pinned).items():
            write_whole(path, contents)
        csv = "Crownhead is offered under Open with" if offered else "left out, because no program opens them yet"
        return [
            f"menu entry   {self._entry}",
            f"PDN files    a double click opens them ({PDN_TYPE})",
            f"CSV files    {csv}",
            *self._refresh(),
        ]

    def remove(self) -> list[str]:
        _, pinned = self._installed() or (False, "")
        if pinned and self._default() == pinned:
            self._set_default("")
        removed = []
        for path in (self._entry, self._types, *self._icons.values()):
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
                removed.append(f"removed      {path}")
        return [*removed, *self._refresh()] if removed else ["nothing was installed"]

    def parts(self) -> dict[str, bool]:
        files = self._files(*self._installed() or (False, ""))
        return {str(path): path.is_file() and path.read_bytes() == contents for path, contents in files.items()}

    def _files(self, offered: bool, pinned: str) -> dict[Path, bytes]:
        """Return the contents of all files; the entry names the type of CSV files if they are `offered`."""
        types = [PDN_TYPE, CSV_TYPE] if offered else [PDN_TYPE]
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
MimeType={";".join(types)};
{PINNED}{pinned}
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
        return {self._entry: entry.encode(), self._types: package.encode(), **icons}

    def _refresh(self) -> list[str]:
        """Make the desktop read its folders again; return a line that says what is missing for this, if anything is."""
        _run("update-desktop-database", str(self._applications))
        if _run("update-mime-database", str(self._mime)) is None:
            return ["note         PDN files are not recognised without update-mime-database (shared-mime-info)"]
        return []

    def _installed(self) -> tuple[bool, str] | None:
        """Return whether the installed entry offers CSV files, and the program that it pinned; None without one."""
        try:
            lines = self._entry.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return None
        pinned = next((line.removeprefix(PINNED) for line in lines if line.startswith(PINNED)), "")
        return any(line.startswith("MimeType=") and CSV_TYPE in line for line in lines), pinned

    def _pin(self) -> tuple[bool, str]:
        """Make the program that opens CSV files their explicit default; return the same values as `_installed`."""
        queries = (_run("xdg-mime", "query", "default", kind) for kind in (CSV_TYPE, "text/plain"))
        opens = next(filter(None, queries), "")
        if not opens or self._default():
            return bool(opens), ""
        self._set_default(opens)
        return True, opens

    def _default(self) -> str:
        """Return the user's explicit default for CSV files; empty if there is none."""
        text = self._text()
        at = _csv_line(text)
        return "" if at is None else text[at].partition("=")[2].rstrip(";")

    def _set_default(self, program: str) -> None:
        """Set the explicit default for CSV files, or remove it."""
        lines = self._text()
        if (at := _csv_line(lines)) is not None:
            del lines[at]
        if program:
            if DEFAULTS not in lines:
                lines.append(DEFAULTS)
            lines.insert(lines.index(DEFAULTS) + 1, f"{CSV_TYPE}={program}")
        elif lines[-1:] == [DEFAULTS]:
            del lines[-1]
        write_whole(self._defaults, "".join(f"{line}\n" for line in lines).encode())

    def _text(self) -> list[str]:
        try:
            return self._defaults.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []


def _csv_line(lines: Sequence[str]) -> int | None:
    """Return the index of the line of ``mimeapps.list`` with the default for CSV files."""
    section = ""
    for at, line in enumerate(lines):
        section = line.strip() if line.startswith("[") else section
        if section == DEFAULTS and line.partition("=")[0].strip() == CSV_TYPE:
            return at
    return None


# Windows --------------------------------------------------------------------------------------------------------------

CLASSES = "Software\\Classes\\"
PDN_CLASS, CSV_CLASS = "Crownhead.pdn", "Crownhead.csv"

SHORTCUT = """
$link = (New-Object -ComObject WScript.Shell).CreateShortcut($env:CROWNHEAD_LINK)
$link.TargetPath = $env:CROWNHEAD_TARGET; $link.Arguments = $env:CROWNHEAD_ARGUMENTS
$link.IconLocation = $env:CROWNHEAD_ICON; $link.Description = $env:CROWNHEAD_COMMENT; $link.Save()
"""
"""A PowerShell script that makes a link; its values come from the environment, so none of them needs quotes."""


class WindowsDesktop(Desktop):
    """The desktop of Windows.

    Args:
        registry: the module `winreg`, or its substitute in tests.
        menu: the folder of the user's Start menu.
        data: a folder for the icon.
        command: starts the program.
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
        return _run("powershell", "-NoProfile", "-Command", SHORTCUT, environment=environment) is not None


def ico(png: bytes) -> bytes:
    """Return an ICO file of one picture of 256 x 256 pixels, which Windows reads as PNG since Vista."""
    return struct.pack("<HHHBBBBHHII", 0, 1, 1, 0, 0, 0, 0, 1, 32, len(png), 22) + png


def _notify_shell() -> None:
    """Notify Windows that file types have changed (``SHCNE_ASSOCCHANGED``)."""
    if sys.platform == "win32":
        import ctypes

        ctypes.windll.shell32.SHChangeNotify(0x08000000, 0, None, None)
