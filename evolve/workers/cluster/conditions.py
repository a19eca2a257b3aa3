"""What must be the same on all machines of a cluster, and in words what is not."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import time
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

from game.compiled import kernel_cache
from game.compiled.jit import is_compiled_source
from game.errors import InputError

PACKAGES = ("numpy", "numba", "llvmlite", "dask", "distributed")
_SHOWN = 12  # digits of a hash


def versions() -> dict[str, str]:
    """Of Python and of the packages that decide results or what machines say to each other."""
    python = f"{platform.python_implementation()} {sys.version_info.major}.{sys.version_info.minor}"
    return {"Python": python, **{name: metadata.version(name) for name in PACKAGES}}


def conditions() -> dict[str, str]:
    """Versions, and hashes of the sources: those that are compiled, and all that plays.

    Raises:
        OSError: a source cannot be read.
        InputError: one was changed since this process started, so it may run other code.
    """
    root = kernel_cache.ROOT
    sources = sorted(path for top in ("game", "evolve") for path in (root / top).rglob("*.py"))
    kernels = [path for path in sources if is_compiled_source(path.name)]
    return {**versions(), "kernels": _hash(kernels, root), "program": _hash(sources, root)}


def _hash(sources: list[Path], root: Path) -> str:
    digest = hashlib.sha256()
    for path in sources:
        if kernel_cache.STARTED < path.stat().st_mtime <= time.time():
            raise InputError(f"{path} was changed since process {os.getpid()} started: start it again")
        text = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{path.relative_to(root).as_posix()}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()[:_SHOWN]


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """What differs, both sides named; empty if nothing does."""
    names = [*here, *(name for name in there if name not in here)]
    return ", ".join(
        f"{name} {there.get(name, 'none')} there and {here.get(name, 'none')} here"
        for name in names
        if here.get(name) != there.get(name)
    )
