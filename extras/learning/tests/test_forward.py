"""The forward pass of training says what the compiled kernel says, for every kind of layer and what stands beside."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from extras.learning import forward
from game.networks.evaluator import Evaluator
from game.networks.forward import inputs_of
from game.networks.kinds import neighbours
from game.networks.spec import Spec
from game.rules import BLACK
from tests.game.networks.network_samples import POLICIES, SLOWEST, SPECS, names, positions, slowest_in_check, tame

ALL = (*SPECS, *POLICIES)
SLOW_TO_COMPILE = (
    *(*SLOWEST, "cnn-247", "anaconda-5046", "tiles-of-three", "policy-alone", "blondie-1741", "one-dense"),
    *("one-dense-board", "convolutions-only", "checkersai-247", "tables-65", "tables-586"),
)
"""Their layers, and what stands beside them, are in others, too."""


def rows_of(count: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    """Positions as Black sees them, who is to move: own, opponent, kings, 1."""
    return np.array([(each.black, each.white, each.kings, 1) for each in positions(7, count)], np.uint64)


def near(result: object, expected: object) -> bool:
    """Compare as `pytest.approx` does with a tolerance of 1e-5, which takes a tenth of a second for some outputs."""
    one, other = np.asarray(result), np.asarray(expected)
    return bool((np.abs(one - other) <= 1e-5 * np.maximum(np.abs(other), 1)).all())


@pytest.mark.parametrize("spec", slowest_in_check(ALL, SLOW_TO_COMPILE), ids=names(ALL))
def test_outputs_are_those_of_the_kernel(spec: Spec) -> None:
    """Weights are multiples of the grid to which the kernel rounds those of the first layer."""
    genome = np.round(tame(spec, 3) * 2**12).astype(np.float32) / 2**12
    rows = rows_of(40)
    compiled = jax.jit(partial(forward.outputs, spec))  # quicker than each of its operations
    for king in (1.0, 2.0):
        evaluator = Evaluator(spec, genome, king)
        result = np.asarray(compiled(genome, inputs_of(rows[:, :3]), king))
        assert result.shape == (40, spec.outputs)
        assert near(result, evaluator.output_rows(rows[:, :3]))
        if spec.values:
            wdl = spec.heads is not None and spec.heads.value == "wdl"
            value = (chances := jax.nn.softmax(result[:, :3]))[:, 0] - chances[:, 2] if wdl else result[:, 0]
            assert near(value, evaluator.score_rows(rows, BLACK))


@pytest.mark.check
def test_gradients_of_a_diagonal_layer_are_those_of_its_plain_sum() -> None:
    draws = np.random.default_rng(1)
    values, weights, ways = (draws.normal(size=size).astype(np.float32) for size in ((32, 3, 2), (5, 2, 4), (32, 3, 4)))

    def plain(values: forward.Values, weights: forward.Values) -> forward.Values:
        around = jnp.pad(values, ((0, 1), (0, 0), (0, 0)))[np.array(neighbours())]
        return jnp.einsum("psni,pif->snf", around, weights)

    one, other = (
        jax.grad(lambda *given, f=f: (f(*given) * ways).sum(), (0, 1))(values, weights)
        for f in (forward._joined, plain)
    )
    for mine, known in zip(one, other, strict=True):
        assert np.asarray(mine) == pytest.approx(np.asarray(known), abs=1e-4)
