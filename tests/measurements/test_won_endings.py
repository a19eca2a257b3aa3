"""Won endings that are drawn by a rule, and played to their end."""

from __future__ import annotations

import pytest

from game.endgame.tables import open_tables
from game.errors import InputError
from tests.measurements import won_endings


def test_positions_are_won_and_far_from_their_end() -> None:
    tables = open_tables(4)
    positions = won_endings.won_positions(tables, 4, 20)
    assert positions == won_endings.won_positions(tables, 4, 20)
    for position in positions:
        verdict = tables.probe(position)
        assert verdict is not None and verdict.value == 1 and (verdict.plies or 0) >= won_endings.LEAST_PLIES


def test_players_win_with_tables_and_not_by_counting_pieces() -> None:
    off, on = won_endings.measure(["material,depth=2"], 4, 5)
    assert off[0] == "material,depth=2,tablebase=no" and off[1][0] <= 1
    assert on == ("material,depth=2,tablebase=4", [5])


def test_missing_tables_are_reported() -> None:
    with pytest.raises(InputError, match="expected tables of up to 9 pieces with distances; there are only tables of"):
        won_endings.measure((), 9, 5)
