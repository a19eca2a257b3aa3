"""Separable CMA-ES by hand, and where results are pure chance."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evolve.kinds.individual import Individual
from extras.prediction.cma import SeparableCmaEs
from tests.evolve.kinds.test_optimisers import WEIGHTS, founder, generation_of, philox, ranked


def test_a_generation_of_separable_cma_es_follows_the_formulas_of_the_tutorial() -> None:
    optimiser = SeparableCmaEs(step=0.3)
    mean = optimiser.begin(founder())
    for number in (1, 2, 3):
        before, made = mean, generation_of(optimiser, mean, number)
        result = ranked(made, [0, *philox(number).permutation(16)], parents=9)
        mean = optimiser.tell(result)
    assert before.state is not None
    assert mean.state is not None
    n, old, new = WEIGHTS, np.asarray(before.state, float), np.asarray(mean.state, float)
    factors = old[1 + 2 * n :]
    effective = 1 / (result.rank_weights**2).sum()
    c_s, c_c = (effective + 2) / (n + effective + 5), (4 + effective / n) / (n + 4 + 2 * effective / n)
    faster = (n + 2) / 3
    c_1 = faster * 2 / ((n + 1.3) ** 2 + effective)
    c_m = faster * 2 * (effective - 2 + 1 / effective) / ((n + 2) ** 2 + effective)
    damping = 1 + 2 * max(0, math.sqrt((effective - 1) / (n + 1)) - 1) + c_s
    ways = result.moves / old[0]
    way = result.weights @ ways / math.sqrt(((result.weights[0::2] - result.weights[1::2]) ** 2).sum())
    path_s = (1 - c_s) * old[1 : 1 + n] + math.sqrt(c_s * (2 - c_s)) * way / factors
    np.testing.assert_allclose(new[1 : 1 + n], path_s, rtol=1e-4, atol=1e-6)
    length = np.linalg.norm(path_s) / (math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n)))
    assert new[0] == pytest.approx(old[0] * math.exp(c_s / damping * (length - 1)), rel=1e-5)
    steady = length < 1.4 + 2 / (n + 1)
    path = (1 - c_c) * old[1 + n : 1 + 2 * n] + steady * math.sqrt(c_c * (2 - c_c)) * way
    np.testing.assert_allclose(new[1 + n : 1 + 2 * n], path, rtol=1e-4, atol=1e-6)
    kept = 1 - c_1 - c_m + (0 if steady else c_1 * c_c * (2 - c_c))
    expected = kept * factors**2 + c_1 * path**2 + c_m * result.weights @ ways**2
    np.testing.assert_allclose(new[1 + 2 * n :] ** 2, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("most", [1, 4])
def test_games_that_are_pure_chance_leave_the_step_size_where_it_is(most: int) -> None:
    """Also where half of all pairs are level: these move nothing, and must not look like a mean that wavers."""
    optimiser = SeparableCmaEs(step=0.2)
    steps = []
    for seed in range(6):
        mean = optimiser.begin(Individual(np.zeros(20)))
        for number in range(40):
            drawn = philox(100 * seed + number).integers(-most, most + 1, 16)
            points = [0, *np.stack([drawn, -drawn], axis=1).reshape(-1)]
            mean = optimiser.tell(ranked(generation_of(optimiser, mean, 1000 * seed + number, 16), points, 17))
        assert mean.state is not None
        steps.append(math.log(mean.state[0] / 0.2))
    assert abs(float(np.mean(steps))) < 0.35  # they walk at random by 0.5 in a run
