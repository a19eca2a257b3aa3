"""What strength is measured with where players look as far as they evolved: opponents, numbers of games, words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from evolve.run.conditions import PlayConditions
from evolve.strength.match import DEFAULT_GAMES
from game.networks.spec import Spec
from game.players.material import MaterialPlayer
from game.players.network import NetworkPlayer
from game.players.policy import PolicyPlayer
from game.search.limits import SearchOptions

DEEP_GAMES = ((4, 100), (6, 20), (8, 6))
"""Games against each opponent up to these depths, unless another number is given. At 70 games a second and core, which
5,046 weights reach at depth 4, against 48 networks it is some 40 seconds on two cores."""

DEEPEST_GAMES = 2

EvolvedPlayer = NetworkPlayer | PolicyPlayer


def network_player(name: str, weights: Any, spec: Spec, king: float | None, how: PlayConditions) -> EvolvedPlayer:
    """A genome as the player that it evolved to be."""
    if not spec.values:
        return PolicyPlayer(name, weights, spec)
    return NetworkPlayer(name, weights, 0, spec, king, how.limits, how.style, usual=how)


def material_player(how: PlayConditions) -> MaterialPlayer:
    """A piece count that searches as deep, with its limits in its name."""
    # Not with the table that a run may have: by its name it is to be had in matches, too.
    plain = MaterialPlayer(
        limits=how.limits, style=SearchOptions(how.style.quiescence or how.style.threats, how.style.blondie)
    )
    return replace(plain, name=plain.canonical_name)


def usual_games(how: PlayConditions) -> int:
    """Default number of games against each opponent: fewer where they take longer."""
    if not material_player(how).looks_ahead():
        return DEFAULT_GAMES
    return next((games for depth, games in DEEP_GAMES if (how.limits.depth or 0) <= depth), DEEPEST_GAMES)


def describe(how: PlayConditions) -> str:
    """How such players look, in words: ``at one ply`` or ``looking 4 plies ahead, captures played out``."""
    player = material_player(how)
    return f"looking {player.describe_search()}" if player.looks_ahead() else "at one ply"


def as_json(how: PlayConditions) -> dict[str, Any]:
    """As plain values."""
    style = {"quiescence": how.style.quiescence, "blondie": how.style.blondie}
    return {"depth": how.limits.depth, "nodes": how.limits.nodes, **style}
