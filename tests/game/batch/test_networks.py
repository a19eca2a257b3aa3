"""Networks in batches: every shipped one, mixed fields, populations with king values, weights that break them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from game import match
from game.batch.games import BatchPlayers, Outcomes, play_all
from game.board import Position
from game.endings import Reason
from game.errors import InputError
from game.networks.named import ANACONDA_5046, BLONDIE_1741, CNN_247, SHIPPED
from game.networks.spec import Spec
from game.players.basic import MaterialPlayer, RandomPlayer
from game.players.network import NetworkPlayer
from game.players.player import Player
from game.rules import DrawRules
from tests.cases import for_each
from tests.game.networks.network_samples import BY_MOVER, SPECS, TILES, genomes, names, tame

FEW = (*SHIPPED.values(), TILES, *BY_MOVER)
START = Position.start()
KING_ENDING = Position.from_fen("W:WK15,K23,K30,21:BK1,K10,K26,12")


def pairings(count: int) -> tuple[Any, Any]:
    blacks, whites = np.array(list(itertools.product(range(count), repeat=2))).T
    return blacks, whites


def same_as_single_games(players: list[Player], pairs: tuple[Any, Any], start: Position, outcomes: Outcomes) -> None:
    for game, (black, white) in enumerate(zip(*pairs, strict=True)):
        assert outcomes.record(game, start) == match.play(players[black], players[white], start=start, seed=game)


@pytest.mark.parametrize(
    ("spec", "start"),
    [
        # Outside the check, every other network from the start, the others with kings.
        pytest.param(spec, start, id=f"{spec.name}-{name}", marks=pytest.mark.check if (row + column) % 2 else ())
        for row, spec in enumerate(SPECS)
        for column, (name, start) in enumerate((("start", START), ("king ending", KING_ENDING)))
    ],
)
def test_games_of_any_network_are_those_of_single_games(spec: Spec, start: Position) -> None:
    players: list[Player] = []
    for number, (scale, king) in enumerate([(0.2, None), (30.0, 3.0), (1e4, 1.7)]):
        (genome,) = genomes(spec, 50 + number, 1, scale)
        players.append(NetworkPlayer(f"{spec.name}-{scale}", genome, 0, spec, king))
    field = BatchPlayers.of_players(players)
    blacks, whites = pairings(len(players))
    outcomes = play_all(field, blacks, whites, start=start, seeds=range(len(blacks)), keep=True)
    same_as_single_games(players, (blacks, whites), start, outcomes)
    assert len({record.moves for record in (outcomes.record(game, start) for game in range(len(blacks)))}) > 3


@pytest.mark.parametrize(
    "start", [pytest.param(START, marks=pytest.mark.check, id="start"), pytest.param(KING_ENDING, id="king ending")]
)
def test_all_networks_in_one_field(start: Position) -> None:
    players: list[Player] = [RandomPlayer(), MaterialPlayer()]
    players += [NetworkPlayer(spec.name, tame(spec, 51), 0, spec) for spec in SPECS]
    field = BatchPlayers.of_players(players)
    numbers = np.arange(len(players))
    blacks, whites = np.tile(numbers, 3), np.concatenate([np.roll(numbers, step) for step in (1, 2, 11)])
    outcomes = play_all(field, blacks, whites, start=start, seeds=range(len(blacks)), keep=True)
    same_as_single_games(players, (blacks, whites), start, outcomes)
    order = np.random.default_rng(51).permutation(len(blacks))
    other = play_all(field, blacks[order], whites[order], start=start, seeds=order.tolist(), keep=True)
    for place, game in enumerate(order):
        assert other.record(place, start) == outcomes.record(game, start)


@pytest.mark.parametrize("spec", FEW, ids=names(FEW))
def test_a_population_is_a_field_of_its_players(spec: Spec) -> None:
    """With king values of their own or the network's; also where only some of the genomes play."""
    weights = genomes(spec, 52, 7, 0.3)
    for kings in (None, np.linspace(1, 3, 7, dtype=np.float32)):
        values = [None] * 7 if kings is None else kings.tolist()
        players = [NetworkPlayer("", row, 0, spec, king) for row, king in zip(weights, values, strict=True)]
        by_weights, by_players = BatchPlayers.of_networks(spec, weights, kings), BatchPlayers.of_players(players)
        assert (by_weights.kinds == by_players.kinds).all()
        assert (by_weights.seeded == by_players.seeded).all()
        assert by_weights.seeds == by_players.seeds
        for blacks, whites in (pairings(7), ([6, 2, 2], [2, 6, 4])):
            one, other = (play_all(field, blacks, whites, keep=True) for field in (by_weights, by_players))
            for name in ("results", "reasons", "plies", "evaluations"):
                assert (getattr(one, name) == getattr(other, name)).all()
            assert one.codes is not None
            assert other.codes is not None
            assert all((a == b).all() for a, b in zip(one.codes, other.codes, strict=True))


@for_each("bad", [np.nan, np.inf, -np.inf])
@for_each("spec", SHIPPED.values())
def test_a_failed_player_loses_and_never_wins(spec: Spec, bad: float) -> None:
    indexes = np.arange(spec.weights)[:: 1 if spec is CNN_247 else 20]
    weights = np.repeat(genomes(spec, 55, 1), len(indexes) + 1, axis=0)
    weights[np.arange(len(indexes)), indexes] = bad
    field = BatchPlayers.of_networks(spec, weights)
    broken, whole = np.arange(len(indexes)), np.full(len(indexes), len(indexes))
    as_black, as_white = play_all(field, broken, whole), play_all(field, whole, broken)
    assert (as_black.results == -1).all()
    assert (as_white.results == 1).all()
    assert (as_black.reasons == Reason.FAILURE).all()
    assert (as_white.reasons == Reason.FAILURE).all()
    assert (as_black.plies == 0).all()
    assert (as_black.evaluations == 0).all()
    both = play_all(field, broken, broken)
    assert (both.results == -1).all()  # Black has to choose first


@pytest.mark.parametrize("scale", [1e3, 1e30, 1e37, 3e38])
@pytest.mark.parametrize("spec", SHIPPED.values(), ids=SHIPPED)
def test_saturated_weights_play_to_the_end(spec: Spec, scale: float) -> None:
    weights = genomes(spec, 57, 4, scale)
    weights[::2] = np.sign(weights[::2]) * np.float32(scale)
    players: list[Player] = [NetworkPlayer("", row, 0, spec) for row in weights]
    field = BatchPlayers.of_players(players)
    outcomes = play_all(field, *pairings(4), rules=DrawRules(max_plies=60), keep=True)
    failed = (outcomes.reasons == Reason.FAILURE).sum()
    assert failed == (16 if scale == 3e38 else 0) or scale == 1e37
    for game, (black, white) in enumerate(zip(*pairings(4), strict=True)):
        single = match.play(players[black], players[white], rules=DrawRules(max_plies=60))
        assert outcomes.record(game, START) == single


def test_networks_of_another_size() -> None:
    with pytest.raises(InputError, match="expected 247 weights"):
        BatchPlayers.of_players([NetworkPlayer("short", np.zeros(246, np.float32))])
    with pytest.raises(InputError, match="expected 5046 weights for anaconda-5046"):
        BatchPlayers.of_players([NetworkPlayer("short", np.zeros(247, np.float32), 0, ANACONDA_5046)])
    with pytest.raises(InputError, match=r"expected 1741 weights for blondie-1741, got shape \(3, 247\)"):
        BatchPlayers.of_networks(BLONDIE_1741, np.zeros((3, 247), np.float32))


@pytest.mark.parametrize("shape", [(2,), (4,), (3, 1), ()])
def test_another_number_of_king_values(shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="king values: expected one for each of 3 genomes"):
        BatchPlayers.of_networks(CNN_247, np.zeros((3, 247), np.float32), np.ones(shape, np.float32))
