"""What a search keeps, and that nothing of it depends on draws that are near."""

from __future__ import annotations

import contextlib
import ctypes

import numpy as np
import pytest

from game import moves
from game.board import Position
from game.generator import SplitMix64
from game.networks.evaluator import Evaluator
from game.networks.named import ANACONDA_5046
from game.rules import WHITE, DrawRules
from game.search import layout as at
from game.search import root_kernels
from game.search.interface import Limits, SearchOptions
from game.search.search import AlphaBeta, float_words, output_bounds, relative_words
from game.search.table_kernels import entry_depth, position_key
from tests.game.networks.network_samples import genomes
from tests.game.search.search_helpers import KING_ENDINGS, TooManyError, check, limited, value_of
from tests.naive_search import Minimax

STYLE = SearchOptions(blondie=True, equal_depth=True, table_bits=14)
STARTS = {
    "opening": "B:W21-32:B1-12",
    "middle game": "W:W18,19,22,25-27,30-32:B3,5-9,11,12,15",
    "kings": KING_ENDINGS[0],
    "a king hunts": "W:WK18,K10,21,30:BK15,5,12",
}
RULES = {
    "length": DrawRules(repetition=0, quiet_plies=0, max_plies=14),
    "far": DrawRules(repetition=0, quiet_plies=0, max_plies=200),
    "quiet": DrawRules(repetition=0, quiet_plies=8, max_plies=0),
    "repetition": DrawRules(repetition=2, quiet_plies=0, max_plies=20),
}


call_every_option = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 4)(root_kernels.every_option.address)


def keeping(evaluator: Evaluator | None) -> AlphaBeta:
    searcher = AlphaBeta(evaluator, STYLE)
    searcher.memory.context[at.KEEPS] = 1
    if evaluator is not None:
        bounds = output_bounds(evaluator.program, evaluator.params, float(evaluator.king))
        assert bounds is not None
        searcher.memory.context[[at.LOWEST, at.HIGHEST]] = float_words(bounds)
    return searcher


def find(finder: AlphaBeta, position: Position, history: list[Position], rules: DrawRules, depth: int) -> int:
    context, address = finder.memory.context, finder.memory.address
    finder.set_root(position, history, rules)
    root_kernels.begin(address)
    call_every_option(address, depth, int(context[at.ROOT_SCORE]), at.FIND_MOVE)
    context[at.KEPT_AGE] = context[at.AGE]
    return int(context[at.ROOT_BEST])


def played(name: str, rules: DrawRules, evaluator: Evaluator | None, seed: int, most: int) -> int:
    """Compare each move of one game, both sides with tables of their own; return how many moves were."""
    generator, compared = SplitMix64(seed), 0
    searchers, finders = (keeping(evaluator), keeping(evaluator)), (keeping(evaluator), keeping(evaluator))
    position, history = Position.from_fen(STARTS[name]), list[Position]()
    while moves.legal_moves(position) and len(history) < 14:
        searcher = searchers[position.side]
        for depth in (2,) if name == "opening" else (2, 4):
            twin = Minimax(limited(value_of(evaluator), most), rules, quiescence=True, blondie=True)
            with contextlib.suppress(TooManyError):
                check(searcher, twin, (position, history), depth)
                compared += 1
                if searcher.memory.context[at.ROOT_COUNT] > 1:
                    best = searcher.memory.context[at.ROOT_BEST]
                    assert find(finders[position.side], position, history, rules, depth) == best
        searcher.memory.context[at.KEPT_AGE] = searcher.memory.context[at.AGE]
        after = [board for _, board in moves.successors(position)]
        back = [board for board in after if len(history) >= 3 and board == history[-3]]
        history.append(position)
        position = back[0] if back and generator.below(2) else after[generator.below(len(after))]
    return compared


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        # Each start with two of the rules, and each of the rules with two starts.
        pytest.param(name, rules, marks=pytest.mark.check if (row + column) % 2 else ())
        for row, name in enumerate(STARTS)
        for column, rules in enumerate(RULES)
    ],
)
def test_values_with_a_kept_table_are_those_of_plain_minimax(name: str, rules: str) -> None:
    compared = 0
    for seed, spec in enumerate((ANACONDA_5046, None)):
        evaluator = Evaluator(spec, genomes(spec, 50, 1, 0.3)[0]) if spec else None
        compared += played(name, RULES[rules], evaluator, seed, 300)
    assert compared > 10


def test_moves_from_kept_tables_equal_those_of_a_whole_search() -> None:
    for seed, rules in enumerate(RULES.values()):
        evaluator = Evaluator(ANACONDA_5046, genomes(ANACONDA_5046, 60 + seed, 1, 0.3)[0])
        plain, finder, generator = AlphaBeta(evaluator, STYLE), keeping(evaluator), SplitMix64(seed)
        position, history = Position.from_fen(STARTS["middle game"]), list[Position]()
        while len(after := [board for _, board in moves.successors(position)]) > 0 and len(history) < 10:
            if len(after) > 1 and position.side == WHITE:
                plain.search(position, history, limits=Limits(depth=6), rules=rules)
                assert find(finder, position, history, rules, 6) == plain.memory.context[at.ROOT_BEST]
            history.append(position)
            position = after[generator.below(len(after))]


def test_a_kept_table_saves_evaluations() -> None:
    """So that the comparisons above mean something; and a new age forgets all of it."""
    searcher = keeping(Evaluator(ANACONDA_5046, genomes(ANACONDA_5046, 50, 1, 0.3)[0]))
    rules, context = RULES["far"], searcher.memory.context
    first, again, anew = (0, 0, 0)
    for kept in (False, True, False):
        context[at.KEPT_AGE] = context[at.AGE] if kept else 0
        result = searcher.search(Position.start(), limits=Limits(depth=4), rules=rules)
        first, again, anew = again, anew, result.evaluations
    assert first == anew > 5 * again


@pytest.mark.parametrize("name", STARTS)
def test_the_extent_of_a_search_is_that_of_its_longest_line(name: str) -> None:
    evaluator = Evaluator(ANACONDA_5046, genomes(ANACONDA_5046, 50, 1, 0.3)[0])
    for depth in (2, 4):
        keeper = keeping(evaluator)
        results = []
        for searcher in (AlphaBeta(evaluator, STYLE), keeper, keeper):
            searcher.search(
                Position.from_fen(STARTS[name]), limits=Limits(depth=depth), rules=RULES["far"], all_scores=True
            )
            context = searcher.memory.context
            context[at.KEPT_AGE] = context[at.AGE] if context[at.KEEPS] else 0
            results.append(int(context[at.DEEPEST]))
        assert results[0] == results[1] == results[2]


STRICT = DrawRules(repetition=2, quiet_plies=12)


def entries(searcher: AlphaBeta, boards: list[Position], side: int) -> list[bool]:
    """Whether the table has an entry of two plies or more of each position, after the first search, by `side`.

    With one ply its moves lead to leaves, which are evaluated and never drawn.
    """
    results = []
    for board in boards:
        black, white, kings = (np.uint64(word) for word in relative_words(board, side))
        word = position_key(black, white, kings, int(board.side != side))
        kept = searcher.memory.table
        results.append(any(entry_depth(data) >= 2 for data in kept[kept[:, 0] ^ kept[:, 1] == np.uint64(word), 1]))
    return results


def game_of(fen: str, *line: str) -> list[Position]:
    game = [Position.from_fen(fen)]
    for text in line:
        game.append(moves.apply(game[-1], moves.parse_move(game[-1], text)))
    return game


def test_values_from_quiet_plies_are_not_kept() -> None:
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
    game = game_of("B:WK25:BK8", "8-4", "25-29")
    position, history = game[-1], game[:-1]
    assert position.fen() == "B:WK29:BK4"
    after = [board for _, board in moves.successors(position)]
    searcher = AlphaBeta()
    searcher.search(position, history, limits=Limits(depth=4), rules=STRICT)
    assert entries(searcher, after, position.side) == [False]
