"""The libraries that compiled files need, and the folders in which they look for them, read from the ELF format."""

from __future__ import annotations

import re
import struct

NEEDED, STRINGS, RPATH, RUNPATH = 1, 5, 15, 29
"""Tags of the dynamic section."""


def is_elf(data: bytes) -> bool:
    """Return whether these are the bytes of a compiled file for x86-64."""
    return data[:6] == b"\x7fELF\x02\x01" and data[18:20] == b"\x3e\x00"


def _dynamic(data: bytes) -> tuple[int, list[tuple[int, int, int]]]:
    """Return the place of the strings, and the entries of the dynamic section: place, tag and value."""
    start, size, count = (*struct.unpack_from("<Q", data, 32), *struct.unpack_from("<HH", data, 54))
    headers = [struct.unpack_from("<IIQQQQQQ", data, start + number * size) for number in range(count)]
    entries = []
    for kind, _, place, _, _, length, _, _ in headers:
        if kind == 2:
            for at in range(place, place + length, 16):
                tag, value = struct.unpack_from("<QQ", data, at)
                if tag == 0:
                    break
                entries.append((at, tag, value))
    address = next((value for _, tag, value in entries if tag == STRINGS), 0)
    for kind, _, place, begin, _, length, _, _ in headers:
        if kind == 1 and begin <= address < begin + length:
            return address - begin + place, entries
    return 0, entries


def _text(data: bytes, at: int) -> bytes:
    return data[at : data.index(b"\0", at)]


def needed(data: bytes) -> list[str]:
    """Return the names of the libraries that a file names."""
    strings, entries = _dynamic(data)
    return [_text(data, strings + value).decode() for _, tag, value in entries if tag == NEEDED]


def with_rpath(data: bytes, folder: str) -> bytes:
    """Return the file with another folder of libraries in place of the one it has, for it and all that it loads.

    Raises:
        RuntimeError: it names no folder that is at least as long.
    """
    strings, entries = _dynamic(data)
    changed = bytearray(data)
    for at, tag, value in entries:
        if tag in (RPATH, RUNPATH):
            old = _text(data, strings + value)
            if len(old) < len(folder):
                break
            changed[strings + value : strings + value + len(old)] = folder.encode().ljust(len(old), b"\0")
            struct.pack_into("<Q", changed, at, RPATH)
            return bytes(changed)
    raise RuntimeError(f"expected a Python with a folder of libraries (rpath) of {len(folder)} letters or more")


def has_rpath(data: bytes) -> bool:
    """Return whether a file names a folder of libraries."""
    return any(tag in (RPATH, RUNPATH) for _, tag, _ in _dynamic(data)[1])


def glibc(data: bytes) -> tuple[int, int]:
    """Return the oldest glibc with which a file works; (0, 0) if it needs none."""
    results = re.findall(rb"GLIBC_(\d+)\.(\d+)", data)
    return max(((int(major), int(minor)) for major, minor in results), default=(0, 0))
