"""Tables are the same however they are built."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from game.endgame.build import GROUP, Meter, Progress, Values, build, groups
from game.endgame.slices import slices_of

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


def test_what_is_done_before_counts_as_done_and_not_as_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now, told = [0.0], list[Progress]()
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    meter = Meter(1_000, told.append, done=600)
    for _ in range(4):
        now[0] += 2
        meter.add(100)
    assert [(each.done, each.total, each.seconds_left) for each in told] == [
        (700, 1_000, 6.0), (800, 1_000, 4.0), (900, 1_000, 2.0), (1_000, 1_000, 0.0)
    ]  # fmt: skip


@pytest.mark.parametrize("pieces", [4, 5, 6])
def test_groups_have_every_pair_once_and_a_limit(pieces: int) -> None:
    found = list(groups(slices_of(pieces)))
    assert [each for group in found for each in group] == [each for each in slices_of(pieces) if each <= each.other]
    for group in found:
        assert len({each.men + each.opponent_men for each in group}) == 1
        assert len(group) == 1 or sum(2 * each.positions for each in group) <= GROUP
