"""Compiled games of players who look ahead: move for move those of `game.match`, in circles too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from game import match, moves
from game.batch.games import BatchPlayers, play_all
from game.board import Position
from game.generator import SplitMix64
from game.networks.named import ANACONDA_5046, BLONDIE_1741, CHECKERSAI_247, CNN_247
from game.networks.spec import Layer, Spec
from game.players.basic import MaterialPlayer
from game.players.network import NetworkPlayer
from game.players.player import Player
from game.rules import DrawRules
from game.search.interface import Limits, SearchOptions
from tests.game.networks.network_samples import BY_MOVER, CROWNHEAD, genomes
from tests.game.search.search_helpers import games

FOR_EVER = DrawRules(repetition=0, quiet_plies=0, max_plies=90)
"""Nothing but the longest game ends circles, so a position that comes again is answered without a search."""

STYLES = {
    "plain": SearchOptions(table_bits=10),
    "quiescence": SearchOptions(quiescence=True, table_bits=10),
    "blondie": SearchOptions(blondie=True, table_bits=10),
    "blondie, equal depth": SearchOptions(blondie=True, equal_depth=True, table_bits=10),
    "equal depth": SearchOptions(equal_depth=True, table_bits=10),
}
LIMITS = {"2": Limits(2), "3": Limits(3), "nodes": Limits(nodes=60), "3, nodes": Limits(3, 40)}


def circles(record: match.GameRecord) -> int:
    position, seen, result = record.start, set(), 0
    for move in record.moves:
        result += position in seen
        seen.add(position)
        position = moves.apply(position, move)
    return result


def check_record(compiled: match.GameRecord, played: match.GameRecord, *, keeps: bool) -> None:
    """The same game; with results kept from move to move it took fewer evaluations, otherwise as many."""
    if keeps:
        assert compiled.evaluations <= played.evaluations
        compiled = replace(compiled, evaluations=played.evaluations)
    assert compiled == played


def keeps(style: SearchOptions, limits: Limits) -> bool:
    return style.blondie and style.equal_depth and limits.nodes is None


def play_circles(specs: Sequence[Spec], style: str, limits: str) -> tuple[int, int]:
    """Check compiled games; moves in circles, and games that ended before the longest."""
    result, ended_otherwise = 0, 0
    for number, spec in enumerate(specs):
        weights = genomes(spec, 20 + number, 3, 0.3)
        options: dict[str, Any] = {"limits": LIMITS[limits], "style": STYLES[style]}
        players = [NetworkPlayer(str(index), row, 0, spec, None, **options) for index, row in enumerate(weights)]
        blacks, whites = [0, 1], [1, 2]
        outcomes = play_all(
            BatchPlayers.of_networks(spec, weights, **options), blacks, whites, rules=FOR_EVER, keep=True
        )
        for game, (black, white) in enumerate(zip(blacks, whites, strict=True)):
            record = match.play(players[black], players[white], rules=FOR_EVER)
            kept = keeps(STYLES[style], LIMITS[limits])
            check_record(outcomes.record(game, Position.start()), record, keeps=kept)
            result += circles(record)
            ended_otherwise += record.reason != match.Reason.LENGTH
    return result, ended_otherwise


@pytest.mark.parametrize(
    ("limits", "style"),
    [
        pytest.param(limits, style, marks=pytest.mark.check if (row + column) % 2 else ())
        for row, limits in enumerate(LIMITS)
        for column, style in enumerate(STYLES)
    ],
)
def test_games_in_circles_are_those_of_a_match(style: str, limits: str) -> None:
    result, ended_otherwise = play_circles((CNN_247, BLONDIE_1741, ANACONDA_5046), style, limits)
    assert result > 20
    assert ended_otherwise < 6


@pytest.mark.parametrize(
    "style",
    [
        pytest.param(style, marks=() if style in ("quiescence", "blondie, equal depth") else pytest.mark.check)
        for style in STYLES
    ],
)
def test_games_of_networks_that_see_the_side_to_move_equal_a_match(style: str) -> None:
    for limits in LIMITS:
        play_circles(BY_MOVER[:3], style, limits)


def test_the_end_of_the_game_is_seen_from_within_a_circle() -> None:
    material = MaterialPlayer(limits=Limits(4), style=SearchOptions(blondie=True, table_bits=10))
    start = Position.from_fen("B:WK32,K27,30:BK1,K6,5")
    field = BatchPlayers.of_players((material, material))
    played = set()
    for longest in range(20, 60):
        rules = DrawRules(0, 0, True, longest)
        outcomes = play_all(field, [0], [1], start=start, rules=rules, keep=True)
        record = match.play(material, material, start=start, rules=rules)
        assert outcomes.record(0, start) == record
        assert circles(record) > 0 or record.reason != match.Reason.LENGTH
        played.add(record.moves[-1])
    assert len(played) > 1


def test_players_draw_among_equal_moves_each_time() -> None:
    material = MaterialPlayer("a", 5, draws_ties=True, limits=Limits(2))
    start = Position.from_fen("B:WK32:BK1")
    field = BatchPlayers.of_players((material, material))
    outcomes = play_all(field, [0, 0], [1, 1], start=start, rules=FOR_EVER, seeds=[1, 2], keep=True)
    for game in (0, 1):
        record = match.play(material, material, start=start, rules=FOR_EVER, seed=game + 1)
        assert outcomes.record(game, start) == record
        assert circles(record) > 0
    assert outcomes.codes is not None
    assert not np.array_equal(outcomes.codes[0], outcomes.codes[1])


def test_with_draws_by_repetition_every_position_is_searched() -> None:
    rules = DrawRules(repetition=4, quiet_plies=0, max_plies=80)
    weights = genomes(CNN_247, 31, 4, 0.3)
    options: dict[str, Any] = {"limits": Limits(2), "style": SearchOptions(table_bits=10)}
    players = [NetworkPlayer(str(index), row, 0, CNN_247, None, **options) for index, row in enumerate(weights)]
    outcomes = play_all(
        BatchPlayers.of_networks(CNN_247, weights, **options), [0, 1, 2], [1, 2, 3], rules=rules, keep=True
    )
    for game in range(3):
        assert outcomes.record(game, Position.start()) == match.play(players[game], players[game + 1], rules=rules)


@pytest.mark.parametrize("style", STYLES)
def test_lots_are_drawn_among_the_same_moves_when_searches_are_given_up(style: str) -> None:
    for nodes in (60, 200):
        options: dict[str, Any] = {"limits": Limits(nodes=nodes), "style": STYLES[style]}
        players = [
            MaterialPlayer("a", 5, draws_ties=True, **options),
            MaterialPlayer("b", 6, draws_ties=True, **options),
        ]
        field = BatchPlayers.of_players(players)
        seeds = list(range(8))
        outcomes = play_all(field, [0] * 8, [1] * 8, rules=FOR_EVER, seeds=seeds, keep=True)
        for game in seeds:
            record = match.play(*players, rules=FOR_EVER, seed=game)
            assert outcomes.record(game, Position.start()) == record


RELU = Spec("relu", "squares", (Layer("dense", 8, 0, "tanh"), Layer("dense", 5, 0, "relu"), Layer("dense", 1)))
KEEPERS = (
    ANACONDA_5046, BLONDIE_1741, CNN_247, CHECKERSAI_247, CROWNHEAD, replace(RELU, piece_difference=True),
    replace(BLONDIE_1741, piece_difference=False), replace(BLONDIE_1741, own=-1), BY_MOVER[0],
    replace(BY_MOVER[2], patterns=True),
)  # fmt: skip
RULES = (
    DrawRules(0, 0, True, 40), DrawRules(0, 0, True, 13), DrawRules(2, 0, True, 40), DrawRules(3, 6, False, 60),
)  # fmt: skip


@pytest.mark.parametrize("scale", [1e-3, 0.05, 0.3, 30.0, 1e5])
def test_kept_tables_do_not_change_games(scale: float) -> None:
    generator = SplitMix64(int(scale * 1000))
    style, reasons = (STYLES["blondie, equal depth"], SearchOptions(blondie=True, equal_depth=True, table_bits=3)), []
    for number, (start, _) in enumerate(games(8, int(scale * 1000), 50)):
        spec, rules = KEEPERS[number % len(KEEPERS)], RULES[generator.below(len(RULES))]
        players: list[Player] = [
            NetworkPlayer(
                str(index), row, 0, spec, None, limits=Limits(2 + generator.below(3)), style=style[number % 2]
            )
            for index, row in enumerate(genomes(spec, number, 2, scale))
        ]
        players.append(MaterialPlayer("m", 5, draws_ties=True, limits=Limits(4), style=style[number % 2]))
        field = BatchPlayers.of_players(players)
        pairs = ((0, 1), (1, 1), (2, 0), (1, 2))
        outcomes = play_all(field, *np.transpose(pairs), start=start, rules=rules, seeds=range(4), keep=True)
        for game, (black, white) in enumerate(pairs):
            played = match.play(players[black], players[white], start=start, rules=rules, seed=game)
            compiled = outcomes.record(game, start)
            alone = play_all(field, [black], [white], start=start, rules=rules, seeds=[game], keep=True)
            assert alone.record(0, start) == compiled
            assert replace(compiled, evaluations=0) == replace(played, evaluations=0)
            reasons.append(compiled.reason)
    assert len(set(reasons)) >= 3


@pytest.mark.parametrize("fen", ["B:WK1:BK10,K5,K6,2", "B:W12:B3,K10,K11", "B:W29:BK21,K18,K9", "B:WK4:BK10,K12,K7"])
@pytest.mark.parametrize("spec", [BLONDIE_1741, BY_MOVER[0]], ids=["blondie", "tables"])
def test_a_network_that_gives_no_finite_number_fails_at_once_although_it_could_win(spec: Spec, fen: str) -> None:
    """No leaf is spared because a move wins already, so the failure is noticed where a match notices it."""
    weights = genomes(spec, 1, 2, 0.3)
    weights[0, 5] = np.nan
    options: dict[str, Any] = {"limits": Limits(2), "style": STYLES["blondie, equal depth"]}
    players = [NetworkPlayer(str(index), row, 0, spec, None, **options) for index, row in enumerate(weights)]
    field = BatchPlayers.of_players(players)
    start = Position.from_fen(fen)
    record = play_all(field, [0], [1], start=start, rules=FOR_EVER, keep=True).record(0, start)
    assert record == match.play(*players, start=start, rules=FOR_EVER)
    assert (record.reason, record.result, record.moves) == (match.Reason.FAILURE, -1, ())
