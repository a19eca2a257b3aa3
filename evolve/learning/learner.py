"""What a method of learning is asked for: a first network, and from each network the next one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.config.model import Config

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Learnt:
    """What a generation hands to the next one.

    Attributes:
        weights: float32 of shape (network.weights,).
        state: float32 of shape (method.state_size,), what is kept beside them.
    """

    weights: Floats
    state: Floats


@dataclass(frozen=True)
class Outcome:
    """A generation of learning.

    Attributes:
        learnt: what it hands on.
        samples: positions that were learnt from, each as often as it was.
        loss: mean over them; None where nothing was learnt.
        games: that were played for it.
        wins: of these, by the network that learns against others; of games against itself, by Black.
        draws: of these.
        losses: of these.
        plies: of all games.
        evaluations: by networks, in these games.
        numbers: those of the method, by its columns.
    """

    learnt: Learnt
    samples: int = 0
    loss: float | None = None
    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    plies: int = 0
    evaluations: int = 0
    numbers: dict[str, float | int | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Workshop:
    """What a session lends to a learner.

    Attributes:
        config: of the run.
        share: lets workers see genomes, for functions that `refers_to_rows`; at most the `places` of the method.
        map: applies a function to tasks in workers, results in order as they come.
        follow: passes results on and tells how far they are: results, the size of each, what they are in words.
        work: tells how far other work is: what it is in words, how much is done, how much it is in all; it ticks, too.
        tick: to be called about ten times a second while none of `map`, `follow` and `work` is; it may raise.
        say: tells a person something.
        earlier: the weights of a generation before.
    """

    config: Config
    share: Callable[[Sequence[Floats]], None]
    map: Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
    follow: Callable[[Iterable[Any], Sequence[int], str], Iterator[Any]]
    work: Callable[[str, int, int], None]
    tick: Callable[[], None]
    say: Callable[[str], None]
    earlier: Callable[[int], Floats]


class Learner(ABC):
    """One network that learns. All randomness comes from the seed, the generation and an index.

    Args:
        workshop: what it works with.

    Raises:
        InputError: what it learns from cannot be used.
    """

    def __init__(self, workshop: Workshop) -> None:
        self.workshop, self.config = workshop, workshop.config

    @abstractmethod
    def begin(self) -> Outcome:
        """Generation 0."""

    @abstractmethod
    def learn(self, generation: int, learnt: Learnt) -> Outcome:
        """A later generation.

        Args:
            generation: its number.
            learnt: what the one before it handed on.
        """
