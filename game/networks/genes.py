"""Learning gene by gene to predict results, for networks without layers: the checked interface of `gene_kernels`.

At each visit of a position, pairs of mirrored mutants predict its result. In a pair, every gene of the network is
changed by a step, up in one mutant and down in the other, with signs from a hash of gene and visit. The difference
between the two losses moves all genes along these signs. But only genes that the position uses affect the losses,
so only these are moved, and a genome of 118,228 weights takes no longer than one of 68. A pattern table has so
many genes that games alone could never measure the value of each.

Source: Salimans, Ho, Chen, Sidor, Sutskever, Evolution strategies as a scalable alternative to reinforcement learning
(2017), for steps from mirrored mutants whose random numbers are regenerated instead of stored; Buro, Improving
heuristic mini-max search by supervised learning (2002), for learning patterns by prediction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from game.errors import InputError
from game.networks.spec import Spec
from game.networks.windows import ternary

VISITS = 1 << 40
"""The number of the first visit is drawn at random below this."""
DECIMALS = 4
"""Decimals of learnt weights; more would carry no information and double the size of files."""


@dataclass(frozen=True)
class Examples:
    """Positions and the points to predict.

    Attributes:
        rows: uint64 of shape (positions, 3): own, opponent, kings, as the side to move sees them.
        points: float64 of shape (positions,), from 0 to 1, for the side to move.
    """

    rows: NDArray[np.uint64]
    points: NDArray[np.float64]


@dataclass(frozen=True)
class Training:
    """Settings with which genes learn.

    Attributes:
        scale: a position of value v is predicted to give 1 / (1 + exp(-scale v)) points on average.
        passes: number of visits of each position.
        step: amount by which each gene of a mutant differs from the genome.
        rate: initial movement of a gene if the losses of a pair differ by twice the step; it falls to 0.
        decay: how much genes of patterns shrink in a step, as a share of the rate.
    """

    scale: float
    passes: int = 8
    step: float = 0.05
    rate: float = 0.02
    decay: float = 0.0


def problem(spec: Spec) -> str:
    """Return why the genes of a network cannot learn one by one; empty if they can."""
    if spec.layers or not spec.by_mover:
        return f'{spec.name}: only networks of tables and patterns (input "pieces", no layers) learn gene by gene'
    return ""


def learn(
    spec: Spec,
    weights: ArrayLike,
    examples: Examples,
    training: Training,
    generator: np.random.Generator,
    king: float | None = None,
) -> NDArray[np.float32]:
    """Return a genome that predicts better: the mean of the genomes after each pass in the second half.

    Args:
        spec: the network.
        weights: float32 of shape (spec.weights,), the initial genome.
        examples: positions to predict.
        training: settings.
        generator: decides the order of positions in each pass, and the mutants.
        king: the individual's king value; None for the specification's.

    Raises:
        InputError: the network has layers, weights are not finite, or there are no examples.
    """
    from game.networks import gene_kernels
    from game.networks.evaluator import check_weights

    reason = problem(spec)
    if reason:
        raise InputError(reason)
    genome = check_weights(spec, weights).astype(np.float64)
    if not np.isfinite(genome).all():
        raise InputError("genome: a weight is not a finite number")
    count = len(examples.points)
    if not count:
        raise InputError("examples: expected at least one position")
    rows = np.ascontiguousarray(examples.rows, np.uint64)
    points = np.ascontiguousarray(examples.points, np.float64)
    man, royal = 0.0, 0.0
    if spec.piece_difference:
        man, royal = 1.0, float(np.float32(spec.king if king is None else king))
    cells = ternary()
    size = gene_kernels.CAPACITY
    genes, groups = np.empty((2, size), np.int64)
    shares, signs = np.empty((2, size))
    scratch = genes, shares, signs, groups, np.empty(gene_kernels.TOGETHER)
    fall = training.rate / (training.passes * count)
    visit = int(generator.integers(0, VISITS))
    total, last = np.zeros(len(genome)), training.passes - training.passes // 2
    for number in range(training.passes):
        done = number * count
        gene_kernels.learn(
            rows, points, generator.permutation(count), genome, spec.phases, int(spec.patterns), man, royal,
            cells.ctypes.data, training.scale, training.step, training.rate - fall * done, fall, training.decay,
            visit + done, *scratch,
        )  # fmt: skip
        if number >= training.passes - last:
            total += genome
    return (total / last).astype(np.float32)


def rounded(weights: ArrayLike) -> NDArray[np.float32]:
    """Round weights to `DECIMALS` decimals, as float32 of the same shape, without negative zeros."""
    return (np.round(np.asarray(weights, np.float64), DECIMALS) + 0.0).astype(np.float32)
