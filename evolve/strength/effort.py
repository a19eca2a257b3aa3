"""Search effort: the searches with which networks evolved, and nodes per move, the positions that a search visits.

Ratings of players that search different numbers of positions compare their searches as well as their evaluations. Games
that the players played themselves count nodes (`game.match.Used`); compiled games do not. But a game derives from its
own row of numbers, so the first pair of a match is replayed, move for move the same, by the players themselves. Forced
moves cost nothing and do not count; a player without a search, such as `random`, has no number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evolve.run.conditions import PlayConditions
from evolve.strength import match_games
from evolve.strength.match import DEFAULT_GAMES
from game import match
from game.generator import derive_seed
from game.match import Used
from game.networks.spec import Spec
from game.openings import openings
from game.players.basic import MaterialPlayer
from game.players.network import NetworkPlayer, PolicyPlayer
from game.players.player import Player
from game.rules import WCDF
from game.search.interface import SearchOptions

if TYPE_CHECKING:
    from evolve.strength.match import MatchResult


Effort = tuple[float | None, float | None]
"""Nodes per move of A and of B; None without a search, or if its games cannot be replayed."""

LADDER_MATCHES = 2
"""Matches of each player on a ladder from which its nodes are taken."""


def text(nodes: float | None) -> str:
    """Format nodes per move, to three digits; a dash for None."""
    if nodes is None:
        return "–"
    return f"{float(f'{nodes:.3g}'):,.0f}" if nodes >= 100 else f"{nodes:.1f}"


def of_match(a: Player, b: Player, result: MatchResult) -> Effort:
    """Return nodes per move of both players: in all games that count them, else in the first pair of games."""
    used_a, used_b = _used(a, b, result)
    return _a_move(used_a), _a_move(used_b)


def of_ladder(players: Sequence[Player], pairings: Sequence[tuple[int, int, MatchResult]]) -> list[float | None]:
    """Return nodes per move of each player, from about `LADDER_MATCHES` of its matches, as `of_match` does.

    Args:
        players: of the ladder.
        pairings: indexes of A and B, and the result of their match.
    """
    sums, asked = [Used() for _ in players], [0] * len(players)
    for a, b, result in pairings:
        if min(asked[a], asked[b]) < LADDER_MATCHES:
            for index, used in zip((a, b), _used(players[a], players[b], result), strict=True):
                sums[index] += used
                asked[index] += 1
    return [_a_move(used) for used in sums]


def _a_move(used: Used) -> float | None:
    return used.nodes / used.nodes_moves if used.nodes_moves else None


def _used(a: Player, b: Player, result: MatchResult) -> tuple[Used, Used]:
    """Return the effort of both players in a match, or in its first pair, replayed, if compiled code played."""
    if result.used is not None:
        return result.used
    if a.compiled is None or b.compiled is None or result.stopped:
        return Used(), Used()
    order = match_games.vary_openings if a.deterministic and b.deterministic else match_games.repeat_ballots
    opening = next(order(openings(result.openings), WCDF, np.random.default_rng(derive_seed(result.seed))))
    used_a, used_b = Used(), Used()
    for game, (black, white) in enumerate(((a, b), (b, a))):
        used = match.play(black, white, opening=opening.moves, seed=derive_seed(result.seed, game)).used
        assert used is not None
        used_a, used_b = used_a + used[game], used_b + used[1 - game]
    return used_a, used_b


DEEP_GAMES = ((4, 100), (6, 20), (8, 6))
"""Games against each opponent up to these depths, unless another number is given. At 70 games a second and core, which
5,046 weights reach at depth 4, against 48 networks it is some 40 seconds on two cores."""

DEEPEST_GAMES = 2

EvolvedPlayer = NetworkPlayer | PolicyPlayer


def network_player(name: str, weights: Any, spec: Spec, king: float | None, how: PlayConditions) -> EvolvedPlayer:
    """Return a genome as a player with the searches it evolved with."""
    if not spec.values:
        return PolicyPlayer(name, weights, spec)
    return NetworkPlayer(name, weights, 0, spec, king, how.limits, how.style, usual=how)


def material_player(how: PlayConditions) -> MaterialPlayer:
    """Return a player that counts pieces with the same search; its limits are in its name."""
    # Without the transposition table that a run may have: its name alone must describe it in matches, too.
    plain = MaterialPlayer(
        limits=how.limits, style=SearchOptions(how.style.quiescence or how.style.threats, how.style.blondie)
    )
    return replace(plain, name=plain.canonical_name)


def usual_games(how: PlayConditions) -> int:
    """Return the default number of games against each opponent: fewer if they take longer."""
    if not material_player(how).looks_ahead():
        return DEFAULT_GAMES
    return next((games for depth, games in DEEP_GAMES if (how.limits.depth or 0) <= depth), DEEPEST_GAMES)


def describe(how: PlayConditions) -> str:
    """Describe the search of such players: ``at one ply`` or ``looking 4 plies ahead, captures played out``."""
    player = material_player(how)
    return f"looking {player.describe_search()}" if player.looks_ahead() else "at one ply"


def as_json(how: PlayConditions) -> dict[str, Any]:
    style = {"quiescence": how.style.quiescence, "blondie": how.style.blondie}
    return {"depth": how.limits.depth, "nodes": how.limits.nodes, **style}
