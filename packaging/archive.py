"""The file that unpacks itself: a script for ``sh``, a Python that is just able to unpack, and all files compressed."""

from __future__ import annotations

import hashlib
import lzma
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import elf

HERE = Path(__file__).parent
PART = 40_000_000
"""Size of what is compressed as one part, and unpacked by one thread."""
PLAIN = [{"id": lzma.FILTER_LZMA2, "preset": 9, "dict_size": 64 << 20}]


def packed(files: Mapping[str, bytes], part: int = PART) -> bytes:
    """Return files as `unpack.py` expects them: list and compressed parts, those of machine code apart."""
    code = sorted(path for path, data in files.items() if elf.is_elf(data))
    rest = sorted(files.keys() - set(code))
    parts: list[tuple[bytes, bool]] = []
    for paths, of_code in ((code, True), (rest, False)):
        data = b"".join(files[path] for path in paths)
        size = -(-len(data) // max(round(len(data) / part), 1))
        parts += [(data[at : at + size], of_code) for at in range(0, len(data), size or 1)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        compressed = list(pool.map(lambda part: _compressed(*part), parts))
    sizes = " ".join(f"{len(small)}:{len(data)}" for small, (data, _) in zip(compressed, parts, strict=True))
    lines = [f"{len(files[path])} {'755' if path.startswith('bin/') else '644'} {path}" for path in (*code, *rest)]
    listed = _compressed("\n".join([sizes, *lines]).encode(), False)
    return b"".join((b"%016d" % len(listed), listed, *compressed))


def _compressed(data: bytes, of_code: bool) -> bytes:
    filters = [{"id": lzma.FILTER_X86}, *PLAIN] if of_code else PLAIN
    return lzma.compress(data, lzma.FORMAT_XZ, lzma.CHECK_CRC32, None, filters)


def assembled(version: str, glibc: tuple[int, int], first: Mapping[str, bytes], body: bytes) -> bytes:
    """Return the whole file.

    Args:
        glibc: the oldest one with which the files work.
        first: files that `sh` writes, among them ``bin/python3`` and ``lib/unpack.py``.
        body: as `packed` returns it.
    """
    contents = b"".join((*first.values(), body))
    digest = hashlib.sha256(contents).hexdigest()
    values = {
        "VERSION": version,
        "ID": f"{version}-{digest[:16]}",
        "SUM": digest,
        "GLIBC": ".".join(map(str, glibc)),
        "FIRST": "\n".join(f"{len(data)} {path}" for path, data in first.items()),
    }
    text = (HERE / "start.sh").read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    size = len(text.replace("@HEADER@", "00000").encode())
    return text.replace("@HEADER@", f"{size:5}".replace(" ", "")).encode().ljust(size, b"\n") + contents
