"""Numbers of a generation for the logbook, from which its line in the log and the progress come."""

from __future__ import annotations

import numpy as np
from deap import tools
from numpy.typing import NDArray

COLUMNS = 64


def points_statistics() -> tools.Statistics:
    """Best, mean and worst points of a generation."""
    statistics = tools.Statistics()
    statistics.register("best_points", lambda points: int(np.max(points)))
    statistics.register("mean_points", lambda points: round(int(np.sum(points)) / len(points), 6))
    statistics.register("worst_points", lambda points: int(np.min(points)))
    return statistics


def diversity(weights: NDArray[np.float32]) -> float:
    """Root mean square distance between two individuals drawn from the population, both drawn anew.

    Args:
        weights: float32 of shape (individuals, weights).

    The mean square distance of two independent draws is twice the sum of the variances of all weights.
    """
    # Some columns at a time, or a large generation would become two more of itself in float64.
    parts = np.array_split(weights, -(-weights.shape[1] // COLUMNS), axis=1)
    variances = np.concatenate([np.var(part, axis=0, dtype=np.float64) for part in parts])
    return round(float(np.sqrt(2.0 * variances.sum())), 6)


def distinct_genomes(weights: NDArray[np.float32]) -> int:
    """How many different genomes there are, to the bit."""
    return len({row.tobytes() for row in weights})
