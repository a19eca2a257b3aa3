"""The base of the methods of this extra. Like them, it imports nothing slow, since players ask methods for defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from evolve.kinds.methods import Method


@dataclass(frozen=True)
class LearningMethod(Method):
    """A method by which a network learns with jax, in the session of this extra."""

    run_kind: ClassVar[str] = "extras.learning.kind:LearningRuns"
    games_file: ClassVar[str] = ""
    """The key that ``--games`` sets, of a file of recorded games; empty if the method learns from none."""

    def state_size(self, weights: int) -> int:
        return 2 * weights + 2  # two moments per weight and the step count of Adam, and the schedule's step count
