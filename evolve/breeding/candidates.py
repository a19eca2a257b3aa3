"""Candidates of the optimiser `genes`, and their examples: own games of the mean, and values of positions from
searches.

The result of a game says little about a position, since much happens after it. The value from a search of some hundred
positions says more, and players then learn what had to be searched before. In generation 0 players that count pieces
play and search in place of the mean, which knows nothing. Everything depends on the seed, the generation and the mean.

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
"""Bounds of the number of random plies in an opening."""
JUDGING = SearchOptions(quiescence=True, threats=True, table_bits=14)
"""Options of the searches that value positions."""
CERTAIN = 500.0
"""Bound of the logarithm of the odds; beyond it a value is as good as proved."""


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
    """Games to be played and valued by one task; plain data.

    Attributes:
        seed: of the run; with generation and number it decides the games.
        generation: the one that learns from the games.
        number: of the task.
        games: number of games.
        how: depth of the games, positions in each and nodes of their searches.
        genome: the player; players that count pieces if None.
    """

    seed: int
    generation: int
    number: int
    games: int
    how: Genes
    genome: NetworkGenome | None


@dataclass(frozen=True)
class ValuedPositions:
    """Positions with their values and results.

    Attributes:
        rows: uint64 of shape (positions, 3): own, opponent, kings, as the side to move sees them.
        values: float64 of shape (positions,), values from searches, in men; infinite for a proved win or loss.
        points: float64 of shape (positions,), result of the game for the side to move: 1 win, 0.5 draw, 0 loss.
    """

    rows: NDArray[np.uint64]
    values: Floats
    points: Floats


def play(task: MeanGames) -> ValuedPositions:
    """Return the positions of a task; runs in a worker."""
    generator = stream(task.seed, task.generation, Draw.MEAN_GAMES, task.number)
    plies = generator.integers(FEWEST_RANDOM, MOST_RANDOM + 1, task.games)
    player, evaluator, unit = counting(task.how.depth), None, float(MAN_VALUE)
    if task.genome is not None:
        one, limits = task.genome, Limits(task.how.depth)
        player = NetworkPlayer("mean", one.weights, spec=one.network, king=one.king, limits=limits, style=STYLE)
        evaluator, unit = Evaluator(one.network, one.weights, one.king), 1.0
    search, limits = AlphaBeta(evaluator, JUDGING), Limits(nodes=task.how.nodes)
    rows, values, points = [], [], []
    for first, boards, result in played(player, plies, generator, MAX_PLIES):
        quiet = first + np.flatnonzero(boards[first:, 3] == 0)
        for ply in np.sort(generator.permutation(quiet)[: task.how.positions]).tolist():
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
    """Return a position as its mover, Black, sees it, or with even chances the one after a random move if it is quiet.

    Strong players seldom make the mistakes that a search has to understand.
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
        genome: where it begins.
        examples: positions with the points to predict.
        how: settings.
        seed: of the run; with generation and place it decides the order of positions, and mutants.
        generation: of the candidate.
        place: of the candidate in its generation, from 0.
    """

    genome: NetworkGenome
    examples: Examples
    how: Training
    seed: int
    generation: int
    place: int


def study(task: Lesson) -> NDArray[np.float32]:
    """Return the weights that a candidate has learnt; runs in a worker."""
    one, generator = task.genome, stream(task.seed, task.generation, Draw.GENES, task.place, 1)
    return rounded(learn(one.network, one.weights, task.examples, task.how, generator, one.king))


def candidates(config: Config, mean: Individual, generation: int, toolbox: base.Toolbox) -> list[NDArray[np.float32]]:
    """Return the candidates of a generation, as many as it has mutants; they do not depend on the workers.

    Args:
        config: the optimiser, and the seed.
        mean: of the generation.
        generation: its number.
        toolbox: as `evolve.breeding.generations.make_toolbox` makes it.
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
    if not len(rows):  # games that were over at once
        return [np.asarray(mean).copy() for _ in range(config.population.mutants)]
    known = np.isfinite(values)
    scale = best_scale(values[known], points[known]) if known.any() else 1.0
    chances = 1.0 / (1.0 + exponential(-np.clip(scale * values, -CERTAIN, CERTAIN)))
    log.info(
        "generation %d: %d positions of own games, values times %.3f predict their results",
        generation,
        len(rows),
        scale,
    )
    lessons = []
    for place in range(config.population.mutants):
        generator = stream(config.seed, generation, Draw.GENES, place, 0)
        how, mix = optimiser.numbers(place, scale, generator)
        if place:
            begun = optimiser.with_other_margins(config.network, mean, generator)
            genome = replace(genome, weights=np.asarray(begun))
        examples = Examples(rows, mix * chances + (1.0 - mix) * points)
        lessons.append(Lesson(genome, examples, how, config.seed, generation, place))
    return list(toolbox.follow(toolbox.map(study, lessons), [1] * len(lessons), "candidates"))


def warm_up(config: Config) -> None:
    """Load the compiled code of this module, or compile it."""
    optimiser = Genes(games=1, depth=1, positions=1, nodes=1)
    one = NetworkGenome(config.network, np.zeros(config.network.weights, np.float32), config.network.king)
    for genome in (None, one):
        play(MeanGames(0, 0, 0, 1, optimiser, genome))
    examples = Examples(np.array([[1, 1 << 34, 0]], np.uint64), np.array([0.5]))
    learn(one.network, one.weights, examples, Training(1.0, 1), stream(0, 0, Draw.GENES))
