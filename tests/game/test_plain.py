"""Plain legal moves: the same as those of the kernels, in the same order, without loading them."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from game import moves, plain
from game.board import Position
from game.moves import IllegalMoveError, Move
from tests import naive

DATA = Path(__file__).parents[1] / "data" / "unit_positions.tsv"


def _same(position: Position) -> None:
    assert list(plain.successors(position)) == moves.successors(position), position.fen()
    assert plain.legal_moves(position) == moves.legal_moves(position)


def test_edge_positions_for_both_colours() -> None:
    with DATA.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert len(rows) == 21
    for row in rows:
        position = Position.from_fen(row["fen"])
        assert sorted(map(str, plain.legal_moves(position))) == sorted(row["moves"].split())
        _same(position)
        _same(position.mirror())


@pytest.mark.parametrize("seed", range(2))
def test_the_kernels_find_the_same_in_the_same_order(seed: int) -> None:
    for board in naive.random_boards(Random(seed), 1500):
        _same(Position.from_fen(board.fen()))


def test_apply() -> None:
    start = Position.start()
    assert plain.apply(start, Move((11, 15))) == moves.apply(start, Move((11, 15)))
    with pytest.raises(IllegalMoveError, match="11-20: not legal"):
        plain.apply(start, Move((11, 20)))


def test_plain_rules_load_no_heavy_modules() -> None:
    code = """
import sys
from game import plain
from game.board import Position
assert len(plain.legal_moves(Position.start())) == 7
print([name for name in ("numba", "numpy") if name in sys.modules])
"""
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
