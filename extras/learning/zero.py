"""Learning by tree search: a network plays itself, and learns what its searches and the results of its games say.

A generation is a number of games and a fit. Games are not saved: a resumed session plays those of the window again, to
the same bits, with the networks that played them.

Source: Silver et al., A general reinforcement learning algorithm that masters chess, shogi, and Go through self-play
(2018), for the method; Danihelka et al., Policy improvement by planning with Gumbel (2022), for searches of few visits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from evolve.streams import Draw, stream
from evolve.strength.match import play_match
from evolve.strength.match_games import GamePairs
from evolve.workers.pool import Pool
from extras.learning import first_network
from extras.learning.fit import Fit, Loss, shuffled
from extras.learning.forward import inputs_of, outputs
from extras.learning.judged_games import play_judged
from extras.learning.methods import Distilled, LearningStage, Zero
from extras.learning.own_games import SEARCHED_A_TASK, play_searches
from extras.learning.self_play import SearchedGames
from extras.learning.self_play_kernels import NONE
from extras.learning.session import DivergedError, Learner, Learnt, Outcome, Workshop
from extras.learning.zero_games import (
    GAMES_A_TASK,
    GateGames,
    TreeGames,
    gate_players,
    joined,
    play_gate,
    play_task,
    result_targets,
)
from game.generator import derive_seed

MEASURED = 8192
"""Number of new positions, most of them never seen in training, on which losses are measured before a fit."""

GATE = 0.5
"""A fitted network that scores less against the one before does not replace it, if there is a gate."""

Arrays = tuple[NDArray[Any], ...]


class _GatePool(Pool):
    def __init__(self, workshop: Workshop) -> None:
        super().__init__()
        self._workshop = workshop

    def results(self, function: Callable[[Any], Any], tasks: Iterable[GamePairs]) -> Iterator[Any]:
        """Yield both games of each pair and their duration, a task at a time, as `play_pairs` would return them."""
        config = self._workshop.config
        yield from self._workshop.map(play_gate, (GateGames(config, task.openings, task.seeds) for task in tasks))


class ZeroLearner(Learner):
    def __init__(self, workshop: Workshop) -> None:
        super().__init__(workshop)
        method, spec = self.config.learning.method, self.config.network
        assert isinstance(method, Zero)
        judged = isinstance(method, Distilled)

        def losses(weights: Any, inputs: Any, results: Any, steps: Any, shares: Any) -> Any:
            heads = outputs(spec, weights, inputs.astype(jnp.float32))
            value = optax.softmax_cross_entropy(heads[:, :3], results)
            legal = steps != NONE
            logits = jnp.take_along_axis(heads[:, 3:], jnp.where(legal, steps, 0).astype(jnp.int32), axis=1)
            policy = optax.softmax_cross_entropy(jnp.where(legal, logits, -1e9), shares.astype(jnp.float32))
            if judged:  # half of the samples have no moves
                return jnp.mean(value), jnp.sum(policy) / jnp.maximum(jnp.sum(legal[:, 0]), 1)
            return jnp.mean(value), jnp.mean(policy)

        def loss_of(stage: LearningStage) -> Loss:
            def loss(weights: Any, *arrays: Any) -> Any:
                value, policy = losses(weights, *arrays)
                return value + stage.moves * policy

            return loss

        self._method = method
        self._rates = {
            stage.first: optax.warmup_cosine_decay_schedule(
                0.0,
                stage.rate,
                max(1, stage.steps * stage.settled // 20),
                max(2, stage.steps * stage.settled),
                method.rate_end,
            )
            for stage in method.all_stages
        }
        begins = [sum(method.stage(number).steps for number in range(1, first)) for first in self._rates]
        rate = optax.join_schedules([*self._rates.values()], begins[1:])
        self.losses = jax.jit(losses)
        optimiser = optax.adamw(rate, weight_decay=method.decay)
        self.fits = {stage.first: Fit(loss_of(stage), optimiser, spec.weights) for stage in method.all_stages}
        self._window: dict[int, tuple[SearchedGames, NDArray[np.float32]]] = {}

    def begin(self) -> Outcome:
        generator, spec = stream(self.config.seed, 0, Draw.LEARNING), self.config.network
        if self._method.teacher:
            teacher, before = self._method.first(spec).read_with_network()
            weights = first_network.widened(spec, before, np.asarray(teacher, np.float32), generator)
        else:
            weights = first_network.random_weights(spec, generator)
        return Outcome(self.fits[1].begin(weights), numbers=dict.fromkeys(self._method.columns))

    def learn(self, generation: int, learnt: Learnt) -> Outcome:
        method, stage = self._method, self._method.stage(generation)
        played = self._add(generation, learnt.weights)
        first = stage.oldest(generation)
        for number in range(first, generation):
            if number not in self._window:  # in a resumed session
                self._add(number, self.workshop.earlier(number - 1), f"games of generation {number}, played again")
        self._window = {number: games for number, games in sorted(self._window.items()) if number >= first}
        generator = stream(self.config.seed, generation, Draw.LEARNING)
        measured = self._arrays(generator.permutation(len(played.rows))[:MEASURED], [self._window[generation]])
        value_loss, policy_loss = (float(each) for each in self.losses(jnp.asarray(learnt.weights), *measured))
        games = list(self._window.values())
        total = sum(len(one.rows) for one, _ in games)
        order = shuffled(total, method.batch, (stage.steps + 0.5) * method.batch / total, generator)
        chosen = self._arrays(order.reshape(-1), games)
        places = np.arange(order.size).reshape(order.shape)
        fitted, loss = self.fits[stage.first].run(learnt, chosen, places, self.workshop.work)
        gated = method.gate > 0 and not stage.nodes
        score = self._gate_score(generation, fitted.weights, learnt.weights) if gated else None
        if score is not None and score < GATE:
            fitted = replace(fitted, weights=learnt.weights)  # the schedule of the rate goes on
        numbers: dict[str, float | int | None] = {
            "value_loss": value_loss,
            "policy_loss": policy_loss,
            "surprise": None if stage.nodes else float(played.surprises.mean()),
            "rate": float(self._rates[stage.first](stage.steps * (generation - stage.first + 1))),
            "gate": score,
        }
        outcome = Outcome(fitted, order.size, loss, numbers=numbers)
        return outcome.with_games(played.results, int(played.plies.sum()), played.evaluations)

    def _gate_score(self, generation: int, fitted: NDArray[np.float32], before: NDArray[np.float32]) -> float:
        games, work = self.config.games, self.workshop.work
        self.workshop.share([fitted, before])
        result = play_match(
            *gate_players(self.config, fitted, before),
            self._method.gate,
            kind=games.openings,
            seed=derive_seed(self.config.seed, generation, Draw.GATE),
            rules=games.rules(),
            pool=_GatePool(self.workshop),
            progress=lambda score: work("games of the gate", score.games, self._method.gate),
        )
        return (result.wins + result.draws / 2) / result.games

    def _add(self, generation: int, weights: NDArray[np.float32], what: str = "games to learn from") -> SearchedGames:
        stage = self._method.stage(generation)
        size = SEARCHED_A_TASK if stage.nodes else GAMES_A_TASK
        self.workshop.share([weights])
        tasks = [
            TreeGames(self.config, generation, (first, min(first + size, stage.games)))
            for first in range(0, stage.games, size)
        ]
        sizes = [task.games[1] - task.games[0] for task in tasks]
        judged = isinstance(self._method, Distilled)
        play = play_judged if judged else play_searches if stage.nodes else play_task
        parts = list(self.workshop.follow(self.workshop.map(play, tasks), sizes, what))
        if None in parts:
            raise DivergedError(generation - 1, "outputs of the network are not finite numbers")
        played = joined(parts)
        self._window[generation] = played, result_targets(played, stage.searched, stage.searched_few)
        return played

    def _arrays(self, chosen: NDArray[np.int64], games: list[tuple[SearchedGames, NDArray[np.float32]]]) -> Arrays:
        """Return inputs, results, first steps and their shares of samples, numbered through all games."""
        rows, steps, shares = (
            np.concatenate([getattr(one, name) for one, _ in games])[chosen] for name in ("rows", "steps", "shares")
        )
        results = np.concatenate([targets for _, targets in games])[chosen]
        return inputs_of(rows).astype(np.uint8), results, steps, shares
