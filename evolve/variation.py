"""Recombination and mutation with DEAP's signatures: they change individuals in place and return them as a tuple.

The generator is always an argument; the global ones are never touched.
"""

from __future__ import annotations

import numpy as np

from evolve.individual import Individual
from game.networks.spec import KING_RANGE


def one_point(first: Individual, second: Individual, generator: np.random.Generator) -> tuple[Individual, Individual]:
    """Cut both genomes at one random point and exchange the ends.

    The cut is drawn from 1 to n - 1, so each child has weights of both.

    Raises:
        ValueError: the genomes differ in length, or are shorter than two.
    """
    if len(first) != len(second) or len(first) < 2:
        raise ValueError(f"expected two genomes of one length from 2 on, got {len(first)} and {len(second)}")
    cut = int(generator.integers(1, len(first)))
    # A slice is a view: without the copy the first assignment would change what the second reads.
    tail = np.array(first[cut:])
    first[cut:] = second[cut:]
    second[cut:] = tail
    return first, second


def uniform_noise(individual: Individual, generator: np.random.Generator, low: float, high: float) -> tuple[Individual]:
    """Add a number drawn uniformly from [low, high) to every weight."""
    individual += generator.uniform(low, high, len(individual)).astype(np.float32)
    return (individual,)


KING_STEPS = (-0.1, 0.0, 0.1)


def step_king(individual: Individual, generator: np.random.Generator) -> tuple[Individual]:
    """Change the king value by a drawn one of -0.1, 0 and 0.1, kept in [1, 3] and exact in float32.

    Source: Chellapilla and Fogel (2001).
    """
    stepped = individual.king + KING_STEPS[int(generator.integers(0, len(KING_STEPS)))]
    individual.king = float(np.float32(min(max(stepped, KING_RANGE[0]), KING_RANGE[1])))
    return (individual,)
