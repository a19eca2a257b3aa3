"""The player ``rollouts`` and the search of this name, which names and the window know without loading their code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from game.networks.spec import Spec
    from game.players.names import PlayerName
    from game.players.player import Player

TARGET = SEARCH = "rollouts"
OPTIONS = ("depth", "nodes", "time", "child", "seed")
FORM = "rollouts"
SEARCHES = True
CHILDREN = ("robust", "max", "max-robust", "secure")
CHOICES = {"child": CHILDREN}


def make(name: PlayerName) -> Player:
    from extras.rollouts.player import rollout_player

    return rollout_player(name)


def of_network(name: PlayerName, spec: Spec, weights: Any, king: float | None, source: PlayerName) -> Player:
    """Return the player whose network plays the games from the leaves."""
    from extras.rollouts.player import rollout_player

    return rollout_player(name, source, (spec, weights, king))


def close() -> None:
    """Do nothing: such players run nothing beside this process."""
