"""Founders that predict the results of games that the program plays against itself.

An evolution strategy whose fitness is the prediction loss improves a founder. The result is the average of the means of
the later half of the generations, since a single mean depends too much on which positions were drawn.

A game begins with 6 to 40 random moves, so that one side is usually ahead. During the next 24 moves, every position
without a capture becomes an example, with the result of the game.

Source: David, van den Herik, Koppel, Netanyahu, Genetic algorithms for evolving computer chess programs (2014), for the
order: first positions, then games.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from deap import base
from numpy.typing import NDArray

from evolve.config.model import Config
from evolve.kinds.individual import Individual
from evolve.kinds.optimisers.optimiser import Floats, RankedGeneration, logarithm
from evolve.kinds.variation import exponential, mean_of, mirror
from evolve.streams import Draw, stream
from extras.prediction.cma import SeparableCmaEs
from game.batch.games import BatchPlayers, follow, play_all
from game.board import Position
from game.networks.evaluator import Evaluator
from game.networks.spec import Spec
from game.players.basic import MaterialPlayer, RandomPlayer
from game.rules import DrawRules
from game.search.interface import Limits, SearchOptions

log = logging.getLogger(__name__)

MUTANTS = 32
"""Number of mutants in a generation; half of them are parents."""
OPTIMISER = SeparableCmaEs(step=0.1)
TASKS = 4
"""Number of tasks that judge the mutants of a generation; it does not depend on the number of workers."""
KING = 1.5
"""Value of a king in men, for `worth_of_a_man`."""


@dataclass(frozen=True)
class Examples:
    """Positions and the points to predict.

    Attributes:
        rows: uint64 of shape (positions, 3): own, opponent, kings, as the side to move sees them.
        points: float64 of shape (positions,), from 0 to 1, for the side to move.
    """

    rows: NDArray[np.uint64]
    points: Floats


@dataclass(frozen=True)
class Judging:
    """Genomes that one task judges on examples; plain data.

    Attributes:
        genomes: float32 of shape (genomes, weights).
        seen: positions to evaluate for Black, and others for White, as `Evaluator.score_rows` takes them.
        points: float64 of shape (positions,), points of the side for which a position is evaluated; Black's come first.
        scale: factor by which predictions multiply values.
    """

    network: Spec
    genomes: NDArray[np.float32]
    kings: tuple[float, ...]
    seen: tuple[NDArray[np.uint64], NDArray[np.uint64]]
    points: Floats
    scale: float


def judge(task: Judging) -> list[float]:
    """Return the loss of each genome, which is infinite if a value is not finite; this runs in a worker."""
    losses = []
    for genome, king in zip(task.genomes, task.kings, strict=True):
        evaluator = Evaluator(task.network, genome, king)
        parts = [evaluator.score_rows(rows, side) for side, rows in enumerate(task.seen)]
        values = np.concatenate(parts).astype(np.float64)
        losses.append(loss(task.scale * values, task.points) if np.isfinite(values).all() else math.inf)
    return losses


def loss(values: Floats, points: Floats) -> float:
    """Return the mean cross-entropy of predictions: a value v predicts 1 / (1 + exp(-v)) points on average."""
    # log(1 + e**v) - v * points, with e**-|v| instead, so that no exponential overflows.
    sizes = np.minimum(np.abs(values), 500.0)
    losses = logarithm(1.0 + exponential(-sizes)) + sizes * (values > 0) - np.clip(values, -500.0, 500.0) * points
    return math.fsum(losses) / len(losses)


def worth_of_a_man(data: Examples) -> float:
    """Return how much an extra man adds to the log odds of a win, for the piece count that predicts results best."""
    kings = data.rows[:, :2] & data.rows[:, 2:]
    counts = np.bitwise_count(data.rows[:, :2]).astype(np.float64) + (KING - 1) * np.bitwise_count(kings)
    return best_scale(counts[:, 0] - counts[:, 1], data.points)


def best_scale(values: Floats, points: Floats) -> float:
    low, high = 0.01, 10.0
    for _ in range(40):  # ternary search: the loss has a single minimum
        third = (high - low) / 3
        if loss((low + third) * values, points) < loss((high - third) * values, points):
            high -= third
        else:
            low += third
    return 0.5 * (low + high)


def predict(config: Config, founder: Individual, toolbox: base.Toolbox) -> Individual:
    """Train a founder to predict results of games; the result does not depend on the number of workers."""
    rules, generator = config.founders, stream(config.seed, 0, Draw.PREDICTION)
    data = examples(config.seed, rules.games, rules.depth, toolbox.map, toolbox.follow)
    scale = worth_of_a_man(data)
    mean = OPTIMISER.begin(founder)
    later: list[Individual] = []
    for number in toolbox.follow(range(rules.rounds), [1] * rules.rounds, "rounds of training"):
        # New positions in each generation: a genome that only knows some of them by heart gains nothing.
        chosen = generator.integers(0, len(data.points), rules.positions)
        # Half are evaluated for the mover and half for the other side, since a search needs both.
        mover, other = np.array_split(chosen, 2)
        seen = _rows(data.rows[mover], 1), _rows(data.rows[other][:, [1, 0, 2]], 0)
        points = np.concatenate([data.points[mover], 1 - data.points[other]])
        task = Judging(config.network, np.empty((0, 0), np.float32), (), seen, points, scale)
        made = [mean]
        for _ in range(MUTANTS // 2):
            mutant = OPTIMISER.ask(mean, generator, number, toolbox.mutate)
            if config.network.evolving_king:
                (mutant,) = toolbox.mutate_king(mutant, generator)
            made += [mutant, mirror(mutant, mean)]
        # The mean is ranked first whatever its loss, since the optimiser measures moves from it.
        losses = _judged(made, task, toolbox)
        order = np.concatenate([[0], 1 + np.argsort(losses[1:], kind="stable")])
        mean = OPTIMISER.tell(
            RankedGeneration([made[at] for at in order], order, -np.arange(len(made)), MUTANTS // 2 + 1, 1.0)
        )
        if 2 * number >= rules.rounds:
            later.append(mean)
        if number % 50 == 49:
            log.info("founders: loss %.4f after %d rounds; a man is worth %.3f", losses[0], number + 1, scale)
    predicting = mean_of(later or [mean])
    predicting[config.network.valued :] = founder[config.network.valued :]  # predictions say nothing about margins
    predicting.state = None
    return predicting


def _rows(boards: NDArray[np.uint64], moving: int) -> NDArray[np.uint64]:
    return np.column_stack([boards, np.full(len(boards), moving, np.uint64)])


def _judged(made: list[Individual], task: Judging, toolbox: base.Toolbox) -> Floats:
    parts: list[Any] = np.array_split(np.arange(len(made)), TASKS)
    tasks = [
        replace(task, genomes=np.stack([made[at] for at in part]), kings=tuple(made[at].king for at in part))
        for part in parts
    ]
    return np.array([value for losses in toolbox.map(judge, tasks) for value in losses])


FEWEST_RANDOM, MOST_RANDOM = 6, 40
TAKEN = 24
"""Number of plies, after the random ones, from which positions are used."""
GAMES_A_TASK = 50
RULES = DrawRules(3, 40, True, 0)
STYLE = SearchOptions(quiescence=True, table_bits=12)


@dataclass(frozen=True)
class ExampleGames:
    """Games that one task plays; plain data.

    Attributes:
        number: number of the task, which determines the games with the seed.
        depth: of the searches of both sides, in plies.
    """

    seed: int
    number: int
    games: int
    depth: int


def play(task: ExampleGames) -> Examples:
    """Play the games of a task in a worker; return the examples from them."""
    generator = stream(task.seed, 0, Draw.OWN_GAMES, task.number)
    plies = generator.integers(FEWEST_RANDOM, MOST_RANDOM + 1, task.games)
    openings = _random_openings(plies, generator)
    player = MaterialPlayer(draws_ties=True, limits=Limits(task.depth), style=STYLE)
    field, zeros = BatchPlayers.of_players([player]), np.zeros(task.games, np.int64)
    seeds = generator.integers(0, 2**63, task.games).tolist()
    assert field is not None
    outcomes = play_all(
        field, zeros, zeros, openings=openings, opening_of=np.arange(task.games), rules=RULES, seeds=seeds, keep=True
    )
    rows, points = [np.empty((0, 3), np.uint64)], [np.empty(0)]
    for codes, opening, result in zip(outcomes.codes or (), openings, outcomes.results.tolist(), strict=True):
        first = int(np.count_nonzero(opening >= 0))
        boards, _ = follow(codes[: first + TAKEN], Position.start())
        taken = first + np.flatnonzero(boards[first:, 3] == 0)
        rows.append(boards[taken, :3])
        points.append(0.5 + 0.5 * result * (1 - 2 * (taken & 1)))  # of the side to move
    return Examples(np.concatenate(rows), np.concatenate(points))


def _random_openings(plies: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.int16]:
    """Return random legal moves for each game, as compiled games take them; fewer if a game ends early."""
    field = BatchPlayers.of_players([RandomPlayer()])
    zeros, rules = np.zeros(len(plies), np.int64), DrawRules(0, 0, True, MOST_RANDOM)
    assert field is not None
    seeds = generator.integers(0, 2**63, len(plies)).tolist()
    outcomes = play_all(field, zeros, zeros, rules=rules, seeds=seeds, keep=True)
    table = np.full((len(plies), MOST_RANDOM), -1, np.int16)
    for row, codes, count in zip(table, outcomes.codes or (), plies.tolist(), strict=True):
        # A game that ended early lacks its last move here: the opening must leave a position with a move.
        _, indexes = follow(codes[: min(count, len(codes) - 1)], Position.start())
        row[: len(indexes)] = indexes
    return table


def examples(
    seed: int,
    games: int,
    depth: int,
    play_tasks: Callable[[Callable[[Any], Any], Any], Iterable[Any]] = map,
    follow: Callable[[Iterable[Any], Sequence[int], str], Iterable[Any]] = lambda results, sizes, what: results,
) -> Examples:
    """Play games and return their examples, in an order that does not depend on the workers.

    Args:
        depth: search depth of both sides, in plies.
    """
    tasks = [
        ExampleGames(seed, number, min(GAMES_A_TASK, games - start), depth)
        for number, start in enumerate(range(0, games, GAMES_A_TASK))
    ]
    parts = list(follow(play_tasks(play, tasks), [task.games for task in tasks], "own games"))
    return Examples(np.concatenate([part.rows for part in parts]), np.concatenate([part.points for part in parts]))
