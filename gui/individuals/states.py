"""What the sessions of many runs are doing, in a word each, polled at intervals. No pygame."""

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
        """The state of a run, and the last generation that is to come, -1 if no session has said so.

        An ended run that is as it was costs one look.
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
        """A word and the name of an icon; empty ones if its session has said nothing."""
        _, state, said = self._known.get(path, (None, "", None))
        return ("", "") if said is None else (state, ICONS.get(state, ""))
