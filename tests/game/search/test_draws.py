"""What is kept of a search where draws are near: nothing that rests on one, nothing that a line could change."""

from __future__ import annotations

import numpy as np
import pytest

from game import moves
from game.board import Position
from game.rules import DrawRules
from game.search import layout as at
from game.search.interface import Limits, SearchOptions
from game.search.node_kernels import path_independent
from game.search.search import AlphaBeta, Memory, relative_words
from game.search.table_kernels import entry_depth, position_key

STRICT = DrawRules(repetition=2, quiet_plies=12)
PIECES = 5
FREE = {"run": 0, "quiet": 0, "ply": 3, "depth": 4}


def asked(rules: DrawRules, *, run: int, quiet: int, ply: int, depth: int, quiescence: bool = False) -> bool:
    """`path_independent` of a position of PIECES pieces, at a ply from the root, with so many plies left."""
    memory = Memory(SearchOptions(quiescence=quiescence, equal_depth=True))
    memory.set_rules(rules, 0)
    record = memory.records[ply]
    record[at.BLACK // 8], record[at.WHITE // 8], record[at.KINGS // 8] = 0b101, 0b111 << 20, 0b100
    record[at.REVERSIBLE // 8], record[at.QUIET // 8] = run, quiet
    return bool(path_independent(ply, depth, memory.address))


@pytest.mark.parametrize("quiescence", [False, True])
def test_quiet_plies_that_can_run_out_below_depend_on_the_line(quiescence: bool) -> None:
    """With 12 quiet plies: 8 and 4 more are 12, a draw; 7 and 4 more are none."""
    rules = DrawRules(repetition=0, quiet_plies=12)
    assert asked(rules, **FREE | {"quiet": 7}, quiescence=quiescence)
    assert not asked(rules, **FREE | {"quiet": 8}, quiescence=quiescence)
    assert asked(rules, **FREE | {"quiet": 8, "depth": 3}, quiescence=quiescence)


@pytest.mark.parametrize("quiescence", [False, True])
def test_repetitions_that_can_come_below_depend_on_the_line(quiescence: bool) -> None:
    """For three times the same position 8 plies must have gone to and fro."""
    rules = DrawRules(repetition=3, quiet_plies=1000)
    assert asked(rules, **FREE | {"run": 3}, quiescence=quiescence)
    assert not asked(rules, **FREE | {"run": 4}, quiescence=quiescence)


def test_the_longest_game_is_reached_by_captures_behind_the_last_ply_too() -> None:
    """3 plies have gone and 4 are left, which makes 7; each of the pieces may then be captured in one more."""
    for longest, plain, resolving in ((7, False, False), (8, True, False), (7 + PIECES, True, False), (13, True, True)):
        rules = DrawRules(repetition=0, quiet_plies=0, max_plies=longest)
        assert asked(rules, **FREE) is plain
        assert asked(rules, **FREE, quiescence=True) is resolving


def entries(searcher: AlphaBeta, boards: list[Position], side: int) -> list[bool]:
    """Whether the table has an entry of two plies or more of each position, after the first search, by `side`.

    With one ply its moves lead to leaves, which are evaluated and never drawn.
    """
    results = []
    for board in boards:
        black, white, kings = (np.uint64(word) for word in relative_words(board, side))
        word = position_key(black, white, kings, int(board.side != side))
        kept = searcher.memory.table
        results.append(any(entry_depth(data) >= 2 for data in kept[kept[:, 0] == np.uint64(word), 1]))
    return results


def game_of(fen: str, *line: str) -> list[Position]:
    """A position, and those after each of the moves."""
    game = [Position.from_fen(fen)]
    for text in line:
        game.append(moves.apply(game[-1], moves.parse_move(game[-1], text)))
    return game


def test_values_from_quiet_plies_are_not_kept() -> None:
    """Ten quiet plies have gone: two plies on every line is a draw, whatever the kings do, though plies are left."""
    line = ("1-6", "32-28", "6-2", "28-24", "2-7", "24-20", "7-3", "20-16", "3-8", "16-12")
    game = game_of("B:WK32,K31:BK1", *line)
    position, history = game[-1], game[:-1]
    after = [board for _, board in moves.successors(position)]
    searcher = AlphaBeta()
    none = searcher.search(position, history, limits=Limits(depth=4), rules=STRICT)
    assert (none.score, any(entries(searcher, after, position.side))) == (0.0, False)
    searcher = AlphaBeta()
    searcher.search(position, limits=Limits(depth=4), rules=STRICT)
    assert all(entries(searcher, after, position.side))  # without the game before them they would have been kept


def test_values_from_repetitions_are_not_kept() -> None:
    """Kings in the single corners have one way out: 4-8 is answered by 29-25, and all stands as it did before."""
    game = game_of("B:WK25:BK8", "8-4", "25-29")
    position, history = game[-1], game[:-1]
    assert position.fen() == "B:WK29:BK4"
    after = [board for _, board in moves.successors(position)]
    searcher = AlphaBeta()
    searcher.search(position, history, limits=Limits(depth=4), rules=STRICT)
    assert entries(searcher, after, position.side) == [False]
