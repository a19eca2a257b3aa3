"""Measures of a network that judges who wins in positions of tablebases, beside a ply of search and a piece count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from evolve.config.model import Config
from evolve.workers.processes import get_shared_rows, refers_to_rows
from extras.learning.endgame_method import JUDGED, RESULT_WORDS, SOURCES, THRESHOLDS, WAYS, at_threshold
from extras.learning.judging import Chances, chances_of, lead, likeliest, one_ply, piece_count
from extras.learning.samples import PROVED, UNPROVED, TableSamples
from game.networks.evaluator import Evaluator

POSITIONS_A_TASK = 2000
_LEAST = 1e-300


@dataclass(frozen=True)
class JudgedCounts:
    """Counts over positions; tallies of several sets of positions are added up.

    Attributes:
        positions: int64 of shape (kinds,): number of positions of each kind, in the order of `JUDGED`.
        right: int64 of shape (kinds, ways): number judged right, in the order of `WAYS`, but once for each threshold.
        confusion: int64 of shape (3, 3): by value in tables, then by the network, each in the order win, draw, loss.
        confidence: float64 of shape (2, 3): sum of the highest chances, where the network is right and where it is
            wrong, by its judgement.
    """

    positions: NDArray[np.int64]
    right: NDArray[np.int64]
    confusion: NDArray[np.int64]
    confidence: NDArray[np.float64]
    loss: float

    def __add__(self, other: JudgedCounts) -> JudgedCounts:
        return JudgedCounts(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(JudgedCounts)))

    def best_threshold(self) -> float:
        """Return the threshold with which most positions are judged right; the lowest of several equal ones."""
        return THRESHOLDS[int(self.right[0, _FIRST:].argmax())]

    def columns(self, threshold: float, prefix: str = "") -> dict[str, float | int | None]:
        """Return the values of columns of the log.

        Args:
            threshold: the one that decides whether the network or a ply of search judges.
        """
        numbers: dict[str, float | int | None] = {}
        chosen = [*range(_FIRST), _FIRST + THRESHOLDS.index(threshold)]
        for kind, positions, right in zip(JUDGED, self.positions, self.right[:, chosen], strict=True):
            numbers |= {
                f"{prefix}{kind}_{way}": _share(count, positions) for way, count in zip(WAYS, right, strict=True)
            }
        for number, each in enumerate(THRESHOLDS):
            numbers[prefix + at_threshold(each)] = _share(self.right[0, _FIRST + number], self.positions[0])
        for actual, row in zip(RESULT_WORDS, self.confusion, strict=True):
            for judged, count in zip(RESULT_WORDS, row, strict=True):
                numbers[f"{prefix}{actual}_{judged}"] = _share(count, row.sum())
        right_ones = self.confusion.diagonal()
        for words, sums, counts in zip(
            ("right", "wrong"), self.confidence, (right_ones, self.confusion.sum(axis=0) - right_ones), strict=True
        ):
            numbers |= {
                f"{prefix}{words}_{judged}": _share(total, count)
                for judged, total, count in zip(RESULT_WORDS, sums, counts, strict=True)
            }
        return numbers | {f"{prefix or 'validation_'}loss": _share(self.loss, self.positions[0])}


_FIRST = len(WAYS) - 1
"""Index of the first threshold in `JudgedCounts.right`."""


def _share(count: float, total: float) -> float | None:
    return float(count / total) if total else None


def tally(samples: TableSamples, chances: Chances) -> JudgedCounts:
    of_network = chances(samples.rows)
    surest, judged = of_network.max(axis=1), likeliest(of_network)
    searched = one_ply(samples.rows, chances)
    network, ply = judged == samples.values, searched == samples.values
    ways = [network, ply, network | ply, piece_count(samples.rows) == samples.values]
    ways += [np.where(surest > threshold, network, ply) for threshold in THRESHOLDS]
    right = np.stack(ways, axis=1)
    pieces = np.bitwise_count(samples.rows[:, 0] | samples.rows[:, 1])
    masks = [
        np.ones(len(samples), bool), ~samples.capturing, samples.capturing, np.abs(lead(samples.rows)) < 1,
        *(pieces == number for number in SOURCES), samples.proofs == PROVED, samples.proofs == UNPROVED,
    ]  # fmt: skip
    actual, by_network = 1 - samples.values.astype(int), 1 - judged.astype(int)  # indexes in RESULTS
    confusion = np.zeros((3, 3), np.int64)
    np.add.at(confusion, (actual, by_network), 1)
    confidence = np.zeros((2, 3))
    np.add.at(confidence, (1 - network.astype(int), by_network), surest)
    of_result = np.maximum(of_network[np.arange(len(samples)), actual], _LEAST)
    return JudgedCounts(
        np.array([mask.sum() for mask in masks], np.int64),
        np.stack([right[mask].sum(axis=0) for mask in masks]).astype(np.int64),
        confusion,
        confidence,
        float(-np.log(of_result).sum()),
    )


@dataclass(frozen=True)
class SamplesTask:
    config: Config
    samples: TableSamples


@refers_to_rows
def judge(task: SamplesTask) -> JudgedCounts:
    evaluator = Evaluator(task.config.network, get_shared_rows().genomes()[0])
    return tally(task.samples, chances_of(evaluator))


def tasks_of(config: Config, samples: TableSamples, size: int | None = None) -> list[SamplesTask]:
    """Return tasks of `size` samples each; the last one may have fewer."""
    size = POSITIONS_A_TASK if size is None else size
    return [SamplesTask(config, samples[first : first + size]) for first in range(0, len(samples), size)]


def total(tallies: Iterable[JudgedCounts]) -> JudgedCounts:
    first, *others = tallies
    return sum(others, first)
