"""Table files, one for each slice, and the values of positions from open tables.

A file has a header, the entries of values and of distances, then the bytes of values and of distances
(`game.endgame.slices`); all numbers are little-endian. The same codes always give the same bytes. Checksums of the
header and of the rest detect files that are damaged, cut short or from another program.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from game.board import Position
from game.compiled import kernel_cache
from game.endgame import pack_kernels, probe_kernels
from game.endgame import slices as at
from game.endgame.slices import LEAST_PIECES, MOST_PIECES, Slice, slices_of, slices_up_to
from game.endgame.verdict import Verdict
from game.errors import BusyError, InputError, describe
from game.moves import Move, successors
from game.regular_files import open_regular, replacing, write_all

FOLDER = "tablebase"
ENDING = ".table"
LOCK = "building.lock"

MAGIC = b"CrownEnd"
FORMAT = 1
"""Version of the format, to be raised when the format changes. Files of other versions are built again."""
_HEADER = struct.Struct("<8s H B B 4B 6Q I")
_CHECK = struct.Struct("<I")
HEADER_BYTES = 80
"""Size of the header: the fields of `_HEADER`, padding, and their checksum at the end."""


class TableError(InputError):
    """A table file is damaged or cannot be read; the message names it."""


@dataclass(frozen=True, slots=True)
class FileInfo:
    """The contents of a file's header, or the fault of a missing or damaged file.

    Attributes:
        positions, wins, losses, draws: numbers of positions, by their value to the side to move.
        longest: plies of the longest win or loss; None without distances.
        fault: description of the fault in one line; empty for a sound file.
    """

    slice: Slice
    path: Path
    distances: bool = False
    positions: int = 0
    wins: int = 0
    losses: int = 0
    draws: int = 0
    longest: int | None = None
    bytes: int = 0
    fault: str = ""


def tablebase_folder() -> Path | None:
    """Return the folder of tables, which is next to the folder of compiled code; None without a usable cache folder."""
    return None if kernel_cache.CACHE_FOLDER is None else kernel_cache.CACHE_FOLDER.parent / FOLDER


def path_of(folder: Path, which: Slice) -> Path:
    return folder / f"{which.name}{ENDING}"


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder against other processes that build tables; the folder is created if necessary.

    Raises:
        BusyError: another process is building tables.
    """
    import filelock

    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        with filelock.FileLock(folder / LOCK, timeout=0.3):
            yield
    except filelock.Timeout:
        raise BusyError(f"{folder}: another process is building tables here; wait until it has ended") from None


def pack(which: Slice, codes: Any, *, distances: bool) -> list[Any]:
    """Return the content of a file as a list of uint8 arrays.

    Args:
        codes: uint8, one per position, as written by `build_kernels`.
    """
    blocks = -(-which.positions // at.BLOCK)
    counts = np.empty((2, 3), np.int64)
    entries = np.empty(blocks, np.uint32)
    values = np.zeros(blocks * (2 + 2 * at.BITMAP_BYTES) + at.SPARE, np.uint8)
    size = pack_kernels.pack_values(codes, entries, values, np.empty((3, 4), np.uint64), counts) + at.SPARE
    parts: list[Any] = [entries.view(np.uint8)]
    after = []
    if distances:
        entries = np.empty(blocks, np.uint32)
        content = np.zeros(blocks * 7 * at.BITMAP_BYTES + at.SPARE, np.uint8)
        end = pack_kernels.pack_distances(codes, entries, content) + at.SPARE
        parts.append(entries.view(np.uint8))
        after.append(content[:end])
    parts += [values[:size], *after]
    check = functools.reduce(lambda before, part: zlib.crc32(part, before), parts, 0)
    total = HEADER_BYTES + sum(part.size for part in parts)
    draws, losses, wins = (int(count) for count in counts[0])
    pieces = (which.men, which.kings, which.opponent_men, which.opponent_kings)
    longest = max(int(codes.max()) - 1, 0) if distances else 0
    header = _HEADER.pack(
        MAGIC, FORMAT, int(distances), longest, *pieces, which.positions, wins, losses, draws, size, total, check
    )
    header = header.ljust(HEADER_BYTES - _CHECK.size, b"\0")
    header += _CHECK.pack(zlib.crc32(header))
    return [np.frombuffer(header, np.uint8), *parts]


def packing_memory(which: Slice, distances: bool) -> int:
    a_block = 4 + 2 + 2 * at.BITMAP_BYTES + (4 + 7 * at.BITMAP_BYTES) * distances
    return -(-which.positions // at.BLOCK) * a_block + 2 * at.SPARE


def write(folder: Path, which: Slice, codes: Any, distances: bool) -> FileInfo:
    """Write the file of a slice under a temporary name, and rename it when all of it is on disk.

    Args:
        codes: uint8, one per position, as written by `build_kernels`, with distances.

    Raises:
        OSError: the file could not be written; an older file is unchanged, and no temporary file is left.
    """
    path = path_of(folder, which)
    parts = pack(which, codes, distances=distances)
    with replacing(path) as file:
        for part in parts:
            write_all(file.fileno(), part)
    return _info(path, parts[0].tobytes(), sum(part.size for part in parts))


def _info(path: Path, header: bytes, size: int) -> FileInfo:
    """Return the contents of the header of a file with `size` bytes."""
    if len(header) < HEADER_BYTES or header[: len(MAGIC)] != MAGIC:
        raise TableError(f"{path}: is not a table file")
    if zlib.crc32(header[: -_CHECK.size]) != _CHECK.unpack(header[-_CHECK.size :])[0]:
        raise TableError(f"{path}: its header is damaged")
    _, version, kind, longest, *rest = _HEADER.unpack(header[: _HEADER.size])
    which, (positions, wins, losses, draws, _, total, _) = Slice(*rest[:4]), rest[4:]
    if version != FORMAT:
        raise TableError(f"{path}: has format {version}, expected {FORMAT}")
    if size != total:
        raise TableError(f"{path}: has {size:,} bytes, expected {total:,}")
    if f"{which.name}{ENDING}" != path.name:
        raise TableError(f"{path}: has the positions of {which.name}{ENDING}")
    if size > HEADER_BYTES + packing_memory(which, distances=True):  # refused before it is read into memory
        raise TableError(f"{path}: has {size:,} bytes, more than any table of these pieces")
    return FileInfo(which, path, bool(kind), positions, wins, losses, draws, longest if kind else None, size)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[tuple[IO[bytes], int]]:
    """Open a file; the context gives the file and its size, and errors in it become a `TableError`."""
    try:
        with open_regular(path, buffering=0, links=True, most=math.inf) as file:
            yield file, os.fstat(file.fileno()).st_size
    except OSError as error:
        raise TableError(f"{path}: cannot be read: {error.strerror}") from error


class SliceTable:
    """The checked table of one slice, in memory.

    Attributes:
        addresses: addresses of the entries and bytes of values, then of distances (0 if there are none); valid as long
            as this object exists.
    """

    def __init__(self, path: Path, content: Any) -> None:
        """Check all bytes of the file (uint8), which must not change afterwards.

        Raises:
            TableError: the file is damaged.
        """
        self._content = content
        header = content[:HEADER_BYTES].tobytes()
        self.info = _info(path, header, content.size)
        size, _, check = _HEADER.unpack(header[: _HEADER.size])[-3:]
        if zlib.crc32(content[HEADER_BYTES:]) != check:
            raise TableError(f"{path}: is damaged")
        blocks = -(-self.info.positions // at.BLOCK)
        ends = np.cumsum([HEADER_BYTES, 4 * blocks, 4 * blocks * self.info.distances, size])
        if self.info.positions != self.info.slice.positions or not blocks or ends[-1] > content.size:
            raise TableError(f"{path}: is not a table file")
        parts = np.split(content, ends)[1:]
        self.entries, self.distance_entries = parts[0].view(np.uint32), parts[1].view(np.uint32)
        self.values, self.distances = parts[2], parts[3]
        # A forged file can contain anything and have correct checksums, so check that all reads stay within its bounds.
        furthest = int(self.entries.max()) >> 2
        inside = furthest + at.SPARE <= self.values.size
        if self.info.distances:
            furthest = (int(self.distance_entries.max()) >> (at.WIDTH_BITS + at.LEAST_BITS)) * at.BITMAP_BYTES
            inside &= furthest + at.SPARE <= self.distances.size
        if not inside:
            raise TableError(f"{path}: its entries point outside the file")
        used = (self.entries, self.values) + (self.distance_entries, self.distances) * self.info.distances
        self.addresses = [int(part.ctypes.data) for part in used] + [0, 0] * (not self.info.distances)

    def codes(self, codes: Any = None) -> Any:
        """Return the codes of all positions (uint8) as written by `build_kernels`, with distances if there are any.

        The result is written to `codes` if that is an array.
        """
        codes = np.empty(self.info.positions, np.uint8) if codes is None else codes
        pack_kernels.unpack_values(self.entries, self.values, codes)
        if self.info.distances:
            pack_kernels.unpack_distances(self.distance_entries, self.distances, codes)
        return codes


def open_table(path: Path) -> SliceTable:
    """Read the file of a slice into memory, so that it may be changed or deleted afterwards.

    A memory-mapped file would need less memory, but cutting or overwriting it during use would give wrong values or end
    the process.

    Raises:
        TableError: the file cannot be read, is damaged or cut short, or comes from another program or has another
            format.
    """
    with _opened(path) as (file, size):
        header = file.read(HEADER_BYTES)
        _info(path, header, size)  # checked before memory is allocated
        content: Any = np.empty(size, np.uint8)
        content[: len(header)] = np.frombuffer(header, np.uint8)
        left = memoryview(content)[len(header) :]
        while left and (count := file.readinto(left)):  # type: ignore[attr-defined]  # it has no buffer
            left = left[count:]
    if left:
        raise TableError(f"{path}: became shorter while it was read")
    return SliceTable(path, content)


def survey(folder: Path) -> list[FileInfo]:
    """Return information about the file of every slice, reading only headers.

    Raises:
        TableError: the folder cannot be read, or is not a folder.
    """
    try:
        with contextlib.suppress(FileNotFoundError):
            os.stat(folder / LOCK)
    except OSError as error:
        raise TableError(f"{folder}: cannot be read: {error.strerror}") from error
    return [_surveyed(folder, each) for each in slices_up_to(MOST_PIECES)]


def _surveyed(folder: Path, which: Slice) -> FileInfo:
    path = path_of(folder, which)
    if not os.path.exists(path):
        return FileInfo(which, path, fault="missing")
    try:
        with _opened(path) as (file, size):
            return _info(path, file.read(HEADER_BYTES), size)
    except TableError as error:
        return FileInfo(which, path, bytes=path.lstat().st_size, fault=describe(error))


class Tables:
    """Open tables of all positions up to a number of pieces.

    Attributes:
        pieces: number of pieces of the largest tables; 0 if there are none.
        distances: the same for tables with distances.
        address: address of the memory that describes the tables to `game.endgame.probe_kernels`; valid as long as this
            object exists.
    """

    def __init__(self, tables: Iterable[SliceTable]) -> None:
        """Use the given tables up to the first number of pieces for which they are not complete."""
        self._tables = {table.info.slice: table for table in tables}
        self.pieces = _complete(self._tables.__contains__)
        self.distances = _complete(lambda which: which in self._tables and self._tables[which].info.distances)
        self._directory = np.zeros(at.DIRECTORY_WORDS, np.int64)
        self._directory[[at.PIECES, at.DISTANCES]] = self.pieces, self.distances
        records = self._directory[at.FIRST_SLICE :].reshape(-1, at.SLICE_WORDS)
        for which, table in self._tables.items():
            records[which.number] = table.addresses
        self.address = int(self._directory.ctypes.data)

    def probe(self, position: Position) -> Verdict | None:
        """Return the verdict on a position; None if it has too many pieces."""
        if not position.own or not position.opponent:
            return Verdict(-1, 0) if not position.own else Verdict(1, 1)
        pieces = (position.own | position.opponent).bit_count()
        if pieces > self.pieces:
            return None
        own, opponent, kings = map(np.uint64, (position.own, position.opponent, position.kings))
        code = probe_kernels.probe_code(own, opponent, kings, np.int64(position.side), np.int64(self.address))
        if code == at.DRAWN:
            return Verdict(0, None)
        return Verdict(-1 if code & 1 else 1, code - 1 if pieces <= self.distances else None)

    def info(self, which: Slice) -> FileInfo:
        """Return the contents of the table of a slice, which must be open."""
        return self._tables[which].info

    def moves(self, position: Position) -> list[tuple[Move, Verdict | None]]:
        """Return every legal move with its verdict for the side that makes it; plies include the move itself."""
        moves: list[tuple[Move, Verdict | None]] = []
        for move, after in successors(position):
            verdict = self.probe(after)
            if verdict is not None:
                verdict = Verdict(-verdict.value, None if verdict.plies is None else verdict.plies + 1)
            moves.append((move, verdict))
        return moves


def _complete(has: Callable[[Slice], bool]) -> int:
    """Return the number of pieces up to which `has` is true of all slices; 0 if it is false for a smallest slice."""
    largest = 0
    for pieces in range(LEAST_PIECES, MOST_PIECES + 1):
        if not all(map(has, slices_of(pieces))):
            break
        largest = pieces
    return largest
