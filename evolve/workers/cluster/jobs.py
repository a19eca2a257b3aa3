"""What the members of a crew are given to do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
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


@dataclass(eq=False)
class Member:
    """A worker.

    Attributes:
        address: where Dask finds it.
        name: machine and process.
        ready: whether it is the same as this program, with compiled code loaded.
        gone: set when it is no more.
        jobs: what it has, the one that it does first.
        done: tasks with a result.
        seconds: that they took.
    """

    address: str
    name: str = "not compared yet"
    ready: bool = False
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    jobs: list[Job] = field(default_factory=list)
    done: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        return f"{self.address} ({self.name})"
