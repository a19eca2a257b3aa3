"""Q-learning: a network that learns the values of moves from games against itself and earlier generations.

Generation 0 is taught by ten numbers of a board, or random. Each later one plays games, asks a copy of itself that is
frozen meanwhile what their boards are worth (`evolve.learning.q_games`), and fits the samples of the newest games.
These are not kept in files: after a resume the games of the window are played again, by the weights of their time.

Source: Lheureux, Building a checkers gaming agent using deep Q-learning (2022), for the networks and the order; the
games, targets and fits are those of `evolve.learning.q_games`, not his (`evolve.learning.published`).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from evolve.kinds.methods import QLearning
from evolve.learning import first_network
from evolve.learning.fit import Fit, shuffled
from evolve.learning.forward import outputs
from evolve.learning.learner import Learner, Learnt, Outcome, Workshop
from evolve.learning.q_games import GAMES_A_TASK, Played, Samples, SelfPlay, play
from evolve.streams import Draw, stream
from game.networks.forward import inputs_of

DECIMALS = 4
"""Of weights; what is finer tells nothing, and would make files half as long again."""


class QLearner(Learner):
    """As `evolve.learning.learner.Learner` says."""

    def __init__(self, workshop: Workshop) -> None:
        super().__init__(workshop)
        how, spec = self.config.learning.method, self.config.network
        assert isinstance(how, QLearning)

        def loss(weights: Any, inputs: Any, targets: Any) -> Any:
            values = jnp.tanh(outputs(spec, weights, inputs.astype(jnp.float32))[:, 0])
            return jnp.mean((values - targets) ** 2)

        self._how = how
        falling = optax.linear_schedule(how.rate, how.rate_end, how.steps * max(1, how.settled - 1))
        self._fit = Fit(loss, optax.adam(falling), spec.weights)
        self._window: dict[int, Samples] = {}
        self._earlier: dict[int, NDArray[np.float32]] = {}

    def begin(self) -> Outcome:
        """A network that ten numbers of a board have taught, or a random one."""
        generator = stream(self.config.seed, 0, Draw.LEARNING)
        weights = first_network.random_weights(self.config.network, generator)
        if self._how.begin == "metrics":
            tell = partial(self.workshop.work, "epochs of the first network")
            weights, model, network = first_network.taught(self.config.network, weights, generator, tell)
            weights = first_network.modest(self.config.network, weights)
            self.workshop.say(
                f"of {first_network.BOARDS:,} boards the model of ten numbers knows {100 * model:.1f} %, "
                f"and the network that it has taught {100 * network:.1f} %"
            )
        return Outcome(self._fit.begin(np.round(weights, DECIMALS)), numbers=dict.fromkeys(self._how.columns))

    def learn(self, generation: int, learnt: Learnt) -> Outcome:
        """Play games, and fit those of the window."""
        how = self._how
        self._earlier[generation - 1] = learnt.weights
        played = self._games(generation)
        for number in range(max(1, generation - how.window + 1), generation):
            if number not in self._window:  # after a resume
                self._window[number] = self._games(number).samples
        self._window[generation] = played.samples
        self._window.pop(generation - how.window, None)
        needed = generation - how.window - how.among
        self._earlier = {number: weights for number, weights in self._earlier.items() if number >= needed}
        samples = Samples.joined([self._window[number] for number in sorted(self._window)])
        order = shuffled(
            len(samples),
            how.batch,
            (how.steps + 0.5) * how.batch / len(samples),
            stream(self.config.seed, generation, Draw.LEARNING),
        )
        arrays = _padded(inputs_of(samples.rows).astype(np.uint8)), _padded(samples.targets)
        work = self.workshop.work
        fitted, loss = self._fit.run(learnt, arrays, order, lambda done: work("steps", done, len(order)))
        weights = np.round(fitted.weights, DECIMALS)
        wins, draws, losses = (played.results.count(result) for result in (1, 0, -1))
        return Outcome(
            Learnt(weights, fitted.state),
            order.size,
            loss,
            how.games,
            wins,
            draws,
            losses,
            played.plies,
            played.evaluations,
            {"epsilon": self._epsilon(generation), "target": float(np.abs(played.samples.targets).mean())},
        )

    def _epsilon(self, generation: int) -> float:
        """It falls evenly from generation 1 to `settled`, and stays."""
        how = self._how
        return how.epsilon + (how.epsilon_end - how.epsilon) * min(1.0, (generation - 1) / max(1, how.settled - 1))

    def _weights(self, generation: int) -> NDArray[np.float32]:
        """Those of an earlier generation."""
        if generation not in self._earlier:
            self._earlier[generation] = self.workshop.earlier(generation)
        return self._earlier[generation]

    def _games(self, generation: int) -> Played:
        """The games that a generation learns from; the same whoever plays them, and when."""
        how, generator = self._how, stream(self.config.seed, generation, Draw.LEARNING_GAMES, 0)
        before = range(max(0, generation - 1 - how.among), generation - 1)
        pairs = how.games // 2
        chosen = 1 + generator.integers(0, max(1, len(before)), pairs)
        chosen[(generator.random(pairs) >= how.earlier) | (not before)] = 0
        opponents = np.repeat(chosen, 2)
        self.workshop.share([self._weights(generation - 1), *(self._weights(number) for number in before)])
        epsilon = self._epsilon(generation)
        tasks = []
        for first in range(0, how.games, GAMES_A_TASK):
            games = first, min(first + GAMES_A_TASK, how.games)
            used, own = np.unique(np.append(0, opponents[slice(*games)]), return_inverse=True)
            players, against = tuple(used.tolist()), tuple(own[1:].tolist())
            tasks.append(SelfPlay(self.config, generation, games, epsilon, players, against))
        sizes = [task.games[1] - task.games[0] for task in tasks]
        return Played.joined(list(self.workshop.follow(self.workshop.map(play, tasks), sizes, "games to learn from")))


def _padded(array: NDArray[Any]) -> NDArray[Any]:
    """With zeros at the end that nobody draws, up to a power of two: jax compiles for each length anew."""
    room = np.zeros((1 << (len(array) - 1).bit_length(), *array.shape[1:]), array.dtype)
    room[: len(array)] = array
    return room
