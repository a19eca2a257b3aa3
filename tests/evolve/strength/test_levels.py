"""The play of levels and yardsticks, which are rated as they play: the same moves from the same seeds at all times."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from random import Random

import pytest

from evolve.names.registration import register
from evolve.run.folder import Run
from evolve.run.runs import CHAMPION_RUN, RATED_TABLES, SHIPPED, SHIPPED_RUNS
from evolve.strength.levels import LEVELS, YARDSTICKS, Level
from game import match, moves
from game.board import Position
from game.moves import Move
from game.openings import openings
from game.players.names import parse_name
from game.players.network import NetworkPlayer
from game.players.people import PeoplePlayer
from game.players.registry import player
from game.search.interface import FITTED
from gui.thinking.messages import Purpose, SearchRequest
from gui.thinking.thoughts import Players, Stopper, think

# Games of a level with itself: digests of the moves in the window and in a match, and the positions visited in that.
RECORD = {
    "people,strength=0.53,depth=1": ("d9250fbcc82b73b1", "cf8b1f20eedea71e", 0),
    "people,strength=0.8,depth=1": ("913bb1385649216a", "b83d487a2cd12d85", 0),
    "people,strength=0.85,depth=3": ("62425b44e2c78c7f", "7750b80bb117c544", 0),
    "people,strength=0.9,depth=7": ("f5646f9174b8d36e", "d8bc08befaef5343", 0),
    "crownhead-2@1,depth=1": ("dbb2296738d63c20", "ada5629d0f348291", 342),
    "crownhead-2@0,quiescence=yes,depth=1": ("ed03933142b4f9f9", "51b7b10959631944", 849),
    "crownhead-2@0,depth=3": ("21fe79e96d409d80", "4738c6237053c20a", 5_049),
    "crownhead-2@1,depth=3": ("3b5256f3ae7919cc", "1fb526761cef64d3", 20_864),
    "crownhead-2,depth=4": ("d76512898bc506c9", "7491dc76277ccc2d", 80_764),
    "crownhead,depth=8": ("675a8978b6051141", "854e6565a991e684", 705_420),
}


def digest(played: Sequence[Move]) -> str:
    return hashlib.sha256(" ".join(map(str, played)).encode()).hexdigest()[:16]


@pytest.mark.parametrize("level", [*LEVELS[:4], *YARDSTICKS], ids=lambda level: level.text)
def test_a_level_plays_as_it_was_rated(level: Level) -> None:
    in_window, in_match, nodes = RECORD[level.text]
    players, stopper, line, played = Players(SHIPPED_RUNS), Stopper(), [Position.start()], list[Move]()
    while len(played) < 60 and moves.legal_moves(line[-1]):
        stopper.renew()
        request = SearchRequest(
            Purpose.MOVE, 1, parse_name(level.player), line[-1], tuple(line[:-1]), level.depth, 60.0, 7
        )
        played.append(think(players, request, stopper, lambda _: None).move)
        line.append(moves.apply(line[-1], played[-1]))
    assert digest(played) == in_window
    both = player(f"{level.text},tablebase=no")
    record = match.play(both, both, opening=openings("three-move")[3].moves, seed=7)
    assert record.used is not None
    assert (digest(record.moves), sum(used.nodes for used in record.used)) == (in_match, nodes)


def settled(position: Position) -> float:
    """Return the lead of the side to move, in men, once all captures have been made."""
    after = moves.successors(position)
    if after and after[0][0].captured:
        return max(-settled(board) for _, board in after)
    royal, other = ((side & position.kings).bit_count() for side in (position.own, position.opponent))
    return position.own.bit_count() - position.opponent.bit_count() + (royal - other) / 2


@pytest.mark.parametrize("level", LEVELS[:4], ids=lambda level: level.name)
def test_a_level_that_errs_like_people_never_gives_two_men_away_for_nothing(level: Level) -> None:
    register(SHIPPED_RUNS)
    one, tried, random, position = player(level.text), 0, Random(7), Position.start()
    assert isinstance(one, PeoplePlayer)
    while tried < 200:
        after = moves.successors(position)
        left = {move: -settled(board) for move, board in after}
        bad = {move for move, lead in left.items() if lead <= max(left.values(), default=0) - 2}
        if bad:
            seen, likely = one.lost_men(position, one.plies), one.likelihoods(position)
            assert not [move for move, chance in likely if chance and move in bad and seen[move] > 0], position.fen()
        tried += bool(bad)
        position = random.choice(after)[1] if after else Position.start()


def test_rated_runs_keep_their_tables_and_others_have_tables_that_fit() -> None:
    register(SHIPPED_RUNS)
    for run, bits in RATED_TABLES.items():
        assert Run(SHIPPED_RUNS / run).config().search.table_bits == bits
    assert {run for run in SHIPPED if run.startswith(f"{CHAMPION_RUN}-")} == {*RATED_TABLES}, "earlier champions"
    for run in ("crownhead", "zero,search=alphabeta", *RATED_TABLES):
        for limit in ("nodes=20000", "nodes=1000000", "time=5"):
            made, named = player(f"{run},{limit}"), player(f"{run},{limit},table=2")
            assert isinstance(made, NetworkPlayer) and isinstance(named, NetworkPlayer)
            assert made.style.table_bits == RATED_TABLES.get(run, 14)
            assert made.style.table == (0 if run in RATED_TABLES else FITTED)
            assert named.style.fitted(named.limits).entries == 2 * 65_536
            assert named.canonical_name.endswith(",table=2")
            assert player(named.canonical_name).identity == named.identity
