"""A fit and a learner in this process, for several tests."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import optax

from evolve.config.model import Config
from evolve.workers.processes import Rows, share
from extras.learning import forward
from extras.learning.fit import Fit, shuffled
from extras.learning.forward import inputs_of
from extras.learning.session import Learnt, Workshop
from game.networks.spec import Layer, Spec

SPEC = Spec(
    "x", "pieces", (Layer("diagonal", 16, 0, "relu"), Layer("dense", 64, 0, "relu"), Layer("dense", 1, 0, "none"))
)
SAMPLES = 600


def fitted() -> tuple[Fit, Learnt, tuple[np.ndarray, np.ndarray], np.random.Generator]:
    import jax.numpy as jnp

    generator = np.random.default_rng(1)
    rows = generator.integers(0, 2**32, (SAMPLES, 3)).astype(np.uint64)
    inputs, wanted = inputs_of(rows), generator.normal(size=SAMPLES).astype(np.float32)

    def loss(weights: object, inputs: object, wanted: object) -> object:
        return jnp.mean((forward.outputs(SPEC, weights, inputs)[:, 0] - wanted) ** 2)

    fit = Fit(loss, optax.adam(optax.cosine_decay_schedule(3e-3, 100)), SPEC.weights)
    begun = fit.begin((0.1 * generator.normal(size=SPEC.weights)).astype(np.float32))
    return fit, begun, (inputs, wanted), generator


def digest() -> str:
    fit, begun, arrays, generator = fitted()
    learnt, _ = fit.run(begun, arrays, shuffled(SAMPLES, 64, 2, generator))
    return hashlib.sha256(learnt.weights.tobytes() + learnt.state.tobytes()).hexdigest()


def make_workshop(config: Config, tasks: list[Any] | None = None, messages: list[str] | None = None) -> Workshop:
    """Return the services for a learner whose tasks are done in this process; they and its messages are listed."""

    def share_rows(genomes: Sequence[np.ndarray]) -> None:
        share(Rows(np.stack(genomes), np.ones(len(genomes), np.float32)))

    def do(function: Callable[[Any], Any], given: Iterable[Any]) -> Iterator[Any]:
        for task in given:
            (tasks if tasks is not None else []).append(task)
            yield function(task)

    def earlier(generation: int) -> np.ndarray:
        raise AssertionError(generation)

    messages = [] if messages is None else messages
    return Workshop(
        config,
        share_rows,
        do,
        lambda results, *_: iter(results),
        lambda *_: None,
        lambda: None,
        messages.append,
        earlier,
    )
