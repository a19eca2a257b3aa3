"""Bounds on the outputs of networks: never exceeded, and not far away."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from game.networks.evaluator import Evaluator
from game.networks.named import ANACONDA_5046, BLONDIE_1741, CNN_247
from game.networks.spec import Layer, Spec
from game.search.search import UNBOUNDED, float_words, output_bounds
from tests.cases import for_each
from tests.game.networks.network_samples import BY_MOVER, genomes
from tests.game.search.search_helpers import games

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
