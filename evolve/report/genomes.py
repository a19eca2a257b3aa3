"""Differences between genomes: distances, distinct genomes, and near copies.

Up to `SAMPLE` individuals, all results are exact. In larger populations, statistics that need the distances between all
pairs are measured on a fixed sample of `SAMPLE` individuals, evenly spaced over the rows (row floor(i n / `SAMPLE`)).
Statistics that need only sums over the population are always exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SAMPLE = 1024
"""Maximum number of individuals whose pairwise distances are all measured: half a million pairs, which take about ten
milliseconds with 247 weights."""

NEAR = 0.1
"""Two genomes are near copies if their distance is less than this share of the length of a typical genome.

Independent genomes are 1.4 lengths apart. In the preset ``cowan``, one mutation moves a genome by 0.1 of its length, so
a child made by mutation alone is on the border. Genomes that are closer play only few games differently.
"""

_BLOCK = 1 << 22  # numbers converted to float64 at a time


@dataclass(frozen=True)
class Diversity:
    """Statistics of the differences between the genomes of a population.

    Attributes:
        distinct: number of genomes that differ in at least one bit.
        length: root mean square length of a genome, the unit of all thresholds.
        rms_distance: root mean square distance of two individuals drawn independently; ``diversity`` of the log.
        mean_distance: mean distance of two different individuals.
        nearest: median distance of an individual to its nearest neighbour.
        groups: sizes of the groups of near copies, largest first (see `group_near_copies`).
        measured: number of individuals that the last three statistics are based on: all, or the sample.
    """

    individuals: int
    weights: int
    distinct: int
    length: float
    rms_distance: float
    mean_distance: float
    nearest: float
    groups: tuple[int, ...]
    measured: int


def measure(weights: NDArray[np.float32]) -> Diversity:
    """Measure the diversity of a population, float32 of shape (individuals, weights)."""
    individuals, width = weights.shape
    mean, variance = moments(weights)
    length = float(np.sqrt((variance + mean**2).sum()))
    some = sample(weights)
    apart = distances(some)
    count = len(some)
    pairs = apart[np.triu_indices(count, 1)]
    np.fill_diagonal(apart, np.inf)
    nearest = float(np.median(apart.min(axis=1))) if count > 1 else 0.0
    np.fill_diagonal(apart, 0.0)
    return Diversity(
        individuals=individuals,
        weights=width,
        distinct=distinct_genomes(weights),
        length=length,
        rms_distance=float(np.sqrt(2.0 * variance.sum())),
        mean_distance=float(pairs.mean()) if count > 1 else 0.0,
        nearest=nearest,
        groups=group_near_copies(apart, NEAR * length),
        measured=count,
    )


def distinct_genomes(weights: NDArray[np.float32]) -> int:
    return len({row.tobytes() for row in weights})


def sample(weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return all individuals if there are at most `SAMPLE`, else `SAMPLE` of them, evenly spaced from the first."""
    if len(weights) <= SAMPLE:
        return weights
    return weights[np.arange(SAMPLE) * len(weights) // SAMPLE]


def distances(weights: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the Euclidean distances between all pairs, float64 of shape (individuals, individuals).

    They are computed as |a|^2 + |b|^2 - 2ab of centred genomes in float64, with an absolute error below 1e-7 of a
    genome's length.
    """
    centred = weights.astype(np.float64) - weights.mean(axis=0, dtype=np.float64)
    squares = np.einsum("ij,ij->i", centred, centred)
    apart = squares[:, None] + squares[None, :] - 2.0 * (centred @ centred.T)
    lengths: NDArray[np.float64] = np.sqrt(np.maximum(apart, 0.0))
    np.fill_diagonal(lengths, 0.0)
    return lengths


def group_near_copies(apart: NDArray[np.float64], near: float) -> tuple[int, ...]:
    """Return the sizes of groups of near copies, largest first.

    Individuals are taken in the order of their rows, best first. Each joins the first leader that is nearer than
    `near`, or becomes a leader itself.

    Args:
        near: distance below which two genomes are near copies; equal genomes always are.
    """
    free = np.ones(len(apart), bool)
    sizes = []
    while free.any():
        leader = int(free.argmax())
        group = free & ((apart[leader] < near) | (apart[leader] == 0.0))
        sizes.append(int(group.sum()))
        free &= ~group
    return tuple(sorted(sizes, reverse=True))


def moments(weights: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and variance of each weight over the population in float64, without copying all weights at once."""
    step = max(1, _BLOCK // max(1, len(weights)))
    mean, variance = np.empty(weights.shape[1]), np.empty(weights.shape[1])
    for start in range(0, weights.shape[1], step):
        some = weights[:, start : start + step].astype(np.float64)
        mean[start : start + step] = some.mean(axis=0)
        variance[start : start + step] = some.var(axis=0)
    return mean, variance
