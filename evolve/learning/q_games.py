"""Games to learn from, and what their boards are worth to a copy of the network that is frozen for the generation.

The value of a move is the network's value of the board after it, as the side sees it that has moved (the program's
``depth=1``). Its target is the result where the game ends, else a discounted maximum over moves by the frozen copy:
over the mover's next moves after the reply that was played (Watkins), or after the best reply (Littman, for games of
two), which a search finds that may look further ahead.

Source: Watkins, Learning from delayed rewards (1989); Littman, Markov games as a framework for multi-agent
reinforcement learning (1994); Mnih and others, Human-level control through deep reinforcement learning (2015), for
the frozen copy and the window of samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.config.model import Config
from evolve.learning.methods import QLearning
from evolve.learning.metrics import turned
from evolve.streams import Draw, stream, streams
from evolve.workers.processes import get_shared_rows, refers_to_rows
from game import kernels, openings
from game.batch.games import LOTS, BatchPlayers, follow, index_openings, lots, play_all
from game.board import Position
from game.networks.activations import ACTIVATIONS
from game.networks.evaluator import Evaluator
from game.networks.spec import Spec
from game.rules import BLACK, MAX_MOVES
from game.search.interface import WON, Limits, SearchOptions
from game.search.search import AlphaBeta

GAMES_A_TASK = 20
EXPLORED = 200
"""Plies of a game in which moves may be random; the few that are longer go on without."""

Words = NDArray[np.uint64]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class SelfPlay:
    """Games to be played and valued by one task; plain data.

    Attributes:
        config: of the run.
        generation: the one that learns from the games.
        games: number of the first game and of the one after the last; both even, since two games share a ballot.
        epsilon: chance of a random move.
        players: rows of the genomes that workers see: the network, which is also the frozen copy, and earlier ones.
        opponents: for each game the index among these of the opponent of the network.
    """

    config: Config
    generation: int
    games: tuple[int, int]
    epsilon: float
    players: tuple[int, ...]
    opponents: tuple[int, ...]


@dataclass(frozen=True)
class ValueSamples:
    """Boards with the values to learn.

    Attributes:
        rows: uint64 of shape (samples, 3): own, opponent, kings, as the side sees them for which the target is. A
            network that sees which side moves views them as the mover.
        targets: float32 of shape (samples,), from -1 to 1.
    """

    rows: Words
    targets: Floats

    def __len__(self) -> int:
        return len(self.targets)

    @classmethod
    def joined(cls, parts: Sequence[ValueSamples]) -> ValueSamples:
        """Return all samples, in order."""
        return cls(np.concatenate([part.rows for part in parts]), np.concatenate([part.targets for part in parts]))


@dataclass(frozen=True)
class Played:
    """Games, as a task returns them.

    Attributes:
        samples: of all games, in order.
        results: of each game for the network: 1, 0 or -1; for Black where it played itself.
        plies: of all games.
        evaluations: of all games, without those of the search for targets.
    """

    samples: ValueSamples
    results: tuple[int, ...]
    plies: int
    evaluations: int

    @classmethod
    def joined(cls, parts: Sequence[Played]) -> Played:
        """Return all games, in order."""
        samples = ValueSamples.joined([part.samples for part in parts])
        results = tuple(result for part in parts for result in part.results)
        return cls(samples, results, sum(part.plies for part in parts), sum(part.evaluations for part in parts))


@refers_to_rows
def play(task: SelfPlay) -> Played:
    """Return the samples of a task; runs in a worker."""
    config, (first, last) = task.config, task.games
    genomes = get_shared_rows().genomes()[list(task.players)]
    how = config.learning.method
    assert isinstance(how, QLearning)
    table = openings_of(config, task.generation, range(first, last), task.epsilon)
    search = config.search.limits(task.generation), config.search.style()
    field = BatchPlayers.of_networks(config.network, genomes, limits=search[0], style=search[1])
    numbers, opponents = np.arange(first, last), np.array(task.opponents, np.int64)
    black = numbers % 2 == 0  # the network has Black in the first game on a ballot
    outcomes = play_all(
        field, np.where(black, 0, opponents), np.where(black, opponents, 0), openings=table,
        opening_of=np.arange(last - first), rules=config.games.rules(), keep=True, adjudicate=config.games.adjudicate,
    )  # fmt: skip
    teacher = Teacher(config.network, genomes[0], how)
    start = openings.PLIES[config.games.openings]
    games = zip(outcomes.codes or (), outcomes.results.tolist(), strict=True)
    samples = ValueSamples.joined([samples_of(codes, result, start, teacher, how) for codes, result in games])
    seen = np.where(black | (opponents == 0), outcomes.results, -outcomes.results)
    return Played(samples, tuple(seen.tolist()), int(outcomes.plies.sum()), int(outcomes.evaluations.sum()))


def openings_of(config: Config, generation: int, games: range, epsilon: float) -> NDArray[np.int16]:
    """Return the ballot of each game, and its random moves; they depend on seed, generation and game alone.

    Args:
        config: of the run.
        generation: the one that learns from the games.
        games: their numbers; two share a ballot, the first of them even.
        epsilon: chance of a random move.
    """
    ballots = index_openings([each.moves for each in openings.openings(config.games.openings)], Position.start())
    table = np.full((len(games), EXPLORED), -1, np.int16)
    keys = [(1, game) for game in games]
    for row, game, own in zip(table, games, streams(config.seed, generation, Draw.LEARNING_GAMES, keys), strict=True):
        explored = own.random(EXPLORED) < epsilon
        row[explored] = lots(own.integers(0, LOTS, int(np.count_nonzero(explored))))
        ballot = stream(config.seed, generation, Draw.LEARNING_GAMES, 2, game // 2).integers(len(ballots))
        row[: ballots.shape[1]] = ballots[ballot]
    return table


class Teacher:
    """A frozen network, and its values of boards by search.

    Args:
        spec: the network.
        weights: its genome.
        how: depth and options of the search.

    Attributes:
        by_mover: whether the network sees which side moves.
    """

    def __init__(self, spec: Spec, weights: Any, how: QLearning) -> None:
        style = SearchOptions(quiescence=how.captures, table_bits=12)
        self._search = AlphaBeta(Evaluator(spec, weights), style)
        self._limits = Limits(how.look_ahead)
        self._output = ACTIVATIONS[spec.activation].values
        self.by_mover = spec.by_mover

    def values(self, rows: Words) -> NDArray[np.float64]:
        """Return values from -1 to 1 of boards with a legal move, as the side to move sees them: the maximum over its
        moves.
        """
        found = np.empty(len(rows))
        for at, (own, opponent, kings) in enumerate(rows.tolist()):
            found[at] = self._search.value(Position(own, opponent, kings, BLACK), self._limits)
        proved = np.abs(found) >= WON
        return np.where(proved, np.sign(found), self._output(np.where(proved, 0.0, found)))


def samples_of(codes: NDArray[np.uint32], result: int, start: int, teacher: Teacher, how: QLearning) -> ValueSamples:
    """Return the samples of one game: its boards after moves, as the side sees them that has just moved, and others.

    Args:
        codes: of its moves, the opening included.
        result: for Black: 1, 0 or -1.
        start: plies of the opening, from which nothing is learnt.
        teacher: gives the values of boards.
        how: discount, value of a draw, and so on.
    """
    boards, indexes = follow(codes, Position.start())
    end = after(boards[-1], int(indexes[-1]))
    captures, boards = boards[start:, 3] != 0, boards[start:, :3]
    # The value of the game for the side to move on each board, the final one included, and for the other side.
    movers = 1.0 - 2.0 * (np.arange(start, start + len(boards) + 1) & 1)
    points, other = (how.draw + 0 * movers,) * 2 if result == 0 else (result * movers, -result * movers)
    values = teacher.values(boards)
    if how.reply == "best":
        targets = -how.discount * values
    else:  # after the reply the side moves again, unless the game was over
        targets = np.append(how.discount * values[1:], other[-2:-1])
    if teacher.by_mover:
        if how.reply == "played":
            targets[-1] = -points[-2]  # a draw is worth the same to both
        rows, targets = np.concatenate([boards, turned(end)]), np.append(-targets, points[-1])
    else:
        rows, targets = np.concatenate([turned(boards), end]), np.append(targets, other[-1])
        if how.both_views:
            quiet = ~captures
            rows, targets = np.concatenate([rows, boards[quiet]]), np.append(targets, values[quiet])
    return ValueSamples(rows, targets.astype(np.float32))


def boards_after(codes: NDArray[np.uint32]) -> Words:
    """Return the boards after each move of a game, as its mover sees them; uint64 of shape (moves, 3)."""
    boards, indexes = follow(codes, Position.start())
    return np.concatenate([turned(boards[1:, :3]), after(boards[-1], int(indexes[-1]))])


def after(board: Words, index: int) -> Words:
    """Return the board after a move, as the side sees it that has made it; uint64 of shape (1, 3).

    Args:
        board: uint64, own, opponent, kings, as this side sees it.
        index: of the move among the legal ones.
    """
    moves = np.empty((MAX_MOVES, kernels.MOVE_WORDS), np.uint64)
    kernels.generate(board[0], board[1], board[2], BLACK, moves)
    return moves[index : index + 1, :3].copy()
