"""Q-learning as Lheureux published it, for its figure: 85 % of games not lost, of one network against itself.

One network moves both sides by the best board after its move, without chance, so the games of a generation are two:
one side is taught, whichever begins. Its boards get half their value and half a reward of 10 for a game that was won or
drawn, of -10 for a lost one, with a constant in place of a maximum over next moves. Rules are exact here, his are not;
his model of ten numbers cannot be fitted as printed, so the network begins as in `evolve.learning.q_learning`.

Source: Lheureux, Building a checkers gaming agent using deep Q-learning (2022).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
import optax

from evolve.kinds.methods import PublishedQLearning
from evolve.learning import first_network
from evolve.learning.fit import Fit, shuffled
from evolve.learning.forward import outputs
from evolve.learning.learner import Floats, Learner, Learnt, Outcome, Workshop
from evolve.learning.q_games import Words, boards_after
from evolve.streams import Draw, stream
from game.batch.games import BatchPlayers, play_all
from game.networks.evaluator import Evaluator
from game.networks.forward import inputs_of
from game.rules import BLACK, DrawRules

RULES = DrawRules(0, 0, True, 200)
REWARD, FUTURE, DISCOUNT, PART = 10.0, 1.0, 0.95, 0.5
EPOCHS, BATCH = 16, 256
RATE, RHO, EPSILON = 1e-3, 0.95, 1e-7
"""Of Adadelta, as Keras has them where nobody says anything."""


class PublishedLearner(Learner):
    """As `evolve.learning.learner.Learner` says."""

    def __init__(self, workshop: Workshop) -> None:
        super().__init__(workshop)
        how, spec = self.config.learning.method, self.config.network
        assert isinstance(how, PublishedQLearning)

        def loss(weights: Any, inputs: Any, targets: Any) -> Any:
            penalty = first_network.board_penalty(spec, weights)
            return jnp.mean((outputs(spec, weights, inputs.astype(jnp.float32))[:, 0] - targets) ** 2) + penalty

        self._how = how
        self._fit = Fit(loss, optax.adadelta(RATE, RHO, EPSILON), spec.weights)

    def begin(self) -> Outcome:
        """The network that ten numbers of a board have taught."""
        generator = stream(self.config.seed, 0, Draw.LEARNING)
        weights = first_network.random_weights(self.config.network, generator)
        tell = partial(self.workshop.work, "epochs of the first network")
        weights, _, _ = first_network.taught(self.config.network, weights, generator, tell)
        return Outcome(self._fit.begin(weights), numbers=dict.fromkeys(self._how.columns))

    def learn(self, generation: int, learnt: Learnt) -> Outcome:
        """Two games, as often as chance says, and a fit."""
        how, spec = self._how, self.config.network
        field = BatchPlayers.of_networks(spec, learnt.weights[None, :])
        played = play_all(field, [0], [0], rules=RULES, keep=True)
        result = int(played.results[0])
        generator = stream(self.config.seed, generation, Draw.LEARNING_GAMES)
        first = int(generator.binomial(how.games, 0.5))
        boards = boards_after((played.codes or [np.empty(0, np.uint32)])[0])
        sides = [(first, boards[::2], result), (how.games - first, boards[1::2], -result)]
        evaluator = Evaluator(spec, learnt.weights)
        rows = np.concatenate([np.tile(seen, (count, 1)) for count, seen, _ in sides])
        targets = np.concatenate([np.tile(_targets(evaluator, seen, points), count) for count, seen, points in sides])
        order = shuffled(len(rows), BATCH, EPOCHS, stream(self.config.seed, generation, Draw.LEARNING))
        work = self.workshop.work
        arrays = inputs_of(rows), targets
        fitted, loss = self._fit.run(learnt, arrays, order, lambda done: work("steps", done, len(order)))
        points = [result] * first + [-result] * (how.games - first)
        wins, draws, losses = (points.count(each) for each in (1, 0, -1))
        return Outcome(
            fitted,
            order.size,
            loss,
            how.games,
            wins,
            draws,
            losses,
            how.games * int(played.plies[0]),
            int(played.evaluations[0]),
            {"unlost": (wins + draws) / how.games},
        )


def _targets(evaluator: Evaluator, rows: Words, points: int) -> Floats:
    """Half the value of boards, half the reward of their game with the constant that stands for all that follows."""
    seen = np.column_stack([rows, np.zeros(len(rows), np.uint64)])
    sign = -1.0 if points < 0 else 1.0
    values = evaluator.score_rows(seen, BLACK).astype(np.float64)
    return (values + PART * (sign * (REWARD + DISCOUNT * FUTURE) - values)).astype(np.float32)
