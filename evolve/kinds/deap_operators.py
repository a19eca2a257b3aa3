"""Operators of DEAP as kinds. DEAP uses global generators, which are seeded before each call and restored after it."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evolve.kinds.kind import Kind
from evolve.kinds.selection import Selection
from evolve.kinds.variation import Exchange, G, Mutation, Recombination


def global_states() -> list[str]:
    """Return the states of the generators of `random` and `numpy.random` as text, for comparison."""
    return [repr(random.getstate()), repr([np.asarray(part).tolist() for part in np.random.get_state(legacy=True)])]


@contextlib.contextmanager
def global_generators(generator: np.random.Generator) -> Iterator[None]:
    """Seed the generators of `random` and `numpy.random` from the given one, and restore their states at the end."""
    # DEAP draws from global generators. Seeded from the run's own stream, its operators repeat; restored, nothing else
    # notices.
    ours, theirs = random.getstate(), np.random.get_state()
    random.seed(int(generator.integers(2**63)))
    np.random.seed(int(generator.integers(2**32)))
    try:
        yield
    finally:
        random.setstate(ours)
        np.random.set_state(theirs)


class _Deap(Kind):
    """A kind that calls an operator of DEAP, with its own fields as options.

    Attributes:
        operator: the function, as a ``staticmethod``.
    """

    operator: ClassVar[Callable[..., Any]]

    def call(self, generator: np.random.Generator, *arguments: Any) -> Any:
        options = {item.name: getattr(self, item.name) for item in fields(self)}  # type: ignore[arg-type]
        with global_generators(generator):
            return self.operator(*arguments, **options)


@dataclass(frozen=True)
class DeapExchange(_Deap, Exchange):
    """A crossover of DEAP that exchanges weights, such as cxTwoPoint."""

    def kept(self, weights: int, generator: np.random.Generator) -> NDArray[np.bool_]:
        """Return the positions that the operator does not exchange."""
        # The operator exchanges marks instead of weights, which shows what it exchanges without knowing how.
        first, _ = self.call(generator, [True] * weights, [False] * weights)
        return np.array(first, np.bool_)


@dataclass(frozen=True)
class DeapRecombination(_Deap, Recombination):
    """A crossover of DEAP that makes new weights, such as cxBlend. Step sizes are not exchanged."""

    def recombine(self, first: G, second: G, generator: np.random.Generator) -> tuple[G, G]:
        """Change both genomes."""
        first[:], second[:] = self.call(generator, first.tolist(), second.tolist())
        return first, second


@dataclass(frozen=True)
class DeapMutation(_Deap, Mutation):
    """A mutation of DEAP, such as mutGaussian."""

    def mutate(self, genome: G, generator: np.random.Generator, generation: int = 0) -> tuple[G]:
        """Change a genome."""
        (genome[:],) = self.call(generator, genome.tolist())
        return (genome,)


@dataclass(frozen=True)
class DeapSelection(_Deap, Selection):
    """A selection of DEAP, such as selTournament."""

    def select(self, individuals: Sequence[Any], count: int, generator: np.random.Generator) -> list[Any]:
        """Return the parents."""
        chosen: list[Any] = self.call(generator, list(individuals), count)
        return chosen
