"""Patterns, compared with a slow twin."""

from __future__ import annotations

import numpy as np

from extras.weights.patterns import count_used, find_strongest
from game.networks.spec import Spec
from game.networks.windows import CELLS, WINDOWS
from tests.cases import for_each
from tests.naive_network import pattern_sums

TWO = Spec(
    "patterns", "pieces", (), king=1.5, piece_difference=True, tables=True, patterns=True, phases=2, margins=True
)
ONE = Spec("one", "pieces", (), piece_difference=True, tables=True, patterns=True)


@for_each("spec", [TWO, ONE])
@for_each("seed", range(8))
def test_men_on_these_squares_are_worth_that(spec: Spec, seed: int) -> None:
    generator = np.random.default_rng(seed)
    phase, window, cell = (int(generator.integers(0, most)) for most in (spec.phases, WINDOWS, CELLS - 1))
    cell += 1  # there is a man
    weights = np.ones(spec.weights, np.float32)
    of_patterns = spec.pattern_part.of(weights)
    of_patterns[:] = 0
    of_patterns.reshape(spec.phases, WINDOWS, CELLS)[phase, window, cell] = -0.25
    assert count_used(spec, weights) == (1, spec.phases * WINDOWS * CELLS)
    (result,) = find_strongest(spec, weights, 5)
    assert (result.value, result.pieces) == (-0.25, 0 if phase else 24)
    assert len({*result.own, *result.theirs, *result.empty}) == 8
    fen = f"B:W{','.join(map(str, result.theirs))}:B{','.join(map(str, result.own))}"
    assert pattern_sums(spec, weights.tolist(), fen, "B")[phase] == -0.25


def test_the_strongest_come_first() -> None:
    weights = np.zeros(ONE.weights, np.float32)
    weights[[64, 65, 65 + CELLS, 66, 70, 900]] = 9.0, 9.0, 9.0, 0.5, -2.0, 0.25
    assert [each.value for each in find_strongest(ONE, weights, 2)] == [-2.0, 0.5]
    assert count_used(ONE, weights) == (5, 59_049)
