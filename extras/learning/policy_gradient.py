"""Learning by policy gradient: a network plays by its policy alone, and its choices in games that it won become likely.

The advantage of a choice is the result of its game less what the network expected before it. From
`learning.judging_from` on, it plays against itself and learns results alone; its policy stays, since it learns to
choose as before. So both heads become what a tree search needs.

Source: Silver et al., Mastering the game of Go with deep neural networks and tree search (2016), for the order;
Williams, Simple statistical gradient-following algorithms for connectionist reinforcement learning (1992).
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from evolve.config.model import Config
from evolve.streams import Draw, stream
from evolve.workers.processes import get_shared_rows, refers_to_rows
from extras.learning import first_network
from extras.learning.fit import Fit, shuffled
from extras.learning.forward import inputs_of, outputs
from extras.learning.policy import ILLEGAL
from extras.learning.policy_gradient_method import PolicyGradient
from extras.learning.session import DivergedError, Learner, Learnt, Outcome, Workshop
from extras.learning.steps import STEPS, legal_steps
from game import match, moves, openings
from game.board import Position
from game.endings import Reason
from game.networks.evaluator import rows_seen
from game.players.names import Sampling
from game.players.policy import PolicyPlayer, first_step
from game.rules import MAX_MOVES

GAMES_A_TASK = 20
JUDGED = 1.0
"""Weight of results in generations that learn them alone."""
AT_ONCE = 8192
"""Number of positions that the network evaluates at a time."""

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class SampledTask:
    """Games that one task plays; plain data.

    Attributes:
        games: number of the first game, and one past the last; both are even, since two games share a ballot.
        opponents: for each game, the row of the shared genomes; 0 is the network itself.
    """

    config: Config
    generation: int
    games: tuple[int, int]
    opponents: tuple[int, ...]


@dataclass(frozen=True)
class SampledGames:
    """Games and the choices of the network in them; forced moves and those of an opponent are left out.

    Attributes:
        results: int8 of shape (games,): 1, 0 or -1 for the network, or for Black if it played itself.
        plies, evaluations: int32 of shape (games,).
        rows: uint64 of shape (choices, 3): own, opponent, kings, as the side to move sees them.
        steps: uint8 of shape (choices,): the first step that it chose.
        points: int8 of shape (choices,): the result of the game for the side to move.
    """

    results: NDArray[np.int8]
    plies: NDArray[np.int32]
    evaluations: NDArray[np.int32]
    rows: NDArray[np.uint64]
    steps: NDArray[np.uint8]
    points: NDArray[np.int8]


@refers_to_rows
def play_sampled(task: SampledTask) -> SampledGames | None:
    """Play the games of a task in a worker; they depend only on seed, generation, number and networks."""
    config, method = task.config, task.config.learning.method
    assert isinstance(method, PolicyGradient)
    rules, limit = config.games.rules(), method.length
    genomes, ballots = get_shared_rows().genomes(), openings.openings(config.games.openings)
    players = {
        row: PolicyPlayer(
            f"network{row}", genomes[row], config.network, sampling=Sampling(MAX_MOVES if any(task.opponents) else 1)
        )
        for row in {0, *task.opponents}
    }
    positions, steps, points = list[Position](), list[int](), list[int]()
    results, plies, evaluations = list[int](), list[int](), list[int]()
    for number, row in zip(range(*task.games), task.opponents, strict=True):
        generator = stream(config.seed, task.generation, Draw.LEARNING_GAMES, number // 2)
        ballot = ballots[int(generator.integers(len(ballots)))]
        opening = openings.lengthen(ballot, int(generator.integers(method.plies + 1)), generator).moves
        seed, side = int(generator.integers(2**62)) * 2 + number % 2, number % 2
        sides = (players[row], players[0]) if side else (players[0], players[row])
        record = match.play(
            *sides, opening=opening, rules=replace(rules, max_plies=min(rules.max_plies or limit, limit)), seed=seed
        )
        if record.reason == Reason.FAILURE:
            return None
        results.append(record.result * (1 - 2 * side) if row else record.result)
        plies.append(len(record.moves))
        evaluations.append(record.evaluations)
        position = Position.start()
        for ply, move in enumerate(record.moves):
            after = dict(moves.successors(position))
            if ply >= len(opening) and len(after) > 1 and (row == 0 or position.side == side):
                positions.append(position)
                steps.append(first_step(move, position.side))
                points.append(record.result * (1 - 2 * position.side))
            position = after[move]
    return SampledGames(
        np.array(results, np.int8),
        np.array(plies, np.int32),
        np.array(evaluations, np.int32),
        rows_seen(positions)[:, :3],
        np.array(steps, np.uint8),
        np.array(points, np.int8),
    )


class PolicyGradientLearner(Learner):
    def __init__(self, workshop: Workshop) -> None:
        super().__init__(workshop)
        method, spec = self.config.learning.method, self.config.network
        assert isinstance(method, PolicyGradient)
        self._method = method

        def heads(weights: Any, inputs: Any, legal: Any) -> Any:
            out = outputs(spec, weights, inputs.astype(jnp.float32))
            steps = jnp.where(legal, out[:, -STEPS:], ILLEGAL)
            return jax.nn.log_softmax(out[:, :3]), jax.nn.log_softmax(steps)

        def loss(weights: Any, inputs: Any, legal: Any, shares: Any, advantages: Any, results: Any, costly: Any) -> Any:
            values, logs = heads(weights, inputs, legal)
            chosen = jnp.sum(shares.astype(jnp.float32) * logs, axis=1)
            spread = -jnp.sum(jnp.where(legal, jnp.exp(logs) * logs, 0.0), axis=1)
            cost = -jnp.take_along_axis(values, results[:, None], axis=1)[:, 0]
            return jnp.mean(costly * cost - advantages * chosen - method.entropy * spread)

        self._heads = jax.jit(heads)
        # A schedule, since the state of the optimiser counts its steps in all methods.
        optimiser = optax.adam(optax.constant_schedule(method.rate))
        self._fit = Fit(loss, optimiser, spec.weights)

    def begin(self) -> Outcome:
        generator, spec = stream(self.config.seed, 0, Draw.LEARNING), self.config.network
        weights = first_network.random_weights(spec, generator)
        if self._method.teacher:
            teacher, before = self._method.first(spec).read_with_network()
            weights = first_network.widened(spec, before, np.asarray(teacher, np.float32), generator)
        return Outcome(self._fit.begin(weights), numbers=dict.fromkeys(self._method.columns))

    def learn(self, generation: int, learnt: Learnt) -> Outcome:
        method, judging = self._method, generation >= self._method.judging_from
        played = self._play(generation, learnt.weights, judging)
        inputs, legal = inputs_of(played.rows).astype(np.uint8), legal_steps(played.rows)
        values, logs = self._evaluate(learnt.weights, inputs, legal)
        chances = np.exp(logs)
        results = (1 - played.points).astype(np.int32)
        if judging:
            shares, advantages = chances.astype(np.float16), np.ones(len(results), np.float32)
        else:
            shares = np.eye(STEPS, dtype=np.float16)[played.steps]
            expected = np.exp(values)
            advantages = (played.points - expected[:, 0] + expected[:, 2]).astype(np.float32)
        order = shuffled(
            len(results), min(method.batch, len(results)), 1.0, stream(self.config.seed, generation, Draw.LEARNING)
        )
        costly = np.full(len(results), JUDGED if judging else method.results, np.float32)
        arrays = inputs, legal, shares, advantages, results, costly
        fitted, mean = self._fit.run(learnt, arrays, order, self.workshop.work)
        cost = -values[np.arange(len(results)), results]
        entropy = -np.where(legal, chances * logs, 0.0).sum(axis=1)
        numbers: dict[str, float | int | None] = {
            "value_loss": float(np.mean(cost)),
            "entropy": float(entropy.mean()),
            "rate": method.rate,
        }
        outcome = Outcome(fitted, order.size, mean, numbers=numbers)
        return outcome.with_games(played.results, int(played.plies.sum()), int(played.evaluations.sum()))

    def _play(self, generation: int, weights: Floats, judging: bool) -> SampledGames:
        method = self._method
        games = method.judged if judging else method.games
        generator = stream(self.config.seed, generation, Draw.LEARNING_GAMES, method.games)
        earlier = [] if judging else generator.integers(generation, size=method.earlier).tolist()
        self.workshop.share([weights, *map(self.workshop.earlier, earlier)])
        rows = np.repeat(generator.integers(1, 1 + len(earlier), size=games // 2) if earlier else
                         np.zeros(games // 2, np.int64), 2).tolist()  # fmt: skip
        tasks = [
            SampledTask(
                self.config,
                generation,
                (first, min(first + GAMES_A_TASK, games)),
                tuple(rows[first : first + GAMES_A_TASK]),
            )
            for first in range(0, games, GAMES_A_TASK)
        ]
        sizes = [len(task.opponents) for task in tasks]
        parts = list(self.workshop.follow(self.workshop.map(play_sampled, tasks), sizes, "games to learn from"))
        sound = [part for part in parts if part is not None]
        if len(sound) < len(parts):
            raise DivergedError(generation - 1, "outputs of the network are not finite numbers")
        return SampledGames(
            *(np.concatenate([getattr(part, each.name) for part in sound]) for each in fields(SampledGames))
        )

    def _evaluate(self, weights: Floats, inputs: NDArray[np.uint8], legal: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Return the logarithms of the chances of results and of steps."""
        genome, values, logs = jnp.asarray(weights), list[Floats](), list[Floats]()
        for first in range(0, len(inputs), AT_ONCE):
            part = slice(first, first + AT_ONCE)
            for kept, computed in zip((values, logs), self._heads(genome, inputs[part], legal[part]), strict=True):
                kept.append(np.asarray(computed))
        return np.concatenate(values), np.concatenate(logs)
