"""Costs of players on a ladder: nodes and time of a move, the size of a network, and the time of its run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from evolve.run.folder import Run
from evolve.run.log import read_history
from evolve.run.runs import Runs
from evolve.strength.effort import a_move, used_in
from evolve.strength.match import MatchResult
from game import match, moves
from game.board import Position
from game.generator import SplitMix64
from game.match import Used
from game.networks.spec import Spec
from game.openings import openings
from game.players.basic import RandomPlayer
from game.players.names import parse_name
from game.players.player import Player
from game.rules import WCDF

LADDER_MATCHES = 2
"""Number of matches used to estimate the nodes per move of a player on a ladder."""
TIMED_GAMES, TIMED_EVERY = 8, 5
"""Number of random games from which the timed positions are taken, and number of plies between positions."""


@dataclass(frozen=True)
class Cost:
    """The cost of a player.

    Attributes:
        milliseconds: median processor time of a move, without forced moves.
        multiplications: number of multiplications in one evaluation; None without a network.
        training_seconds: duration of the player's run, from its log; None without a run.
    """

    milliseconds: float
    multiplications: int | None
    training_seconds: float | None

    @classmethod
    def of(cls, player: Player, runs: Path) -> Cost:
        """Measure the cost of a player, whose run is in the folder `runs` if it has one."""
        spec: Spec | None = getattr(player, "spec", None)
        multiplications = None if spec is None else sum(spec.multiplications())
        return cls(_milliseconds_a_move(player), multiplications, _training_seconds(runs, player.name))


def _milliseconds_a_move(player: Player) -> float:
    times = []
    player.begin_game(WCDF, 1)
    for position, history in _timed_positions():
        began = time.thread_time()
        player.choose(position, history, SplitMix64(1))
        times.append(1000.0 * (time.thread_time() - began))
    # The median, since the first moves may include the time to load code.
    return statistics.median(times)


@lru_cache(1)
def _timed_positions() -> tuple[tuple[Position, tuple[Position, ...]], ...]:
    """Return positions of random games where several moves are legal, each with the positions before it."""
    timed: list[tuple[Position, tuple[Position, ...]]] = []
    # Random games reach positions of every phase; a forced move costs nothing and is left out.
    for seed, ballot in enumerate(openings("three-move")[:TIMED_GAMES]):
        game = match.play(RandomPlayer(), RandomPlayer(), opening=ballot.moves, seed=seed)
        position, history = game.start, tuple[Position, ...]()
        for ply, move in enumerate(game.moves):
            if ply % TIMED_EVERY == TIMED_EVERY - 1 and len(moves.legal_moves(position)) > 1:
                timed.append((position, history))
            position, history = dict(moves.successors(position))[move], (*history, position)
    return tuple(timed)


def _training_seconds(runs: Path, name: str) -> float | None:
    run = Run.find(runs, Runs(runs).split_generation(parse_name(name).target)[0])
    if run is None:
        return None
    history = read_history(run, run.manifest())
    return history.total("seconds") if len(history) else None


def of_ladder(players: Sequence[Player], pairings: Sequence[tuple[int, int, MatchResult]]) -> list[float | None]:
    """Return nodes per move of each player, counted in about `LADDER_MATCHES` of its matches.

    Args:
        pairings: indexes of A and B, and the result of their match.
    """
    sums, matches = [Used() for _ in players], [0] * len(players)
    for a, b, result in pairings:
        if min(matches[a], matches[b]) < LADDER_MATCHES:
            for index, used in zip((a, b), used_in(players[a], players[b], result), strict=True):
                sums[index] += used
                matches[index] += 1
    return [a_move(used) for used in sums]
