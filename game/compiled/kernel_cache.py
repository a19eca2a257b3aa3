"""A cache of compiled code on disk, addressed by everything that determines the code.

The name of each file contains a hash of the sources of the kernel's module and of all project modules that it imports
(by their paths inside the checkout), the versions of Python, Numba, LLVM and numpy, Numba's settings, the processor and
the signature.

Numba's own cache does not suffice: it names folders by absolute paths, does not notice changes in modules that a kernel
imports, and keeps one index file for all signatures of a function, which is damaged if several processes compile at the
same time.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import logging
import os
import platform
import re
import stat
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
import platformdirs
from numba.core import caching, compiler, serialize
from numba.core.runtime import _nrt_python

from game.errors import InputError
from game.regular_files import open_regular, replacing

ROOT = Path(__file__).parents[__name__.count(".")]
"""The folder from which packages are imported: the checkout, or the folder of installed packages."""
LAST_SOURCE = Path(__file__).with_name("jit.py").relative_to(ROOT)
"""All compiled modules import this file, which sets compiler options. Its own imports do not affect the code."""
FORMAT = 1
"""Version of the file format; raise it when the format changes."""
SETTINGS = (
    *("BOUNDSCHECK", "CPU_FEATURES", "CPU_NAME", "DEBUGINFO_DEFAULT", "DEBUG_NRT", "DISABLE_INTEL_SVML", "ENABLE_AVX"),
    *("ENABLE_PROFILING", "EXTEND_VARIABLE_LIFETIMES", "LLVM_REFPRUNE_FLAGS", "LLVM_REFPRUNE_PASS", "LOOP_VECTORIZE"),
    *("NRT_STATS", "OPT", "SLP_VECTORIZE", "USING_SVML"),
)
"""Values of `numba.config` that affect the compiled code; most come from environment variables NUMBA_*."""

DAY = 24 * 3600.0
UNUSED = 60 * DAY
"""A file is removed this many seconds after its last use."""
MAX_BYTES = 1 << 30
"""Maximum size of the cache. If it is larger, the least recently used files are removed, except those used within a
day."""

_NO_CODE = re.compile(r"#[^\n]*|\\\r?\n")
_IMPORT = re.compile(r"\bfrom\s*(\.*)\s*([\w.]*)\s*import\b[ \t]*(\([^)]*\)|[^\n;]*)|\bimport\b[ \t]+([^\n;]+)")

STARTED = time.time()
"""Start time of this process, in seconds since the epoch. A source changed later may differ from the code in use."""

SHIPPED = Path(__file__).with_name("kernels")
"""A folder of code that was compiled in advance for `LEVELS`; only the download for Linux has one."""
_V2 = "+cx16,+popcnt,+sahf,+sse3,+sse4.1,+sse4.2,+ssse3"
_V3 = f"{_V2},+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+xsave"
_V4 = f"{_V3},+avx512bw,+avx512cd,+avx512dq,+avx512f,+avx512vl"
LEVELS = {"x86-64-v4": _V4, "x86-64-v3": _V3, "x86-64-v2": _V2}
"""Groups of processors by LLVM's name, the newest first, with the features that all processors of a group have."""

log = logging.getLogger(__name__)

for _feature in (numba.config.CPU_FEATURES or "").split(","):
    if _feature and _feature[0] not in "+-":  # LLVM would abort the process
        raise InputError(f"NUMBA_CPU_FEATURES: expected features such as +avx2,-fma, got {_feature!r}: unset it")


def level_of(features: Mapping[str, bool]) -> str | None:
    """Return the newest group in `LEVELS` to which a processor with these features belongs; None if there is none."""
    needs = {level: [name[1:] for name in names.split(",")] for level, names in LEVELS.items()}
    return next((level for level, names in needs.items() if all(features.get(name) for name in names)), None)


if SHIPPED.is_dir() and numba.config.CPU_NAME is None and numba.config.CPU_FEATURES is None:
    _level = level_of(llvmlite.binding.get_host_cpu_features())
    if _level is not None:  # otherwise code is compiled for this processor alone
        numba.config.CPU_NAME, numba.config.CPU_FEATURES = _level, LEVELS[_level]


def _usable(folder: Path) -> bool:
    """Create the folder, and return whether this user, and no other, can write to it: cached code is executed."""
    if not folder.is_absolute():  # without a home folder, "~" is not expanded
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
    """Return the folder for compiled code: in the user's cache, else in a temporary folder; None if neither works."""
    chosen = os.environ.get("CROWNHEAD_CACHE_DIR")
    user = Path(chosen) if chosen else platformdirs.user_cache_path("crownhead", appauthor=False)
    if _usable(user / "kernels"):
        return user / "kernels"
    owner = os.getuid() if hasattr(os, "getuid") else "user"
    with contextlib.suppress(OSError):  # there may be no temporary folder
        temporary = Path(tempfile.gettempdir()) / f"crownhead-{owner}"
        # Check the parent as well: /tmp is shared, and no other user may be able to put code there.
        if _usable(temporary) and _usable(temporary / "kernels"):
            log.warning("no writable cache folder at %s: compiled code is kept in %s", user, temporary)
            return temporary / "kernels"
    log.warning("no writable cache folder: code is compiled again at each start (set CROWNHEAD_CACHE_DIR)")
    return None


def clear_away(folder: Path, *, now: float) -> None:
    """Remove files that have not been used for a long time, at most once a day. Removed code is recompiled when needed.

    Args:
        now: seconds since the epoch.
    """
    mark = folder / "cleared"
    with contextlib.suppress(OSError):
        if mark.exists() and 0 <= now - mark.stat().st_mtime < DAY:
            return
        mark.touch()
        os.utime(mark, (now, now))
        total, files = 0, []
        for entry in os.scandir(folder):
            if entry.name.endswith((".nbc", ".tmp", ".complete")):
                status = entry.stat(follow_symlinks=False)
                files.append((status.st_mtime, status.st_size, entry))
                total += status.st_size
        for used, size, entry in sorted(files, key=lambda file: file[0]):
            left_over = entry.name.endswith(".tmp") or total > MAX_BYTES
            if now - used > (DAY if left_over else UNUSED):
                total -= size
                with contextlib.suppress(OSError):  # another process may have removed it
                    os.unlink(entry)


@functools.cache
def _read(source: Path, root: Path) -> tuple[bytes, tuple[Path, ...]]:
    if STARTED < source.stat().st_mtime <= time.time():
        # Otherwise code compiled from the old text would be stored under the hash of the new one.
        raise OSError(f"{source} was changed while the program ran")
    text = source.read_bytes()
    last = source == root / LAST_SOURCE
    return text, () if last else tuple(sorted(set(_imported(text.decode("utf-8"), source, root))))


def _imported(text: str, source: Path, root: Path) -> Iterator[Path]:
    # Regular expressions, because `ast` takes ten times as long at each start. A match inside a string literal is
    # harmless: it only adds a source to the hash.
    for dots, base, names, modules in _IMPORT.findall(_NO_CODE.sub(" ", text)):
        top = source.parents[len(dots) - 1] if dots else root
        words = [name.split()[0] for name in (modules or names).strip("() \r\n").split(",") if name.split()]
        for dotted in words if modules else [base, *(f"{base}.{word}" for word in words)]:
            path = top.joinpath(*filter(None, dotted.split("."))).with_suffix(".py")
            if path.is_file():
                yield path


def sources_of(source: Path, root: Path = ROOT) -> list[Path]:
    """Return a module's source and the project's sources that it imports, directly or indirectly, sorted by path."""
    sources: set[Path] = set()
    waiting = [source]
    while waiting:
        path = waiting.pop()
        if path not in sources:
            sources.add(path)
            waiting += _read(path, root)[1]
    return sorted(sources)


@functools.cache
def source_hash(source: Path, root: Path = ROOT) -> str:
    """Return the SHA-256 (hexadecimal) of the files in `sources_of` and of their paths below `root`.

    Raises:
        OSError: a source cannot be read, or was changed since this process started.
    """
    digest = hashlib.sha256()
    for path in sources_of(source, root):
        text = _read(path, root)[0]
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
        digest.update(f"{name}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()


def target() -> list[str]:
    """Return the compiler's inputs other than sources, signature and processor; Numba's key has the latter two."""
    versions = [sys.implementation.cache_tag or "", getattr(sys, "abiflags", ""), platform.machine()]
    versions += [numba.__version__, llvmlite.__version__, np.__version__]
    return [str(FORMAT), *versions, *(f"{name}={getattr(numba.config, name, None)!r}" for name in SETTINGS)]


def processor() -> str:
    """Return LLVM's name of the processor for which code is compiled, such as znver5."""
    return str(numba.config.CPU_NAME or llvmlite.binding.get_host_cpu_name())


@functools.cache
def add_runtime_symbols() -> None:
    """Let compiled code from the cache call the C functions of Numba's runtime."""
    for name, address in _nrt_python.c_helpers.items():
        llvmlite.binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


class KernelCache(caching.FunctionCache):  # type: ignore[misc]
    """The compiled code of one function: a file for each signature and processor.

    Args:
        folder: the folder of the files; only this user may write there.
    """

    def __init__(self, function: Callable[..., Any], folder: Path, root: Path = ROOT) -> None:
        self._py_func, self._folder = function, folder
        source = Path(inspect.getfile(function)).absolute()
        line = function.__code__.co_firstlineno
        self._made_of = [source_hash(source, root), function.__qualname__, str(line), *target()]
        self._name = re.sub(r"[^\w.]", "", f"{function.__module__}.{function.__qualname__}")

    @property
    def cache_path(self) -> str:
        return str(self._folder)

    def enable(self) -> None:
        """Do nothing: the cache is always enabled."""

    def disable(self) -> None:
        """Do nothing: a function that must not be cached has no cache."""

    def flush(self) -> None:
        """Do nothing: no file is ever out of date."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for a signature; None if there is no valid file."""
        # Numba would load its implementations of all types and functions, which only the compiler needs.
        add_runtime_symbols()
        key = self._index_key(sig, target_context.codegen())
        path = self._path(key)
        shipped = SHIPPED / path.name
        try:
            with open_regular(shipped if shipped.exists() else path) as file:
                content = file.read()
                if os.fstat(file.fileno()).st_mtime < time.time() - DAY:
                    with contextlib.suppress(OSError):
                        os.utime(file.name)  # mark it as used, for `clear_away`
            if int.from_bytes(content[:4], "little") != zlib.crc32(content[4:]):
                return None
            made_for, code = serialize.loads(content[4:])
            return compiler.CompileResult._rebuild(target_context, *code) if made_for == key else None
        except FileNotFoundError:
            return None
        except Exception as error:  # a damaged file is no problem, since the function can be compiled
            log.debug("compiled code of %s cannot be used: %r", self._name, error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write the code for a signature, unless it contains addresses of this process."""
        if data.library.has_dynamic_globals or any(not lifted.can_cache for lifted in data.lifted):
            log.warning("%s is compiled at each start: its code contains addresses", self._name)
            return
        key = self._index_key(sig, data.codegen)
        content = serialize.dumps((key, data._reduce()))
        path = self._path(key)
        temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")  # several processes may compile it at once
        try:
            with replacing(path, durable=False, temporary=temporary) as file:
                file.write(zlib.crc32(content).to_bytes(4, "little") + content)
        except OSError as error:
            log.debug("compiled code of %s cannot be stored: %s", self._name, error)

    def _path(self, key: Any) -> Path:
        digest = hashlib.sha256("\0".join([*self._made_of, repr(key)]).encode()).hexdigest()
        return self._folder / f"{self._name[:80]}-{digest[:24]}.nbc"


CACHE_FOLDER = choose_cache_folder()
if CACHE_FOLDER is not None:
    clear_away(CACHE_FOLDER, now=time.time())


def keep(made: Any, function: Callable[..., Any]) -> Any:
    """Attach a cache to Numba's dispatcher or C callback of a function, and return the dispatcher or callback."""
    if CACHE_FOLDER is not None:
        with contextlib.suppress(OSError):  # the source is missing or has changed, so its hash is unknown
            made._cache = KernelCache(function, CACHE_FOLDER, ROOT)
    return made
