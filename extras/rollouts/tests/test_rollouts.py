"""Rollouts: visit for visit as their naive twin, which solves tic-tac-toe; rules of the best child; names, errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import main
from evolve.names.registration import register
from extras.rollouts.kernels import RANDOM_PART
from extras.rollouts.player import RolloutPlayer
from extras.rollouts.search import RolloutSearch
from extras.rollouts.tests.naive_uct import Board, Checkers, Node, TicTacToe, Uct, best_child
from game.board import Position
from game.errors import InputError
from game.generator import SplitMix64
from game.match import play
from game.moves import legal_moves
from game.networks.evaluator import Evaluator, rows_seen
from game.networks.named import CNN_247
from game.players.policy import first_step
from game.players.registry import player
from game.rules import WCDF, DrawRules
from game.search.interface import Limits
from game.search.tree import layout as at
from tests.game.networks.network_samples import genomes
from tests.game.search.search_helpers import games
from tests.game.search.tree_helpers import ENDINGS, EVALUATORS
from tests.naive_search import Line
from tests.naive_tree import gumbel

ROOT = Path(__file__).parents[3]
SHORT = DrawRules(repetition=2, quiet_plies=12, men_reset=False, max_plies=60)


def test_the_twin_solves_tic_tac_toe() -> None:
    """It plays every game that its own moves allow, against all replies, without a loss and with every win.

    Boards that are turned or mirrored count once.
    """
    rules, square = TicTacToe(), np.arange(9).reshape(3, 3)
    images = [np.rot90(each, turn).ravel() for each in (square, square.T) for turn in range(4)]
    known: dict[Board, Board] = {}

    def move(board: Board) -> Board:
        if board not in known:
            root = Uct(rules).search(board, 2000, seed=1)
            known[board] = best_child(root, "robust").state
            assert -rules.value(known[board]) == rules.value(board), board
        return known[board]

    def play(board: Board, ours: bool) -> None:
        board = min(tuple(board[each] for each in image) for image in images)
        for after in [move(board)] if ours and rules.after(board) else rules.after(board):
            play(after, not ours)

    for ours in (True, False):
        play((0,) * 9, ours)
    assert len(known) > 50


def choose_by_policy(evaluator: Evaluator) -> Any:
    """The naive twin of a policy that draws its moves."""

    def choose(state: Line, after: list[Line], draws: SplitMix64) -> int:
        outputs = evaluator.output_rows(rows_seen([state.position]))[0, -128:]
        scores = []
        for move in legal_moves(state.position):
            scores.append(float(outputs[first_step(move, state.position.side)]) + gumbel(draws.state, 0))
            draws.next()
        return scores.index(max(scores))

    return choose


def choose_by_value(evaluator: Evaluator) -> Any:
    """The naive twin of a network that values the positions after its moves."""

    def choose(state: Line, after: list[Line], draws: SplitMix64) -> int:
        if draws.below(RANDOM_PART) == 0:
            return draws.below(len(after))
        scores = evaluator.scores([each.position for each in after], state.position.side)
        return scores.index(max(scores))

    return choose


def same_nodes(forest: Any, number: int, node: Node[Line]) -> None:
    known = forest.nodes[0, number]
    assert [known[name] for name in ("visits", "sum", "proof")] == [node.visits, node.total, node.proof]
    for index, child in enumerate(node.children or () if node.visits else ()):
        same_nodes(forest, int(known["first"]) + index, child)


VALUES = Evaluator(CNN_247, genomes(CNN_247, 3, 1, 0.3)[0])


@pytest.mark.parametrize(
    ("network", "twin"),
    [(None, None), (EVALUATORS["scores"], choose_by_policy), (VALUES, choose_by_value)],
    ids=["random", "policy", "value"],
)
def test_visit_for_visit_as_the_twin(network: Evaluator | None, twin: Any) -> None:
    for rules in (WCDF, SHORT):
        for seed, (position, history) in enumerate(
            [*games(3, 7, 50), *((Position.from_fen(e), []) for e in ENDINGS[:2])]
        ):
            checkers = Checkers(rules)
            uct = Uct(checkers, *([] if twin is None else [twin(network)]))
            root = uct.search(checkers.start(position, history), 400, seed)
            forest = RolloutSearch(network, seed).make_forest(Limits(nodes=400), rules, at.MOST_VISITS - 1)
            forest.begin(0, position, history)
            forest.search()
            assert forest.words[at.PLAYED] == uct.played
            same_nodes(forest, 0, root)


def test_the_rules_of_the_best_child_are_those_of_the_twin() -> None:
    chosen = set[tuple[int, ...]]()
    for position, history in games(20, 9, 60):
        checkers = Checkers(WCDF)
        root = Uct(checkers).search(checkers.start(position, history), 300, 5)
        best = []
        for rule in ("robust", "max", "secure"):
            search = RolloutSearch(None, 5, rule)
            forest = search.make_forest(Limits(nodes=300), WCDF, at.MOST_VISITS - 1)
            forest.begin(0, position, history)
            forest.search()
            best.append(search.best(forest))
            assert (root.children or [])[best[-1]] is best_child(root, rule)
        chosen.add(tuple(best))
    assert any(len(set(best)) > 1 for best in chosen)


def test_a_max_robust_search_goes_on_until_both_rules_agree() -> None:
    lengths = set[int]()
    for position, history in games(12, 4, 40):
        result = RolloutSearch(None, 3, "max-robust").search(position, history, limits=Limits(nodes=400))
        tried = [move for move in result.root if move.visits]
        agreed = result.move == max(tried, key=lambda move: move.score).move
        assert agreed or result.nodes >= 800 or len(result.root) == 1
        lengths.add(result.nodes >= 500)
    assert lengths == {False, True}


def test_nodes_are_the_positions_of_the_games_and_searches_repeat() -> None:
    position = Position.start()
    search = RolloutSearch(None, 7)
    results = [search.search(position, limits=Limits(nodes=5000)) for _ in range(2)]
    assert results[0].root == results[1].root and 5000 <= results[0].nodes < 5400
    assert results[0].evaluations == sum(move.visits for move in results[0].root) + 1
    assert RolloutSearch(None, 8).search(position, limits=Limits(nodes=5000)).root != results[0].root
    analysed = search.search(position, limits=Limits(nodes=5000), all_scores=True)
    assert analysed.move == results[0].move and all(move.exact for move in analysed.root)
    assert search.search(position, limits=Limits(depth=6)).depth == 6


def test_players_are_named_and_refused_in_one_line() -> None:
    register(ROOT / "populations")
    assert player("rollouts").canonical_name == "rollouts"
    assert player("rollouts,child=max,nodes=500,seed=3").canonical_name == "rollouts,nodes=500,child=max,seed=3"
    chooser = player("first,search=rollouts,child=secure")
    assert isinstance(chooser, RolloutPlayer) and chooser.network is not None
    assert chooser.canonical_name == "first,search=rollouts,child=secure"
    for name, message in (
        ("rollouts,child=least", "child=least: expected robust, max, max-robust or secure"),
        ("rollouts:1", "rollouts has no individuals"),
        ("rollouts,quiescence=yes", "rollouts has no option quiescence"),
        ("first,child=max", "child: search=alphabeta has no such option"),
        ("first,search=rollouts,quiescence=yes", "quiescence: "),
        ("material,search=rollouts", "material has no option search"),
    ):
        with pytest.raises(InputError, match=message):
            player(name)


def test_a_game_against_random_moves_is_won() -> None:
    record = play(player("rollouts,nodes=2000"), player("random,seed=1"), seed=4)
    assert record.result == 1


def test_a_match_names_no_networks_that_did_not_play(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["match", "rollouts,nodes=100", "random", "--games=2", "--seed=1"]) == 0
    out = capsys.readouterr().out
    assert " positions evaluated\n" in out and "network" not in out


def test_a_network_that_is_not_finite_fails_in_one_sentence() -> None:
    weights = np.full(CNN_247.weights, np.nan, np.float32)
    with pytest.raises(InputError, match="not a finite number"):
        RolloutSearch(Evaluator(CNN_247, weights)).search(Position.start(), limits=Limits(nodes=2000))
