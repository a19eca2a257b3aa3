"""The size of the transposition table and the age of its entries; bounds on the outputs of networks."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import replace

import numpy as np
import pytest

from game import moves
from game.board import Position
from game.errors import InputError
from game.networks.evaluator import Evaluator
from game.networks.named import ANACONDA_5046, BLONDIE_1741, CNN_247
from game.networks.spec import Layer, Spec
from game.rules import DrawRules
from game.search import layout as at
from game.search.interface import FITTED, Limits, SearchOptions, SearchResult
from game.search.memory import check_memory
from game.search.search import UNBOUNDED, AlphaBeta, float_words, output_bounds
from game.search.table_kernels import AGES
from tests.cases import for_each
from tests.game.networks.network_samples import BY_MOVER, genomes
from tests.game.search.search_helpers import games

KEEPING = SearchOptions(quiescence=True, keeps_table=True, table_bits=6, table=FITTED)
CIRCLING = DrawRules(0, 0, True, 2000)


@pytest.mark.parametrize(
    ("limits", "megabytes"),
    [
        (Limits(nodes=1), 4),
        (Limits(nodes=1 << 20), 4),
        (Limits(nodes=(1 << 20) + 1), 8),
        (Limits(nodes=10_000_000), 64),
        (Limits(nodes=1 << 26), 256),
        (Limits(nodes=10**15), 256),
        (Limits(seconds=0.001), 4),
        (Limits(seconds=1), 8),
        (Limits(seconds=1_000_000), 256),
        (Limits(20), 0),
        (Limits(20, seconds=5), 0),
        (Limits(20, nodes=100_000), 4),
        (Limits(21), 8),
        (Limits(64), 256),
        (Limits(None, 10_000_000, 0.1), 4),
    ],
)
def test_the_table_is_as_large_as_the_limits_let_it_grow(limits: Limits, megabytes: int) -> None:
    fitted = KEEPING.fitted(limits)
    assert fitted.table == megabytes
    assert fitted.entries == (megabytes << 16 or 1 << 6)
    assert fitted.ages == (megabytes > 0)
    for fixed in (dataclasses.replace(KEEPING, table=0), dataclasses.replace(KEEPING, table=1)):
        assert fixed.fitted(limits) == fixed


def facts(result: SearchResult) -> SearchResult:
    return dataclasses.replace(result, seconds=0.0)


def test_a_search_with_other_limits_than_the_last_one_begins_with_an_empty_table_of_its_size() -> None:
    searcher, line, sizes = AlphaBeta(None, KEEPING), [Position.start()], []
    for limits in (Limits(nodes=3000), Limits(nodes=1_100_000), Limits(6), Limits(nodes=1_100_000), Limits(nodes=2000)):
        result = searcher.search(line[-1], line[:-1], limits=limits)
        assert facts(result) == facts(AlphaBeta(None, KEEPING).search(line[-1], line[:-1], limits=limits))
        sizes.append(2 * (int(searcher.memory.context[at.LARGEST_MASK]) + 1))
        line.append(moves.apply(line[-1], result.move))
        line.append(moves.successors(line[-1])[0][1])
    assert sizes == [4 << 16, 8 << 16, 1 << 6, 8 << 16, 4 << 16]
    leaves = searcher.memory.leaf_cache
    assert len(leaves) == 1 << 16 == searcher.memory.context[at.LEAF_CACHE_MASK] + 1
    assert searcher.memory.context[at.LEAF_CACHE] == leaves.ctypes.data


@pytest.mark.parametrize(
    ("options", "leaves"),
    [({"table_bits": 10}, 1 << 12), ({"table_bits": 14}, 1 << 12), ({"table": 4}, 1 << 16), ({"table": 256}, 1 << 18)],
)
def test_players_keep_as_many_leaves_as_they_were_rated_with_unless_their_table_is_large(
    options: dict[str, int], leaves: int
) -> None:
    assert SearchOptions(**options).cached_leaves == leaves


def test_ages_run_out_at_the_same_move_after_any_earlier_searches() -> None:
    """In a game of kings that is longer than there are ages."""
    used, fresh, limits = AlphaBeta(None, KEEPING), AlphaBeta(None, KEEPING), Limits(nodes=40)
    for number in range(100):
        opening = moves.successors(Position.start())[number % 7][1]
        used.search(opening, limits=limits)
    kings, ages = Position.from_fen("B:WK32,K28,K24:BK1,K5,K9"), []
    line = [kings]
    for turn in range(AGES + 40):
        result = used.search(line[-1], line[:-1], limits=limits, rules=CIRCLING)
        assert facts(result) == facts(fresh.search(line[-1], line[:-1], limits=limits, rules=CIRCLING)), turn
        ages.append(int(used.memory.context[at.AGE]))
        for move in result.pv[:2]:
            line.append(moves.apply(line[-1], move))
        assert len(line) == 2 * turn + 3
    assert max(ages) == AGES - 1 and ages[-1] < 50


def test_tables_larger_than_the_memory_are_refused() -> None:
    with pytest.raises(InputError, match=r"^table=1000000000: needs 1,000,000,000 MB of memory, and .* are free"):
        check_memory(10**9, 1)
    with pytest.raises(InputError, match="two tables, one for each colour, need 2,000,000,000 MB"):
        check_memory(10**9, 2)


@pytest.mark.parametrize("size", [-2, 3, 5, 1 << 15])
def test_sizes_that_no_table_can_have(size: int) -> None:
    with pytest.raises(InputError, match=f"table: expected a power of 2, 1 to 16,384 megabytes, got {size}"):
        SearchOptions(table=size)


SPECS = {spec.name: replace(spec, piece_difference=False) for spec in (CNN_247, BLONDIE_1741, ANACONDA_5046)}


def bounds_of(spec: Spec, weights: np.ndarray, king: float = 1.5) -> tuple[float, float] | None:
    evaluator = Evaluator(spec, weights, king)
    return output_bounds(evaluator.program, evaluator.params, king)


@pytest.mark.parametrize("name", SPECS)
def test_no_output_lies_beyond(name: str) -> None:
    spec = SPECS[name]
    positions = [position for position, _ in games(40, 3, 70)]
    for number, size in enumerate((0.1, 1.0, 30.0)):
        weights = genomes(spec, 60 + number, 1, size)[0]
        low, high = bounds_of(spec, weights) or UNBOUNDED
        results = [value for side in (0, 1) for value in Evaluator(spec, weights, 1.5).scores(positions, side)]
        assert low <= min(results) <= max(results) <= high
        assert high - low < 2.01 * (np.abs(weights).max() * 41)


def test_bounds_by_hand() -> None:
    """Two hidden outputs, weights 0.5 and -2, bias 3: from 0.5 to 5.5, and a thousandth of 5.5 more.

    None if an output may be no finite number: weights that are none, or so large that sums overflow.
    """
    spec = Spec("small", "squares", (Layer("dense", 2, 0, "tanh"), Layer("dense", 1, 0, "tanh")))
    weights = np.zeros(spec.weights, np.float32)
    weights[-3:] = 0.5, -2.0, 3.0
    assert bounds_of(spec, weights) == pytest.approx((0.4945, 5.5055))
    assert bounds_of(replace(spec, layers=(Layer("dense", 2, 0, "relu"), *spec.layers[1:])), weights) == UNBOUNDED
    single = Spec("single", "squares", (Layer("dense", 1, 0, "none"),))
    assert bounds_of(single, np.ones(33, np.float32)) == UNBOUNDED
    weights[0] = 1e28
    assert bounds_of(spec, weights) == pytest.approx((0.4945, 5.5055))
    for bad in (2e30, math.inf, math.nan):
        weights[0] = bad
        assert bounds_of(spec, weights) is None
    weights[0] = 0.0
    assert bounds_of(spec, weights, 2e30) is None
    layers = (*(Layer("dense", 2, 0, "relu") for _ in range(6)), *spec.layers)
    assert bounds_of(Spec("deep", "squares", layers), np.full(105, 1e5, np.float32)) is None
    assert bounds_of(Spec("deep", "squares", layers), np.full(105, 1e2, np.float32)) is not None


@for_each("spec", BY_MOVER)
def test_networks_that_see_the_side_to_move_have_no_bounds(spec: Spec) -> None:
    weights = genomes(spec, 60, 1, 0.5)[0]
    assert bounds_of(spec, weights) == UNBOUNDED
    for index in (0, spec.weights - 1):
        for bad in (2e30, math.inf, math.nan):
            assert bounds_of(spec, np.where(np.arange(spec.weights) == index, np.float32(bad), weights)) is None
    assert bounds_of(spec, weights, 2e30) is None


def test_words_are_those_of_floats() -> None:
    assert np.array(float_words((-1.5, math.inf)), np.int32).view(np.float32).tolist() == [-1.5, math.inf]
