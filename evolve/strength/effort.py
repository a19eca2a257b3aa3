"""Search effort: the search settings of evolved networks, nodes per move (positions visited), and costs of players.

If players search different numbers of positions, their ratings compare searches as well as evaluations. Nodes are
counted in games between player objects (`game.match.Used`), but not in compiled games. After a compiled match, player
objects therefore replay the first pair, with the same moves.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evolve.run.conditions import PlayConditions
from evolve.run.folder import Run
from evolve.run.log import read_history
from evolve.run.runs import Runs
from evolve.strength import match_games
from evolve.strength.match import DEFAULT_GAMES
from game import match, moves
from game.board import Position
from game.generator import SplitMix64, derive_seed
from game.match import Used
from game.networks.spec import Spec
from game.openings import openings
from game.players.basic import MaterialPlayer, RandomPlayer
from game.players.names import parse_name
from game.players.network import NetworkPlayer
from game.players.player import Player
from game.players.policy import PolicyPlayer
from game.rules import WCDF
from game.search.interface import SearchOptions

if TYPE_CHECKING:
    from evolve.strength.match import MatchResult


Effort = tuple[float | None, float | None]
"""Nodes per move of A and B; None for a player without a search, or if the games cannot be replayed."""

LADDER_MATCHES = 2
"""Number of matches used to estimate the nodes per move of a player on a ladder."""


def text(nodes: float | None) -> str:
    """Format nodes per move, to three digits; a dash for None."""
    if nodes is None:
        return "–"
    return f"{float(f'{nodes:.3g}'):,.0f}" if nodes >= 100 else f"{nodes:.1f}"


def of_match(a: Player, b: Player, result: MatchResult) -> Effort:
    """Return nodes per move of both players: over all games if nodes were counted, else over the first pair."""
    used_a, used_b = _used(a, b, result)
    return _a_move(used_a), _a_move(used_b)


def of_ladder(players: Sequence[Player], pairings: Sequence[tuple[int, int, MatchResult]]) -> list[float | None]:
    """Return nodes per move of each player, using `of_match` on about `LADDER_MATCHES` of its matches.

    Args:
        pairings: indexes of A and B, and the result of their match.
    """
    sums, matches = [Used() for _ in players], [0] * len(players)
    for a, b, result in pairings:
        if min(matches[a], matches[b]) < LADDER_MATCHES:
            for index, used in zip((a, b), _used(players[a], players[b], result), strict=True):
                sums[index] += used
                matches[index] += 1
    return [_a_move(used) for used in sums]


def _a_move(used: Used) -> float | None:
    return used.nodes / used.nodes_moves if used.nodes_moves else None


def _used(a: Player, b: Player, result: MatchResult) -> tuple[Used, Used]:
    """Return the effort of both players in a match, or in a replay of its first pair if compiled code played."""
    if result.used is not None:
        return result.used
    if a.compiled is None or b.compiled is None or result.stopped:
        return Used(), Used()
    order = match_games.vary_openings if a.deterministic and b.deterministic else match_games.repeat_ballots
    # The same draws as in the match: its first opening, and the seeds of its first two games.
    opening = next(order(openings(result.openings), WCDF, np.random.default_rng(derive_seed(result.seed))))
    used_a, used_b = Used(), Used()
    for game, (black, white) in enumerate(((a, b), (b, a))):
        used = match.play(black, white, opening=opening.moves, seed=derive_seed(result.seed, game)).used
        assert used is not None
        used_a, used_b = used_a + used[game], used_b + used[1 - game]
    return used_a, used_b


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


DEEP_GAMES = ((4, 100), (6, 20), (8, 6))
"""Pairs of a depth and the default number of games per opponent up to this depth. At depth 4, a network with 5,046
weights plays 70 games a second on each core, so games against 48 networks take about 40 seconds on two cores."""

NODES_GAMES = ((2_000, 100), (20_000, 20), (200_000, 6))
"""Pairs of a limit of nodes and the default number of games up to this limit, whatever the depth."""

DEEPEST_GAMES = 2

EvolvedPlayer = NetworkPlayer | PolicyPlayer


def network_player(name: str, weights: Any, spec: Spec, king: float | None, how: PlayConditions) -> EvolvedPlayer:
    """Return a genome as a player with the search it evolved with."""
    if not spec.values:
        return PolicyPlayer(name, weights, spec)
    return NetworkPlayer(name, weights, 0, spec, king, how.limits, how.style, defaults=how)


def material_player(how: PlayConditions) -> MaterialPlayer:
    """Return a piece counter with the search of these conditions; its limits are part of its name."""
    # No transposition table, even if the run has one: the name must describe the player completely.
    plain = MaterialPlayer(
        limits=how.limits, style=SearchOptions(how.style.quiescence or how.style.threats, how.style.blondie)
    )
    return replace(plain, name=plain.canonical_name)


def usual_games(how: PlayConditions) -> int:
    """Return the default number of games against each opponent, which is smaller for deeper searches."""
    if not material_player(how).looks_ahead():
        return DEFAULT_GAMES
    depth, nodes = how.limits.depth, how.limits.nodes
    # The limit that allows more games counts, since a search ends at whichever limit it reaches first.
    by_depth = (games for most, games in DEEP_GAMES if depth is not None and depth <= most)
    by_nodes = (games for most, games in NODES_GAMES if nodes is not None and nodes <= most)
    return max(next(by_depth, DEEPEST_GAMES), next(by_nodes, DEEPEST_GAMES))


def describe(how: PlayConditions) -> str:
    """Describe the search of players, such as ``at one ply`` or ``looking 4 plies ahead, captures played out``."""
    player = material_player(how)
    return f"looking {player.describe_search()}" if player.looks_ahead() else "at one ply"


def as_json(how: PlayConditions) -> dict[str, Any]:
    style = {"quiescence": how.style.quiescence, "blondie": how.style.blondie}
    return {"depth": how.limits.depth, "nodes": how.limits.nodes, **style}
