"""A selective search visits the same positions as its plain twin, and stores the same results in its table."""

from __future__ import annotations

import dataclasses
import itertools
import struct
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from game import moves
from game.board import Position
from game.networks.evaluator import Evaluator
from game.rules import BLACK, WCDF, DrawRules
from game.search import layout as at
from game.search import table_kernels as table
from game.search.interface import FITTED, LONG, Limits, SearchOptions, SearchResult
from game.search.search import AlphaBeta, relative_words, rotate_move
from tests.game.search.search_helpers import EVALUATORS, endings, games, value_of
from tests.naive_selective import Entry, Outcome, Selective

PARTS = ("quiescence", "threats", "twofold", "reductions", "pruning")
STYLES = [
    SearchOptions(table_bits=12, **dict(zip(PARTS, chosen, strict=True)))
    for chosen in itertools.product((False, True), repeat=len(PARTS))
]
"""All combinations of the parts of a selective search."""
ALL = SearchOptions(threats=True, twofold=True, reductions=True, pruning=True, table_bits=14)
CIRCLES = DrawRules(3, 12, True, 0)
"""Rules that draw many lines of kings."""


def _to_score(value: float) -> int:
    (bits,) = struct.unpack("<i", struct.pack("<f", value))
    return bits if bits >= 0 else -(bits & 0x7FFF_FFFF)


def _to_value(score: int) -> np.float32:
    (value,) = struct.unpack("<f", struct.pack("<i", abs(score)))
    return np.float32(value if score >= 0 else -value)


def twin_of(evaluator: Evaluator | None, searcher: AlphaBeta, side: int, rules: DrawRules) -> Selective:
    """Return the twin of a searcher for one side, with the same margins."""
    up, down = (int(searcher.memory.context[word]) for word in (at.MARGIN_UP, at.MARGIN_DOWN))

    def shifted(score: int, times: int) -> int:
        margin = up if times > 0 else down
        if evaluator is None:
            return score + times * margin
        return _to_score(_to_value(score) + np.float32(times) * _to_value(margin))

    def key(position: Position) -> int:
        words = map(np.uint64, relative_words(position, side))
        return int(table.position_key(*words, int(position.side != side)))

    value = value_of(evaluator)
    convert: Callable[[float], int] = round if evaluator is None else _to_score
    return Selective(
        searcher.memory.style, rules, lambda position, by: convert(value(position, by)), shifted, key,
        one_by_one=evaluator is None, **({} if evaluator is None else {"to_value": _to_value, "to_score": _to_score}),
    )  # fmt: skip


def stored(searcher: AlphaBeta) -> dict[int, Entry]:
    """Return the entries in the table of the last search, by key."""
    memory = searcher.memory
    oldest, newest = int(memory.context[at.OLDEST]), int(memory.context[at.AGE])
    used = 2 * (int(memory.context[at.BUCKET_MASK]) + 1)
    results = {}
    for mixed, data in reversed(memory.table[:used].tolist()):
        key = mixed ^ data
        if oldest <= data >> 55 <= newest:
            word = np.uint64(data)
            move = int(table.entry_move(word))
            results[key] = Entry(
                key, int(table.score_from_table(word, 0)), int(table.entry_depth(word)), int(table.entry_bound(word)),
                None if move == table.NO_MOVE else move, (data >> 55) - oldest,
            )  # fmt: skip
    return results


def history_of(searcher: AlphaBeta, twin: Selective, side: int) -> dict[int, int]:
    """Return the history counters of the twin by their places in the memory of the search."""
    counters = {}
    for (mover, path), count in twin.history.items():
        move = moves.Move(path) if side == BLACK else rotate_move(moves.Move(path))
        code = moves.encode(move, int(mover != side))
        counters[256 * (mover != side) + 4 * (code & 63) + (code >> 10)] = count
    return {place: count for place, count in counters.items() if count}


def agree(
    searcher: AlphaBeta,
    twin: Selective,
    position: Position,
    history: Sequence[Position],
    limits: Limits,
    *,
    goes_on: bool = False,
) -> moves.Move:
    """Check a search against its twin: each iteration, and what is left in table and counters; return the move."""
    depths: list[SearchResult] = []
    result = searcher.search(position, history, limits=limits, rules=twin.rules, on_depth=depths.append)
    expected = twin.search(position, history, limits.depth or 64, limits.nodes or 1 << 40, goes_on=goes_on)
    legal = moves.legal_moves(position)
    where = searcher.memory.style, position.fen(), [each.fen() for each in history]
    to_score = searcher._to_score

    def facts(outcome: Outcome) -> tuple[object, ...]:
        known = {move: (to_score(score), exact, depth) for move, (score, exact, depth) in outcome.moves.items()}
        return legal[outcome.best], to_score(outcome.score), outcome.depth, outcome.nodes, outcome.line, known

    def seen(outcome: SearchResult) -> tuple[object, ...]:
        known = {each.move: (each.score, each.exact, each.depth) for each in outcome.root}
        return outcome.move, outcome.score, outcome.depth, outcome.nodes, outcome.pv, known

    whole = [each for number, each in enumerate(expected, 1) if each.depth == number]
    assert [seen(each) for each in depths] == [facts(each) for each in whole], where
    assert seen(result) == facts(expected[-1]), where
    assert stored(searcher) == twin.table.entries, where
    counters = {place: count for place, count in enumerate(searcher.memory.history.tolist()) if count}
    assert counters == history_of(searcher, twin, position.side), where
    return result.move


def cases(count: int, seed: int) -> Iterator[tuple[Position, list[Position]]]:
    for position, history in games(count, seed, 60):
        yield position, history
    for position in endings(count, (3, 4, 5, 6, 8), seed):
        yield position, []


NAMES = ("material", "crownhead-1", "blondie", "tables", "patterns")


@pytest.mark.parametrize("name", NAMES)
def test_each_combination_of_parts_visits_the_positions_of_its_twin(name: str) -> None:
    evaluator = EVALUATORS[name]
    for number, style in enumerate(STYLES):
        if number % len(NAMES) != NAMES.index(name):
            continue
        searcher = AlphaBeta(evaluator, style)
        for position, history in cases(2, 10 * number):
            rules = CIRCLES if number % 2 else WCDF
            agree(searcher, twin_of(evaluator, searcher, position.side, rules), position, history, Limits(4))


@pytest.mark.parametrize("name", NAMES)
def test_a_selective_search_visits_the_positions_of_its_twin_at_each_depth(name: str) -> None:
    in_megabytes = dataclasses.replace(ALL, table=1)
    searchers = [AlphaBeta(EVALUATORS[name], style) for style in (ALL, in_megabytes)]
    for number, (position, history) in enumerate(cases(3, 5)):
        rules = CIRCLES if number % 2 else WCDF
        for searcher in searchers:
            agree(searcher, twin_of(EVALUATORS[name], searcher, position.side, rules), position, history, Limits(6))


SURROUNDED = ("B:WK8,K14,K17,K29:BK10", "B:WK9,K14,K29,K32:BK18", "W:WK4,K7,K9,K21:BK18")
"""A king whose first three moves may all lose, in which case none is searched less deep."""


@pytest.mark.parametrize("fen", SURROUNDED)
def test_lost_positions_are_searched_as_in_the_twin(fen: str) -> None:
    position = Position.from_fen(fen)
    for style in (SearchOptions(quiescence=True, reductions=True), ALL):
        searcher = AlphaBeta(None, style)
        agree(searcher, twin_of(None, searcher, position.side, WCDF), position, [], Limits(6))


@pytest.mark.parametrize("margin", [0, 25, 50])
def test_margins_that_just_reach_the_window_prune_as_in_the_twin(margin: int) -> None:
    searcher = AlphaBeta(None, ALL)
    searcher.memory.context[[at.MARGIN_UP, at.MARGIN_DOWN]] = margin
    for position, history in cases(2, 7):
        agree(searcher, twin_of(None, searcher, position.side, WCDF), position, history, Limits(6))


@pytest.mark.parametrize("bits", [1, 5])
def test_results_in_a_table_with_few_entries_are_replaced_as_in_the_twin(bits: int) -> None:
    searcher = AlphaBeta(None, dataclasses.replace(ALL, table_bits=bits))
    for position, history in cases(3, 6):
        agree(searcher, twin_of(None, searcher, position.side, WCDF), position, history, Limits(6))


@pytest.mark.parametrize("name", ["crownhead-1", "tables"])
def test_corrections_of_a_long_search_are_those_of_the_twin(name: str) -> None:
    evaluator = EVALUATORS[name]
    searcher = AlphaBeta(evaluator, dataclasses.replace(ALL, corrections=True, keeps_table=True))
    position, history = games(1, 8, 60)[0]
    twin = twin_of(evaluator, searcher, position.side, WCDF)
    for goes_on in (False, True):
        agree(searcher, twin, position, history, Limits(nodes=LONG), goes_on=goes_on)
        words = searcher.memory.corrections.astype(np.uint32).view(np.float32)
        assert {place: value for place, value in enumerate(words.tolist()) if value} == {
            place: value for place, value in twin.corrections.items() if value
        }
        history = [*history, position]
        position = moves.successors(moves.successors(position)[0][1])[0][1]
        history = [*history, moves.successors(history[-1])[0][1]]


@pytest.mark.parametrize("limits", [Limits(nodes=LONG - 1), Limits(12)])
def test_short_searches_correct_nothing(limits: Limits) -> None:
    results = []
    for corrections in (False, True):
        style = dataclasses.replace(ALL, corrections=corrections, table=FITTED)
        result = AlphaBeta(EVALUATORS["crownhead-1"], style).search(Position.start(), limits=limits)
        results.append(dataclasses.replace(result, seconds=0.0))
    assert results[0] == results[1]


@pytest.mark.check
def test_a_table_in_megabytes_grows_with_the_positions_as_that_of_the_twin() -> None:
    searcher = AlphaBeta(None, dataclasses.replace(ALL, table=1))
    twin = twin_of(None, searcher, BLACK, WCDF)
    agree(searcher, twin, Position.start(), [], Limits(20, 60_000))
    assert len(twin.table.buckets) == 1 << 14


def test_a_search_ends_at_the_same_position_as_its_twin() -> None:
    """Every few nodes, so that iterations end between any two moves of the root."""
    searcher = AlphaBeta(EVALUATORS["crownhead-1"], ALL)
    position, history = games(1, 8, 60)[0]
    for nodes in range(1, 900, 29):
        twin = twin_of(searcher.evaluator, searcher, position.side, WCDF)
        agree(searcher, twin, position, history, Limits(6, nodes))


@pytest.mark.parametrize("ages", [False, True])
@pytest.mark.parametrize("name", ["material", "crownhead-1"])
def test_a_kept_table_has_the_results_of_its_twin_in_a_whole_game(name: str, ages: bool) -> None:
    searcher = AlphaBeta(EVALUATORS[name], dataclasses.replace(ALL, keeps_table=True, table=int(ages)))
    line, twins = [Position.start()], dict[int, Selective]()
    for _ in range(18):
        position, history = line[-1], line[:-1]
        if not moves.legal_moves(position):
            break
        if len(line) == 9:
            line.append(moves.successors(position)[-1][1])
            continue
        goes_on = position.side in twins
        if not goes_on:
            twins[position.side] = twin_of(searcher.evaluator, searcher, position.side, CIRCLES)
        move = agree(searcher, twins[position.side], position, history, Limits(8, 400), goes_on=goes_on)
        line.append(moves.apply(position, move))
