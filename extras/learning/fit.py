"""Fitting a network to samples with an optax optimiser, compiled by jax, in one process with two threads.

The same weights, state, samples and order give bit-identical results on the same kind of processor and version of jax.
The number of threads is fixed because the order of some sums depends on it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

THREADS = 2
os.environ["NPROC"] = str(THREADS)  # read when jax makes its threads; another number would change results
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402
from jax.flatten_util import ravel_pytree  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from evolve.streams import Draw, stream  # noqa: E402
from extras.learning.session import Learnt  # noqa: E402

STEPS_A_CALL = 16
"""Optimiser steps per call of compiled code; between calls, the session handles requests."""

Loss = Callable[..., Any]
"""``loss(weights, *arrays)``: the mean loss of a batch, a jax scalar; weights are flat float32, arrays hold samples."""


class Fit:
    """An optimiser with its loss, compiled once.

    Args:
        optimiser: an optax optimiser; since its state is kept, schedules count steps from generation 0.
    """

    def __init__(self, loss: Loss, optimiser: optax.GradientTransformation, weights: int) -> None:
        self._optimiser = optimiser
        # Step counts become float32, too, which is exact up to 2**24.
        _, self._state_of = ravel_pytree(optimiser.init(jnp.zeros(weights, jnp.float32)))

        @partial(jax.jit, donate_argnums=(0, 1))
        def steps(weights: Any, state: Any, arrays: Any, order: Any) -> Any:
            def step(carried: Any, rows: Any) -> Any:
                weights, state = carried
                value, slope = jax.value_and_grad(loss)(weights, *(array[rows] for array in arrays))
                change, state = optimiser.update(slope, state, weights)
                return (optax.apply_updates(weights, change), state), value

            (weights, state), values = jax.lax.scan(step, (weights, state), order)
            return weights, state, values

        self._steps = steps

    def begin(self, weights: NDArray[np.float32]) -> Learnt:
        state = self._optimiser.init(jnp.asarray(weights))
        return Learnt(np.asarray(weights, np.float32), _flat(state))

    def run(
        self,
        learnt: Learnt,
        arrays: Sequence[NDArray[Any]],
        order: NDArray[np.int64],
        work: Callable[[str, int, int], None] = lambda what, done, total: None,
    ) -> tuple[Learnt, float]:
        """Run steps of the optimiser.

        Args:
            arrays: the samples, all of the same length.
            order: int64 of shape (steps, batch): indexes of samples.
            work: reports progress (`extras.learning.session.Workshop.work`).

        Returns:
            The new weights and state, and the mean loss.
        """
        weights, state = jnp.array(learnt.weights), self._state_of(jnp.array(learnt.state))
        samples = tuple(jnp.asarray(array) for array in arrays)
        losses = []
        for first in range(0, len(order), STEPS_A_CALL):
            batches = jnp.asarray(order[first : first + STEPS_A_CALL])
            weights, state, values = self._steps(weights, state, samples, batches)
            losses.append(np.asarray(values, np.float64))
            work("steps", min(first + STEPS_A_CALL, len(order)), len(order))
        mean = float(np.concatenate(losses).mean()) if losses else 0.0
        return Learnt(np.array(weights), _flat(state)), mean


def _flat(state: Any) -> NDArray[np.float32]:
    return np.array(ravel_pytree(state)[0], np.float32)


def warming(rate: float, steps: int) -> optax.Schedule:
    """Return the rate of each of some steps: it rises in the first twentieth, then falls to 0 along a cosine."""
    return optax.warmup_cosine_decay_schedule(0.0, rate, max(1, round(0.05 * steps)), steps + 1)


def shuffled(samples: int, batch: int, passes: float, generator: np.random.Generator) -> NDArray[np.int64]:
    """Return a random order of samples, int64 of shape (steps, batch): each sample once per pass, full batches only."""
    steps = max(int(passes * samples) // batch, 1) if samples else 0
    rounds = [generator.permutation(samples) for _ in range(-(-steps * batch // samples))] if samples else []
    return np.concatenate([np.empty(0, np.int64), *rounds])[: steps * batch].reshape(steps, batch).astype(np.int64)


def endless_order(seed: int, generation: int, samples: int, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Return the indexes of the samples that a generation learns from, int64 of this shape (steps, batch).

    An endless sequence consists of one random permutation of all samples after another; each generation takes the next
    part of it.
    """
    taken = shape[0] * shape[1]
    first = (generation - 1) * taken
    rounds = range(first // samples, -(-(first + taken) // samples))
    order = np.concatenate([stream(seed, each, Draw.LEARNING, 0).permutation(samples) for each in rounds])
    start = first - rounds[0] * samples
    return order[start : start + taken].reshape(shape)
