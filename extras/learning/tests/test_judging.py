"""Ways to judge who wins, by hand, against a plain twin, and by tables in the place of a network."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from extras.learning.judging import RESULTS, children, one_ply, piece_count
from extras.learning.samples import TEST, SampleSource, TableSamples
from game.board import Position
from game.endgame.tables import open_tables
from game.networks.evaluator import rows_seen
from game.plain import legal_moves, successors

Rows = NDArray[np.uint64]


def positions() -> TableSamples:
    return SampleSource(1, 2, 4).draw(TEST, 0, 60_000, open_tables(4))


def always(result: int) -> NDArray[np.float64]:
    return np.array([float(each == result) for each in RESULTS])


def test_children_are_those_of_the_plain_generator() -> None:
    rows = positions().rows[:400]
    result, lost, ends = children(rows)
    first = 0
    for row, end in zip(rows, ends, strict=True):
        after = [child for _, child in successors(Position(*map(int, row), 0))]
        assert result[first:end].tolist() == (rows_seen(after).tolist() if after else [])
        assert lost[first:end].tolist() == [not legal_moves(child) for child in after]
        first = int(end)
    assert first == len(result)


@pytest.mark.parametrize(
    ("fen", "judged", "value"),
    [
        ("B:W10:BK6", 0, 1),  # takes the last piece, so it is won whatever is thought of others
        ("B:W32:B28", 1, -1),  # no move
        ("B:WK32:BK1", -1, 1),  # every position after a move is judged lost for the opponent
        ("B:WK32:BK1", 0, 0),
        ("B:WK32:BK1", 1, -1),
        ("W:WK32:BK1", 1, -1),
    ],
)
def test_one_ply_by_hand(fen: str, judged: int, value: int) -> None:
    rows = rows_seen([Position.from_fen(fen)])
    assert one_ply(rows, lambda after: np.tile(always(judged), (len(after), 1))).tolist() == [value]


def test_judging_without_positions() -> None:
    assert one_ply(np.empty((0, 3), np.uint64), lambda rows: np.empty((0, 3))).tolist() == []


@pytest.mark.parametrize(
    ("fen", "value"),
    [("B:W32:BK1", 0), ("B:W32,31:BK1", 0), ("B:W32,31:B1", -1), ("W:W32,31:B1", 1), ("B:W9:BK1,2", 1)],
)
def test_a_piece_count(fen: str, value: int) -> None:
    assert piece_count(rows_seen([Position.from_fen(fen)])).tolist() == [value]
