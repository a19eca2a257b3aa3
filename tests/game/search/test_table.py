"""The size of the transposition table, and the age of its entries."""

from __future__ import annotations

import dataclasses

import pytest

from game import moves
from game.board import Position
from game.errors import InputError
from game.rules import DrawRules
from game.search import layout as at
from game.search.interface import FITTED, Limits, SearchOptions, SearchResult
from game.search.memory import check_memory
from game.search.search import AlphaBeta
from game.search.table_kernels import AGES

KEEPING = SearchOptions(quiescence=True, keeps_table=True, table_bits=6, table=FITTED)
CIRCLING = DrawRules(0, 0, True, 2000)


@pytest.mark.parametrize(
    ("limits", "megabytes"),
    [
        (Limits(nodes=1), 4),
        (Limits(nodes=1 << 20), 4),
        (Limits(nodes=(1 << 20) + 1), 8),
        (Limits(nodes=10_000_000), 64),
        (Limits(nodes=1 << 26), 256),
        (Limits(nodes=10**15), 256),
        (Limits(seconds=0.001), 4),
        (Limits(seconds=1), 8),
        (Limits(seconds=1_000_000), 256),
        (Limits(20), 0),
        (Limits(20, seconds=5), 0),
        (Limits(20, nodes=100_000), 4),
        (Limits(21), 8),
        (Limits(64), 256),
        (Limits(None, 10_000_000, 0.1), 4),
    ],
)
def test_the_table_is_as_large_as_the_limits_let_it_grow(limits: Limits, megabytes: int) -> None:
    fitted = KEEPING.fitted(limits)
    assert fitted.table == megabytes
    assert fitted.entries == (megabytes << 16 or 1 << 6)
    assert fitted.ages == (megabytes > 0)
    for fixed in (dataclasses.replace(KEEPING, table=0), dataclasses.replace(KEEPING, table=1)):
        assert fixed.fitted(limits) == fixed


def facts(result: SearchResult) -> SearchResult:
    return dataclasses.replace(result, seconds=0.0)


def test_a_search_with_other_limits_than_the_last_one_begins_with_an_empty_table_of_its_size() -> None:
    searcher, line, sizes = AlphaBeta(None, KEEPING), [Position.start()], []
    for limits in (Limits(nodes=3000), Limits(nodes=1_100_000), Limits(6), Limits(nodes=1_100_000), Limits(nodes=2000)):
        result = searcher.search(line[-1], line[:-1], limits=limits)
        assert facts(result) == facts(AlphaBeta(None, KEEPING).search(line[-1], line[:-1], limits=limits))
        sizes.append(2 * (int(searcher.memory.context[at.LARGEST_MASK]) + 1))
        line.append(moves.apply(line[-1], result.move))
        line.append(moves.successors(line[-1])[0][1])
    assert sizes == [4 << 16, 8 << 16, 1 << 6, 8 << 16, 4 << 16]


def test_ages_run_out_at_the_same_move_after_any_earlier_searches() -> None:
    """In a game of kings that is longer than there are ages."""
    used, fresh, limits = AlphaBeta(None, KEEPING), AlphaBeta(None, KEEPING), Limits(nodes=40)
    for number in range(100):
        opening = moves.successors(Position.start())[number % 7][1]
        used.search(opening, limits=limits)
    kings, ages = Position.from_fen("B:WK32,K28,K24:BK1,K5,K9"), []
    line = [kings]
    for turn in range(AGES + 40):
        result = used.search(line[-1], line[:-1], limits=limits, rules=CIRCLING)
        assert facts(result) == facts(fresh.search(line[-1], line[:-1], limits=limits, rules=CIRCLING)), turn
        ages.append(int(used.memory.context[at.AGE]))
        for move in result.pv[:2]:
            line.append(moves.apply(line[-1], move))
        assert len(line) == 2 * turn + 3
    assert max(ages) == AGES - 1 and ages[-1] < 50


def test_tables_larger_than_the_memory_are_refused() -> None:
    with pytest.raises(InputError, match=r"^table=1000000000: needs 1,000,000,000 MB of memory, and .* are free"):
        check_memory(10**9, 1)
    with pytest.raises(InputError, match="two tables, one for each colour, need 2,000,000,000 MB"):
        check_memory(10**9, 2)


@pytest.mark.parametrize("size", [-2, 3, 5, 1 << 15])
def test_sizes_that_no_table_can_have(size: int) -> None:
    with pytest.raises(InputError, match=f"table: expected a power of 2, 1 to 16,384 megabytes, got {size}"):
        SearchOptions(table=size)
