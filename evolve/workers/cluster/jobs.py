"""What the members of a crew are given to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from evolve.workers.processes import Rows


@dataclass(eq=False)
class Job:
    """A task on its way.

    Attributes:
        key: of the stream of tasks, and of the task in it.
        function: what to do with it.
        task: the task.
        rows: number and genomes that it refers to; None for none.
        lost: workers that were lost on it.
        begun: when it was given to a worker first, by the clock of the event loop; 0 if it was not.
        twice: whether a second worker has it, too.
        answered: whether it has an answer.
    """

    key: tuple[int, int]
    function: Callable[[Any], Any]
    task: Any
    rows: tuple[int, Rows] | None
    lost: int = 0
    begun: float = 0.0
    twice: bool = False
    answered: bool = False
