"""What the sessions of many runs are doing, in a word each, polled at intervals. No pygame."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from evolve.run.file_stamp import Signature, signature

ICONS = {
    "starting": "play",
    "running": "play",
    "paused": "pause",
    "stopping": "flag",
    "stopped": "",
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
        self._known: dict[Path, tuple[Signature | None, str]] = {}

    def look(self, runs: Iterable[Path]) -> bool:
        """Look at all of them; returns whether a state has changed. An ended run that is as it was costs one look."""
        before = {path: state for path, (_, state) in self._known.items()}
        self._known = {path: self._looked(path) for path in runs}
        return before != {path: state for path, (_, state) in self._known.items()}

    def shown(self, path: Path) -> tuple[str, str]:
        """A word and the name of an icon; both empty for an unknown state."""
        state = self._known.get(path, (None, ""))[1]
        return state, ICONS.get(state, "")

    def _looked(self, path: Path) -> tuple[Signature | None, str]:
        from evolve.run import state, status
        from evolve.run.lock import is_locked

        there = signature(path / status.NAME)
        if there is None:
            return None, ""
        known, before = self._known.get(path, (None, ""))
        if known == there and before in ("stopped", "done", "interrupted"):
            return there, before
        said = status.read(path)
        if said is None:
            return there, ""
        quiet = state.is_quiet(said, self._clock())
        return there, state.judge(said, quiet=quiet, held=lambda: is_locked(path))
