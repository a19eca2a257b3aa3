"""A policy taught by recorded games: which first step the players chose, of those that were legal.

The loss is cross-entropy over legal first steps, so outputs of illegal ones are free. Forced positions are left out of
training. Every generation learns from so many positions, in an order that the seed decides, each as often as any other.

Source: Larson, Deep reinforcement learning for checkers: pretraining a policy (2016), for the labels; the network, the
split by game and the figures over legal moves are not his.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from evolve.kinds.methods import SURE, TOP, Policy, beside
from evolve.learning.fit import Fit
from evolve.learning.forward import outputs
from evolve.learning.learner import Learner, Learnt, Outcome, Workshop
from evolve.learning.recorded import STEPS, Part, Samples, read_recorded
from evolve.streams import Draw, stream
from evolve.strength.clusters import share_interval
from game.errors import InputError
from game.networks.forward import inputs_of
from game.networks.spec import Layer, Spec

WARMING = 0.05
"""Part of the generations in which the rate rises."""
SMALL, HEAD = 0.1, 0.3
"""How large weights of layers with residual additions and of heads are at first, beside those of others."""
NOISE, SQUARES = 0.02, 0.3
"""How far weights and biases of a linear layer are from changing nothing at first."""
ILLEGAL = -1e9
MEASURED_AT_ONCE = 512

Floats = NDArray[np.float32]


class PolicyLearner(Learner):
    """As `evolve.learning.learner.Learner` says."""

    def __init__(self, workshop: Workshop) -> None:
        super().__init__(workshop)
        how, spec = self.config.learning.method, self.config.network
        assert isinstance(how, Policy)
        how.check_outside()
        read = read_recorded(how.games, validation=how.validation, test=how.test, losers=how.losers, tick=workshop.tick)
        training = read.parts[Part.TRAINING]
        learnt_from = training.with_choice()
        if not len(learnt_from):
            raise InputError(f"{how.games}: no position of its games can be learnt from")
        workshop.say(f"{read.words()}; {len(learnt_from):,} positions with a choice")
        self._how, self._spec = how, spec
        steps = how.samples // how.batch or 1
        self._shape = steps, how.batch
        last = steps * how.settled
        self._rate = optax.warmup_cosine_decay_schedule(0.0, how.rate, max(1, round(WARMING * last)), last + 1)
        self._fit = Fit(
            lambda *batch: loss(spec, *batch), optax.adamw(self._rate, b2=0.99, weight_decay=how.decay), spec.weights
        )
        self._arrays: Any = tuple(map(jnp.asarray, arrays_of(spec, learnt_from)))
        self._measures = Measures(spec, training, read.parts[Part.VALIDATION])
        self._test = partial(Measures, spec, training, read.parts[Part.TEST])  # made when the last generation needs it

    def begin(self) -> Outcome:
        """A network of random weights, measured."""
        weights = first_weights(
            self._spec, stream(self.config.seed, 0, Draw.LEARNING), placed=self._how.start == "placed"
        )
        return Outcome(self._fit.begin(weights), numbers=self._numbers(0, weights))

    def learn(self, generation: int, learnt: Learnt) -> Outcome:
        """Learn from the positions of a generation."""
        order = self._order(generation)
        done = self.workshop.work
        fitted, mean = self._fit.run(learnt, self._arrays, order, lambda steps: done("steps", steps, len(order)))
        return Outcome(fitted, order.size, mean, numbers=self._numbers(generation, fitted.weights))

    def _order(self, generation: int) -> NDArray[np.int64]:
        """Indexes of samples, (steps, batch): where a generation stands in an order of all of them again and again."""
        count, taken = len(self._arrays[0]), self._shape[0] * self._shape[1]
        first = (generation - 1) * taken
        rounds = range(first // count, -(-(first + taken) // count))
        order = np.concatenate([stream(self.config.seed, each, Draw.LEARNING, 0).permutation(count) for each in rounds])
        start = first - rounds[0] * count
        return order[start : start + taken].reshape(self._shape)

    def _numbers(self, generation: int, weights: Floats) -> dict[str, float | int | None]:
        numbers: dict[str, float | int | None] = dict.fromkeys(Policy.columns)
        numbers["rate"] = float(self._rate(generation * self._shape[0]))
        numbers |= self._measures.of(weights, self.workshop.tick)
        if generation == self.config.generations:
            test = self._test().of(weights, self.workshop.tick)
            numbers |= {name: test[name.removeprefix("test_")] for name in Policy.columns if name.startswith("test_")}
        return numbers


def arrays_of(spec: Spec, samples: Samples) -> tuple[NDArray[np.uint8], NDArray[np.int16], NDArray[np.uint8]]:
    """What a batch of `loss` is made of: inputs, labels, and packed legal first steps."""
    parts = np.array_split(samples.rows, len(samples) // 50_000 + 1)
    inputs = [inputs_of(rows).astype(np.uint8) for rows in parts]
    return np.concatenate(inputs), samples.labels, samples.legal


def logits(spec: Spec, weights: Any, inputs: Any, legal: Any) -> Any:
    """Outputs of legal first steps, (positions, 128); those of others are as good as never."""
    bits = (legal[:, :, None] >> jnp.arange(7, -1, -1, dtype=jnp.uint8)) & 1
    return jnp.where(bits.reshape(-1, STEPS) != 0, outputs(spec, weights, inputs.astype(jnp.float32)), ILLEGAL)


def loss(spec: Spec, weights: Any, inputs: Any, labels: Any, legal: Any) -> Any:
    """Mean cross-entropy over legal first steps."""
    found = logits(spec, weights, inputs, legal)
    return optax.softmax_cross_entropy_with_integer_labels(found, labels.astype(jnp.int32)).mean()


def first_weights(spec: Spec, generator: np.random.Generator, *, placed: bool = False) -> Floats:
    """Normally distributed weights by the number of inputs of an output; biases are 0. Layers with residual additions
    begin small, so that at first a network does little more than its layers without. If it is `placed`, a linear layer
    with as many units as inputs changes next to nothing at first, but tells squares apart: neighbours stay neighbours.

    Source: He et al., Delving deep into rectifiers (2015), for the variance.
    """
    weights = np.zeros(spec.weights, np.float32)
    for number in range(len(spec.layers) + len(spec.head_layers)):
        part, *biases = spec.layer_parts(number)
        shape = part.shape
        if placed and number < len(spec.layers) and _keeps_places(spec.layers[number], shape):
            part.of(weights)[...] = np.eye(shape[0]) + NOISE * generator.standard_normal(shape)
            for bias in biases:
                bias.of(weights)[...] = SQUARES * generator.standard_normal(bias.shape)
            continue
        size = HEAD if number >= len(spec.layers) else SMALL if spec.layers[number].residual else 1.0
        part.of(weights)[...] = size * np.sqrt(2.0 / np.prod(shape[:-1])) * generator.standard_normal(shape)
    return weights


def _keeps_places(layer: Layer, shape: tuple[int, ...]) -> bool:
    return layer.kind == "dense" and layer.activation == "none" and len(shape) == 2 and shape[0] == shape[1]


class Measures:
    """How well a policy foretells the moves of games that it has not learnt from.

    Args:
        spec: the network.
        training: samples that it learns from: their boards are those seen.
        held_out: samples that it is measured by.
    """

    def __init__(self, spec: Spec, training: Samples, held_out: Samples) -> None:
        self._samples, self._inputs = held_out, arrays_of(spec, held_out)[0]
        choice = held_out.choices > 1
        known = {row.tobytes() for row in np.ascontiguousarray(training.rows)}
        seen = np.array([row.tobytes() in known for row in np.ascontiguousarray(held_out.rows)], bool)
        self._kinds = {"all": np.ones(len(choice), bool), "choice": choice}
        self._kinds |= {"seen": choice & seen, "unseen": choice & ~seen}
        self._outputs = jax.jit(lambda weights, inputs: outputs(spec, weights, inputs.astype(jnp.float32)))

    def of(self, weights: Floats, tick: Any = lambda: None) -> dict[str, float | int | None]:
        """Return top-k of each kind of positions with 95 % intervals by game, the loss of those with a choice, and the
        part of all positions in which an illegal first step would be the first choice, if illegal ones counted.
        """
        ranks, costs, illegal = [], [], 0
        there = jnp.asarray(weights)
        for first in range(0, len(self._samples), MEASURED_AT_ONCE):
            tick()
            some = slice(first, first + MEASURED_AT_ONCE)
            inputs = self._inputs[some]
            labels, count = self._samples.labels[some].astype(int), len(inputs)
            padded = np.zeros((MEASURED_AT_ONCE, *inputs.shape[1:]), np.uint8)
            padded[:count] = inputs
            found = np.asarray(self._outputs(there, padded), np.float64)[:count]
            legal = np.unpackbits(self._samples.legal[some], axis=1).astype(bool)
            illegal += int((~legal[np.arange(count), found.argmax(1)]).sum())
            found[~legal] = -np.inf
            chosen = found[np.arange(count), labels]
            ranks.append((found > chosen[:, None]).sum(1))
            most = found.max(1)
            costs.append(np.log(np.exp(found - most[:, None]).sum(1)) + most - chosen)
        rank, cost = np.concatenate([np.empty(0, int), *ranks]), np.concatenate([np.empty(0), *costs])
        numbers: dict[str, float | int | None] = {"validation_loss": _mean(cost[self._kinds["choice"]])}
        for kind, which in self._kinds.items():
            numbers |= {f"{kind}_top{count}": _mean(rank[which] < count) for count in TOP}
            games = self._samples.games[which]
            for count in SURE:
                sure = share_interval(rank[which] < count, games) if len(games) else None
                ends = (None, None) if sure is None else (sure.low, sure.high)
                known = (*ends, len(games), len(np.unique(games)))
                numbers |= dict(zip(beside(f"{kind}_top{count}"), known, strict=True))
        return numbers | {"illegal": illegal / len(rank) if len(rank) else None}


def _mean(values: NDArray[Any]) -> float | None:
    return float(values.mean()) if len(values) else None
