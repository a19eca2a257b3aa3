"""Positions with results, from games that the program plays against itself: what founders learn to predict.

Both sides count pieces, look some plies ahead and draw lots among equal moves. A game begins with 6 to 40 random moves,
so that the sides are mostly not even; of the moves after these the first 24 give a position each, where the mover has
nothing to capture, with the result of the game. So no knowledge comes in but the rules and the worth of a king.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.streams import Draw, stream
from game.batch.follow import follow
from game.batch.games import BatchPlayers, play_all
from game.board import Position
from game.networks.genes import Examples
from game.players.material import MaterialPlayer
from game.players.protocol import Player
from game.players.random import RandomPlayer
from game.rules import DrawRules
from game.search.limits import Limits, SearchOptions

FEWEST_RANDOM, MOST_RANDOM = 6, 40
TAKEN = 24
"""Plies after the random ones that give positions."""
GAMES_A_TASK = 50
RULES = DrawRules(3, 40, True, 0)
STYLE = SearchOptions(quiescence=True, table_bits=12)


@dataclass(frozen=True)
class OwnGames:
    """Games to be played in one go; plain data.

    Attributes:
        seed: of the run.
        number: of the task; with the seed it decides the games.
        games: how many.
        depth: plies that both sides look ahead.
    """

    seed: int
    number: int
    games: int
    depth: int


def play(task: OwnGames) -> Examples:
    """In a worker: the examples of a task."""
    generator = stream(task.seed, 0, Draw.OWN_GAMES, task.number)
    plies = generator.integers(FEWEST_RANDOM, MOST_RANDOM + 1, task.games)
    rows, points = [np.empty((0, 3), np.uint64)], [np.empty(0)]
    for first, boards, result in played(counting(task.depth), plies, generator, TAKEN):
        taken = first + np.flatnonzero(boards[first:, 3] == 0)
        rows.append(boards[taken, :3])
        points.append(points_of(result, taken))
    return Examples(np.concatenate(rows), np.concatenate(points))


def counting(depth: int) -> Player:
    """A player that counts pieces and draws lots among equal moves."""
    return MaterialPlayer(draws_ties=True, limits=Limits(depth), style=STYLE)


def played(
    player: Player, plies: NDArray[np.int64], generator: np.random.Generator, most: int
) -> Iterator[tuple[int, NDArray[np.uint64], int]]:
    """Games of a player against itself after so many random plies each.

    Yields:
        The ply of its first move, the positions before its first `most` moves and before the random ones, as
        `game.batch.follow.follow` gives them, and the result for Black.
    """
    openings = _random_openings(plies, generator)
    field = BatchPlayers.of_players([player])
    games = len(plies)
    nobody = np.zeros(games, np.int64)
    seeds = generator.integers(0, 2**63, games).tolist()
    assert field is not None
    outcomes = play_all(
        field, nobody, nobody, openings=openings, opening_of=np.arange(games), rules=RULES, seeds=seeds, keep=True
    )
    for codes, opening, result in zip(outcomes.codes or (), openings, outcomes.results.tolist(), strict=True):
        first = int(np.count_nonzero(opening >= 0))
        boards, _ = follow(codes[: first + most], Position.start())
        yield first, boards, result


def points_of(result: int, plies: Any) -> Any:
    """Of a result for Black the points of the side to move at a ply, or at many."""
    return 0.5 + 0.5 * result * (1 - 2 * (plies & 1))


def _random_openings(plies: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.int16]:
    """So many random legal moves for each game, fewer where it ended before, as the compiled games take them."""
    field = BatchPlayers.of_players([RandomPlayer()])
    nobody, rules = np.zeros(len(plies), np.int64), DrawRules(0, 0, True, MOST_RANDOM)
    assert field is not None
    seeds = generator.integers(0, 2**63, len(plies)).tolist()
    outcomes = play_all(field, nobody, nobody, rules=rules, seeds=seeds, keep=True)
    table = np.full((len(plies), MOST_RANDOM), -1, np.int16)
    for row, codes, count in zip(table, outcomes.codes or (), plies.tolist(), strict=True):
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
    """The examples of so many games of a run, in an order that does not depend on who plays them.

    Args:
        seed: of the run.
        games: how many.
        depth: plies that both sides look ahead.
        play_tasks: applies a function to tasks, results in order.
        follow: passes results on and tells how far they are.
    """
    tasks = [
        OwnGames(seed, number, min(GAMES_A_TASK, games - start), depth)
        for number, start in enumerate(range(0, games, GAMES_A_TASK))
    ]
    parts = list(follow(play_tasks(play, tasks), [task.games for task in tasks], "own games"))
    return Examples(np.concatenate([part.rows for part in parts]), np.concatenate([part.points for part in parts]))
