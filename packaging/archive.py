"""The file that unpacks itself: a script for ``sh``, a Python that is just able to unpack, and all files compressed."""

from __future__ import annotations

import ctypes
import hashlib
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import elf
import interpreter

HERE = Path(__file__).parent
PART = 20_000_000
"""Size of what is compressed as one part, and unpacked by one thread."""
LEVEL, LEVEL_OF, CHECKSUM_OF = 19, 100, 201
"""The level of compression, and the numbers of its parameter and of that for checksums in ``zstd.h``."""


def packed(files: Mapping[str, bytes], part: int = PART) -> tuple[bytes, bytes]:
    """Return files as `unpack.py` expects them: their list, and compressed parts, those of machine code apart."""
    code = sorted(path for path, data in files.items() if elf.is_elf(data))
    rest = sorted(files.keys() - set(code))
    parts: list[bytes] = []
    for paths in (code, rest):
        data = b"".join(files[path] for path in paths)
        size = -(-len(data) // max(round(len(data) / part), 1))
        parts += [data[at : at + size] for at in range(0, len(data), size or 1)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        compressed = list(pool.map(_compressed, parts))
    sizes = " ".join(f"{len(small)}:{len(data)}" for small, data in zip(compressed, parts, strict=True))
    lines = [f"{len(files[path])} {'755' if path.startswith('bin/') else '644'} {path}" for path in (*code, *rest)]
    return "\n".join([sizes, *lines]).encode(), b"".join(compressed)


def _compressed(data: bytes) -> bytes:
    library = ctypes.CDLL(interpreter.ZSTD)
    library.ZSTD_createCCtx.restype = ctypes.c_void_p
    library.ZSTD_compressBound.restype = library.ZSTD_compress2.restype = ctypes.c_size_t
    context = ctypes.c_void_p(library.ZSTD_createCCtx())
    for parameter, value in ((LEVEL_OF, LEVEL), (CHECKSUM_OF, 1)):
        library.ZSTD_CCtx_setParameter(context, parameter, value)
    space = ctypes.create_string_buffer(library.ZSTD_compressBound(ctypes.c_size_t(len(data))))
    size = library.ZSTD_compress2(context, space, ctypes.c_size_t(len(space)), data, ctypes.c_size_t(len(data)))
    library.ZSTD_freeCCtx(context)
    return space.raw[:size]


def assembled(
    version: str, glibc: tuple[int, int], first: Mapping[str, bytes], files: Mapping[str, bytes], part: int = PART
) -> bytes:
    """Return the whole file.

    Args:
        glibc: the oldest one with which the files work.
        first: files that `sh` writes, among them ``bin/python3`` and in ``lib`` the library that unpacks.
        files: all others.
    """
    listed, body = packed(files, part)
    first = {**first, "lib/list": listed, "lib/unpack.py": (HERE / "unpack.py").read_bytes()}
    begin = b"".join(first.values())
    contents = begin + body
    values = {
        "VERSION": version,
        "ID": f"{version}-{hashlib.sha256(contents).hexdigest()[:16]}",
        "SUM": hashlib.sha256(begin).hexdigest(),
        "BEGIN": str(len(begin)),
        "GLIBC": ".".join(map(str, glibc)),
        "FIRST": "\n".join(f"{len(data)} {path}" for path, data in first.items()),
    }
    text = (HERE / "start.sh").read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    size = len(text.replace("@HEADER@", "00000").encode())
    return text.replace("@HEADER@", f"{size:5}".replace(" ", "")).encode().ljust(size, b"\n") + contents
