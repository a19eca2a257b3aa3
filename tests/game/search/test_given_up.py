"""Searches that are given up within an iteration: what they tell is of one complete iteration, or says what is not."""

from __future__ import annotations

from typing import Any

import pytest

from game import analysis, moves
from game.board import Position
from game.generator import SplitMix64
from game.players.basic import MaterialPlayer
from game.search.interface import Limits, RootMove, SearchOptions, SearchResult
from game.search.search import AlphaBeta
from tests.game.search.search_helpers import EVALUATORS, STYLES, Game, games, value_of

DEFAULTS = {
    "default": SearchOptions(),
    "default, quiescence": SearchOptions(quiescence=True),
    "default, blondie": SearchOptions(blondie=True),
}
MISLEADING = Position.from_fen("W:W13,23,24,28,31,32:B1,2,4,6,10,12,21")
"""After 3000 positions the sixth iteration has judged the first move only, and thinks less of it than the fifth did."""


def values_of(result: SearchResult) -> tuple[Any, ...]:
    return result.move, result.score, result.depth, result.pv, result.root


def in_order(root: tuple[RootMove, ...]) -> bool:
    keys = [(each.depth, each.score) for each in root]
    return keys == sorted(keys, reverse=True)


def given_up(
    style: SearchOptions, name: str, count: int, seed: int
) -> list[tuple[Game, bool, SearchResult, SearchResult]]:
    searcher = AlphaBeta(EVALUATORS[name], style)
    done = []
    for game in games(count, seed, 60):
        for nodes in (40, 90, 200, 400, 700, 1200):
            for every in (False, True):
                result = searcher.search(*game, limits=Limits(9, nodes), all_scores=every)
                complete = searcher.search(*game, limits=Limits(result.depth), all_scores=every)
                done.append((game, every, result, complete))
    return done


@pytest.mark.parametrize(
    ("name", "style"),
    [
        pytest.param(name, style, marks=pytest.mark.check if (row + column) % 2 else ())
        for row, name in enumerate(("material", "cnn"))
        for column, style in enumerate(STYLES | DEFAULTS)
    ],
)
def test_stopped_search_gives_the_last_complete_iteration_or_better(name: str, style: str) -> None:
    same = better = 0
    for _, every, result, complete in given_up((STYLES | DEFAULTS)[style], name, 30, 71):
        first = result.root[0]
        assert (first.move, first.score, first.exact) == (result.move, result.score, True)
        assert result.pv[0] == result.move
        assert in_order(result.root)
        assert all(each.exact for each in result.root) or not every
        if first.depth == result.depth:
            assert values_of(result) == values_of(complete)
            same += result.nodes > complete.nodes
            continue
        better += 1
        step = first.depth - result.depth
        assert 1 <= step <= 2
        assert result.move != complete.move
        assert {each.depth for each in result.root} <= {result.depth, first.depth}
        deeper = {each.move for each in result.root if each.depth == first.depth}
        assert deeper >= {result.move, complete.move}  # the best one so far is tried first
        assert [each for each in result.root if each.depth == result.depth] == [
            each for each in complete.root if each.move not in deeper
        ]
    assert same >= 20
    assert better >= 1


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", ["material", "cnn"])
def test_each_value_is_that_of_the_depth_it_claims(name: str, style: str) -> None:
    searcher = AlphaBeta(EVALUATORS[name], STYLES[style])
    deeper = 0
    for game, _, result, _ in given_up(STYLES[style], name, 8, 72):
        values = {
            depth: {
                each.move: each.score for each in searcher.search(*game, limits=Limits(depth), all_scores=True).root
            }
            for depth in {each.depth for each in result.root}
        }
        deeper += len(values) - 1
        for each in result.root:
            value = values[each.depth][each.move]
            assert each.score == value if each.exact else each.score >= value
        board = game[0]
        for move in result.pv:
            board = moves.apply(board, move)
        if style == "plain" and len(result.pv) == result.root[0].depth:
            assert value_of(EVALUATORS[name])(board, game[0].side) == result.score
    assert deeper >= 1


def test_no_move_is_shown_as_better_than_the_one_that_is_recommended() -> None:
    result = analysis.analyse(MaterialPlayer(), MISLEADING, Limits(nodes=3000))
    assert [(str(each.move), each.score, each.exact, each.depth) for each in result.root[:3]] == [
        ("23-19", -100.0, True, 5),
        ("23-18", -100.0, True, 5),
        ("32-27", -150.0, True, 5),
    ]
    assert (str(result.move), result.score, result.depth) == ("23-19", -100.0, 5)


@pytest.mark.parametrize("style", DEFAULTS)
def test_lots_are_drawn_among_the_moves_that_are_shown_as_equal(style: str) -> None:
    """Also where a move of the iteration before has the same score, which says less."""
    searcher, mixed = AlphaBeta(None, DEFAULTS[style]), 0
    for position, history in games(60, 74, 60):
        for nodes in (60, 300):
            tested = MaterialPlayer("seeded", 1, draws_ties=True, limits=Limits(nodes=nodes), style=DEFAULTS[style])
            result = searcher.search(position, history, limits=tested.limits, all_scores=True)
            first = result.root[0]
            equal = {each.move for each in result.root if (each.score, each.depth) == (first.score, first.depth)}
            others = {each.move for each in result.root if each.score == first.score} - equal
            if len(result.root) == 1 or (not others and mixed):
                continue
            mixed += bool(others)
            drawn = {tested.choose(position, history, SplitMix64(seed)).move for seed in range(8 * len(result.root))}
            assert drawn == equal
    assert mixed >= 1
