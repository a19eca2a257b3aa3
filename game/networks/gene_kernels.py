"""Compiled code that learns gene by gene to predict results, for networks without layers (`game.networks.genes`).

The value of a position is the weighted sum of a few genes: for pieces on squares, the side to move and men on windows,
in one or two phases. So the values of two mirrored mutants differ only by these genes, and only their signs are drawn.
Everything is computed in float64 in a fixed order, without library functions, so the bits are the same everywhere.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from game import generator
from game.bits import lowest_bit, popcount, rotate
from game.compiled.jit import Array, Int, Word, compiled, inlined
from game.networks.kernels import PIECES, window_cell
from game.networks.windows import CELLS, WINDOWS

CAPACITY = 2 * (PIECES + 1 + WINDOWS)
"""Maximum number of genes that count in a position, from two phases."""
TOGETHER = 16
"""Number of pairs of mutants at a visit. Genes are divided at random into as many groups. The signs of a group change
from pair to pair by a row of a Hadamard matrix, so that the effects of other groups on a gene cancel out.
Source: Choromanski et al., Structured evolution with compact architectures for scalable policy optimization (2018)."""
TABLE, KIND = 64, 32
"""Numbers of genes in the tables of a phase, and in the table of men or of kings."""
SLOWER = 0.25
"""Factor of the rate for genes of tables, which count in far more positions than genes of patterns."""

_0 = np.uint64(0)
_1 = np.uint64(1)
_27, _30, _31, _63 = (np.uint64(number) for number in (27, 30, 31, 63))
_GAMMA, _MIX_1, _MIX_2 = (np.uint64(each) for each in (generator.GAMMA, generator.MIX_1, generator.MIX_2))
_GENES = 1 << 20
"""More genes than any network has, so that visit and gene fit into one word."""

_LAST = np.uint64(TOGETHER - 1)
_SMALLEST = -700.0
_POWERS = np.array([2.0**-exponent for exponent in range(1024)])
_NEAREST = 1.5 * 2.0**52
_PER_LOG2 = 1.0 / math.log(2.0)
_LOG2_HIGH, _LOG2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10
_TERMS = np.array([1.0 / math.factorial(term) for term in range(13, -1, -1)])
_ODD = np.array([1.0 / (2 * term + 1) for term in range(16, -1, -1)])


@inlined
def exponential(value: float) -> Any:
    """Return e to the power of a number from -700 to 0."""
    power = (value * _PER_LOG2 + _NEAREST) - _NEAREST
    rest = (value - power * _LOG2_HIGH) - power * _LOG2_LOW
    result = 0.0
    for term in range(len(_TERMS)):
        result = result * rest + _TERMS[term]
    return result * _POWERS[np.int64(-power)]


@inlined
def logarithm_after(value: float) -> float:
    """Return the natural logarithm of 1 + a number from 0 to 1, by the series of 2 artanh(value / (2 + value))."""
    ratio = value / (2.0 + value)
    square, result = ratio * ratio, 0.0
    for term in range(len(_ODD)):
        result = result * square + _ODD[term]
    return 2.0 * ratio * result


@inlined
def loss(value: float, points: float) -> float:
    """Return the logistic loss of a value, which predicts 1 / (1 + exp(-value)) points, if the result is `points`."""
    size = abs(value)
    return logarithm_after(exponential(max(-size, _SMALLEST))) + max(value, 0.0) - points * value


@inlined
def draw(gene: Int, visit: Int) -> Word:
    """Return random bits for a gene at a visit of a position: the highest bit is the sign, the lowest are the group."""
    word = np.uint64(visit * _GENES + gene) + _GAMMA
    word = (word ^ (word >> _30)) * _MIX_1
    word = (word ^ (word >> _27)) * _MIX_2
    return word ^ (word >> _31)


@inlined
def add_pieces(own: Word, opponent: Word, first: Int, share: float, genes: Array, shares: Array, count: Int) -> Int:
    """Add the genes of the pieces of one kind; two opposing pieces on mirrored squares cancel out."""
    pieces = own ^ rotate(opponent)
    while pieces != _0:
        bit = lowest_bit(pieces)
        genes[count] = first + bit - bit // 9
        shares[count] = share if own & (_1 << np.uint64(bit)) != _0 else -share
        pieces &= pieces - _1
        count += 1
    return count


@inlined
def find_genes(
    own: Word, opponent: Word, kings: Word, phases: Int, patterns: Int, ternary: Int, genes: Array, shares: Array
) -> Int:
    """Write the genes that count in a position, as its mover sees it, and their shares; return their number."""
    place = np.float64((phases - 1) * (PIECES - popcount(own | opponent))) / PIECES
    lower = min(np.int64(place), max(phases - 2, np.int64(0)))
    further = place - np.float64(lower)
    own_men, men, count = own & ~kings, opponent & ~kings, np.int64(0)
    for part in range(2):
        share = 1.0 - further if part == 0 else further
        if share != 0.0:
            phase = lower + part
            count = add_pieces(own_men, men, TABLE * phase, share, genes, shares, count)
            count = add_pieces(own & kings, opponent & kings, TABLE * phase + KIND, share, genes, shares, count)
            genes[count], shares[count] = TABLE * phases + phase, share
            count += 1
            for window in range(WINDOWS if patterns != 0 else 0):
                shift = np.uint64(9 * (window // 3) + window % 3)
                cell = window_cell(own_men, shift, ternary) + 2 * window_cell(men, shift, ternary)
                genes[count] = (TABLE + 1) * phases + (WINDOWS * phase + window) * CELLS + cell
                shares[count] = share
                count += 1
    return count


@inlined
def transform(ways: Array) -> None:
    """Multiply TOGETHER numbers by the Hadamard matrix, in place (the fast Walsh-Hadamard transform)."""
    half = 1
    while half < TOGETHER:
        for start in range(0, TOGETHER, 2 * half):
            for at in range(start, start + half):
                first, second = ways[at], ways[at + half]
                ways[at], ways[at + half] = first + second, first - second
        half *= 2


@compiled
def learn(
    rows: Array, points: Array, order: Array, genome: Array, phases: Int, patterns: Int, man: float, king: float,
    ternary: Int, scale: float, step: float, rate: float, fall: float, decay: float, visit: Int,
    genes: Array, shares: Array, signs: Array, groups: Array, ways: Array,
) -> None:  # fmt: skip
    """Learn from each position once: TOGETHER pairs of mutants move the genes that count in it.

    Args:
        rows: uint64 of shape (positions, 3): own, opponent, kings, as the side to move sees them.
        points: float64 of shape (positions,), the points to predict.
        order: int64: indices of the positions to visit, in this order.
        genome: float64 of shape (weights,), changed.
        phases: number of phases of the network.
        patterns: 1 if the network has patterns, else 0.
        man, king: values of an extra man and an extra king in addition to their genes.
        ternary: address of `windows.ternary`.
        scale: factor of values in a prediction.
        step: difference between mutants and the genome in each gene.
        rate: movement of a gene if the losses of a pair differ by twice the step; each visit lowers it by `fall`.
        decay: how much genes of patterns shrink in a step, as a share of the rate.
        visit: number of the first visit; the number of a visit and the gene decide sign and group.
        genes, groups: int64 scratch of shape (CAPACITY,).
        shares, signs: float64 scratch of shape (CAPACITY,).
        ways: float64 scratch of shape (TOGETHER,).
    """
    first_pattern = (TABLE + 1) * phases
    for at in range(len(order)):
        number = order[at]
        own, opponent, kings = rows[number, 0], rows[number, 1], rows[number, 2]
        count = find_genes(own, opponent, kings, phases, patterns, ternary, genes, shares)
        value = man * np.float64(popcount(own & ~kings) - popcount(opponent & ~kings))
        value += king * np.float64(popcount(own & kings) - popcount(opponent & kings))
        for group in range(TOGETHER):
            ways[group] = 0.0
        for slot in range(count):
            lot = draw(genes[slot], visit + at)
            signs[slot], groups[slot] = 1.0 if lot >> _63 == _0 else -1.0, np.int64(lot & _LAST)
            value += shares[slot] * genome[genes[slot]]
            ways[groups[slot]] += shares[slot] * signs[slot]
        transform(ways)
        value *= scale
        for pair in range(TOGETHER):
            way = scale * step * ways[pair]
            fitness = loss(value + way, points[number]) - loss(value - way, points[number])
            ways[pair] = fitness / (2.0 * step * TOGETHER)
        transform(ways)
        for slot in range(count):
            gene, change = genes[slot], ways[groups[slot]] * signs[slot]
            if gene < first_pattern:
                genome[gene] -= SLOWER * rate * change
            else:
                genome[gene] -= rate * (change + decay * genome[gene])
        rate -= fall
