"""A network that judges positions with few pieces in another player's search: against minimax, counted, in games."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evolve.names.registration import register
from game import moves
from game.board import Position
from game.errors import InputError
from game.match import play
from game.networks.evaluator import Evaluator
from game.networks.spec import Heads, Layer, Spec
from game.players.endings import EndingsPlayer, with_endings
from game.players.names import parse_name
from game.players.network import EndgamePlayer, NetworkPlayer
from game.players.player import PlayerFailure
from game.players.registry import player
from game.rules import DrawRules
from game.search.endings import Endings
from game.search.interface import SELECTIVE, Limits, SearchOptions
from game.search.search import AlphaBeta
from tests.game.networks.network_samples import tame
from tests.game.search.search_helpers import EVALUATORS, STYLES, check, endings, games, limited, value_of
from tests.naive_search import Minimax, tree_of

SPEC = Spec("judge", "pieces", (Layer("dense", 8, activation="relu"),), heads=Heads("wdl", "none"))
OTHER = Evaluator(SPEC, tame(SPEC, 3))
SELECTIVELY = SearchOptions(**dict.fromkeys(SELECTIVE, True))


def judging(own: Evaluator | None, most: int, factor: float) -> Minimax:
    """Minimax with the other network where there are at most so many pieces and no capture is pending."""
    plain = value_of(own)

    def value(position: Position, side: int) -> float:
        few = (position.black | position.white).bit_count() <= most and position.black and position.white
        if not few or any(move.captured for move in moves.legal_moves(position)):
            return plain(position, side)
        worth = float(np.float32(factor) * np.float32(OTHER.scores([position], position.side)[0]))
        return worth if position.side == side else -worth

    return Minimax(limited(value, 200_000), DrawRules(), 0)


@pytest.mark.parametrize("style", ["plain", "quiescence", "blondie", "threats"])
@pytest.mark.parametrize("own", ["material", "cnn", "tables"])
def test_values_are_those_of_minimax(own: str, style: str) -> None:
    """From six pieces, of which captures leave five and fewer, so that both evaluations meet in one tree."""
    options, most, factor = STYLES[style], 5, 150.0 if own == "material" else 0.7
    other = Endings(OTHER, most, factor)
    searcher = AlphaBeta(EVALUATORS[own], options, other)
    twin = judging(EVALUATORS[own], most, factor)
    for number, position in enumerate(endings(8, (6, 5, 7), 5)):
        check(searcher, replace(twin, side=position.side, **tree_of(options)), (position, []), 2 + number % 2)
    assert other.asked > 100


def repeating(style: SearchOptions, **limits: int) -> tuple[NetworkPlayer, EndingsPlayer]:
    """A player, and the same one with its own network for endings."""
    one = NetworkPlayer("one", tame(SPEC, 3), spec=SPEC, limits=Limits(**limits), style=style)
    return one, EndingsPlayer("both", one, EndgamePlayer("same", one.weights, SPEC, pieces=6))


@pytest.mark.parametrize("style", [SearchOptions(quiescence=True), SELECTIVELY, SearchOptions(blondie=True)])
def test_a_network_that_repeats_the_own_evaluation_changes_no_game(style: SearchOptions) -> None:
    one, both = repeating(style, nodes=300)
    assert both.factor == 1.0
    rules = DrawRules(max_plies=60)
    for start in (Position.start(), *endings(2, (8, 9), 3)):
        for first in (True, False):
            records = [
                play(*((who, player("material")) if first else (player("material"), who)), start=start, rules=rules)
                for who in (one, both)
            ]
            assert records[0].moves == records[1].moves
    searcher, plain = both.searcher(), one.searcher()
    for position, history in games(6, 4, 60):
        found, other = (each.search(position, history, limits=Limits(depth=5)) for each in (searcher, plain))
        # Which evaluations the cache of leaves still has may differ, and nothing else.
        assert replace(found, seconds=0.0, evaluations=0) == replace(other, seconds=0.0, evaluations=0)


def test_with_tables_that_cover_it_the_network_is_never_asked() -> None:
    style = SearchOptions(quiescence=True, tablebase=4)
    for pieces, least, most in ((4, 0, 0), (5, 1, 10**6)):
        other = Endings(OTHER, pieces, 0.5)
        searcher = AlphaBeta(EVALUATORS["cnn"], style, other)
        for position in endings(12, (4, 5, 6), 9):
            searcher.search(position, limits=Limits(depth=5))
        assert least <= other.asked <= most


def test_values_that_are_not_finite_lose_the_game() -> None:
    one, _ = repeating(SearchOptions(quiescence=True), depth=3)
    broken = EndingsPlayer("x", one, EndgamePlayer("bad", np.full(SPEC.weights, np.nan), SPEC, pieces=6))
    with pytest.raises(PlayerFailure, match="not a finite number"):
        from game.generator import SplitMix64

        broken.choose(endings(1, (6,), 2)[0], (), SplitMix64(0))


def test_a_sure_win_is_worth_at_least_a_man() -> None:
    counting = player("material,depth=3")
    assert isinstance(counting, type(player("material")))
    who = with_endings(parse_name("material,endings=x"), counting, EndgamePlayer("x", tame(SPEC, 3), SPEC, pieces=5))
    assert who.factor >= 100.0
    assert who.factor == replace(who).factor
    assert who.result_chances(Position.start(), 0) is None
    assert who.result_chances(Position.from_fen("B:W32:BK1"), 0) is not None


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("material,endings=random", "endings=random: expected a run that has learnt from tablebases"),
        ("material,endings=crownhead-1", "endings=crownhead-1: expected a run that has learnt from tablebases"),
        ("material,endings='crownhead-1,depth=2'", "expected a run without options"),
        ("material,endings=nobody", "no run 'nobody'"),
        ("random,endings=crownhead-1", "random has no option endings"),
    ],
)
def test_names_that_are_refused(name: str, words: str) -> None:
    register(Path(__file__).parents[3] / "populations")
    with pytest.raises(InputError) as caught:
        player(name)
    assert words in str(caught.value)


def test_only_alpha_beta_takes_another_network_for_endings() -> None:
    judge = EndgamePlayer("x", tame(SPEC, 3), SPEC, pieces=5)
    with pytest.raises(InputError, match="endings: only alpha-beta uses it; judge plays without"):
        with_endings(parse_name("judge,endings=x"), judge.with_name("judge"), judge)
    with pytest.raises(InputError, match="expected a run that has learnt from tablebases"):
        with_endings(parse_name("material,endings=x"), player("material"), replace(judge, pieces=0))
