"""Alpha-beta against plain minimax: root moves, ties, draws of the game before it; threads that share a table."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from game import moves
from game.board import Position
from game.errors import InputError
from game.installation import cores
from game.networks.evaluator import Evaluator
from game.networks.named import CNN_247
from game.networks.spec import Layer, Spec
from game.players.names import PlayerNameError, parse_name, read_settings
from game.rules import WCDF, DrawRules
from game.search import layout as at
from game.search import table_kernels as table
from game.search.interface import (
    FITTED,
    SELECTIVE,
    EvaluationError,
    Limits,
    SearchOptions,
    SearchResult,
    Stop,
    plies_to_win,
    score_text,
)
from game.search.search import AlphaBeta, Binding
from game.search.table_kernels import AGES
from tests.cases import for_each
from tests.game.networks.network_samples import BY_MOVER, CROWNHEAD, genomes
from tests.game.search.search_helpers import EVALUATORS, STYLES, TooManyError, check, games, limited, value_of
from tests.naive_search import Minimax, tree_of

SHORT = DrawRules(repetition=2, quiet_plies=6)


def compared(name: str, style: str, count: int, seed: int, most: int) -> list[Position]:
    """Compare so many positions, as many at each of the depths 1 to 5; trees of more than `most` leaves are left out.

    Every network and style has positions of its own. Returns them.
    """
    evaluator, how = EVALUATORS[name], STYLES[style]
    searcher = AlphaBeta(evaluator, how)
    own_seed = seed + 100 * (1 + list(EVALUATORS).index(name) + len(EVALUATORS) * list(STYLES).index(style))
    done: list[Position] = []
    for game in games(3 * count, own_seed, 70):
        number = len(done)
        depth, rules = 1 + number % 5, (WCDF, SHORT)[number % 2]
        value = limited(value_of(evaluator), most)
        twin = Minimax(value, rules, **tree_of(how))
        with contextlib.suppress(TooManyError):
            check(searcher, twin, game, depth)
            done.append(game[0])
        if len(done) == count:
            return done
    raise AssertionError(f"only {len(done)} trees are small enough")


@pytest.mark.parametrize(
    ("name", "style", "count"),
    [
        # Outside the check, each network with two of the styles, and each style with four networks.
        pytest.param(name, style, count, marks=pytest.mark.check if count == 30 or (row + column) % 2 else ())
        for row, name in enumerate(EVALUATORS)
        for column, style in enumerate(STYLES)
        for count in (5, 30)
    ],
)
def test_root_values_are_those_of_plain_minimax(name: str, style: str, count: int) -> None:
    """Depths 1 to 5, positions with the game before them, a third of them endings in which kings walk to and fro.

    In all 80 positions, 1,040 in the check, hardly one of them twice.
    """
    most = 1_500 if count == 5 else 5_000 if style == "blondie" else 50_000
    assert len(set(compared(name, style, count, 11, most))) >= count - 2


def test_leaves_are_seen_by_the_searcher_at_odd_and_even_depths() -> None:
    """By hand: a network of nothing but a bias of 0.5 likes every position as much, whoever searches and moves.

    Had the leaves been seen by the side to move there, the sign would change from one depth to the next.
    """
    spec = Spec("bias", "squares", (Layer("dense", 1, 0, "none"),))
    weights = np.zeros(33, np.float32)
    weights[32] = 0.5
    searcher = AlphaBeta(Evaluator(spec, weights))
    for fen in ("B:W21-32:B1-12", "W:W21-32:B1-12"):
        for depth in range(1, 7):
            assert searcher.search(Position.from_fen(fen), limits=Limits(depth=depth)).score == 0.5


@pytest.mark.parametrize("fen", ["B:W30:B1", "W:W32:B3"])
def test_leaves_are_evaluated_for_their_side_to_move(fen: str) -> None:
    """By hand: networks that see the board as the side to move does, two men that are far from each other.

    Being to move is worth 0.5, and nothing else is anything: behind one ply it is the opponent who has it, so -0.5 to
    the searcher; behind two the searcher, 0.5. Then a man is worth a 16th of its row, and both walk on at each ply: the
    searcher from its first row, the other from its own; 1/16 behind one ply, 0 behind two.
    """
    position, spec = Position.from_fen(fen), dataclasses.replace(BY_MOVER[0], piece_difference=False)
    tempo, rows = np.zeros(65, np.float32), np.zeros(65, np.float32)
    tempo[64] = 0.5
    rows[:32] = np.arange(32) // 4 / 16
    for depth in range(1, 6):
        for weights, odd, even in ((tempo, -0.5, 0.5), (rows, 0.0625, 0.0), (tempo + rows, -0.4375, 0.5)):
            result = AlphaBeta(Evaluator(spec, weights)).search(position, limits=Limits(depth=depth))
            assert result.score == (odd if depth % 2 else even)
            assert (
                result.score
                == AlphaBeta(Evaluator(spec, weights)).search(position.mirror(), limits=Limits(depth)).score
            )


def facts(result: SearchResult) -> SearchResult:
    return dataclasses.replace(result, seconds=0.0)


@for_each("name", EVALUATORS)
def test_searches_are_independent(name: str) -> None:
    style = SearchOptions(quiescence=True, table_bits=6)
    some = games(6, 31, 50)
    limits = Limits(depth=6, nodes=3000)
    alone = [facts(AlphaBeta(EVALUATORS[name], style).search(*game, limits=limits)) for game in some]
    shared = AlphaBeta(EVALUATORS[name], style)
    assert [facts(shared.search(*game, limits=limits)) for game in some] == alone
    assert [facts(shared.search(*game, limits=limits)) for game in reversed(some)] == alone[::-1]
    shared.memory.context[at.NEWEST_AGE] = AGES - 4
    assert [facts(shared.search(*game, limits=limits)) for game in some] == alone
    assert shared.memory.context[at.AGE] < 10


def test_values_of_leaves_do_not_outlive_the_numbers_of_searches() -> None:
    networks = [Evaluator(CNN_247, row) for row in genomes(CNN_247, 5, 2)]
    limits = Limits(depth=3)
    memory = AlphaBeta(networks[0])
    first = facts(memory.search(Position.start(), limits=limits))
    assert memory.memory.context[at.AGE] == 1
    memory.memory.context[at.NEWEST_AGE] = AGES - 1
    assert facts(memory.search(Position.start(), limits=limits)) == first
    assert memory.memory.context[at.AGE] == 1
    memory.memory.context[at.NEWEST_AGE] = AGES - 1
    memory.memory.bind(Binding.of(networks[1]).words)
    other = facts(memory.search(Position.start(), limits=limits))
    assert other == facts(AlphaBeta(networks[1]).search(Position.start(), limits=limits))
    assert other.score != first.score


def test_nodes_end_a_search_at_once_but_never_before_the_first_depth() -> None:
    searcher = AlphaBeta(None, SearchOptions(quiescence=True))
    for nodes in (1, 10, 100, 1000, 10_000):
        result = searcher.search(Position.start(), limits=Limits(nodes=nodes))
        assert result.depth >= 1
        assert nodes < result.nodes <= nodes + 20  # at the first beyond them, or with the leaves that were begun
        assert facts(result) == facts(searcher.search(Position.start(), limits=Limits(nodes=nodes)))
    assert searcher.search(Position.start(), limits=Limits(nodes=10_000)).depth >= 6


@pytest.mark.parametrize("limits", [Limits(4), Limits(nodes=300)], ids=str)
@pytest.mark.parametrize(
    "spec", [None, CROWNHEAD, BY_MOVER[0]], ids=lambda spec: "material" if spec is None else spec.name
)
def test_the_value_alone_is_that_of_a_search(spec: Spec | None, limits: Limits) -> None:
    evaluator = None if spec is None else Evaluator(spec, genomes(spec, 3, 1)[0])
    one, other = (AlphaBeta(evaluator, SearchOptions(quiescence=True)) for _ in range(2))
    for position, *_ in games(2, 5, 30):
        assert one.value(position, limits) == other.search(position, limits=limits).score
    with pytest.raises(InputError, match="no legal move"):
        one.value(Position.from_fen("B:W32:B"), limits)
    with pytest.raises(EvaluationError):
        AlphaBeta(Evaluator(CROWNHEAD, np.full(33, np.nan))).value(Position.start(), limits)


def test_time_and_stop_end_a_search() -> None:
    searcher = AlphaBeta(EVALUATORS["anaconda"])
    result = searcher.search(Position.start(), limits=Limits(seconds=0.05))
    assert 1 <= result.depth < 40
    stop = Stop()
    depths: list[int] = []

    def report(each: SearchResult) -> None:
        depths.append(each.depth)
        if each.depth == 5:
            threading.Timer(0.01, stop.set).start()

    result = searcher.search(Position.start(), limits=Limits(depth=64), stop=stop, on_depth=report)
    assert depths == list(range(1, result.depth + 1))
    assert 5 <= result.depth < 40
    assert searcher.search(Position.start(), limits=Limits(depth=64), stop=stop).depth == 1  # it is still set
    stop.clear()
    assert searcher.search(Position.start(), limits=Limits(depth=3), stop=stop).depth == 3


def test_end_of_time_does_not_stop_other_searches() -> None:
    searcher, stop = AlphaBeta(EVALUATORS["anaconda"]), Stop()
    assert searcher.search(Position.start(), limits=Limits(seconds=0.02), stop=stop).depth < 40
    assert searcher.search(Position.start(), limits=Limits(depth=4), stop=stop).depth == 4
    stop.set()
    searcher.search(Position.start(), limits=Limits(seconds=0.02), stop=stop)
    assert searcher.search(Position.start(), limits=Limits(depth=4), stop=stop).depth == 1  # a person's request stays


def test_a_searcher_does_one_search_at_a_time() -> None:
    searcher = AlphaBeta()
    stop = Stop()
    begun = threading.Event()

    def report(_: SearchResult) -> None:
        begun.set()

    arguments = {"limits": Limits(depth=64), "stop": stop, "on_depth": report}
    thread = threading.Thread(target=searcher.search, args=(Position.start(),), kwargs=arguments)
    thread.start()
    assert begun.wait(60)
    with pytest.raises(InputError, match="one search at a time"):
        searcher.search(Position.start(), limits=Limits(depth=1))
    stop.set()
    thread.join(60)
    assert searcher.search(Position.start(), limits=Limits(depth=2)).depth == 2


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "needs a limit"),
        ({"depth": 0}, "expected 1 to 64 plies, got 0"),
        ({"depth": 65}, "expected 1 to 64 plies"),
        ({"nodes": 0}, "expected 1 or more"),
        ({"seconds": 0.0}, "above 0"),
        ({"seconds": float("nan")}, "above 0"),
    ],
)
def test_impossible_limits_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Limits(**values)


def test_positions_without_moves_and_values_that_are_none() -> None:
    with pytest.raises(InputError, match="no legal move"):
        AlphaBeta().search(Position.from_fen("B:W21:B"), limits=Limits(depth=1))
    broken = AlphaBeta(Evaluator(CNN_247, np.full(CNN_247.weights, np.nan, np.float32)))
    for depth in (1, 4):
        with pytest.raises(EvaluationError):
            broken.search(Position.start(), limits=Limits(depth=depth))


def test_wins_are_proved_with_their_length() -> None:
    """Three kings against two: White wins in 15 plies, Black to move loses in 36 (known from endgame tables)."""
    position = Position.from_fen("W:WK22,K23,K24:BK31,K32")
    for name in ("material", "cnn"):
        result = AlphaBeta(EVALUATORS[name]).search(position, limits=Limits(depth=20))
        assert plies_to_win(result.score) == 15, name
        assert score_text(result.score) == "win in 15 plies"
        assert result.depth <= 16  # nothing to be gained by going on


def test_a_search_writes_to_its_memory_only() -> None:
    pad, word = 64, 0xA5A5_A5A5_A5A5_A5A5
    for name, evaluator in EVALUATORS.items():
        searcher = AlphaBeta(evaluator, SearchOptions(quiescence=True, table_bits=8))
        memory = searcher.memory
        guarded = []
        for attribute, index in MEMORY_WORDS.items():
            old = getattr(memory, attribute)
            room = np.full(old.nbytes // 8 + 2 * pad, word, np.uint64)
            inside = room[pad:-pad].view(old.dtype)
            inside[:] = old.reshape(-1)
            memory.context[index] += inside.ctypes.data - old.ctypes.data
            setattr(memory, attribute, inside.reshape(old.shape))
            guarded.append(room)
        before = [int(room[pad:-pad].sum()) for room in guarded]
        for position, _ in games(6, 61, 60):
            searcher.search(position, limits=Limits(depth=7))
        for attribute, room in zip(MEMORY_WORDS, guarded, strict=True):
            assert (room[:pad] == word).all() and (room[-pad:] == word).all(), (name, attribute)
        assert sum(int(room[pad:-pad].sum()) != old for room, old in zip(guarded, before, strict=True)) >= 5


MEMORY_WORDS = {
    "table": at.TABLE, "history": at.HISTORY, "lines": at.PV, "rows": at.ROWS, "records": at.RECORDS,
    "sums": at.SUMS, "scratch": at.SCRATCH, "leaf_cache": at.LEAF_CACHE, "line": at.ROOT_PV,
}  # fmt: skip


TOGETHER = SearchOptions(quiescence=True, table=FITTED, threads=3, **dict.fromkeys(SELECTIVE, True))
ALONE = replace(TOGETHER, threads=1)
MANY = Limits(seconds=1000)
WON = Position.from_fen("B:WK29:BK1,K5,K10,K14")


def test_threads_find_the_shortest_win() -> None:
    result = AlphaBeta(None, TOGETHER).search(WON, limits=MANY)
    assert result.score == AlphaBeta().search(WON, limits=Limits(20)).score
    assert result.move in moves.legal_moves(WON)


def test_searches_in_threads_play_a_game_with_a_kept_table() -> None:
    searcher, line = AlphaBeta(None, TOGETHER), [Position.start()]
    for _ in range(20):
        result = searcher.search(line[-1], line[:-1], limits=Limits(10, seconds=1000))
        assert result.depth == 10
        assert result.pv[0] == result.move
        line.append(moves.apply(line[-1], result.move))


def test_positions_of_all_threads_count() -> None:
    limits = Limits(9, seconds=1000)
    searcher = AlphaBeta(None, TOGETHER)
    assert searcher.search(Position.start(), limits=limits).nodes > int(searcher.memory.context[0])


@pytest.mark.parametrize("limits", [Limits(7), Limits(nodes=5000), Limits(nodes=5000, seconds=1000)])
def test_searches_that_time_does_not_end_are_the_same_with_threads(limits: Limits) -> None:
    results = [AlphaBeta(None, style).search(Position.start(), limits=limits) for style in (TOGETHER, ALONE)]
    assert replace(results[0], seconds=0.0) == replace(results[1], seconds=0.0)


def test_an_entry_of_which_two_threads_wrote_one_word_each_is_not_found() -> None:
    words = np.zeros((2, 4), np.uint64)
    key = np.uint64(0x1230)
    for score, entry in enumerate(words):
        table.store(key, entry.ctypes.data, 0, 1, score, 5, table.EXACT, 0, 0)
        assert table.score_from_table(table.probe(key, entry.ctypes.data, 0, 1, 1), 0) == score
    words[0, 1] = words[1, 1]
    assert table.probe(key, words[0].ctypes.data, 0, 1, 1) == 0


@pytest.mark.parametrize("options", ["", ",nodes=1000", ",depth=8", ",time=1,nodes=1000"])
def test_threads_need_a_search_that_time_ends(options: str) -> None:
    if cores() == 1:
        pytest.skip("one core")
    with pytest.raises(PlayerNameError, match="threads=2: only time ends a search in threads, so use time="):
        read_settings(parse_name(f"material,threads=2{options}"))


def test_more_threads_than_cores_are_refused() -> None:
    with pytest.raises(
        PlayerNameError, match=f"expected a whole number from 1 to {cores()}, the cores of this machine"
    ):
        read_settings(parse_name(f"material,time=1,threads={cores() + 1}"))
