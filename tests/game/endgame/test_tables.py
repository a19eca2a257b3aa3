"""Values of positions that are known."""

from __future__ import annotations

import pytest

from game.board import Position
from game.endgame.tables import Tables, Verdict, open_tables


@pytest.fixture(scope="module")
def tables() -> Tables:
    return open_tables(4)


CLASSICS = [
    ("W:WK15,20:BK28,12", Verdict(1, 81)),
    ("W:W6,11:B3,K25", Verdict(1, 93)),
]


@pytest.mark.parametrize(("fen", "verdict"), CLASSICS)
def test_classics_have_the_values_and_distances_of_the_literature(tables: Tables, fen: str, verdict: Verdict) -> None:
    position = Position.from_fen(fen)
    assert tables.probe(position) == verdict
    assert tables.probe(position.mirror()) == verdict
