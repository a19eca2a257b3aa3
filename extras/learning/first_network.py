"""The first network of q-learning: random, or taught by ten metrics of a board.

A small model learns to predict which side is ahead from ten metrics (`extras.learning.metrics`) of the first boards of
the game tree. The network then learns the model's predictions; boards that the model gets wrong count a third as much.

Source: Lheureux, Building a checkers gaming agent using deep Q-learning (2022), for both models, penalties, optimiser
and samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.flatten_util import ravel_pytree
from numpy.typing import NDArray

from extras.learning import metrics
from extras.learning.fit import Fit
from extras.learning.forward import inputs_of, outputs
from game.networks.spec import Spec

BOARDS, EPOCHS, BATCH = 10_000, 32, 64
RECORDED = 50_000
"""The most positions of recorded games that a first network learns."""
STEP = 1e-3
HIDDEN = 32, 16
"""Units of the hidden layers of the model."""
PENALTY, BOARD_PENALTY = 0.1, 0.01
"""Coefficients of the L2 penalty on all weights after the first layer: of the model, and of the network."""
MODEST = 0.15
"""Upper limit of the mean absolute value of a network's outputs after `modest`."""

Floats = NDArray[np.float32]
Genome = Any
"""Parameters for which jax can compute a gradient: an array, or a list of arrays."""


def random_weights(spec: Spec, generator: np.random.Generator) -> Floats:
    """Return uniformly distributed weights, scaled by the number of inputs and outputs of each layer; biases are 0.

    Source: Glorot and Bengio, Understanding the difficulty of training deep feedforward neural networks (2010).
    """
    weights = np.zeros(spec.weights, np.float32)
    for number in range(len(spec.layers)):
        part = spec.layer_parts(number)[0]
        part.of(weights)[...] = _glorot(part.shape, generator)
    return weights


def widened(spec: Spec, before: Spec, weights: Floats, generator: np.random.Generator) -> Floats:
    """Return the weights of a wider network that has the same outputs: its new units have no effect at first.

    Source: Chen, Goodfellow and Shlens, Net2Net: accelerating learning via knowledge transfer (2016), for the idea.

    Args:
        weights: its weights, float32 of shape (before.weights,).
    """
    wide = random_weights(spec, generator)
    for part, narrow in zip(spec.parts, before.parts, strict=True):
        section = part.of(wide)
        section[narrow.shape[0] :] = 0.0
        section[tuple(map(slice, narrow.shape))] = narrow.of(weights)
    return wide


def taught(
    spec: Spec, weights: Floats, generator: np.random.Generator, progress: Callable[[int, int], None]
) -> tuple[Floats, float, float]:
    """Fit the model to the labels of boards, then the network to the model.

    Returns:
        The new weights, and the share of boards whose label is predicted correctly by the model, and by the network.
    """
    rows = metrics.tree(BOARDS)
    numbers = metrics.metrics(rows)
    labels = metrics.labels(numbers).astype(np.float32)
    shapes = list(zip((len(metrics.NAMES), *HIDDEN), (*HIDDEN, 1), strict=True))
    layers = [(_glorot(shape, generator), np.zeros(shape[1], np.float32)) for shape in shapes]
    flat, as_layers = ravel_pytree(layers)

    def forward(model: Genome, values: Any) -> Any:
        return _forward(as_layers(model), values)

    def penalty(model: Genome) -> Any:
        return PENALTY * sum(jnp.sum(weights**2) for weights, _ in as_layers(model)[1:])

    seen = numbers.astype(np.float32)
    data = seen, labels, np.ones_like(labels)
    model = _fit(np.asarray(flat), forward, penalty, data, generator, lambda at: progress(at, 2 * EPOCHS))
    predicted = np.where(np.asarray(forward(model, seen)) < 0, -1.0, 1.0).astype(np.float32)
    trust = (1.0 / (1.0 + np.abs(labels - predicted))).astype(np.float32)

    # A network that knows the side to move values a board for that side, but the labels are for the other side.
    boards, sign = (metrics.turned(rows), -1.0) if spec.by_mover else (rows, 1.0)
    inputs = inputs_of(boards)
    data = inputs, (sign * predicted).astype(np.float32), trust
    value, penalised = partial(_value, spec), partial(board_penalty, spec)
    genome = _fit(weights, value, penalised, data, generator, lambda at: progress(EPOCHS + at, 2 * EPOCHS))
    agreed = np.where(np.asarray(value(genome, inputs)) < 0, -1.0, 1.0) == sign * labels
    return genome, float((predicted == labels).mean()), float(agreed.mean())


def taught_by_games(
    spec: Spec,
    weights: Floats,
    rows: NDArray[np.uint64],
    results: NDArray[np.int8],
    generator: np.random.Generator,
    progress: Callable[[int, int], None],
) -> tuple[Floats, float]:
    """Fit a network to the results of recorded games, without a penalty: they say less of a board than its metrics.

    Args:
        rows: uint64 (n, 3), boards of these games as the side to move sees them.
        results: int8 (n,), 0 if the side to move won its game, 1 for a draw, 2 if it lost.

    Returns:
        The new weights, and the share of boards of decided games whose winner is predicted correctly.
    """
    chosen = generator.permutation(len(rows))[:RECORDED]
    rows, labels = rows[chosen], (1.0 - results[chosen]).astype(np.float32)
    # A network that does not know the side to move values a board for the side that has just moved.
    inputs, targets = inputs_of(rows if spec.by_mover else metrics.turned(rows)), labels if spec.by_mover else -labels

    value, data = partial(_value, spec), (inputs, targets, np.ones_like(targets))
    genome = _fit(weights, value, lambda genome: 0.0, data, generator, lambda at: progress(at, EPOCHS))
    decided = targets != 0
    agreed = np.where(np.asarray(value(genome, inputs)) < 0, -1.0, 1.0) == targets
    return genome, float(agreed[decided].mean()) if decided.any() else 0.0


def modest(spec: Spec, weights: Floats, rows: NDArray[np.uint64]) -> Floats:
    """Scale down the last layer so that values are small on boards that the network was taught with.

    A label says which side is ahead, but not by how much; values near 1 and -1 would take long to unlearn.
    """
    size = float(np.abs(np.asarray(outputs(spec, weights, inputs_of(rows)))).mean())
    last, scaled = spec.layer_parts(len(spec.layers) - 1), weights.copy()
    scaled[last[0].start : last[1].stop] *= np.float32(MODEST / max(size, MODEST))
    return scaled


def board_penalty(spec: Spec, weights: Genome) -> Any:
    parts = [spec.layer_parts(number)[0] for number in range(1, len(spec.layers))]
    return BOARD_PENALTY * sum(jnp.sum(part.of(weights) ** 2) for part in parts)


def _glorot(shape: tuple[int, ...], generator: np.random.Generator) -> Floats:
    seen = math.prod(shape[:-1])
    limit = math.sqrt(6.0 / (seen + math.prod(shape[:-2]) * shape[-1]))
    return generator.uniform(-limit, limit, shape).astype(np.float32)


def _value(spec: Spec, genome: Genome, inputs: Any) -> Any:
    return 2.0 * outputs(spec, genome, inputs)[:, 0]  # tanh(x) = 2 logistic(2 x) - 1


def _forward(layers: Genome, values: Any) -> Any:
    """Return the log odds that a side is ahead, from its ten metrics."""
    for number, (weights, biases) in enumerate(layers):
        values = values @ weights + biases
        if number < len(layers) - 1:
            values = jax.nn.relu(values)
    return values[:, 0]


def _fit(
    genome: Genome,
    forward: Callable[[Genome, Any], Any],
    penalty: Callable[[Genome], Any],
    data: tuple[Floats, Floats, Floats],
    generator: np.random.Generator,
    progress: Callable[[int], None],
) -> Floats:
    def loss(genome: Genome, inputs: Any, labels: Any, trust: Any) -> Any:
        losses = optax.sigmoid_binary_cross_entropy(forward(genome, inputs), 0.5 + 0.5 * labels)
        return jnp.mean(trust * losses) + penalty(genome)

    fit, steps = Fit(loss, optax.nadam(STEP), len(genome)), len(data[0]) // BATCH
    learnt = fit.begin(genome)
    for number in range(EPOCHS):
        progress(number)
        order = generator.permutation(len(data[0]))[: steps * BATCH].reshape(steps, BATCH)
        learnt, _ = fit.run(learnt, data, order)
    return learnt.weights
