"""Positions with more pieces than tables have, and what searches that reach the tables prove about them.

A search by the network of generation 0 looks for a forced win or loss. It is full-width, so what it finds is proved.
Where it finds none within its limit, the position counts as drawn, and is marked as not proved.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.config.model import Config
from evolve.streams import Draw, stream
from evolve.workers.processes import get_shared_rows, refers_to_rows
from extras.learning import sampling_kernels
from extras.learning.endgame_measures import SamplesTask
from extras.learning.endgame_method import Endgame
from extras.learning.judging import Rows, lead
from extras.learning.samples import PARTS, PROVED, UNPROVED, SampleSource, TableSamples
from game import moves
from game.batch.games import LOTS, BatchPlayers, follow, index_openings, lots, play_all
from game.board import Position
from game.networks.evaluator import Evaluator
from game.openings import openings
from game.players.registry import player
from game.rules import BLACK, DrawRules
from game.search.interface import WON, Limits, SearchOptions
from game.search.search import AlphaBeta

COUNTER = "material,depth=2,quiescence=yes"
RULES = DrawRules(max_plies=150)
RANDOM_PLIES = 20
"""Random plies after the ballot of each game. A piece counter plays the first of equal moves, so games become alike: of
16,000 games with 6 random plies, six in ten reach 7 pieces in the position of another game, with 20 one in seven."""
GAMES_A_TASK = 512
TASKS_AT_ONCE = 8
NUMBERS_AT_ONCE = PARTS * 1024
POSITIONS_A_TASK = 250
"""Number of positions that one task searches."""


@dataclass(frozen=True)
class GamesTask:
    """Games of the piece counter against itself; plain data."""

    config: Config
    number: int


def first_positions(task: GamesTask) -> Rows:
    """Play the games of a task in a worker; return the first position of each with each number of pieces."""
    config, method = task.config, task.config.learning.method
    assert isinstance(method, Endgame)
    field = BatchPlayers.of_players([player(COUNTER)])
    assert field is not None
    ballots = index_openings([each.moves for each in openings("three-move")], Position.start())
    generator, games = stream(config.seed, task.number, Draw.LEARNING_GAMES), np.zeros(GAMES_A_TASK, np.int64)
    drawn = ballots[generator.integers(len(ballots), size=GAMES_A_TASK)]
    table = np.concatenate([drawn, lots(generator.integers(0, LOTS, (GAMES_A_TASK, RANDOM_PLIES)))], axis=1)
    outcomes = play_all(field, games, games, openings=table, opening_of=np.arange(GAMES_A_TASK), rules=RULES, keep=True)
    boards = [follow(codes, Position.start())[0] for codes in outcomes.codes or ()]
    game = np.repeat(np.arange(len(boards)), [len(each) for each in boards])
    rows = np.concatenate(boards)
    pieces = np.bitwise_count(rows[:, 0] | rows[:, 1])
    suitable = np.isin(pieces, method.above) & (rows[:, 0] != 0) & (rows[:, 1] != 0)
    if method.quiet:
        suitable &= rows[:, 3] == 0
    if method.balanced:
        suitable &= np.abs(lead(rows)) < 1
    keys = (game * PARTS + pieces)[suitable]
    first: Rows = rows[suitable, :3][np.sort(np.unique(keys, return_index=True)[1])]
    return first


class AboveTables:
    """Positions whose results are in no tables, the same for the same seed."""

    def __init__(self, config: Config, map_: Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]) -> None:
        method = config.learning.method
        assert isinstance(method, Endgame)
        self._method, self._config, self._map = method, config, map_
        self._games = list[Rows]()

    def draw(self, part: int, pieces: int, count: int, progress: Callable[[int, int], None]) -> TableSamples:
        """Return different positions of a part with values of 0, first those of games."""
        rows, played = np.empty((0, 3), np.uint64), round(self._method.played * count)
        for source, wanted in ((self._of_games, played), (self._at_random, count)):
            batch = 0
            while len(rows) < wanted:
                joined = np.concatenate([rows, source(part, pieces, batch)])
                rows = joined[np.sort(np.unique(joined, axis=0, return_index=True)[1])][:wanted]
                batch += 1
                progress(len(rows), count)
        capturing = described(rows)[1]
        return TableSamples(rows, np.zeros(count, np.int8), capturing, np.full(count, UNPROVED, np.uint8))

    def _at_random(self, part: int, pieces: int, batch: int) -> Rows:
        source = SampleSource(self._config.seed, pieces, pieces, self._method.quiet, self._method.balanced)
        return source.draw(part, batch * NUMBERS_AT_ONCE, (batch + 1) * NUMBERS_AT_ONCE, None).rows

    def _of_games(self, part: int, pieces: int, batch: int) -> Rows:
        if batch == len(self._games):
            tasks = [GamesTask(self._config, batch * TASKS_AT_ONCE + number) for number in range(TASKS_AT_ONCE)]
            self._games.append(np.concatenate(list(self._map(first_positions, tasks))))
        rows = self._games[batch]
        rows = rows[np.bitwise_count(rows[:, 0] | rows[:, 1]) == pieces]
        chosen: Rows = rows[described(rows)[0] == part]
        return chosen


def described(rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    parts, capturing = np.empty(len(rows), np.int64), np.empty(len(rows), np.uint8)
    sampling_kernels.describe(rows, parts, capturing)
    return parts, capturing.astype(bool)


@refers_to_rows
def prove(task: SamplesTask) -> TableSamples:
    """Return the positions of a task with the values that searches prove, in a worker.

    Each search depends only on its position.
    """
    method, samples = task.config.learning.method, task.samples
    assert isinstance(method, Endgame)
    evaluator = Evaluator(task.config.network, get_shared_rows().genomes()[0])
    search = AlphaBeta(evaluator, SearchOptions(quiescence=True, tablebase=method.proof_tables, table_bits=14))
    limits = Limits(nodes=method.proof_nodes)
    positions = [Position(own, opponent, kings, BLACK) for own, opponent, kings in samples.rows.tolist()]
    scores = np.array(
        [
            search.search(position, limits=limits).score if moves.legal_moves(position) else -math.inf
            for position in positions
        ]
    )
    proved = np.abs(scores) > WON
    values = np.where(proved, np.sign(scores), 0).astype(np.int8)
    return replace(samples, values=values, proofs=np.where(proved, PROVED, UNPROVED).astype(np.uint8))
