"""Step sizes in all directions: which weights go well together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from evolve.kinds.optimisers.covariance import Covariance, Learnt
from evolve.kinds.optimisers.optimiser import Floats
from evolve.kinds.variation import TINY

MOST_WEIGHTS = 1000
"""Of a genome with half a million numbers of shape, 6 MB a generation."""


@dataclass(frozen=True)
class CmaEs(Covariance, kind="cma-es"):
    """CMA-ES: a step size that grows while the mean goes on in one direction and shrinks while it wavers, and the
    covariances of all weights, as the lower triangle whose product with itself they are. For at most 1,000 weights.

    Its columns stand one behind the other. Libraries find square roots of matrices by other steps on other processors;
    a triangle is found in a fixed order.

    Source: Hansen and Ostermeier, Completely derandomized self-adaptation in evolution strategies (2001); Krause,
    Arbones, Igel, CMA-ES with optimal covariance update and storage complexity (2016), for the triangle.
    """

    def problem(self, weights: int) -> str:
        if weights > MOST_WEIGHTS:
            return f"optimiser.kind: cma-es takes at most {MOST_WEIGHTS:,} weights, got {weights:,}; take sep-cma-es"
        return super().problem(weights)

    def shape_size(self, weights: int) -> int:
        return weights * (weights + 1) // 2

    def round_shape(self, weights: int) -> Floats:
        return np.concatenate([np.eye(1, weights - column)[0] for column in range(weights)])

    def shaped(self, shape: Floats, numbers: Floats) -> Floats:
        way = np.zeros(len(numbers))
        for number, (at, column) in zip(numbers, _columns(shape, len(numbers)), strict=True):
            way[at:] += number * column
        return way

    def unshaped(self, shape: Floats, way: Floats) -> Floats:
        numbers, rest = np.empty(len(way)), way.copy()
        for at, column in _columns(shape, len(way)):
            numbers[at] = rest[at] / column[0]
            rest[at:] -= numbers[at] * column
        return numbers

    def reshaped(self, shape: Floats, learnt: Learnt) -> Floats:
        count = len(learnt.path)
        covariances = learnt.one * np.multiply.outer(learnt.path, learnt.path)
        for at, column in _columns(shape, count):
            covariances[at:, at:] += learnt.kept * np.multiply.outer(column, column)
        for counts, way in zip(learnt.many, learnt.ways, strict=True):
            covariances += np.multiply.outer(counts * way, way)
        found = []
        for at in range(count):
            column = covariances[at:, at] / np.sqrt(max(covariances[at, at], TINY))
            covariances[at:, at:] -= np.multiply.outer(column, column)
            found.append(column)
        return np.concatenate(found)


def _columns(shape: Floats, count: int) -> Iterator[tuple[int, Floats]]:
    """The columns of a triangle from the diagonal down, each with the row of its first number."""
    start = 0
    for at in range(count):
        yield at, shape[start : start + count - at]
        start += count - at
