"""CPU and memory available to this process."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_GROUP = Path("/sys/fs/cgroup")
_LIMITS = (
    ("memory.max", "memory.current", "memory.stat", "inactive_file"),
    ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat", "total_inactive_file"),
)
"""Files of control groups, versions 2 and 1: the limit, the usage, and the statistics with the reclaimable part."""


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def free_memory() -> float | None:
    """Return the bytes of memory still available to processes, also under a container's limit; None if unknown."""
    sizes = []
    with contextlib.suppress(OSError, ValueError, KeyError):
        sizes.append(1024.0 * _numbers(Path("/proc/meminfo"))["MemAvailable:"])
    for limit, taken, parts, given_up in _LIMITS:
        with contextlib.suppress(OSError, ValueError, KeyError):  # there is none, or it says "max"
            free = int((_GROUP / limit).read_text(encoding="ascii")) - int((_GROUP / taken).read_text(encoding="ascii"))
            sizes.append(max(free + _numbers(_GROUP / parts)[given_up], 0.0))
    return min(sizes, default=None)


def _numbers(path: Path) -> dict[str, float]:
    lines = (line.split() for line in path.read_text(encoding="ascii").splitlines())
    return {words[0]: float(words[1]) for words in lines if len(words) > 1}
