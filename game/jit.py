"""The one door to Numba: typed decorators, and the folder where compiled code is kept between starts.

Numba's own cache does not notice edits in modules that a kernel imports, so the name of the folder carries a hash of
all sources that get compiled, of the versions of Python and Numba and of the CPU target. Only modules named
`kernels`, `vectors`, `bits`, `layout`, `rules`, `generator` may be compiled or read by compiled code (a test holds
them to that).
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
"""How names of files with compiled code end."""
READ_BY_COMPILED = ("bitboard.py", "layout.py", "rules.py", "generator.py", "jit.py")
"""Files that compiled code reads."""
_TARGET_VARIABLES = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_BOUNDSCHECK", "NUMBA_OPT")

log = logging.getLogger(__name__)


def is_compiled_source(name: str) -> bool:
    """Whether compiled code stands in a file of this name, or may read it."""
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
    """Whether the folder can be made, written to, and belongs to this user alone (cached code is executed)."""
    if not folder.is_absolute():  # no home: "~" was left as it is
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
    """The folder for compiled code: the user's cache, else a temporary folder of this user; None if neither works."""
    name = _folder_name()
    chosen = os.environ.get("CROWNHEAD_CACHE_DIR")
    user = Path(chosen) if chosen else platformdirs.user_cache_path("crownhead", appauthor=False)
    if _usable(user / name):
        return user / name
    owner = os.getuid() if hasattr(os, "getuid") else "user"
    with contextlib.suppress(OSError):  # there is no temporary folder either
        temporary = Path(tempfile.gettempdir()) / f"crownhead-{owner}"
        # The parent is checked too: in a folder shared by all users nobody else may be able to put code there.
        if _usable(temporary) and _usable(temporary / name):
            log.warning("no writable cache folder at %s: compiled code is kept in %s", user, temporary)
            return temporary / name
    log.warning("no writable cache folder: code is compiled anew at each start (set CROWNHEAD_CACHE_DIR)")
    return None


CACHE_FOLDER = choose_cache_folder()
if CACHE_FOLDER is not None:
    os.environ["NUMBA_CACHE_DIR"] = str(CACHE_FOLDER)

# Numba reads its environment when it is imported, so this import stands below the choice of the folder.
import numba  # noqa: E402
from llvmlite import binding, ir  # noqa: E402
from numba import extending  # noqa: E402
from numba.core import ccallback, event, sigutils, types  # noqa: E402
from numba.extending import models, register_model  # noqa: E402

Word = Any
"""A uint64 in compiled code. Never mixed with `Int`: the sum of the two would be a float."""
Int = Any
"""An int64 in compiled code."""
Float = Any
"""A float32 in compiled code."""
Array = Any
"""A C-contiguous array; the docstring of the kernel gives dtype and shape."""


def _wide_vectors() -> bool:
    features = numba.config.CPU_FEATURES
    return "+avx512f" in (binding.get_host_cpu_features().flatten() if features is None else features)


WIDE_VECTORS = _wide_vectors()
"""Whether code is compiled for a processor with 32 registers of 512 bits. It may decide in what order values are
computed that do not depend on each other, never what they are. Numba keeps the code of each processor on its own."""

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
    """Numba tells it of each kernel that is compiled, and not of those that it loads."""

    def on_start(self, event: Any) -> None:
        compiling.begin(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event: Any) -> None:
        compiling.end()


event.register("numba:compile", _Compilations())


def compiled(function: F) -> F:
    """Compile a kernel on first use and keep the code. It runs without the interpreter lock and never raises.

    No fast math: results must be the same bits on every machine.
    """
    return cast(F, numba.njit(cache=CACHE_FOLDER is not None, nogil=True, error_model="numpy")(function))


def inlined(function: F) -> F:
    """As `compiled`, but the code goes into each caller, where constant arguments specialise it."""
    options = {"cache": CACHE_FOLDER is not None, "nogil": True, "error_model": "numpy", "forceinline": True}
    return cast(F, numba.njit(**options)(function))


def intrinsic(function: Any) -> Any:
    """Make a function of LLVM instructions usable in compiled code."""
    return extending.intrinsic(function)


class _Callback(ccallback.CFunc):
    """Numba's own, which tells when it compiles."""

    def _compile_uncached(self) -> Any:
        compiling.begin(self.__name__)
        try:
            return super()._compile_uncached()  # type: ignore[misc]
        finally:
            compiling.end()


def callback(words: int) -> Callable[[F], Any]:
    """Compile a function of so many int64 to one whose `address` compiled code can call with `game.bits.call`.

    Code that is called by address is compiled once, not again inside each of its callers, and the callers need not know
    it. It is compiled, or loaded, when its module is imported. The code is kept, runs without the interpreter lock and
    never raises; it returns an int64.
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
