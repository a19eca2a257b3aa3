"""Opening tablebases from their folder; tables of up to four pieces are built when they are needed."""

from __future__ import annotations

import functools
import logging
import os
from pathlib import Path

import numpy as np

from game.endgame import table_file
from game.endgame.slices import LEAST_PIECES, MOST_BUILT, MOST_PIECES, slices_of, slices_up_to
from game.endgame.table_file import Tables
from game.endgame.verdict import Verdict
from game.errors import BusyError, InputError, describe
from game.installation import COMMAND

__all__ = ["OWN_PIECES", "Tables", "Verdict", "complete_tables", "open_tables"]

OWN_PIECES = 4
"""Largest number of pieces for which tables are built automatically."""

log = logging.getLogger(__name__)


@functools.cache
def open_tables(pieces: int | None = None, folder: Path | None = None) -> Tables:
    """Return the tables in a folder, after checking them; tables of 2 to 4 pieces are built and saved if missing.

    Args:
        pieces: largest number of pieces; None for all tables.
        folder: folder of the files; None for the default folder. If that cannot be used, tables are only in memory.
    """
    pieces = MOST_PIECES if pieces is None else min(pieces, MOST_PIECES)
    if pieces < LEAST_PIECES:
        return Tables([])
    folder = folder or table_file.tablebase_folder()
    own = min(pieces, OWN_PIECES)
    if folder is None:  # no usable cache folder
        return Tables(_in_memory(own))
    while not _there(folder, own):
        from game.endgame import build  # imported here because its kernels are rarely needed

        try:
            build.build_unchecked(folder, own)
            break
        except BusyError:
            continue  # another process is building; look again, since it may take long to build all of its tables
        except (OSError, table_file.TableError) as error:
            log.warning("endgame tables have to be built at each start: %s", describe(error))
            return Tables([*_in_memory(own), *_opened(folder, pieces)])
    return Tables(_opened(folder, pieces))


def build_command(pieces: int) -> str:
    return f"{COMMAND} tablebase build --pieces {pieces}"


def complete_tables(pieces: int, what: str) -> Tables:
    """Return complete tables of up to `pieces` pieces; `what` is the option that needs them, for error messages.

    Raises:
        InputError: tables are missing or damaged.
    """
    tables = open_tables(pieces)
    if tables.pieces < pieces:
        raise InputError(
            f"{what}: the tablebases of up to {pieces} pieces are not complete; build them with {build_command(pieces)}"
        )
    return tables


def _there(folder: Path, pieces: int) -> bool:
    try:
        return all(_open_table(table_file.path_of(folder, each)).info.distances for each in slices_up_to(pieces))
    except table_file.TableError:
        return False


def _opened(folder: Path, pieces: int) -> list[table_file.SliceTable]:
    """Return all sound tables, up to the first number of pieces for which a file is missing or damaged."""
    tables: list[table_file.SliceTable] = []
    for number in range(LEAST_PIECES, pieces + 1):
        paths = [table_file.path_of(folder, each) for each in slices_of(number)]
        if not all(map(os.path.exists, paths)):  # also False if the folder cannot be read
            break
        try:
            tables += [_open_table(path) for path in paths]
        except table_file.TableError as error:
            log.warning("%s; tables of %d and more pieces are not used", error, number)
            break
    return tables


def _open_table(path: Path) -> table_file.SliceTable:
    """Open a table; each version of a file is read only once per process."""
    try:
        status = path.stat()
    except OSError as error:
        raise table_file.TableError(f"{path}: cannot be read: {error.strerror}") from error
    return _open_once(path, status.st_ino, status.st_size, status.st_mtime_ns)


_open_once = functools.cache(lambda path, *stamp: table_file.open_table(path))


def _in_memory(pieces: int) -> list[table_file.SliceTable]:
    from game.endgame import build

    known = build.build_values(pieces)
    return [
        table_file.SliceTable(
            table_file.path_of(Path(), each), np.concatenate(table_file.pack(each, known.of(each), distances=True))
        )
        for each in known.all
    ]


def are_built(pieces: int) -> bool:
    """Return whether the files of all tables of up to `pieces` pieces are there."""
    folder = table_file.tablebase_folder()
    return folder is not None and _there(folder, pieces)


def adjudicating_tables(pieces: int) -> Tables:
    """Return the tables that end games of up to `pieces` pieces; tables of 2 to 4 pieces are built if missing.

    Raises:
        InputError: larger tables are missing or damaged.
    """
    if not LEAST_PIECES <= pieces <= MOST_BUILT:
        raise InputError(f"adjudicate: expected 0 (off) or {LEAST_PIECES} to {MOST_BUILT} pieces, got {pieces}")
    return complete_tables(pieces, "adjudicate")
