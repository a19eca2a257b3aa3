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
from game.players.network import NetworkPlayer
from game.players.registry import player
from game.rules import WHITE
from game.search.interface import Limits, SearchOptions

ENDING = Position.from_fen("W:W18,24,K10:B12,K22")
LOST = Position.from_fen("B:W18:B")
START = Position.start()


def test_the_diagram_numbers_its_squares() -> None:
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
