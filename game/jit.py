"""The only module that imports Numba: typed decorators, and the folder where compiled code is cached between runs.

Numba's own cache does not notice edits in modules that a kernel imports. So the name of the folder includes a hash of
all sources that are compiled, of the versions of Python and Numba, and of the CPU target. Compiled code stands only in
files whose names end as in COMPILED_ENDINGS, and reads constants only from those and READ_BY_COMPILED (a test checks).
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import platform
import stat
import sys
import tempfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar, cast

import platformdirs

from game import compiling

F = TypeVar("F", bound=Callable[..., object])

COMPILED_ENDINGS = ("kernels.py", "vectors.py", "bits.py")
"""Endings of the names of files that contain compiled code."""
READ_BY_COMPILED = ("bitboard.py", "layout.py", "rules.py", "generator.py", "jit.py")
"""Files whose constants compiled code may use."""
_TARGET_VARIABLES = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_BOUNDSCHECK", "NUMBA_OPT")

log = logging.getLogger(__name__)


def is_compiled_source(name: str) -> bool:
    """Whether a file of this name contains compiled code or constants that compiled code uses."""
    return name in READ_BY_COMPILED or name.endswith(COMPILED_ENDINGS)


def source_hash() -> str:
    """SHA-256 (hexadecimal) over the names and bytes of every source that is compiled, in order of name."""
    package = Path(__file__).parent
    digest = hashlib.sha256()
    sources = (path for path in package.rglob("*.py") if is_compiled_source(path.name))
    for path in sorted(sources):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _folder_name() -> str:
    parts = [source_hash(), platform.machine(), sys.implementation.cache_tag or "", metadata.version("numba")]
    parts += [metadata.version("llvmlite"), metadata.version("numpy")]
    parts += [f"{name}={os.environ.get(name, '')}" for name in _TARGET_VARIABLES]
    return "compiled-" + hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]


def _usable(folder: Path) -> bool:
    """Whether the folder can be created and written to, and only by this user (cached code is executed)."""
    if not folder.is_absolute():  # there is no home folder, so "~" was not expanded
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if hasattr(os, "getuid"):
            status = folder.stat()
            if status.st_uid != os.getuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                return False
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def choose_cache_folder() -> Path | None:
    """Choose the folder for compiled code: the user's cache, else a temporary folder; None if neither works."""
    name = _folder_name()
    chosen = os.environ.get("CROWNHEAD_CACHE_DIR")
    user = Path(chosen) if chosen else platformdirs.user_cache_path("crownhead", appauthor=False)
    if _usable(user / name):
        return user / name
    owner = os.getuid() if hasattr(os, "getuid") else "user"
    with contextlib.suppress(OSError):  # not even a temporary folder
        temporary = Path(tempfile.gettempdir()) / f"crownhead-{owner}"
        # The parent is checked too: /tmp is shared, and nobody else may be able to put code there.
        if _usable(temporary) and _usable(temporary / name):
            log.warning("no writable cache folder at %s: compiled code is kept in %s", user, temporary)
            return temporary / name
    log.warning("no writable cache folder: code is compiled anew at each start (set CROWNHEAD_CACHE_DIR)")
    return None


CACHE_FOLDER = choose_cache_folder()
if CACHE_FOLDER is not None:
    os.environ["NUMBA_CACHE_DIR"] = str(CACHE_FOLDER)

# Numba reads its environment when it is imported, so the folder is chosen first.
import numba  # noqa: E402
from llvmlite import binding, ir  # noqa: E402
from numba import extending  # noqa: E402
from numba.core import ccallback, event, sigutils, types  # noqa: E402
from numba.extending import models, register_model  # noqa: E402

Word = Any
"""A uint64 in compiled code. Never mix it with `Int`: Numba makes the sum of the two a float."""
Int = Any
"""An int64 in compiled code."""
Float = Any
"""A float32 in compiled code."""
Array = Any
"""A C-contiguous array; the docstring of each kernel gives dtype and shape."""


def _wide_vectors() -> bool:
    features = numba.config.CPU_FEATURES
    return "+avx512f" in (binding.get_host_cpu_features().flatten() if features is None else features)


WIDE_VECTORS = _wide_vectors()
"""Whether code is compiled for a processor with 32 registers of 512 bits (AVX-512). This may decide the order in which
independent values are computed, never the values. Numba caches the code for each processor separately."""

__all__ = [
    "CACHE_FOLDER",
    "WIDE_VECTORS",
    "callback",
    "choose_cache_folder",
    "compiled",
    "inlined",
    "intrinsic",
    "ir",
    "models",
    "register_model",
    "source_hash",
    "types",
]


class _Compilations(event.Listener):  # type: ignore[misc]
    """Numba reports each kernel here that it compiles, but not those that it loads from the cache."""

    def on_start(self, event: Any) -> None:
        compiling.begin(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event: Any) -> None:
        compiling.end()


event.register("numba:compile", _Compilations())


def compiled(function: F) -> F:
    """Compile a kernel on first use and cache the code. It runs without the interpreter lock and never raises.

    There is no fast math: results must be the same to the bit on every machine.
    """
    return cast(F, numba.njit(cache=CACHE_FOLDER is not None, nogil=True, error_model="numpy")(function))


def inlined(function: F) -> F:
    """As `compiled`, but inlined into each caller, where constant arguments specialise it."""
    options = {"cache": CACHE_FOLDER is not None, "nogil": True, "error_model": "numpy", "forceinline": True}
    return cast(F, numba.njit(**options)(function))


def intrinsic(function: Any) -> Any:
    """Make a function that emits LLVM instructions callable from compiled code."""
    return extending.intrinsic(function)


class _Callback(ccallback.CFunc):
    """Numba's C callback, which also reports when it is compiled."""

    def _compile_uncached(self) -> Any:
        compiling.begin(self.__name__)
        try:
            return super()._compile_uncached()  # type: ignore[misc]
        finally:
            compiling.end()


def callback(words: int) -> Callable[[F], Any]:
    """Compile a function of `words` int64 arguments that other compiled code calls by its `address` (`game.bits.call`).

    Such a function is compiled once instead of inside each of its callers, and callers need not import it. It is
    compiled, or loaded from the cache, when its module is imported. It runs without the interpreter lock, never raises,
    and returns an int64.
    """
    signature = types.int64(*[types.int64] * words)

    def decorate(function: F) -> Any:
        options = {"error_model": "numpy"}
        made = _Callback(function, sigutils.normalize_signature(signature), locals={}, options=options)
        if CACHE_FOLDER is not None:
            made.enable_caching()
        made.compile()
        return made

    return decorate
