"""Generation files of a published run in one file: ``generations.csv`` has the rows of those that hold no weights.

A row begins with the number of its generation; the rest is the row of the generation file, whose bytes come again
exactly.
"""

from __future__ import annotations

import io
from functools import lru_cache
from pathlib import Path
from typing import IO

from evolve.run.files import CONFIG, Signature, open_csv, signature
from evolve.run.manifest import generation_number
from game.regular_files import read_regular

NAME = "generations.csv"
_FIRST = b"generation,"


def open_generation(path: Path) -> IO[bytes]:
    """Open a CSV file of individuals, or the part of a packed file that stands for it."""
    part = _in_place_of(path)
    return open_csv(path) if part is None else io.BytesIO(part)


def read_generation_file(path: Path) -> bytes:
    """Return the bytes of a generation file of a run, which may be packed."""
    part = _in_place_of(path)
    return read_regular(path) if part is None else part


def is_there(path: Path) -> bool:
    """Return whether there is a file of individuals, or a packed generation in its place."""
    return path.is_file() or _in_place_of(path) is not None


def signature_of_generation(path: Path) -> Signature | None:
    """Return the signature of a file of individuals, or of the packed file that holds it; None if there is neither."""
    return signature(path) or (signature(path.with_name(NAME)) if packed(path) is not None else None)


def _in_place_of(path: Path) -> bytes | None:
    """Return the packed bytes of a generation that has no file; None if it has one, or is not packed."""
    return None if path.exists() else packed(path)


def packed(path: Path) -> bytes | None:
    """Return the bytes of a generation file that is packed; None if it is not."""
    number = generation_number(path.name)
    changed = signature(path.with_name(NAME)) if number >= 0 else None
    return None if changed is None else _parts(path.with_name(NAME), changed).get(number)


@lru_cache(maxsize=4)
def _parts(path: Path, changed: Signature) -> dict[int, bytes]:
    try:
        header, *lines = read_regular(path, links=not path.with_name(CONFIG).is_file()).splitlines(keepends=True)
    except (OSError, ValueError):
        return {}
    rows: dict[int, list[bytes]] = {}
    for line in lines if header.startswith(_FIRST) else ():
        number, _, row = line.partition(b",")
        if number.isdigit() and len(number) < 10:
            rows.setdefault(int(number), [header.removeprefix(_FIRST)]).append(row)
    return {number: b"".join(parts) for number, parts in rows.items()}
