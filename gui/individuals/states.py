"""The states of the sessions of many runs, polled at intervals. No pygame."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from evolve.run.files import Signature, signature
from evolve.run.status import Status

ICONS = {
    "starting": "play",
    "running": "play",
    "paused": "pause",
    "stopping": "finish",
    "stopped": "stop",
    "failed": "warning",
    "done": "check",
    "interrupted": "warning",
}


class States:
    """States by run folder.

    Args:
        clock: gives seconds since 1970.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._known: dict[Path, tuple[Signature | None, str, Status | None]] = {}

    def look(self, path: Path) -> tuple[str, int]:
        """Return the state of a run, and the last generation of its session, -1 if unknown.

        An ended run without changes costs one look at the disk.
        """
        from evolve.run import status
        from evolve.run.status import is_locked

        there = signature(path / status.NAME)
        known, before, said = self._known.get(path, (None, "", None))
        if known is None or known != there or before not in ("stopped", "failed", "done", "interrupted"):
            said = status.read(path) if there is not None else None
            quiet = said is None or status.is_quiet(said, self._clock())
            before = str(status.judge(said, quiet=quiet, held=lambda: is_locked(path)))
            self._known[path] = there, before, said
        return before, -1 if said is None else said.generations

    def keep(self, runs: Iterable[Path]) -> None:
        """Forget all other runs."""
        self._known = {path: self._known[path] for path in runs}

    def shown(self, path: Path) -> tuple[str, str]:
        """Return the state and the name of its icon; empty if its session has no status."""
        _, state, said = self._known.get(path, (None, "", None))
        return ("", "") if said is None else (state, ICONS.get(state, ""))
