"""Games to learn from, and the values of their boards according to a copy of the network, frozen for a generation.

The value of a move is the network's value of the board after it, as seen by the side that has moved (``depth=1``). Its
target is the result if the game ends there; otherwise the frozen copy's maximum over the mover's next moves,
discounted. These are the moves after the reply that was played (Watkins), or after the best reply (Littman, for
two-player games).

Source: Watkins, Learning from delayed rewards (1989); Littman, Markov games as a framework for multi-agent
reinforcement learning (1994); Mnih et al., Human-level control through deep reinforcement learning (2015), for the
frozen copy and the window of samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.config.model import Config
from evolve.streams import Draw, stream, streams
from evolve.workers.processes import get_shared_rows, refers_to_rows
from extras.learning.methods import QLearning
from extras.learning.metrics import turned
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
"""Number of plies from the start of a game in which moves may be random; few games are longer."""

Words = NDArray[np.uint64]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class SelfPlay:
    """Games that one task plays and values; plain data.

    Attributes:
        games: number of the first game, and one past the last; both are even, since two games share a ballot.
        players: rows of shared genomes: the network, which is also the frozen copy, then earlier ones.
        opponents: the network's opponent in each game, as an index into `players`.
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
        rows: uint64 of shape (samples, 3): own, opponent, kings, as seen by the side that the target is for. For
            a network that knows the side to move, this is the side to move.
        targets: float32 of shape (samples,), from -1 to 1.
    """

    rows: Words
    targets: Floats

    def __len__(self) -> int:
        return len(self.targets)

    @classmethod
    def joined(cls, parts: Sequence[ValueSamples]) -> ValueSamples:
        return cls(np.concatenate([part.rows for part in parts]), np.concatenate([part.targets for part in parts]))


@dataclass(frozen=True)
class Played:
    """Games, as a task returns them.

    Attributes:
        results: 1, 0 or -1 for each game, from the network's point of view, or from Black's if it played itself.
        plies: total over all games.
    """

    samples: ValueSamples
    results: tuple[int, ...]
    plies: int
    evaluations: int

    @classmethod
    def joined(cls, parts: Sequence[Played]) -> Played:
        samples = ValueSamples.joined([part.samples for part in parts])
        results = tuple(result for part in parts for result in part.results)
        return cls(samples, results, sum(part.plies for part in parts), sum(part.evaluations for part in parts))


@refers_to_rows
def play(task: SelfPlay) -> Played:
    config, (first, last) = task.config, task.games
    genomes = get_shared_rows().genomes()[list(task.players)]
    method = config.learning.method
    assert isinstance(method, QLearning)
    table = openings_of(config, task.generation, range(first, last), task.epsilon)
    search = config.search.limits(task.generation), config.search.style()
    field = BatchPlayers.of_networks(config.network, genomes, limits=search[0], style=search[1])
    numbers, opponents = np.arange(first, last), np.array(task.opponents, np.int64)
    black = numbers % 2 == 0  # the network has Black in the first game on a ballot
    outcomes = play_all(
        field, np.where(black, 0, opponents), np.where(black, opponents, 0), openings=table,
        opening_of=np.arange(last - first), rules=config.games.rules(), keep=True, adjudicate=config.games.adjudicate,
    )  # fmt: skip
    teacher = Teacher(config.network, genomes[0], method)
    start = openings.PLIES[config.games.openings]
    games = zip(outcomes.codes or (), outcomes.results.tolist(), strict=True)
    samples = ValueSamples.joined([samples_of(codes, result, start, teacher, method) for codes, result in games])
    seen = np.where(black | (opponents == 0), outcomes.results, -outcomes.results)
    return Played(samples, tuple(seen.tolist()), int(outcomes.plies.sum()), int(outcomes.evaluations.sum()))


def openings_of(config: Config, generation: int, games: range, epsilon: float) -> NDArray[np.int16]:
    """Return the ballot and the random moves of each game; they depend only on seed, generation and game.

    Args:
        games: numbers of the games; an even game and the next one share a ballot.
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
    """A frozen network that values boards by search."""

    def __init__(self, spec: Spec, weights: Any, method: QLearning) -> None:
        style = SearchOptions(quiescence=method.captures, table_bits=12)
        self._search = AlphaBeta(Evaluator(spec, weights), style)
        self._limits = Limits(method.look_ahead)
        self._output = ACTIVATIONS[spec.activation].values
        self.by_mover = spec.by_mover

    def values(self, rows: Words) -> NDArray[np.float64]:
        """Return the value of each board for the side to move, from -1 to 1: the maximum over its legal moves.

        Every board must have a legal move.
        """
        scores = np.empty(len(rows))
        for at, (own, opponent, kings) in enumerate(rows.tolist()):
            scores[at] = self._search.value(Position(own, opponent, kings, BLACK), self._limits)
        proved = np.abs(scores) >= WON
        return np.where(proved, np.sign(scores), self._output(np.where(proved, 0.0, scores)))


def samples_of(codes: NDArray[np.uint32], result: int, start: int, teacher: Teacher, method: QLearning) -> ValueSamples:
    """Return the samples of one game.

    Args:
        result: 1, 0 or -1 for Black.
        start: number of plies in the opening, which gives no samples.
    """
    boards, indexes = follow(codes, Position.start())
    end = after(boards[-1], int(indexes[-1]))
    captures, boards = boards[start:, 3] != 0, boards[start:, :3]
    # The value of the result at each board, including the final one: for the side to move, and for the other side.
    movers = 1.0 - 2.0 * (np.arange(start, start + len(boards) + 1) & 1)
    points, other = (method.draw + 0 * movers,) * 2 if result == 0 else (result * movers, -result * movers)
    values = teacher.values(boards)
    if method.reply == "best":
        targets = -method.discount * values
    else:  # after the reply the side moves again, unless the game was over
        targets = np.append(method.discount * values[1:], other[-2:-1])
    if teacher.by_mover:
        if method.reply == "played":
            targets[-1] = -points[-2]  # a draw is worth the same to both
        rows, targets = np.concatenate([boards, turned(end)]), np.append(-targets, points[-1])
    else:
        rows, targets = np.concatenate([turned(boards), end]), np.append(targets, other[-1])
        if method.both_views:
            quiet = ~captures
            rows, targets = np.concatenate([rows, boards[quiet]]), np.append(targets, values[quiet])
    return ValueSamples(rows, targets.astype(np.float32))


def boards_after(codes: NDArray[np.uint32]) -> Words:
    """Return the board after each move of a game, as seen by the side that made it; uint64 of shape (moves, 3)."""
    boards, indexes = follow(codes, Position.start())
    return np.concatenate([turned(boards[1:, :3]), after(boards[-1], int(indexes[-1]))])


def after(board: Words, index: int) -> Words:
    """Return the board after a move, as seen by the side that made it; uint64 of shape (1, 3).

    Args:
        board: uint64, own, opponent, kings, as this side sees it.
    """
    moves = np.empty((MAX_MOVES, kernels.MOVE_WORDS), np.uint64)
    kernels.generate(board[0], board[1], board[2], BLACK, moves)
    return moves[index : index + 1, :3].copy()
