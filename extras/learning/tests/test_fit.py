"""Fitting by an optimiser of optax, and the forward pass of training against the compiled kernel."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from extras.learning import forward
from extras.learning.fit import STEPS_A_CALL, shuffled
from extras.learning.forward import inputs_of
from extras.learning.session import Learnt
from extras.learning.tests.fit_helpers import SAMPLES, SPEC, digest, fitted
from game.networks.evaluator import Evaluator
from game.networks.kinds import neighbours
from game.networks.spec import Spec
from game.rules import BLACK
from tests.game.networks.network_samples import POLICIES, SLOWEST, SPECS, names, positions, slowest_in_check, tame
from tests.processes import completed


def test_a_few_samples_are_learnt_by_heart() -> None:
    fit, begun, arrays, _ = fitted()
    few = tuple(array[:32] for array in arrays)
    learnt, before = fit.run(begun, few, np.tile(np.arange(32), (16, 1)))
    learnt, _ = fit.run(learnt, few, np.tile(np.arange(32), (400, 1)))
    _, last = fit.run(learnt, few, np.tile(np.arange(32), (16, 1)))
    assert last < 0.02 * before


def test_state_comes_back_to_the_bit() -> None:
    fit, begun, arrays, generator = fitted()
    order = shuffled(SAMPLES, 64, 4, generator)[: STEPS_A_CALL + 4]
    straight, _ = fit.run(begun, arrays, order)
    learnt = begun
    for part in (order[:4], order[4:]):  # each number of steps is compiled on its own
        again = Learnt(learnt.weights.copy(), learnt.state.copy())
        learnt, _ = fit.run(again, arrays, part)
    assert len(begun.state) == 2 * SPEC.weights + 2  # moments, and steps of optimiser and schedule
    assert learnt.weights.tobytes() == straight.weights.tobytes()
    assert learnt.state.tobytes() == straight.state.tobytes()


def test_progress_is_reported_and_can_end_the_fit() -> None:
    fit, begun, arrays, generator = fitted()
    messages: list[int] = []

    def work(what: str, done: int, total: int) -> None:
        messages.append(done)
        if done >= 32:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit.run(begun, arrays, shuffled(SAMPLES, 64, 10, generator), work)
    assert messages == [16, 32]


def test_an_order_has_each_sample_once_a_pass() -> None:
    order = shuffled(100, 10, 3, np.random.default_rng(1))
    assert order.shape == (30, 10)
    for part in order.reshape(3, 100):
        assert sorted(part.tolist()) == list(range(100))
    assert shuffled(0, 10, 3, np.random.default_rng(1)).shape == (0, 10)
    assert shuffled(7, 10, 1, np.random.default_rng(1)).shape == (1, 10)


@pytest.mark.check
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system does not bind processes to cores")
def test_fits_do_not_depend_on_cores_and_environment() -> None:
    code = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); "
        "from extras.learning.tests.fit_helpers import digest; print(digest())"
    )
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_cpu_multi_thread_eigen=false"
    environment = {**os.environ, "NPROC": "7", "XLA_FLAGS": flags}
    root = Path(__file__).parents[3]
    one_core = completed([sys.executable, "-c", code], cwd=root, check=True, env=environment)
    assert one_core.stdout.strip() == digest()


ALL = tuple(spec for spec in (*SPECS, *POLICIES) if spec.phases == 1 and not spec.patterns)
SLOW_TO_COMPILE = (
    *(*SLOWEST, "cnn-247", "anaconda-5046", "tiles-of-three", "policy-alone", "blondie-1741", "one-dense"),
    *("one-dense-board", "convolutions-only", "checkersai-247", "tables-65", "tables-586", "one-look", "odd-taps"),
    *("own-negative", "residual-tiles", "dense-policy"),
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
    rows, spec = rows_of(40), replace(spec, king=1.75)
    compiled = jax.jit(partial(forward.outputs, spec))  # quicker than each of its operations
    evaluator = Evaluator(spec, genome, spec.king)
    result = np.asarray(compiled(genome, inputs_of(rows[:, :3])))
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
