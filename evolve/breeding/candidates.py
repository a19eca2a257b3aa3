"""Candidates of the optimiser `genes`, and the games of the mean from which they learn.

The result of a game says little about a position, since much happens after it. A search of a few hundred nodes says
more, and a player that learns the values of searches needs less search afterwards. In generation 0, where the mean is
all zeros, players that count pieces play and search in its place. Everything depends only on the seed, the generation
and the mean.

Source: Samuel, Some studies in machine learning using the game of checkers (1959), for learning from one's own search.
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass, replace

import numpy as np
from deap import base
from numpy.typing import NDArray

from evolve.breeding.individual import Individual
from evolve.breeding.prediction import GAMES_A_TASK, STYLE, best_scale, counting, played, points_of
from evolve.config.model import Config
from evolve.kinds.optimisers.genes import Genes
from evolve.kinds.optimisers.optimiser import Floats
from evolve.kinds.variation import exponential
from evolve.streams import Draw, stream
from game import bitboard, moves
from game.board import Position
from game.networks.evaluator import Evaluator
from game.networks.genes import Examples, Training, learn, rounded
from game.networks.spec import Spec
from game.players.network import NetworkPlayer
from game.rules import BLACK, MAX_PLIES
from game.search.interface import WON, Limits, SearchOptions
from game.search.layout import MAN_VALUE
from game.search.search import AlphaBeta

log = logging.getLogger(__name__)

FEWEST_RANDOM, MOST_RANDOM = 4, 24
"""Minimum and maximum number of random plies in an opening."""
JUDGING = SearchOptions(quiescence=True, threats=True, table_bits=14)
"""Options of the searches that evaluate positions."""
CERTAIN = 500.0
"""Largest log odds; a value beyond it counts as proved."""


@dataclass(frozen=True)
class NetworkGenome:
    """A network with its weights; plain data.

    Attributes:
        network: its specification.
        weights: float32 of shape (network.weights,).
        king: its value of a king.
    """

    network: Spec
    weights: NDArray[np.float32]
    king: float


@dataclass(frozen=True)
class MeanGames:
    """Games that one task plays, and whose positions it evaluates; plain data.

    Attributes:
        seed: the run's seed; together with generation and number it determines the games.
        generation: the generation whose candidates learn from the games.
        number: number of the task.
        games: number of games.
        settings: depth of the games, positions per game, and nodes per search.
        genome: the player; None for players that count pieces.
    """

    seed: int
    generation: int
    number: int
    games: int
    settings: Genes
    genome: NetworkGenome | None


@dataclass(frozen=True)
class ValuedPositions:
    """Positions with their values and results.

    Attributes:
        rows: uint64 of shape (positions, 3): own, opponent, kings, as the side to move sees them.
        values: float64 of shape (positions,), values from searches; infinite for a proved win or loss.
        points: float64 of shape (positions,), result of the game for the side to move: 1 win, 0.5 draw, 0 loss.
    """

    rows: NDArray[np.uint64]
    values: Floats
    points: Floats


def play(task: MeanGames) -> ValuedPositions:
    """Play the games of a task in a worker; return positions from them."""
    generator = stream(task.seed, task.generation, Draw.MEAN_GAMES, task.number)
    plies = generator.integers(FEWEST_RANDOM, MOST_RANDOM + 1, task.games)
    player, evaluator, unit = counting(task.settings.depth), None, float(MAN_VALUE)
    if task.genome is not None:
        mean, limits = task.genome, Limits(task.settings.depth)
        player = NetworkPlayer("mean", mean.weights, spec=mean.network, king=mean.king, limits=limits, style=STYLE)
        evaluator, unit = Evaluator(mean.network, mean.weights, mean.king), 1.0
    search, limits = AlphaBeta(evaluator, JUDGING), Limits(nodes=task.settings.nodes)
    rows, values, points = [], [], []
    for first, boards, result in played(player, plies, generator, MAX_PLIES):
        quiet = first + np.flatnonzero(boards[first:, 3] == 0)
        for ply in np.sort(generator.permutation(quiet)[: task.settings.positions]).tolist():
            position, later = _maybe_later(boards[ply, :3], generator)
            if position is not None:
                value = search.value(position, limits)
                rows.append((position.black, position.white, position.kings))
                values.append(math.copysign(math.inf, value) if abs(value) >= WON else value / unit)
                points.append(points_of(result, ply + later))
    return ValuedPositions(
        np.array(rows, np.uint64).reshape(-1, 3), np.array(values, np.float64), np.array(points, np.float64)
    )


def _maybe_later(row: NDArray[np.uint64], generator: np.random.Generator) -> tuple[Position | None, int]:
    """Return a position, in half of the calls after a random move, and the number of moves made, 0 or 1.

    The position is None if it is not quiet after the move. Strong players rarely make the mistakes that a search has to
    refute, so random moves add some. Positions are returned as the side to move sees them, with this side as Black.
    """
    own, opponent, kings = row.tolist()
    position = Position(own, opponent, kings, BLACK)
    if generator.random() < 0.5:
        return position, 0
    after = moves.successors(position)
    _, position = after[int(generator.integers(len(after)))]
    own, opponent, kings = map(bitboard.rotate, (position.white, position.black, position.kings))
    position = Position(own, opponent, kings, BLACK)
    legal = moves.legal_moves(position)
    return (position if legal and not legal[0].captured else None), 1


@dataclass(frozen=True)
class Lesson:
    """The task of a candidate; plain data.

    Attributes:
        genome: its initial genome.
        examples: positions with the points to predict.
        training: settings.
        seed: the run's seed; with generation and place it determines the order of positions and the mutants.
        generation: the candidate's generation.
        place: its number in this generation, from 0.
    """

    genome: NetworkGenome
    examples: Examples
    training: Training
    seed: int
    generation: int
    place: int


def study(task: Lesson) -> NDArray[np.float32]:
    """Train a candidate in a worker; return its weights."""
    genome, generator = task.genome, stream(task.seed, task.generation, Draw.GENES, task.place, 1)
    return rounded(learn(genome.network, genome.weights, task.examples, task.training, generator, genome.king))


def candidates(config: Config, mean: Individual, generation: int, toolbox: base.Toolbox) -> list[NDArray[np.float32]]:
    """Return the `population.mutants` candidates of a generation; the number of workers does not affect them.

    Args:
        config: the optimiser, and the seed.
        mean: the mean of the generation.
        generation: its number.
        toolbox: made by `evolve.breeding.generations.make_toolbox`.
    """
    optimiser = config.optimiser.kind
    assert isinstance(optimiser, Genes)
    genome = NetworkGenome(config.network, np.asarray(mean), mean.king)
    player = genome if generation else None
    tasks = [
        MeanGames(config.seed, generation, number, min(GAMES_A_TASK, optimiser.games - start), optimiser, player)
        for number, start in enumerate(range(0, optimiser.games, GAMES_A_TASK))
    ]
    parts = list(toolbox.follow(toolbox.map(play, tasks), [task.games for task in tasks], "own games"))
    rows, values, points = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("rows", "values", "points")
    )
    if not len(rows):  # all games ended before a quiet position
        return [np.asarray(mean).copy() for _ in range(config.population.mutants)]
    known = np.isfinite(values)
    scale = best_scale(values[known], points[known]) if known.any() else 1.0
    chances = 1.0 / (1.0 + exponential(-np.clip(scale * values, -CERTAIN, CERTAIN)))
    log.info(
        "generation %d: %d positions of own games; their values times %.3f are the log odds of a win",
        generation,
        len(rows),
        scale,
    )
    lessons = []
    for place in range(config.population.mutants):
        generator = stream(config.seed, generation, Draw.GENES, place, 0)
        training, mix = optimiser.numbers(place, scale, generator)
        if place:
            begun = optimiser.with_other_margins(config.network, mean, generator)
            genome = replace(genome, weights=np.asarray(begun))
        examples = Examples(rows, mix * chances + (1.0 - mix) * points)
        lessons.append(Lesson(genome, examples, training, config.seed, generation, place))
    return list(toolbox.follow(toolbox.map(study, lessons), [1] * len(lessons), "candidates"))


def warm_up(config: Config) -> None:
    """Load the compiled code of this module, or compile it."""
    optimiser = Genes(games=1, depth=1, positions=1, nodes=1)
    zeros = NetworkGenome(config.network, np.zeros(config.network.weights, np.float32), config.network.king)
    for genome in (None, zeros):
        play(MeanGames(0, 0, 0, 1, optimiser, genome))
    examples = Examples(np.array([[1, 1 << 34, 0]], np.uint64), np.array([0.5]))
    learn(zeros.network, zeros.weights, examples, Training(1.0, 1), stream(0, 0, Draw.GENES))
