"""What of the machine a process may use."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_GROUP = Path("/sys/fs/cgroup")
_LIMITS = (
    ("memory.max", "memory.current", "memory.stat", "inactive_file"),
    ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat", "total_inactive_file"),
)
"""Files of both versions of control groups: limit, what is taken, and where it is told what of that can be given up."""


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def free_memory() -> float | None:
    """Bytes of memory that processes can still have, also by the limit of a container; None where nothing tells."""
    found = []
    with contextlib.suppress(OSError, ValueError, KeyError):
        found.append(1024.0 * _numbers(Path("/proc/meminfo"))["MemAvailable:"])
    for limit, taken, parts, given_up in _LIMITS:
        with contextlib.suppress(OSError, ValueError, KeyError):  # there is none, or it says "max"
            free = int((_GROUP / limit).read_text(encoding="ascii")) - int((_GROUP / taken).read_text(encoding="ascii"))
            found.append(max(free + _numbers(_GROUP / parts)[given_up], 0.0))
    return min(found, default=None)


def _numbers(path: Path) -> dict[str, float]:
    """Names and numbers of a file that has one of each a line."""
    lines = (line.split() for line in path.read_text(encoding="ascii").splitlines())
    return {words[0]: float(words[1]) for words in lines if len(words) > 1}
