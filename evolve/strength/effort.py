"""Search effort: players with the search of evolved networks, and nodes per move (positions visited).

If players search different numbers of positions, their ratings compare searches as well as evaluations. Nodes are
counted in games between player objects (`game.match.Used`), but not in compiled games. After a compiled match, player
objects therefore replay the first pair, with the same moves.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evolve.config.model import Config
from evolve.kinds.individual import Individual
from evolve.run.conditions import PlayConditions
from evolve.streams import Draw, stream
from evolve.strength import match_games
from evolve.strength.match import DEFAULT_GAMES
from evolve.tournament.arena import game_text
from game import match
from game.generator import derive_seed
from game.match import Used
from game.networks.spec import Spec
from game.openings import openings
from game.players.basic import MaterialPlayer
from game.players.network import NetworkPlayer
from game.players.player import Player
from game.players.policy import PolicyPlayer
from game.rules import WCDF
from game.search.interface import PLAIN

if TYPE_CHECKING:
    from evolve.strength.match import MatchResult


Effort = tuple[float | None, float | None]
"""Nodes per move of A and B; None for a player without a search, or if the games cannot be replayed."""


def text(nodes: float | None) -> str:
    if nodes is None:
        return "–"
    return f"{float(f'{nodes:.3g}'):,.0f}" if nodes >= 100 else f"{nodes:.1f}"


def of_match(a: Player, b: Player, result: MatchResult) -> Effort:
    """Return nodes per move of both players: over all games if nodes were counted, else over the first pair."""
    used_a, used_b = used_in(a, b, result)
    return a_move(used_a), a_move(used_b)


def a_move(used: Used) -> float | None:
    return used.nodes / used.nodes_moves if used.nodes_moves else None


def used_in(a: Player, b: Player, result: MatchResult) -> tuple[Used, Used]:
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
    quiescence = how.style.quiescence or how.style.threats
    plain = MaterialPlayer(limits=how.limits, style=replace(PLAIN, quiescence=quiescence, blondie=how.style.blondie))
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
    player = material_player(how)
    return f"looking {player.describe_search()}" if player.looks_ahead() else "at one ply"


def as_json(how: PlayConditions) -> dict[str, Any]:
    style = {"quiescence": how.style.quiescence, "blondie": how.style.blondie}
    return {"depth": how.limits.depth, "nodes": how.limits.nodes, **style}


def ballot_game(config: Config, generation: int, black: Individual, white: Individual) -> bytes:
    """Play a game from a three-move ballot; return it as PDN for the file of the champions' games."""
    conditions = PlayConditions.of(config.search, generation)
    first, second = (
        network_player(one.name, np.array(one, np.float32), config.network, one.king, conditions)
        for one in (black, white)
    )
    generator = stream(config.seed, generation, Draw.LEARNING_GAMES)
    ballots = openings("three-move")
    ballot, seed = ballots[int(generator.integers(len(ballots)))], int(generator.integers(2**63))
    played = match.play(first, second, opening=ballot.moves, rules=config.games.rules(), seed=seed)
    return game_text(played, black.name, white.name, f"{generation}.1", "three-move", "Game").encode()
