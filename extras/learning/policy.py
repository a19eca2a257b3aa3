"""A policy that learns from recorded games to predict the first step of each move, and with a value also the result.

The loss is cross-entropy over legal first steps, so outputs of illegal ones do not matter; to it is added that of win,
draw and loss for the side to move, times its weight, where the game has a result. Every generation learns from the same
number of positions, in an order decided by the seed; no position is repeated before all have been used.

The label of a move is its first step, with the index 4 x square + direction, both as the mover sees them. Squares are 0
to 31. Directions 0 and 1 are back, 2 and 3 ahead, each pair in ascending order of the square that the step leads to.

Games that repeat others move for move are left out. A hash of its moves assigns each game to training, validation or
test.

Source: Larson, Deep reinforcement learning for checkers: pretraining a policy (2016), for the labels only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import IntEnum
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from evolve.kinds.methods import beside
from evolve.streams import Draw, stream
from evolve.strength.means import clustered
from extras.learning.fit import Fit, endless_order, warming
from extras.learning.forward import inputs_of, outputs
from extras.learning.methods import SURE, TOP, Policy
from extras.learning.session import Learner, Learnt, Outcome, Workshop
from extras.learning.steps import STEPS, first_steps, legal_steps
from extras.recorded.check import Plies, check
from game.batch.games import follow
from game.errors import InputError
from game.moves import encode
from game.networks.spec import Layer, Spec
from game.number_text import count_text
from game.pdn.game import RawGame
from game.players.people import GHOSTS

_LOST = {"1-0": 1, "0-1": 0}
"""The side that lost, by result."""
WIN, DRAW, LOSS = 0, 1, 2
_HASHED = 1 << 32


class Split(IntEnum):
    TRAINING = 0
    VALIDATION = 1
    TEST = 2


@dataclass(frozen=True)
class PolicySamples:
    """Positions with the first steps that were played in them.

    Attributes:
        rows: uint64 (n, 3), own pieces, the opponent's, kings, as the side to move sees the board.
        labels: int16 (n,), index of the first step.
        legal: uint8 (n, 16), a bit for each of the 128 first steps, as `numpy.packbits` packs them.
        choices: int16 (n,), number of legal first steps; 1 if the move is forced.
        games: int32 (n,), number of the game that the position is from.
        results: int8 (n,), 0, 1 or 2 for a game that the side to move won, drew or lost, -1 for one without a result.
        sides: int8 (n,), the side to move.
        weakness: int8 (n,), number of `game.players.people.GHOSTS` in the inputs; 0 except for `people`.
    """

    rows: NDArray[np.uint64]
    labels: NDArray[np.int16]
    legal: NDArray[np.uint8]
    choices: NDArray[np.int16]
    games: NDArray[np.int32]
    results: NDArray[np.int8]
    sides: NDArray[np.int8]
    weakness: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.labels)

    def select(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> PolicySamples:
        return PolicySamples(*(getattr(self, each.name)[which] for each in fields(self)))

    def with_choice(self) -> PolicySamples:
        return self.select(self.choices > 1)


@dataclass(frozen=True)
class RecordedGames:
    """The contents of a file of games.

    Attributes:
        damaged: number of games left out because their moves cannot be replayed to the end.
    """

    parts: tuple[PolicySamples, ...]
    games: tuple[int, ...]
    duplicates: int
    damaged: int
    empty: int

    def words(self) -> str:
        left_out = {"duplicate": self.duplicates, "damaged": self.damaged, "empty": self.empty}
        without = ", ".join(f"{count:,} {name}" for name, count in left_out.items() if count)
        training, validation, test = self.games
        text = (
            f"{count_text(sum(self.games), 'game')}: {training:,} for training, {validation:,} for validation, {test:,}"
        )
        return f"{text} for the test{f'; left out: {without}' if without else ''}"


_Replayed = tuple[NDArray[np.uint64], NDArray[np.uint32], int, str]
"""Boards before each move of a game as the mover sees them, codes of the moves, first side to move, result."""


class _Reading:
    def __init__(self, validation: float, test: float, tick: Callable[[], None]) -> None:
        self._tick = tick
        self._edges = (round(test * _HASHED), round((test + validation) * _HASHED))
        self._known: set[bytes] = set()
        self.games: tuple[list[_Replayed], ...] = ([], [], [])
        self.duplicates = self.damaged = self.empty = 0

    def on_game(self, raw: RawGame, plies: Plies) -> None:
        self._tick()
        if not raw.sound or raw.start is None:
            self.damaged += 1
            return
        if not plies:
            self.empty += 1
            return
        array = np.array([encode(move, before.side) for before, move, _ in plies], np.uint32)
        start = np.array([raw.start.black, raw.start.white, raw.start.kings, raw.start.side], "<u8")
        digest = hashlib.sha256(start.tobytes() + array.astype("<u4").tobytes()).digest()
        if digest in self._known:
            self.duplicates += 1
            return
        self._known.add(digest)
        part = self.games[part_of(digest, self._edges)]
        part.append((follow(array, raw.start)[0], array, raw.start.side, raw.result))


def part_of(digest: bytes, edges: tuple[int, int]) -> Split:
    """Return the split of a game from a hash of its moves: test below the first edge, validation below the second."""
    place = int.from_bytes(digest[:4], "big")
    return Split.TEST if place < edges[0] else Split.VALIDATION if place < edges[1] else Split.TRAINING


def read_recorded(
    path: Path | str,
    *,
    validation: float = 0.05,
    test: float = 0.05,
    losers: bool = True,
    tick: Callable[[], None] = lambda: None,
) -> RecordedGames:
    """Read the samples of a PDN file.

    Args:
        losers: whether training includes moves of losing sides; validation and test always do.

    Raises:
        InputError: there is no such file.
        OSError: reading fails.
    """
    reading = _Reading(validation, test, tick)
    check(path, reading.on_game)
    splits = zip(Split, reading.games, strict=True)
    parts = tuple(_samples(games, losers or split != Split.TRAINING) for split, games in splits)
    return RecordedGames(parts, tuple(map(len, reading.games)), reading.duplicates, reading.damaged, reading.empty)


def _samples(replayed: list[_Replayed], losers: bool) -> PolicySamples:
    lengths = [len(codes) for _, codes, _, _ in replayed]
    games = np.repeat(np.arange(len(replayed), dtype=np.int32), lengths)
    rows = np.concatenate([np.empty((0, 3), np.uint64), *(boards[:, :3] for boards, _, _, _ in replayed)])
    codes = np.concatenate([np.empty(0, np.uint32), *(codes for _, codes, _, _ in replayed)])
    plies = np.arange(len(codes)) - np.repeat(np.cumsum([0, *lengths])[:-1], lengths)
    side = (plies + np.repeat(np.array([side for _, _, side, _ in replayed], np.int64), lengths)) % 2
    lost = np.repeat(np.array([_LOST.get(result, -1) for *_, result in replayed], np.int64), lengths)
    drawn = np.repeat(np.array([result == "1/2-1/2" for *_, result in replayed], bool), lengths)
    results = np.where(drawn, DRAW, np.where(lost < 0, -1, np.where(side == lost, LOSS, WIN))).astype(np.int8)
    kept = np.flatnonzero(losers | (side != lost))
    rows, games, labels, results = rows[kept], games[kept], first_steps(codes, side)[kept], results[kept]
    # In parts, because arrays for all positions at once would not fit into the processor's cache.
    parts = [legal_steps(part) for part in np.array_split(rows, len(rows) // 20_000 + 1)]
    packed = np.concatenate([np.packbits(legal, axis=1) for legal in parts])
    choices = np.concatenate([np.count_nonzero(legal, axis=1) for legal in parts]).astype(np.int16)
    sides = side[kept].astype(np.int8)
    return PolicySamples(rows, labels, packed, choices, games, results, sides, np.zeros_like(sides))


SMALL, HEAD = 0.1, 0.3
"""Initial size of weights in residual layers and in heads, relative to other layers."""
NOISE, SQUARES = 0.02, 0.3
"""Standard deviations of the initial values in a `placed` layer: of weights around the identity, of biases around 0."""
ILLEGAL = -1e9
COSTLY = 0.5
"""Weights of results above this have been measured to make a policy worse (docs of learning, *policy*)."""
MEASURED_AT_ONCE = 512

Floats = NDArray[np.float32]


class PolicyLearner(Learner):
    def __init__(self, workshop: Workshop) -> None:
        super().__init__(workshop)
        method, spec = self.config.learning.method, self.config.network
        assert isinstance(method, Policy)
        method.check_outside()
        read = self.read(method)
        training = read.parts[Split.TRAINING]
        learnt_from = training.with_choice()
        workshop.say(f"{read.words()}; {len(learnt_from):,} positions with a choice")
        if (method.validation and not read.games[Split.VALIDATION]) or (method.test and not read.games[Split.TEST]):
            workshop.say(f"warning: {method.games} has too few games to hold some out, so measures of them stay empty")
        if spec.values and method.results > COSTLY:
            workshop.say(f"learning.results={method.results:g}: more than {COSTLY:g} has cost a policy some moves")
        self._method, self._spec = method, spec
        steps = method.samples // method.batch or 1
        self._shape = steps, method.batch
        self._rate = warming(method.rate, steps * method.settled)
        self._fit = Fit(
            lambda *batch: loss(spec, method.results, *batch),
            optax.adamw(self._rate, b2=0.99, weight_decay=method.decay),
            spec.weights,
        )
        self._arrays: Any = tuple(map(jnp.asarray, arrays_of(spec, learnt_from)))
        self._measures = self.measures(read, Split.VALIDATION)
        self._test = partial(self.measures, read, Split.TEST)  # only the last generation needs it

    def read(self, method: Policy) -> RecordedGames:
        read = read_recorded(
            method.games, validation=method.validation, test=method.test, losers=method.losers, tick=self.workshop.tick
        )
        if not len(read.parts[Split.TRAINING].with_choice()):
            raise InputError(f"{method.games}: no position of its games can be learnt from")
        return read

    def measures(self, read: RecordedGames, split: Split) -> Measures:
        return Measures(self._spec, read.parts[Split.TRAINING], read.parts[split])

    def begin(self) -> Outcome:
        weights = first_weights(
            self._spec, stream(self.config.seed, 0, Draw.LEARNING), placed=self._method.start == "placed"
        )
        return Outcome(self._fit.begin(weights), numbers=self._numbers(0, weights))

    def learn(self, generation: int, learnt: Learnt) -> Outcome:
        order = endless_order(self.config.seed, generation, len(self._arrays[0]), self._shape)
        fitted, mean = self._fit.run(learnt, self._arrays, order, self.workshop.work)
        return Outcome(fitted, order.size, mean, numbers=self._numbers(generation, fitted.weights))

    def _numbers(self, generation: int, weights: Floats) -> dict[str, float | int | None]:
        columns = self._method.columns
        numbers: dict[str, float | int | None] = dict.fromkeys(columns)
        numbers["rate"] = float(self._rate(generation * self._shape[0]))
        numbers |= self._measures.of(weights, self.workshop.tick)
        if generation == self.config.generations:
            test = self._test().of(weights, self.workshop.tick)
            numbers |= {name: test[name.removeprefix("test_")] for name in columns if name.startswith("test_")}
        return numbers


def arrays_of(spec: Spec, samples: PolicySamples) -> tuple[NDArray[Any], ...]:
    """Return the arrays that `loss` takes: inputs, labels, packed legal first steps, and results."""
    parts = np.array_split(samples.rows, len(samples) // 50_000 + 1)
    inputs = np.concatenate([inputs_of(rows).astype(np.uint8) for rows in parts])
    inputs.reshape(-1, 128)[:, list(GHOSTS)] = samples.weakness[:, None] > np.arange(len(GHOSTS))
    return inputs, samples.labels, samples.legal, samples.results


def logits(heads: Any, legal: Any) -> Any:
    """Return the outputs for first steps, (positions, 128); illegal ones are practically minus infinity."""
    bits = (legal[:, :, None] >> jnp.arange(7, -1, -1, dtype=jnp.uint8)) & 1
    return jnp.where(bits.reshape(-1, STEPS) != 0, heads[:, -STEPS:], ILLEGAL)


def loss(spec: Spec, share: float, weights: Any, inputs: Any, labels: Any, legal: Any, results: Any) -> Any:
    """Return the mean cross-entropy over legal first steps, and `share` times that of results if there is a value."""
    heads = outputs(spec, weights, inputs.astype(jnp.float32))
    moves = optax.softmax_cross_entropy_with_integer_labels(logits(heads, legal), labels.astype(jnp.int32)).mean()
    if spec.outputs == STEPS:
        return moves
    known = results >= 0
    costs = optax.softmax_cross_entropy_with_integer_labels(heads[:, :3], jnp.maximum(results, 0).astype(jnp.int32))
    return moves + share * jnp.sum(costs * known) / jnp.maximum(jnp.sum(known), 1)


def first_weights(spec: Spec, generator: np.random.Generator, *, placed: bool = False) -> Floats:
    """Return normally distributed weights, scaled by the number of inputs per output; biases are 0.

    Residual layers begin small, so that they change little at first. With `placed`, linear layers with as many units as
    inputs begin close to the identity, so that neighbouring squares stay neighbours; their biases distinguish squares.

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
    """Measures how well a policy predicts the moves of held-out games.

    Boards among the `training` samples count as seen.
    """

    def __init__(self, spec: Spec, training: PolicySamples, held_out: PolicySamples) -> None:
        self._samples, self._inputs = held_out, arrays_of(spec, held_out)[0]
        choice = held_out.choices > 1
        known = {row.tobytes() for row in np.ascontiguousarray(training.rows)}
        seen = np.array([row.tobytes() in known for row in np.ascontiguousarray(held_out.rows)], bool)
        self._kinds = {"all": np.ones(len(choice), bool), "choice": choice}
        self._kinds |= {"seen": choice & seen, "unseen": choice & ~seen}
        self._outputs = jax.jit(lambda weights, inputs: outputs(spec, weights, inputs.astype(jnp.float32)))

    def note(self, part: slice, scores: NDArray[np.float64]) -> None:
        """Take note of the outputs for some samples; those of illegal steps are minus infinity."""

    def of(self, weights: Floats, tick: Any = lambda: None) -> dict[str, float | int | None]:
        """Return the measurements by column of the log."""
        ranks, costs, illegal = [], [], 0
        values = list[float]()
        parameters = jnp.asarray(weights)
        for first in range(0, len(self._samples), MEASURED_AT_ONCE):
            tick()
            part = slice(first, first + MEASURED_AT_ONCE)
            inputs = self._inputs[part]
            labels, count = self._samples.labels[part].astype(int), len(inputs)
            padded = np.zeros((MEASURED_AT_ONCE, *inputs.shape[1:]), np.uint8)  # one shape, so jax compiles once
            padded[:count] = inputs
            heads = np.asarray(self._outputs(parameters, padded), np.float64)[:count]
            value, scores = heads[:, :-STEPS], heads[:, -STEPS:]
            known = np.flatnonzero(self._samples.results[part] >= 0)
            if value.shape[1]:
                chances = value[known] - value[known].max(1, keepdims=True)
                results = self._samples.results[part][known]
                values += (np.log(np.exp(chances).sum(1)) - chances[np.arange(len(known)), results]).tolist()
            legal = np.unpackbits(self._samples.legal[part], axis=1).astype(bool)
            illegal += int((~legal[np.arange(count), scores.argmax(1)]).sum())
            scores[~legal] = -np.inf
            self.note(part, scores)
            chosen = scores[np.arange(count), labels]
            ranks.append((scores > chosen[:, None]).sum(1))
            most = scores.max(1)
            costs.append(np.log(np.exp(scores - most[:, None]).sum(1)) + most - chosen)
        rank, cost = np.concatenate([np.empty(0, int), *ranks]), np.concatenate([np.empty(0), *costs])
        numbers: dict[str, float | int | None] = {"validation_loss": _mean(cost[self._kinds["choice"]])}
        numbers["value_loss"] = _mean(np.array(values))
        for kind, which in self._kinds.items():
            numbers |= {f"{kind}_top{count}": _mean(rank[which] < count) for count in TOP}
            games = self._samples.games[which]
            for count in SURE:
                sure = clustered(rank[which] < count, games) if len(games) else None
                ends = (None, None) if sure is None else (sure.low, sure.high)
                measured = (*ends, len(games), len(np.unique(games)))
                numbers |= dict(zip(beside(f"{kind}_top{count}"), measured, strict=True))
        return numbers | {"illegal": illegal / len(rank) if len(rank) else None}


def _mean(values: NDArray[Any]) -> float | None:
    return float(values.mean()) if len(values) else None
