"""Q-learning: a network learns the values of moves from games against itself and earlier generations.

Generation 0 is taught by ten metrics of a board, or random. Samples are not saved: a resumed session plays the games of
the window again, with the weights that played them before.

`PublishedLearner` is the published system, to check the published figure: a network that plays itself wins or draws
85 % of its games. Both sides always choose the move to the best board, so a generation has only two different games.
The target of a board is the mean of its value and a reward: 10 plus a constant for a win or draw, minus this sum for a
loss. Unlike in the article, the rules of the game are exact, and the network begins like that of `QLearner`, since the
article's model of ten metrics cannot be fitted as printed.

Source: Lheureux, Building a checkers gaming agent using deep Q-learning (2022), for the networks and the sequence of
steps; `extras.learning.q_games` has the sources of the games and targets of `QLearner`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from evolve.streams import Draw, stream
from extras.learning import first_network, metrics
from extras.learning.fit import Fit, shuffled
from extras.learning.forward import inputs_of, outputs
from extras.learning.methods import PublishedQLearning, QLearning, check_unchanged
from extras.learning.policy import Split, read_recorded
from extras.learning.q_games import GAMES_A_TASK, Played, SelfPlay, ValueSamples, Words, boards_after, play
from extras.learning.session import Floats, Learner, Learnt, Outcome, Workshop
from game.batch.games import BatchPlayers, play_all
from game.errors import InputError
from game.networks.evaluator import Evaluator
from game.rules import BLACK, DrawRules

DECIMALS = 4
"""Decimals of weights; more would carry no information and make files 50 % longer."""


class QLearner(Learner):
    def __init__(self, workshop: Workshop) -> None:
        super().__init__(workshop)
        method, spec = self.config.learning.method, self.config.network
        assert isinstance(method, QLearning)

        def loss(weights: Any, inputs: Any, targets: Any) -> Any:
            values = jnp.tanh(outputs(spec, weights, inputs.astype(jnp.float32))[:, 0])
            return jnp.mean((values - targets) ** 2)

        self._method = method
        falling = optax.linear_schedule(method.rate, method.rate_end, method.steps * max(1, method.settled - 1))
        self._fit = Fit(loss, optax.adam(falling), spec.weights)
        self._window: dict[int, ValueSamples] = {}
        self._earlier: dict[int, NDArray[np.float32]] = {}

    def begin(self) -> Outcome:
        generator = stream(self.config.seed, 0, Draw.LEARNING)
        weights = first_network.random_weights(self.config.network, generator)
        if self._method.begin == "metrics":
            tell = partial(self.workshop.work, "epochs of the first network")
            weights, model, network = first_network.taught(self.config.network, weights, generator, tell)
            weights = first_network.modest(self.config.network, weights, metrics.tree(first_network.BOARDS))
            self.workshop.say(
                f"of {first_network.BOARDS:,} boards, the model of ten metrics predicts {100 * model:.1f} % correctly, "
                f"and the network it has taught {100 * network:.1f} %"
            )
        if self._method.recorded:
            weights = self._taught_by_games(weights, generator)
        return Outcome(self._fit.begin(np.round(weights, DECIMALS)), numbers=dict.fromkeys(self._method.columns))

    def _taught_by_games(self, weights: Floats, generator: np.random.Generator) -> Floats:
        check_unchanged(self._method.recorded, self._method.sha256, "learning.recorded")
        read = read_recorded(self._method.recorded, validation=0, test=0, tick=self.workshop.tick)
        boards = read.parts[Split.TRAINING]
        boards = boards.select(boards.results >= 0)
        if not len(boards):
            raise InputError(f"{self._method.recorded}: none of its games has a result")
        tell = partial(self.workshop.work, "epochs of the first network")
        arrays = boards.rows, boards.results
        weights, right = first_network.taught_by_games(self.config.network, weights, *arrays, generator, tell)
        self.workshop.say(f"{read.words()}; the network predicts the winner of {100 * right:.1f} % of the boards")
        return first_network.modest(self.config.network, weights, boards.rows[: first_network.BOARDS])

    def learn(self, generation: int, learnt: Learnt) -> Outcome:
        method = self._method
        self._earlier[generation - 1] = learnt.weights
        played = self._games(generation)
        for number in range(max(1, generation - method.window + 1), generation):
            if number not in self._window:  # in a resumed session
                self._window[number] = self._games(number).samples
        self._window[generation] = played.samples
        self._window.pop(generation - method.window, None)
        needed = generation - method.window - method.among
        self._earlier = {number: weights for number, weights in self._earlier.items() if number >= needed}
        samples = ValueSamples.joined([self._window[number] for number in sorted(self._window)])
        order = shuffled(
            len(samples),
            method.batch,
            (method.steps + 0.5) * method.batch / len(samples),
            stream(self.config.seed, generation, Draw.LEARNING),
        )
        arrays = _padded(inputs_of(samples.rows).astype(np.uint8)), _padded(samples.targets)
        fitted, loss = self._fit.run(learnt, arrays, order, self.workshop.work)
        numbers = {"epsilon": self._epsilon(generation), "target": float(np.abs(played.samples.targets).mean())}
        outcome = Outcome(Learnt(np.round(fitted.weights, DECIMALS), fitted.state), order.size, loss, numbers=numbers)
        return outcome.with_games(played.results, played.plies, played.evaluations)

    def _epsilon(self, generation: int) -> float:
        """Return the chance of a random move; it falls linearly from generation 1 to `settled`."""
        method = self._method
        return method.epsilon + (method.epsilon_end - method.epsilon) * min(
            1.0, (generation - 1) / max(1, method.settled - 1)
        )

    def _weights(self, generation: int) -> NDArray[np.float32]:
        if generation not in self._earlier:
            self._earlier[generation] = self.workshop.earlier(generation)
        return self._earlier[generation]

    def _games(self, generation: int) -> Played:
        method, generator = self._method, stream(self.config.seed, generation, Draw.LEARNING_GAMES, 0)
        before = range(max(0, generation - 1 - method.among), generation - 1)
        pairs = method.games // 2
        chosen = 1 + generator.integers(0, max(1, len(before)), pairs)
        chosen[(generator.random(pairs) >= method.earlier) | (not before)] = 0
        opponents = np.repeat(chosen, 2)
        self.workshop.share([self._weights(generation - 1), *(self._weights(number) for number in before)])
        epsilon = self._epsilon(generation)
        tasks = []
        for first in range(0, method.games, GAMES_A_TASK):
            games = first, min(first + GAMES_A_TASK, method.games)
            used, own = np.unique(np.append(0, opponents[slice(*games)]), return_inverse=True)
            players, against = tuple(used.tolist()), tuple(own[1:].tolist())
            tasks.append(SelfPlay(self.config, generation, games, epsilon, players, against))
        sizes = [task.games[1] - task.games[0] for task in tasks]
        return Played.joined(list(self.workshop.follow(self.workshop.map(play, tasks), sizes, "games to learn from")))


def _padded(array: NDArray[Any]) -> NDArray[Any]:
    """Pad with zeros to a power of two, because jax compiles once for each length; no batch contains the zeros."""
    room = np.zeros((1 << (len(array) - 1).bit_length(), *array.shape[1:]), array.dtype)
    room[: len(array)] = array
    return room


RULES = DrawRules(0, 0, True, 200)
REWARD, FUTURE, DISCOUNT, PART = 10.0, 1.0, 0.95, 0.5
EPOCHS, BATCH = 16, 256
RATE, RHO, EPSILON = 1e-3, 0.95, 1e-7
"""Parameters of Adadelta, the defaults of Keras."""


class PublishedLearner(Learner):
    def __init__(self, workshop: Workshop) -> None:
        super().__init__(workshop)
        method, spec = self.config.learning.method, self.config.network
        assert isinstance(method, PublishedQLearning)

        def loss(weights: Any, inputs: Any, targets: Any) -> Any:
            penalty = first_network.board_penalty(spec, weights)
            return jnp.mean((outputs(spec, weights, inputs.astype(jnp.float32))[:, 0] - targets) ** 2) + penalty

        self._method = method
        self._fit = Fit(loss, optax.adadelta(RATE, RHO, EPSILON), spec.weights)

    def begin(self) -> Outcome:
        spec, generator = self.config.network, stream(self.config.seed, 0, Draw.LEARNING)
        tell = partial(self.workshop.work, "epochs of the first network")
        weights, _, _ = first_network.taught(spec, first_network.random_weights(spec, generator), generator, tell)
        return Outcome(self._fit.begin(weights), numbers=dict.fromkeys(self._method.columns))

    def learn(self, generation: int, learnt: Learnt) -> Outcome:
        """Play the two games, repeat each a random number of times, and fit the network to their boards."""
        method, spec = self._method, self.config.network
        field = BatchPlayers.of_networks(spec, learnt.weights[None, :])
        played = play_all(field, [0], [0], rules=RULES, keep=True)
        result = int(played.results[0])
        generator = stream(self.config.seed, generation, Draw.LEARNING_GAMES)
        first = int(generator.binomial(method.games, 0.5))
        boards = boards_after((played.codes or [np.empty(0, np.uint32)])[0])
        sides = [(first, boards[::2], result), (method.games - first, boards[1::2], -result)]
        evaluator = Evaluator(spec, learnt.weights)
        rows = np.concatenate([np.tile(seen, (count, 1)) for count, seen, _ in sides])
        targets = np.concatenate([np.tile(_targets(evaluator, seen, points), count) for count, seen, points in sides])
        order = shuffled(len(rows), BATCH, EPOCHS, stream(self.config.seed, generation, Draw.LEARNING))
        fitted, loss = self._fit.run(learnt, (inputs_of(rows), targets), order, self.workshop.work)
        results = [result] * first + [-result] * (method.games - first)
        outcome = Outcome(
            fitted, order.size, loss, numbers={"unlost": sum(each >= 0 for each in results) / len(results)}
        )
        return outcome.with_games(results, method.games * int(played.plies[0]), int(played.evaluations[0]))


def _targets(evaluator: Evaluator, rows: Words, points: int) -> Floats:
    seen = np.column_stack([rows, np.zeros(len(rows), np.uint64)])
    sign = -1.0 if points < 0 else 1.0
    values = evaluator.score_rows(seen, BLACK).astype(np.float64)
    return (values + PART * (sign * (REWARD + DISCOUNT * FUTURE) - values)).astype(np.float32)
