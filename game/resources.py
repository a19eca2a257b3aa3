"""What of the machine is free."""

from __future__ import annotations

import contextlib
from pathlib import Path


def free_memory() -> float | None:
    """Bytes of memory that processes can still have; None where the system does not tell."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * int(line.split()[1])
    return None
