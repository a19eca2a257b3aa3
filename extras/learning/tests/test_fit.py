"""Fitting by an optimiser of optax: it learns, its state comes back to the bit, and cores decide nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from extras.learning.fit import STEPS_A_CALL, shuffled
from extras.learning.session import Learnt
from extras.learning.tests.fit_helpers import SAMPLES, SPEC, digest, fitted


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

    def tick(done: int) -> None:
        messages.append(done)
        if done >= 32:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit.run(begun, arrays, shuffled(SAMPLES, 64, 10, generator), tick)
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
    one_core = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True, env=environment
    )
    assert one_core.stdout.strip() == digest()
