"""Samples from tables against a twin in plain Python; no position is in two parts."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from extras.learning.samples import PARTS, TEST, TRAINING, VALIDATION, SampleSource, TableSamples
from game.board import Position
from game.endgame import build, table_file
from game.endgame.slices import Slice
from game.endgame.tables import open_tables
from game.generator import GAMMA, MASK, MIX_1, MIX_2, SplitMix64, mix
from game.plain import legal_moves
from tests.game.endgame.index_twin import positions_of


def drawn(source: SampleSource, part: int, first: int = 0, last: int | None = None) -> TableSamples:
    return source.draw(part, first, source.places if last is None else last, open_tables(source.pieces_to))


def keys(samples: TableSamples) -> NDArray[np.uint64]:
    """A word for each position, in order and without repetition; no two of the few million positions here share one."""
    words: NDArray[np.uint64] = (samples.rows * np.array([GAMMA, MIX_1, MIX_2], np.uint64)).sum(axis=1)
    return np.unique(words)


def place_of(number: int, places: int, seed: int) -> int:
    """The place of a sample, by arithmetic of Python's own."""
    bits = max(2, (places - 1).bit_length())
    words = SplitMix64(seed)
    steps = [(words.next() | 1, words.next()) for _ in range(4)]
    while True:
        for factor, summand in steps:
            number = (number * factor + summand) % 2**bits
            number ^= number >> bits // 2
        if number < places:
            return number


def part_of(which: Slice, place: int) -> int:
    return min(mix(((which.number << 48) + place + GAMMA) & MASK) % PARTS, TRAINING)


def of_a_twin(source: SampleSource, part: int, numbers: range) -> list[tuple[tuple[int, int, int], int, bool]]:
    """Samples by listing all positions of all slices in order."""
    positions = [(which, *each) for which in source.slices for each in enumerate(positions_of(which))]
    results = []
    for number in numbers:
        which, place, words = positions[place_of(number, len(positions), source.seed)]
        position = Position(*words, 0)
        captures = any(abs(move.path[0] - move.path[1]) > 5 for move in legal_moves(position))
        if part_of(which, place) == part and not (captures and source.quiet):
            verdict = open_tables(source.pieces_to).probe(position)
            assert verdict is not None
            results.append((words, verdict.value, captures))
    return results


@pytest.mark.parametrize("part", [TEST, VALIDATION, TRAINING])
@pytest.mark.parametrize(
    "source", [SampleSource(5, 2, 2), SampleSource(6, 2, 2, quiet=True), SampleSource(2**64 + 7, 2, 2, balanced=True)]
)
def test_samples_are_those_of_the_twin(source: SampleSource, part: int) -> None:
    samples = drawn(source, part, 100, 900)
    results = [
        (tuple(map(int, row)), int(value), bool(captures))
        for row, value, captures in zip(samples.rows, samples.values, samples.capturing, strict=True)
    ]
    assert results == of_a_twin(source, part, range(100, 900))
    assert len(results) > 5


def test_all_numbers_give_every_position_once() -> None:
    source = SampleSource(3, 2, 3)
    parts = [drawn(source, part) for part in (TEST, VALIDATION, TRAINING)]
    everything = TableSamples.joined(parts)
    assert len(everything) == source.places == len(keys(everything))
    for part in parts[:2]:
        assert len(part) == pytest.approx(source.places / PARTS, rel=0.05)
    own, opponent, kings = everything.rows.T
    groups = [np.bitwise_count(each) for each in (own & ~kings, own & kings, opponent & ~kings, opponent & kings)]
    for which in source.slices:
        counts = (which.men, which.kings, which.opponent_men, which.opponent_kings)
        there = np.logical_and.reduce([group == count for group, count in zip(groups, counts, strict=True)])
        values = everything.values[there]
        info = open_tables(3).info(which)
        assert [int((values == value).sum()) for value in (1, 0, -1)] == [info.wins, info.draws, info.losses]


@pytest.mark.parametrize("most", [3, pytest.param(4, marks=pytest.mark.check)])
def test_a_position_of_the_test_is_in_no_training_set(most: int) -> None:
    """Whatever the seed, the numbers of pieces and the options of either; all positions are looked at."""
    test = keys(drawn(SampleSource(1, 2, most), TEST))
    others = (
        SampleSource(2, 2, most - 1),
        SampleSource(3, most, most, quiet=True),
        SampleSource(4, 2, most, balanced=True),
    )
    for source in (SampleSource(1, 2, most), *others):
        parts = [keys(drawn(source, part)) for part in (TRAINING, VALIDATION, TEST)]
        assert min(map(len, parts)) > 50
        assert sum(map(len, parts)) == len(np.unique(np.concatenate(parts))) <= source.places
        assert not np.isin(parts[0], test).any()
        assert np.isin(parts[2], test).all()


def test_any_division_of_the_numbers_gives_the_same_samples() -> None:
    source = SampleSource(9, 3, 4)
    edges = [500, 501, 700, 6000]
    parts = [drawn(source, TRAINING, *each) for each in itertools.pairwise(edges)]
    whole = drawn(source, TRAINING, 500, 6000)
    assert np.array_equal(TableSamples.joined(parts).rows, whole.rows)
    assert whole.rows.tolist() != drawn(SampleSource(10, 3, 4), TRAINING, 500, 6000).rows.tolist()


def test_balanced_positions_have_no_side_a_man_ahead() -> None:
    names = {which.name for which in SampleSource(0, 2, 5, balanced=True).slices}
    assert {"1010", "0101", "0110", "2020", "3002", "0230", "1111"} <= names
    assert not {"2010", "0210", "1020", "0201"} & names


def test_values_from_one_table_after_the_other_are_those_of_all_tables(tmp_path: Path) -> None:
    source = SampleSource(5, 3, 3, sides=(2, 1))
    known = drawn(source, TRAINING, 0, 3000)
    tables = build.build_values(3)
    for which in source.slices:
        table_file.write(tmp_path, which, tables.of(which), True)
    unknown = source.draw(TRAINING, 0, 3000, None)
    assert not unknown.values.any()
    assert np.array_equal(source.look_up(unknown, tmp_path).values, known.values)


def test_sides_have_the_numbers_of_pieces_that_are_asked_for() -> None:
    source = SampleSource(5, 4, 4, sides=(3, 1))
    rows = drawn(source, TRAINING, 0, 3000).rows
    sides = {(int(own).bit_count(), int(theirs).bit_count()) for own, theirs, _ in rows}
    assert sides == {(3, 1), (1, 3)}
