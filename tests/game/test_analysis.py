"""One position: the diagram, a player's move, and every move with its score."""

from __future__ import annotations

import json

import numpy as np
import pytest

from game import analysis, moves
from game.board import Position, diagram, mover
from game.errors import InputError
from game.generator import SplitMix64, derive_seed
from game.networks.named import CNN_247
from game.players.basic import MaterialPlayer, RandomPlayer
from game.players.network import NetworkPlayer, TreePlayer
from game.players.registry import player
from game.rules import WHITE
from game.search.interface import DRAWN, TABLEBASE_WON, Limits, RootMove, SearchOptions, SearchResult
from tests.game.search.tree_helpers import COUNTING, counting

ENDING = Position.from_fen("W:W18,24,K10:B12,K22")
LOST = Position.from_fen("B:W18:B")
START = Position.start()


def test_the_diagram() -> None:
    assert diagram(ENDING).splitlines() == [
        "    .1      .2      .3      .4",
        ".5      .6      .7      .8",
        "    .9      W10     .11     b12",
        ".13     .14     .15     .16",
        "    .17     w18     .19     .20",
        ".21     B22     .23     w24",
        "    .25     .26     .27     .28",
        ".29     .30     .31     .32",
    ]
    assert (mover(ENDING), mover(START)) == ("White to move", "Black to move")


@pytest.mark.parametrize("position", [START, ENDING])
@pytest.mark.parametrize("name", ["random", "material", "material,depth=5", "material,seed=3,depth=4"])
def test_the_chosen_move_is_that_of_a_game(name: str, position: Position) -> None:
    tested = player(name)
    choice = analysis.choose_move(tested, position, 7)
    assert choice == tested.choose(position, (), SplitMix64(derive_seed(7, position.side, tested.seed)))
    values = analysis.choice_as_json(choice)
    assert list(values) == ["move", "score", "depth", "nodes", "pv"]
    assert json.loads(json.dumps(values)) == values
    assert values["move"] in {str(move) for move in moves.legal_moves(position)}
    assert analysis.choice_report(choice).splitlines()[0] == values["move"]


@pytest.mark.parametrize("position", [START, ENDING])
def test_one_ply_is_reported_like_an_analysis(position: Position) -> None:
    weights = np.random.default_rng(1).uniform(-1, 1, CNN_247.weights).astype(np.float32)
    for tested in (NetworkPlayer("n", weights), MaterialPlayer()):
        choice, result = analysis.choose_move(tested, position), analysis.analyse(tested, position)
        assert (choice.move, choice.score) == (result.move, result.score)
        assert (choice.depth, choice.nodes, choice.pv) == (result.depth, result.nodes, result.pv)
        assert (choice.depth, choice.nodes) == (1, len(moves.legal_moves(position)))
    assert analysis.choose_move(RandomPlayer(), position).depth == 0


def test_the_report_of_a_choice() -> None:
    choice = analysis.choose_move(player("material,depth=3"), Position.from_fen("W:W10,14,26:B3,19"))
    move, result = analysis.choice_report(choice).splitlines()
    assert move == str(choice.move)
    assert "depth 3" in result
    assert f" nodes: {choice.pv[0]}" in result
    assert analysis.choice_report(analysis.choose_move(RandomPlayer(), START)).count("\n") == 0


def test_every_move_is_judged_exactly() -> None:
    """Each score is what a search of the position after the move says, seen by the other side."""
    tested = MaterialPlayer(limits=Limits(depth=5), style=SearchOptions(equal_depth=True))
    result = analysis.analyse(tested, ENDING)
    assert {each.move for each in result.root} == set(moves.legal_moves(ENDING))
    assert all(each.exact for each in result.root)
    assert [each.score for each in result.root] == sorted((each.score for each in result.root), reverse=True)
    for each in result.root:
        if abs(each.score) < 900_000:
            after = moves.apply(ENDING, each.move)
            below = tested.searcher().search(after, (ENDING,), limits=Limits(depth=4))
            assert each.score == pytest.approx(-below.score)


def test_limits_of_an_analysis() -> None:
    weights = np.random.default_rng(1).uniform(-1, 1, CNN_247.weights).astype(np.float32)
    for tested in (NetworkPlayer("n", weights), MaterialPlayer()):
        assert analysis.analyse(tested, START).depth == 1
        assert analysis.analyse(tested, START, Limits(depth=4)).depth == 4


def test_the_report_of_an_analysis() -> None:
    tested = player("material,depth=6,quiescence=yes")
    result = analysis.analyse(tested, ENDING)
    text = analysis.report(tested, ENDING, result)
    for part in (
        diagram(ENDING),
        "White to move (b w men, B W kings)",
        ENDING.fen(),
        "material,depth=6,quiescence=yes: depth 6, ",
        "score, as seen by White (a man is 100)",
        "24-20  loss in 4 plies",
        f"line  {result.pv[0]} {result.pv[1]}",
    ):
        assert part in text
    assert max(map(len, text.splitlines())) <= 120
    values = analysis.as_json(ENDING, result)
    assert json.loads(json.dumps(values)) == values
    assert (values["fen"], values["move"], values["depth"]) == (ENDING.fen(), str(result.move), 6)
    assert len(values["moves"]) == len(moves.legal_moves(ENDING))


def test_the_visits_of_a_tree_search_are_reported() -> None:
    tested = TreePlayer("tree", counting(), spec=COUNTING, limits=Limits(nodes=100))
    result = analysis.analyse(tested, START)
    values = analysis.as_json(START, result, analysis.likelihoods(tested, START))
    assert [each["visits"] for each in values["moves"]] == [each.visits for each in result.root]
    lines = analysis.report(tested, START, result, analysis.likelihoods(tested, START)).splitlines()
    (head,) = [at for at, line in enumerate(lines) if line.startswith("move ")]
    assert lines[head].endswith(", probability by its policy, visits")
    assert [line.split()[3] for line in lines[head + 1 : head + 8]] == [str(each.visits) for each in result.root]
    plain = analysis.analyse(MaterialPlayer(), START)
    assert "visits" not in str(analysis.as_json(START, plain)) + analysis.report(MaterialPlayer(), START, plain)


@pytest.mark.parametrize("value", [1, -1])
def test_draw_by_rule_does_not_replace_a_verdict_of_tables(value: int) -> None:
    """A search weighs it as much as a result, in scores that JSON and people would take for evaluations."""
    legal = moves.legal_moves(ENDING)
    scores = (-value * DRAWN, TABLEBASE_WON - 3, 12.0, 0.0)
    root = tuple(RootMove(move, score, True, 4) for move, score in zip(legal, scores, strict=False))
    outcome = SearchResult(legal[0], scores[0], 4, 9, 5, 0.1, (legal[0],), root, value)
    result = analysis.as_json(ENDING, outcome)
    assert (result["score"], [each["score"] for each in result["moves"]]) == (0.0, [0.0, *scores[1:]][: len(root)])
    assert result["verdict"] == ("win" if value > 0 else "loss")
    shown = analysis.report(MaterialPlayer(), ENDING, outcome)
    assert f"{root[0].move}  draw by the rules{', or occurs again' if value > 0 else ''}\n" in shown


def test_impossible_requests_are_refused() -> None:
    with pytest.raises(InputError, match="B:W18:B: there is no legal move, the game is over"):
        analysis.choose_move(RandomPlayer(), LOST)
    with pytest.raises(InputError, match="the game is over"):
        analysis.analyse(MaterialPlayer(), LOST)
    with pytest.raises(InputError, match="random: does not score moves"):
        analysis.analyse(RandomPlayer(), START)
    broken = NetworkPlayer("broken", np.full(CNN_247.weights, np.nan, np.float32))
    with pytest.raises(InputError, match="not a finite number"):
        analysis.choose_move(broken, START)
    with pytest.raises(InputError, match="not a finite number"):
        analysis.analyse(broken, START)
    assert LOST.side != WHITE
