"""The model of the file dialog: the list of a folder, a path field, recent files."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from extras import file_kind
from game.players.names import TABLES
from game.regular_files import open_regular

MOST_ENTRIES = 20_000


class FileEntry(NamedTuple):
    """A file or folder in the list.

    Attributes:
        modified: when it was modified, in seconds since 1970.
    """

    name: str
    path: Path
    is_folder: bool
    size: int
    modified: float


class FileChooser:
    """A dialog that chooses a file to open or a name to save under.

    Attributes:
        suffixes: suffixes of the files to list, such as ``.pdn``; if empty, all files are listed.
        text: the path field: a name in the folder, or any path; ``~`` is the home folder.
        asks: an existing file that the user is asked to replace; a second `accept` replaces it.
    """

    def __init__(
        self,
        folder: Path,
        suffixes: Iterable[str] = (),
        recent: Iterable[str | Path] = (),
        *,
        saving: bool = False,
        name: str = "",
    ) -> None:
        self.saving = saving
        self.suffixes = tuple(suffix.lower() for suffix in suffixes)
        self.recent = [path for path in map(Path, recent) if not self.suffixes or path.suffix.lower() in self.suffixes]
        self.trouble = ""
        self.asks: Path | None = None
        self.entries: list[FileEntry] = []
        self.folder = folder
        self._text = name
        self._everything = False
        if not self.go(folder):
            trouble = self.trouble
            self.go(Path.home())
            self.trouble = trouble

    @property
    def text(self) -> str:
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        self._text, self.asks, self.trouble = text, None, ""

    @property
    def everything(self) -> bool:
        """True if hidden files and files with other suffixes are listed, too."""
        return self._everything

    @everything.setter
    def everything(self, on: bool) -> None:
        self._everything = on
        self.go(self.folder)

    def go(self, folder: Path) -> bool:
        """List another folder; if that is impossible, set `trouble` and return False."""
        self.asks, self.trouble = None, ""
        folder = folder.expanduser().absolute()
        entries: list[FileEntry] = []
        try:
            with os.scandir(folder) as items:
                for item in items:
                    entry = self._entry(item)
                    if entry is not None:
                        entries.append(entry)
                    if len(entries) >= MOST_ENTRIES:
                        self.trouble = f"Only the first {MOST_ENTRIES:,} files of {folder} are listed."
                        break
        except (OSError, ValueError) as error:
            self.trouble = f"{folder} cannot be listed: {_reason(error)}."
            return False
        self.folder = folder
        self.entries = sorted(entries, key=lambda entry: (not entry.is_folder, entry.name.lower(), entry.name))
        return True

    def up(self) -> bool:
        return self.go(self.folder.parent)

    def refresh(self) -> bool:
        return self.go(self.folder)

    def choose(self, index: int) -> None:
        entry = self.entries[index]
        if not (self.saving and entry.is_folder):
            self.text = entry.name

    def open(self, index: int) -> Path | None:
        """Enter a folder of the list, or accept a file and return its path."""
        entry = self.entries[index]
        if entry.is_folder:
            self.go(entry.path)
            return None
        self.text = entry.name
        return self.accept()

    def accept(self) -> Path | None:
        """Enter the folder in the path field, or return the path of the file; if that is impossible, set `trouble`."""
        asked, self.asks, self.trouble = self.asks, None, ""
        if not self._text.strip():
            self.trouble = "No file is chosen."
            return None
        try:
            path = self._path(self._text.strip())
            if path.is_dir():
                if self.go(path):
                    self._text = ""
                return None
            return self._to_save(path, asked) if self.saving else self._to_open(path)
        except (OSError, ValueError, RuntimeError) as error:
            self.trouble = f"{self._text[:200]!r} is not a usable path: {_reason(error)}."
            return None

    def _to_open(self, path: Path) -> Path | None:
        if not path.exists():
            self.trouble = f"There is no file {path}."
        elif not os.access(path, os.R_OK):
            self.trouble = f"{path} cannot be read: permission denied."
        else:
            return path
        return None

    def _to_save(self, path: Path, asked: Path | None) -> Path | None:
        if self.suffixes and not path.suffix:
            path = path.with_name(path.name + self.suffixes[0])
        if not path.parent.is_dir():
            self.trouble = f"There is no folder {path.parent}."
        elif path.is_dir():
            self.trouble = f"{path} is a folder."
        elif not os.access(path if path.exists() else path.parent, os.W_OK):
            self.trouble = f"{path} cannot be written: permission denied."
        elif path.exists() and asked != path:
            self.asks, self.trouble = path, f"{path.name} already exists: save again to replace it."
        else:
            return path
        return None

    def _path(self, text: str) -> Path:
        return Path(os.path.normpath(self.folder / Path(text).expanduser()))

    def _entry(self, item: os.DirEntry[str]) -> FileEntry | None:
        try:
            is_folder = item.is_dir()
            status = item.stat()
        except OSError:  # a broken link, or a file that has just been deleted
            return None
        hidden = item.name.startswith(".")
        fits = is_folder or not self.suffixes or item.name.lower().endswith(self.suffixes)
        if not self._everything and (hidden or not fits):
            return None
        return FileEntry(item.name, Path(item.path), is_folder, status.st_size, status.st_mtime)


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def has_players(path: Path) -> bool:
    """Return whether a file has players: by its ending, and if that is ``.txt`` by its first bytes."""
    if path.suffix.lower() != ".txt":
        return path.suffix.lower() in TABLES or file_kind(path.name) is not None
    with contextlib.suppress(OSError), open_regular(path, links=True) as file:
        return b"w0" in file.read(4096).replace(b"\0", b"").lower()
    return False


def kind_of(path: Path) -> str:
    """Describe a path that is not a regular file, for use in a sentence."""
    kinds = ((path.is_dir, "a folder"), (path.is_fifo, "a pipe"), (path.is_socket, "a socket"))
    devices = ((path.is_block_device, "a device"), (path.is_char_device, "a device"))
    return next((name for test, name in (*kinds, *devices) if test()), "not a regular file")
