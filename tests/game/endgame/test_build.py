"""Tables are the same however they are built."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from game.endgame.build import Progress, Values, build

COUNTS = {2: (716, 402, 2_370), 3: (100_250, 87_305, 8_477), 4: (2_574_304, 1_917_090, 1_717_922)}
"""Positions won, lost and drawn for the side to move, by pieces."""
LONGEST_WINS = {2: 13, 3: 61, 4: 109}


@pytest.fixture(scope="module")
def known() -> Values:
    return build(4, threads=1)


@pytest.mark.parametrize("pieces", COUNTS)
def test_counts_and_longest_wins_are_those_of_the_literature(known: Values, pieces: int) -> None:
    values = np.concatenate([known.of(each) for each in known.all if each.pieces == pieces])
    counts = np.bincount(values, minlength=256)
    assert (counts[2::2].sum(), counts[1::2].sum(), counts[0]) == COUNTS[pieces]
    assert values[values % 2 == 0].max() - 1 == LONGEST_WINS[pieces]


def test_the_number_of_threads_changes_no_value(known: Values) -> None:
    assert np.array_equal(build(4, threads=3).values, known.values)


def test_values_without_distances_are_their_parity() -> None:
    known, plain = build(3).values, build(3, exact=0).values
    assert np.array_equal(plain, np.where(known > 2, 2 - known % 2, known))


def test_progress_tells_all_positions_in_the_end() -> None:
    told: list[Progress] = []
    known = build(3, threads=2, report=told.append)
    assert told[-1].done == told[-1].total == len(known.values)
    assert all(one.done <= other.done for one, other in itertools.pairwise(told))
