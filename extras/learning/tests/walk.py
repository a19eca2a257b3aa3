"""Methods of learning for tests: weights walk at random, in steps that workers draw; and one for reports.

A file for ``train --config FILE`` that tries a method has a network, and the method with its keys::

    generations = 2
    network = "cnn-247"

    [learning]
    method = "walk"
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evolve.kinds.kind import number
from evolve.kinds.methods import LogCurve
from evolve.streams import Draw, stream
from extras.learning.method import LearningMethod
from extras.learning.session import Learner, Learnt, Outcome

TASKS = 4


@dataclass(frozen=True)
class Walks(LearningMethod, kind="walk"):
    """walk: at random."""

    obtained: ClassVar[str] = "by games alone, with a gradient"
    columns: ClassVar[tuple[str, ...]] = ("way",)
    learner: ClassVar[str] = "extras.learning.tests.walk:Walk"

    step: float = number(0.5, 0.0, 10.0, "how far")

    def state_size(self, weights: int) -> int:
        return 2 * weights + 1

    def problem(self, network: object) -> str:
        return "learning.step: expected more than 0" if self.step == 0 else ""


class Shown(Walks, kind="shown"):
    """shown: for tests of reports."""

    columns: ClassVar[tuple[str, ...]] = ("held", "top1", "top2", "choice1", "choice2", "other", "at_the_end")
    plays: ClassVar[bool] = True
    curves: ClassVar[tuple[LogCurve, ...]] = (
        LogCurve("loss", (("loss", "learnt"), ("held", "held out"))),
        LogCurve("all moves", (("top1", "top-1"), ("top2", "top-2")), percent=True),
        LogCurve("with a choice", (("choice1", "top-1"), ("choice2", "top-2")), percent=True),
    )


def draw(task: tuple[int, int, int, int]) -> np.ndarray:
    """In a worker: a step."""
    seed, generation, index, count = task
    return stream(seed, generation, Draw.LEARNING, index).normal(size=count).astype(np.float32)


class Walk(Learner):
    """Goes on from the weights, its state the sum of all steps and how many there were."""

    def begin(self) -> Outcome:
        count = self.config.network.weights
        return Outcome(Learnt(np.zeros(count, np.float32), np.zeros(2 * count + 1, np.float32)), numbers={"way": 0.0})

    def learn(self, generation: int, learnt: Learnt) -> Outcome:
        count, method = self.config.network.weights, self.config.learning.method
        assert isinstance(method, Walks)
        tasks = [(self.config.seed, generation, index, count) for index in range(TASKS)]
        drawn = sum(self.workshop.follow(self.workshop.map(draw, tasks), [1] * TASKS, "steps"))
        if generation > 2:
            drawn = drawn + self.workshop.earlier(generation - 2)
        weights = learnt.weights + np.float32(method.step) * drawn
        state = learnt.state + np.concatenate([weights, drawn, [np.float32(1)]]).astype(np.float32)
        self.workshop.tick()
        way = float(abs(weights).mean())
        games = {"games": 7, "wins": 3, "draws": 2, "losses": 2, "plies": 9}
        return Outcome(Learnt(weights, state), TASKS, way, numbers={"way": way}, **games)
