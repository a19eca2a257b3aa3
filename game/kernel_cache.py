"""Compiled code is kept between runs under names that tell what it was made of, whatever place its source is in.

The name of a file holds the hash of everything that decides the code: the sources of its module and of those that this
one imports, by their paths inside the checkout, the versions of Python, Numba, LLVM and numpy, Numba's settings, the
processor, the signature. So a second clone, another environment, and an update that left a kernel alone find the code
that is there, two versions live side by side, and nothing that is there has to be checked for being out of date.
Numba's own cache names folders by absolute paths instead, does not notice edits in modules that a kernel imports, and
keeps an index for all signatures of a function, about which processes that compile at the same time fall out.
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
import shutil
import stat
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
import platformdirs
from numba.core import caching, compiler, serialize

from game.regular_files import open_regular

ROOT = Path(__file__).parents[1]
"""The folder in which names of modules are looked for: the checkout, or where the packages are installed."""
LAST_SOURCE = Path("game", "jit.py")
"""Imported by all compiled code, whose options it sets; what it imports itself decides no code."""
FORMAT = 1
"""Of the files; raised when they are written otherwise."""
SETTINGS = (
    *("BOUNDSCHECK", "CPU_FEATURES", "CPU_NAME", "DEBUGINFO_DEFAULT", "DEBUG_NRT", "DISABLE_INTEL_SVML", "ENABLE_AVX"),
    *("ENABLE_PROFILING", "EXTEND_VARIABLE_LIFETIMES", "LLVM_REFPRUNE_FLAGS", "LLVM_REFPRUNE_PASS", "LOOP_VECTORIZE"),
    *("NRT_STATS", "OPT", "SLP_VECTORIZE", "USING_SVML"),
)
"""Values of `numba.config`, most of them from variables NUMBA_..., that change what code is made."""

DAY = 24 * 3600.0
UNUSED = 60 * DAY
"""Code that no start has used for so long is cleared away, in seconds."""
OLDER = 7 * DAY
"""The same for folders of versions of Crownhead that kept code otherwise, after they were last written to."""
MAX_BYTES = 1 << 30
"""So much code may there be; beyond it goes what was not used for longest, but nothing that was used within a day."""

_OLDER_FOLDER = re.compile("compiled-[0-9a-f]{20}")
_NO_CODE = re.compile(r"#[^\n]*|\\\r?\n")
_IMPORT = re.compile(r"\bfrom\s*(\.*)\s*([\w.]*)\s*import\b[ \t]*(\([^)]*\)|[^\n;]*)|\bimport\b[ \t]+([^\n;]+)")

STARTED = time.time()
"""What was written to a source since then may be other than what was imported."""

log = logging.getLogger(__name__)


# Where code is kept -----------------------------------------------------------------------------------------------


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
    chosen = os.environ.get("CROWNHEAD_CACHE_DIR")
    user = Path(chosen) if chosen else platformdirs.user_cache_path("crownhead", appauthor=False)
    if _usable(user / "kernels"):
        return user / "kernels"
    owner = os.getuid() if hasattr(os, "getuid") else "user"
    with contextlib.suppress(OSError):  # not even a temporary folder
        temporary = Path(tempfile.gettempdir()) / f"crownhead-{owner}"
        # The parent is checked too: /tmp is shared, and nobody else may be able to put code there.
        if _usable(temporary) and _usable(temporary / "kernels"):
            log.warning("no writable cache folder at %s: compiled code is kept in %s", user, temporary)
            return temporary / "kernels"
    log.warning("no writable cache folder: code is compiled anew at each start (set CROWNHEAD_CACHE_DIR)")
    return None


def clear_away(folder: Path, *, now: float) -> None:
    """Remove what was not used for long, once a day at most. A process that misses a file compiles it anew.

    Args:
        folder: as from `choose_cache_folder`.
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
            if entry.name.endswith((".nbc", ".tmp")):
                status = entry.stat(follow_symlinks=False)
                files.append((status.st_mtime, status.st_size, entry))
                total += status.st_size
        for used, size, entry in sorted(files, key=lambda file: file[0]):
            left_over = entry.name.endswith(".tmp") or total > MAX_BYTES
            if now - used > (DAY if left_over else UNUSED):
                total -= size
                with contextlib.suppress(OSError):  # another process was faster
                    os.unlink(entry)
        for older in folder.parent.iterdir():
            if _OLDER_FOLDER.fullmatch(older.name) and now - _last_written(older) > OLDER:
                shutil.rmtree(older, ignore_errors=True)


def _last_written(folder: Path) -> float:
    return max(path.lstat().st_mtime for path in (folder, *folder.iterdir()))


# What decides code ------------------------------------------------------------------------------------------------


@functools.cache
def _read(source: Path, root: Path) -> tuple[bytes, tuple[Path, ...]]:
    """A source, and those of ours that it imports."""
    if STARTED < source.stat().st_mtime <= time.time():
        raise OSError(f"{source} was changed while the program ran")  # or old code would be kept as that of the new one
    text = source.read_bytes()
    last = source == root / LAST_SOURCE
    return text, () if last else tuple(sorted(set(_imported(text.decode("utf-8"), source, root))))


def _imported(text: str, source: Path, root: Path) -> Iterator[Path]:
    # Not by `ast`, which takes ten times as long, at each start. What is found in texts, too, does no harm.
    for dots, base, names, modules in _IMPORT.findall(_NO_CODE.sub(" ", text)):
        top = source.parents[len(dots) - 1] if dots else root
        words = [name.split()[0] for name in (modules or names).strip("() \r\n").split(",") if name.split()]
        for dotted in words if modules else [base, *(f"{base}.{word}" for word in words)]:
            path = top.joinpath(*filter(None, dotted.split("."))).with_suffix(".py")
            if path.is_file():
                yield path


def sources_of(source: Path, root: Path = ROOT) -> list[Path]:
    """The source of a module and those of ours that it imports, directly or through others, in order."""
    found: set[Path] = set()
    waiting = [source]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _read(path, root)[1]
    return sorted(found)


@functools.cache
def source_hash(source: Path, root: Path = ROOT) -> str:
    """SHA-256 (hexadecimal) over the bytes of `sources_of` and their paths below `root`. Each file is read once.

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
    """What decides compiled code besides sources, signature and processor, which Numba's own keys hold."""
    versions = [sys.implementation.cache_tag or "", getattr(sys, "abiflags", ""), platform.machine()]
    versions += [numba.__version__, llvmlite.__version__, np.__version__]
    return [str(FORMAT), *versions, *(f"{name}={getattr(numba.config, name, None)!r}" for name in SETTINGS)]


# Files ------------------------------------------------------------------------------------------------------------


class KernelCache(caching.FunctionCache):  # type: ignore[misc]
    """The compiled code of one function: a file for each signature and processor. What is damaged is compiled anew.

    Args:
        function: the function in Python.
        folder: where the files are; only this user may write there.
        root: where names of modules are looked for.

    Raises:
        OSError: as from `source_hash`.
    """

    def __init__(self, function: Callable[..., Any], folder: Path, root: Path = ROOT) -> None:
        self._py_func, self._folder = function, folder
        source = Path(inspect.getfile(function)).absolute()
        line = function.__code__.co_firstlineno
        self._made_of = [source_hash(source, root), function.__qualname__, str(line), *target()]
        self._name = re.sub(r"[^\w.]", "", f"{function.__module__}.{function.__qualname__}")

    @property
    def cache_path(self) -> str:
        """The folder."""
        return str(self._folder)

    def enable(self) -> None:
        """Nothing: it always is."""

    def disable(self) -> None:
        """Nothing: what must not be kept has no cache."""

    def flush(self) -> None:
        """Nothing: no code is ever out of date."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for a signature, None if it is not there."""
        target_context.refresh()
        key = self._index_key(sig, target_context.codegen())
        try:
            with open_regular(self._path(key)) as file:
                content = file.read()
                if os.fstat(file.fileno()).st_mtime < time.time() - DAY:
                    with contextlib.suppress(OSError):
                        os.utime(file.name)  # it is in use
            if int.from_bytes(content[:4], "little") != zlib.crc32(content[4:]):
                return None
            made_for, code = serialize.loads(content[4:])
            return compiler.CompileResult._rebuild(target_context, *code) if made_for == key else None
        except FileNotFoundError:
            return None
        except Exception as error:  # whatever is wrong with a file, there is another way
            log.debug("compiled code of %s cannot be used: %r", self._name, error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code for a signature, if it can be."""
        if data.library.has_dynamic_globals or any(not lifted.can_cache for lifted in data.lifted):
            log.warning("%s is compiled at each start: its code holds addresses", self._name)
            return
        key = self._index_key(sig, data.codegen)
        content = serialize.dumps((key, data._reduce()))
        path = self._path(key)
        temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        try:
            temporary.write_bytes(zlib.crc32(content).to_bytes(4, "little") + content)
            temporary.replace(path)
        except OSError as error:
            log.debug("compiled code of %s cannot be kept: %s", self._name, error)
            with contextlib.suppress(OSError):
                temporary.unlink()

    def _path(self, key: Any) -> Path:
        digest = hashlib.sha256("\0".join([*self._made_of, repr(key)]).encode()).hexdigest()
        return self._folder / f"{self._name[:80]}-{digest[:24]}.nbc"


CACHE_FOLDER = choose_cache_folder()
if CACHE_FOLDER is not None:
    clear_away(CACHE_FOLDER, now=time.time())


def keep(made: Any, function: Callable[..., Any]) -> Any:
    """Let compiled code of a function be kept between runs, if there is a place for it.

    Args:
        made: Numba's dispatcher, or its C callback before it is compiled.
        function: the function in Python.

    Returns:
        `made`.
    """
    if CACHE_FOLDER is not None:
        with contextlib.suppress(OSError):  # no source, or a new one: nothing says what the code is made of
            made._cache = KernelCache(function, CACHE_FOLDER, ROOT)
    return made
