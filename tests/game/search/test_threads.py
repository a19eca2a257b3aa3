"""Searches in threads that share a table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from game import moves
from game.board import Position
from game.installation import cores
from game.players.names import PlayerNameError, parse_name, read_settings
from game.search import table_kernels as table
from game.search.interface import FITTED, SELECTIVE, Limits, SearchOptions
from game.search.search import AlphaBeta

TOGETHER = SearchOptions(quiescence=True, table=FITTED, threads=3, **dict.fromkeys(SELECTIVE, True))
ALONE = replace(TOGETHER, threads=1)
MANY = Limits(seconds=1000)
WON = Position.from_fen("B:WK29:BK1,K5,K10,K14")


def test_threads_find_the_shortest_win() -> None:
    result = AlphaBeta(None, TOGETHER).search(WON, limits=MANY)
    assert result.score == AlphaBeta().search(WON, limits=Limits(20)).score
    assert result.move in moves.legal_moves(WON)


def test_searches_in_threads_play_a_game_with_a_kept_table() -> None:
    searcher, line = AlphaBeta(None, TOGETHER), [Position.start()]
    for _ in range(20):
        result = searcher.search(line[-1], line[:-1], limits=Limits(10, seconds=1000))
        assert result.depth == 10
        assert result.pv[0] == result.move
        line.append(moves.apply(line[-1], result.move))


def test_positions_of_all_threads_count() -> None:
    limits = Limits(9, seconds=1000)
    searcher = AlphaBeta(None, TOGETHER)
    assert searcher.search(Position.start(), limits=limits).nodes > int(searcher.memory.context[0])


@pytest.mark.parametrize("limits", [Limits(7), Limits(nodes=5000), Limits(nodes=5000, seconds=1000)])
def test_searches_that_time_does_not_end_are_the_same_with_threads(limits: Limits) -> None:
    results = [AlphaBeta(None, style).search(Position.start(), limits=limits) for style in (TOGETHER, ALONE)]
    assert replace(results[0], seconds=0.0) == replace(results[1], seconds=0.0)


def test_an_entry_of_which_two_threads_wrote_one_word_each_is_not_found() -> None:
    words = np.zeros((2, 4), np.uint64)
    key = np.uint64(0x1230)
    for score, entry in enumerate(words):
        table.store(key, entry.ctypes.data, 0, 1, score, 5, table.EXACT, 0, 0)
        assert table.score_from_table(table.probe(key, entry.ctypes.data, 0, 1, 1), 0) == score
    words[0, 1] = words[1, 1]
    assert table.probe(key, words[0].ctypes.data, 0, 1, 1) == 0


@pytest.mark.parametrize("options", ["", ",nodes=1000", ",depth=8", ",time=1,nodes=1000"])
def test_threads_need_a_search_that_time_ends(options: str) -> None:
    if cores() == 1:
        pytest.skip("one core")
    with pytest.raises(PlayerNameError, match="threads=2: only time ends a search in threads, so use time="):
        read_settings(parse_name(f"material,threads=2{options}"))


def test_more_threads_than_cores_are_refused() -> None:
    with pytest.raises(
        PlayerNameError, match=f"expected a whole number from 1 to {cores()}, the cores of this machine"
    ):
        read_settings(parse_name(f"material,time=1,threads={cores() + 1}"))
