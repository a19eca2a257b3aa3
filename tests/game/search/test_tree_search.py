"""A tree search as the search of a player: proofs and their plies, draws, limits, reports, tablebases, strength."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from game import match, moves
from game.board import Position
from game.endgame.tables import open_tables
from game.endings import Reason
from game.errors import FailureKind, InputError
from game.generator import SplitMix64
from game.networks.evaluator import Evaluator
from game.players.network import TreePlayer
from game.rules import DrawRules
from game.search.interface import (
    TABLEBASE_WON,
    WON,
    EvaluationError,
    Limits,
    SearchOptions,
    SearchResult,
    Stop,
    plies_to_win,
)
from game.search.tree.search import TreeOptions, TreeSearch
from tests.game.search.search_helpers import endings, games
from tests.game.search.tree_helpers import COUNTING, EVALUATORS, RESULTS, counting
from tests.naive_tree import NaiveTree

START = Position.start()
COUNTS = Evaluator(COUNTING, counting())


def search(position: Position, limits: Limits, history: Sequence[Position] = (), **options: Any) -> SearchResult:
    return TreeSearch(COUNTS).search(position, history, limits=limits, **options)


def test_wins_are_proved_with_their_plies() -> None:
    tables, outcome = open_tables(4), dict.fromkeys((3, 5, 7), 0)
    for position in endings(2000, (2, 3, 4), 3):
        verdict = tables.probe(position)
        if verdict.value != 1 or verdict.plies not in outcome or outcome[verdict.plies] == 6:
            continue
        result = search(position, Limits(nodes=20_000))
        plies = plies_to_win(result.score)
        assert plies is not None and plies >= verdict.plies and plies % 2
        assert len(result.pv) == plies
        end = position
        for move in result.pv:
            end = moves.apply(end, move)
        assert not moves.legal_moves(end)
        outcome[verdict.plies] += plies == verdict.plies
    assert all(outcome.values()), outcome


def test_losses_are_proved() -> None:
    position = Position.from_fen("B:WK15,K18,K7:B1")
    result = search(position, Limits(nodes=500))
    plies = plies_to_win(result.score)
    assert plies is not None and plies < 0 and len(result.pv) == -plies
    assert result.nodes < 500 and all(plies_to_win(root.score) for root in result.root)


def test_saving_repetition_is_chosen() -> None:
    first = Position.from_fen("B:WK18,K19,K27:BK1")
    history = [first]
    for text in ("1-5", "18-22", "5-1"):
        history.append(moves.apply(history[-1], next(m for m in moves.legal_moves(history[-1]) if str(m) == text)))
    position = moves.apply(history[-1], next(m for m in moves.legal_moves(history[-1]) if str(m) == "22-18"))
    assert position == first
    back = [*history, position]
    line = [*back, *back[1:3]]
    *before, now = line
    result = search(now, Limits(nodes=300), before)
    assert now.side == 0 and str(result.move) == "5-1" and result.score == 0.0
    without = search(now, Limits(nodes=300))
    assert without.score < -0.1


def test_quiet_plies_and_length_count_over_game_and_line() -> None:
    position = Position.from_fen("B:WK18,K19,K27:BK1,12")
    history = [Position.from_fen("W:WK18,K19,K31:BK1,12")]
    for rules, drawn in (
        (DrawRules(repetition=0, quiet_plies=2), {"1-5", "1-6"}),
        (DrawRules(repetition=0, quiet_plies=0, max_plies=2), {"1-5", "1-6", "12-16"}),
    ):
        result = TreeSearch(COUNTS).search(position, history, limits=Limits(nodes=200), rules=rules)
        assert {str(root.move) for root in result.root if root.score == 0.0} == drawn


def test_nodes_are_positions_that_the_network_judged() -> None:
    for nodes in (1, 2, 7, 100, 1000):
        result = search(START, Limits(nodes=nodes))
        assert result.nodes == result.evaluations == nodes
        assert result.depth == nodes.bit_length() - 1
        assert result.move in moves.legal_moves(START)


def test_reports_come_when_the_visits_double() -> None:
    messages: list[SearchResult] = []
    result = search(START, Limits(nodes=1000), on_depth=messages.append)
    assert [each.depth for each in messages] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 9]
    assert all(1 << each.depth <= each.nodes < 2 << each.depth for each in messages)
    assert result.root == messages[-1].root == search(START, Limits(nodes=1000)).root
    assert {root.move for root in result.root} == set(moves.legal_moves(START))
    assert result.root[0].move == result.move == result.pv[0] and result.root[0].score == result.score
    assert [each.depth for each in result.root] == sorted((each.depth for each in result.root), reverse=True)
    depths: list[int] = []
    assert search(START, Limits(depth=5), on_depth=lambda each: depths.append(each.depth)).nodes == 32
    assert depths == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("all_scores", [False, True])
def test_visits_of_the_moves_are_those_of_the_twin(all_scores: bool) -> None:
    kinds = set[str]()
    for evaluator in (COUNTS, EVALUATORS["results"]):
        for position, history in (*games(8, 3, 70), *((position, []) for position in endings(8, (3, 4), 5))):
            count = len(moves.legal_moves(position))
            for nodes in (1, 90):
                result = TreeSearch(evaluator).search(
                    position, history, limits=Limits(nodes=nodes), all_scores=all_scores
                )
                twin = NaiveTree(evaluator)
                twin.even = all_scores
                root = twin.search(position, history, visits=max(nodes, (count + 1) * all_scores) - 1)
                assert {each.move: each.visits for each in result.root} == {
                    child.move: child.visits for child in root.children or ()
                }
                visits = sum(each.visits for each in result.root) + (count > 1)
                assert (
                    visits == root.visits
                    and result.nodes <= (1 + all_scores) * visits
                    and result.depth == visits.bit_length() - 1
                )
                assert root.proof or visits >= nodes
                kinds.add("proved" if root.proof else "forced" if count == 1 else "open")
                if all_scores and not root.proof:
                    assert min(each.visits for each in result.root if abs(each.score) < WON) >= nodes // (2 * count)
    assert kinds == {"proved", "forced", "open"}


def test_an_analysis_scores_every_move_and_begins_with_the_one_that_would_be_played() -> None:
    differs, searcher, limits = False, TreeSearch(EVALUATORS["results"]), Limits(nodes=30)
    for position, history in games(10, 6, 70):
        result = search(position, Limits(depth=1), history, all_scores=True)
        assert all(root.exact for root in result.root)
        assert {root.move for root in result.root} == set(moves.legal_moves(position))
        analysed = searcher.search(position, history, limits=limits, all_scores=True)
        assert analysed.root[0].move == analysed.move == searcher.search(position, history, limits=limits).move
        others = [root.score for root in analysed.root[1:]]
        assert others == sorted(others, reverse=True)
        differs |= bool(others) and analysed.score < max(others)
    assert differs  # a move with a better mean in few visits is not the one that would be played


def test_a_stop_and_a_time_end_it() -> None:
    stop, searcher = Stop(), TreeSearch(EVALUATORS["results"])
    stop.set()
    assert searcher.search(START, limits=Limits(depth=60), stop=stop).depth == 1
    stop.clear()
    threading.Timer(0.2, stop.set).start()
    assert searcher.search(START, limits=Limits(nodes=1_000_000), stop=stop).nodes < 1_000_000
    stop.clear()
    assert 2 <= searcher.search(START, limits=Limits(seconds=0.05), stop=stop).nodes < 1_000_000
    assert not stop.is_set
    assert searcher.search(START, limits=Limits(nodes=50)).nodes == 50


def test_unsearchable_networks_are_refused() -> None:
    with pytest.raises(InputError, match="no legal move"):
        search(Position.from_fen("B:W18:B"), Limits(nodes=10))
    broken = TreeSearch(Evaluator(RESULTS, np.full(RESULTS.weights, np.nan, np.float32)))
    with pytest.raises(EvaluationError, match="not a finite number"):
        broken.search(START, limits=Limits(nodes=10))
    searcher = TreeSearch(COUNTS)
    with pytest.raises(InputError, match="one search at a time"):
        searcher.search(
            START, limits=Limits(nodes=64), on_depth=lambda _: searcher.search(START, limits=Limits(nodes=2))
        )


def test_tables_choose_where_they_cover_the_root() -> None:
    searcher, tables = TreeSearch(COUNTS, TreeOptions(tablebase=4)), open_tables(4)
    for position in endings(60, (2, 3, 4), 8):
        verdict = tables.probe(position)
        result = searcher.search(position, limits=Limits(nodes=50))
        assert result.verdict == verdict.value
        if verdict.value:
            assert verdict.plies is not None and plies_to_win(result.score) == verdict.value * verdict.plies


def test_tables_prove_positions_above_their_own() -> None:
    position = Position.from_fen("B:W18,K32:B14,K24,K2")
    searcher = TreeSearch(COUNTS, TreeOptions(tablebase=4))
    result = searcher.search(position, limits=Limits(nodes=2000))
    assert WON < result.score <= TABLEBASE_WON and result.tablebase_hits > 0


def tree(nodes: int, evaluator: Evaluator = COUNTS, genome: object = None) -> TreePlayer:
    weights = counting() if genome is None else genome
    return TreePlayer(f"tree-{nodes}", weights, 0, evaluator.program.spec, limits=Limits(nodes=nodes))


def test_a_network_without_finite_values_loses_its_game() -> None:
    broken, sound = tree(10, genome=np.full(COUNTING.weights, np.nan, np.float32)), tree(10)
    for black, white, result in ((broken, sound, -1), (sound, broken, 1)):
        record = match.play(black, white, seed=1)
        assert (record.result, record.reason, record.kind) == (result, Reason.FAILURE, FailureKind.VALUE)
        assert record.failure == "tree-10: the network gives a value that is not a finite number"


def test_options_without_meaning_have_no_effect() -> None:
    plain = tree(20)
    with_options = TreePlayer(
        "tree", counting(), 0, COUNTING, limits=Limits(nodes=20), style=SearchOptions(quiescence=True)
    )
    assert plain.identity == with_options.identity
    assert plain.choose(START, (), SplitMix64(0)) == with_options.choose(START, (), SplitMix64(0))
    assert plain.looks_ahead() and plain.compiled is None and plain.deterministic
    assert plain.choose(START, (), SplitMix64(0)).nodes == 20
