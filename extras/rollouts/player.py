"""The player whose tree search values its leaves by games to their end."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from game.networks.spec import Spec
from game.players.names import PlayerName, PlayerNameError, parse_name, read_option, read_settings, write_search
from game.players.network import CHANCES
from game.players.player import Scale, SearchingPlayer
from game.search.interface import PLAIN, Limits, describe_search
from game.search.tree.layout import MOST_VISITS

if TYPE_CHECKING:
    from extras.rollouts.search import RolloutSearch

LIMITS = Limits(nodes=10_000)
ROBUST = "robust"
"""The rule of the move to play by default: the one with the most visits."""


@dataclass(frozen=True)
class RolloutPlayer(SearchingPlayer):
    """A player with a tree search by UCB, whose leaves are valued by games to their end.

    Attributes:
        child: the rule of the move to play (`extras.rollouts.kind.CHILDREN`).
        chooser: specification, genome and king value of the network that plays these games; None for random moves.
        source: where that network was read from; None without one.
    """

    name: str
    limits: Limits = LIMITS
    child: str = ROBUST
    seed: int = 0
    chooser: tuple[Spec, Any, float | None] | None = None
    source: PlayerName | None = None

    @property
    def identity(self) -> Hashable:
        from game.networks.evaluator import check_weights

        network: Hashable = None
        if self.chooser is not None:
            spec, weights, king = self.chooser
            network = spec, check_weights(spec, weights).tobytes(), king
        return "rollouts", network, self.limits, self.child, self.seed

    @property
    def canonical_name(self) -> str:
        source = self.source or parse_name("rollouts")
        options = {key: source.options[key] for key in ("network", "search") if key in source.options}
        name = PlayerName.of(source.target, source.member, options).text
        name += write_search(self.limits, PLAIN) if self.limits != LIMITS else ""
        child = f",child={self.child}" if self.child != ROBUST else ""
        return f"{name}{child}{f',seed={self.seed}' if self.seed else ''}"

    @property
    def scale(self) -> Scale:
        return CHANCES

    @property
    def network(self) -> tuple[Spec, Any, float | None] | None:
        return self.chooser

    @property
    def basis(self) -> str:
        moves = "random moves" if self.chooser is None else "the moves of its network"
        return f"Plays games to their end by {moves}, and prefers the moves that win most of them"

    def describe(self) -> str:
        games = "random games" if self.chooser is None else "games of its network"
        rule = "" if self.child == ROBUST else f", and plays the {self.child} child"
        return f"plays {games} from the leaves of a tree {self.describe_search()}{rule}"

    def describe_search(self) -> str:
        visits = min(2 ** (self.limits.depth or 0), MOST_VISITS)
        return describe_search(self.limits, PLAIN, f"of {visits:,} visits")

    def searcher(self) -> RolloutSearch:
        from extras.rollouts.search import RolloutSearch
        from game.networks.evaluator import evaluator_of

        return RolloutSearch(evaluator_of(*self.chooser) if self.chooser else None, self.seed, self.child)


def rollout_player(
    name: PlayerName, source: PlayerName | None = None, network: tuple[Spec, Any, float | None] | None = None
) -> RolloutPlayer:
    """Make the player ``rollouts``, or that of a network with ``search=rollouts``.

    Raises:
        PlayerNameError: an option is not valid.
    """
    if network is None and name.member is not None:
        raise PlayerNameError(f"player {name.text!r}: {name.target} has no individuals")
    settings = read_settings(name, LIMITS)
    return RolloutPlayer(
        name.text, settings.limits, read_option(name, "child", ROBUST), settings.seed or 0, network, source
    )
