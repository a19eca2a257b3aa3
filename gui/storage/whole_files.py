"""Reads and writes small files of the user's data, completely or not at all."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from game.regular_files import open_regular, replacing, write_all

FOLDER = "games"
"""The folder for games in the data folder."""

LARGEST = 16 << 20
"""Maximum size of a settings file or a saved game, in bytes."""


def read_bytes(path: Path) -> bytes | None:
    """Return all bytes of a small file; None if there is no such file.

    Raises:
        OSError: it cannot be read, or is not a regular file.
        ValueError: it is far too large.
    """
    try:
        with open_regular(path, links=True) as file:
            data: bytes = file.read(LARGEST + 1)
    except FileNotFoundError:
        return None
    if len(data) > LARGEST:
        raise ValueError(f"more than {LARGEST >> 20} MB")
    return data


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file in one step, through a temporary file beside it; create its folder if necessary.

    Raises:
        OSError: it cannot be written; the old file is untouched, and the error names it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with replacing(path, durable=False, temporary=temporary) as file:
        write_all(file.fileno(), data)


def set_aside(path: Path) -> None:
    """Rename a damaged file, so that it is kept but not read again; an earlier damaged one is overwritten."""
    with contextlib.suppress(OSError):
        os.replace(path, path.with_name(f"{path.name}.damaged"))


def in_words(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
