"""Workers of pytest wait for code that another of them compiles, where each would compile it for itself."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path
from typing import Any

import filelock

from game.compiled import compiling
from game.compiled.kernel_cache import KernelCache

LONGEST = 120.0
"""Seconds after which a worker compiles for itself: another may have failed to."""


def compile_once(locks: Path) -> None:
    """Let this process lock what it compiles, by files in a folder that it shares with others."""
    load, save = KernelCache.load_overload, KernelCache.save_overload
    held: dict[str, filelock.BaseFileLock] = {}

    def name(cache: KernelCache, sig: Any, codegen: Any) -> str:
        path = cache._path(cache._index_key(sig, codegen))
        return hashlib.sha256(str(path).encode()).hexdigest()

    def load_overload(cache: KernelCache, sig: Any, target_context: Any) -> Any:
        made = load(cache, sig, target_context)
        if made is not None or getattr(compiling._listener, "__name__", "") == "refuse":  # it only looks what is there
            return made
        key = name(cache, sig, target_context.codegen())
        lock = filelock.FileLock(locks / f"{key}.lock", timeout=LONGEST)
        with contextlib.suppress(filelock.Timeout):
            lock.acquire(poll_interval=0.1)
            held[key] = lock
        made = load(cache, sig, target_context)
        if made is not None:
            release(key)
        return made

    def save_overload(cache: KernelCache, sig: Any, data: Any) -> None:
        save(cache, sig, data)
        release(name(cache, sig, data.codegen))

    def release(key: str) -> None:
        if key in held:
            held.pop(key).release()

    KernelCache.load_overload, KernelCache.save_overload = load_overload, save_overload  # type: ignore[method-assign]
