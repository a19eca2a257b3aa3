"""A player whose network says which moves are good, and not what positions are worth: it does not search."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from game import moves
from game.board import Position
from game.errors import FailureKind
from game.generator import SplitMix64
from game.moves import Move
from game.networks import policy
from game.networks.description import basis
from game.networks.spec import POLICIES, Spec
from game.players.base import PlayerBase
from game.players.names import SEARCH_OPTIONS, PlayerName, PlayerNameError, parse_name, read_settings
from game.players.protocol import Choice, PlayerFailure
from game.rules import WCDF, DrawRules
from game.search.limits import ONE_PLY, PLAIN

SHARES = 2.0**40
"""Lots are drawn by whole numbers, so that the last bits of an exponential decide nothing."""


@dataclass(frozen=True)
class PolicyPlayer(PlayerBase):
    """The move whose first step its network likes best, the first of them on ties; or one drawn by probability.

    Attributes:
        weights: float32 of shape (spec.weights,), the genome.
        spec: its network.
        sampling: whether it draws.
        source: the run, generation or file, and the individual, that it was read from; what `name` says if None.
        limits: one ply: it looks at its own moves and no further.
        style: no other.
    """

    name: str
    weights: Any
    spec: Spec
    seed: int = 0
    sampling: bool = False
    source: PlayerName | None = None
    limits: ClassVar = ONE_PLY
    style: ClassVar = PLAIN

    @property
    def deterministic(self) -> bool:
        """Unless it draws."""
        return not self.sampling

    @property
    def identity(self) -> Hashable:
        """Its network and genome, and how it draws."""
        from game.networks.evaluator import check_weights

        genome = check_weights(self.spec, self.weights).tobytes()
        return self.spec, genome, "policy", self.sampling, self.seed if self.sampling else 0

    @property
    def canonical_name(self) -> str:
        """Where it comes from, and whether it draws."""
        source = self.source or parse_name(self.name)
        options = {key: value for key, value in source.options.items() if key == "network"}
        if self.sampling:
            options |= {"sampling": "yes"} | ({"seed": str(self.seed)} if self.seed else {})
        return PlayerName.of(source.target, source.member, options).text

    def describe(self) -> str:
        """What it does, in words."""
        how = "draws by the probabilities" if self.sampling else "plays the first choice"
        return f"{how} of a policy of {len(self.weights):,} weights"

    @property
    def basis(self) -> str:
        """The parts of its network."""
        return basis(self.spec)

    @property
    def network(self) -> tuple[Spec, Any, float | None]:
        """Its own."""
        return self.spec, self.weights, None

    def likelihoods(self, position: Position) -> list[tuple[Move, float]]:
        """By its network; see `policy_likelihoods`."""
        return policy_likelihoods(self.name, self.spec, self.weights, position)

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        """Its choice; a forced move takes no thought and draws nothing.

        Raises:
            PlayerFailure: an output is not a finite number.
        """
        legal = moves.legal_moves(position)
        if len(legal) == 1:
            return Choice(legal[0])
        likely = self.likelihoods(position)
        if not self.sampling:
            return Choice(max(likely, key=lambda each: each[1])[0], evaluations=1)
        shares = [math.floor(chance * SHARES + 0.5) for _, chance in likely]
        lot, drawn = generator.below(sum(shares)), 0
        while lot >= shares[drawn]:
            lot -= shares[drawn]
            drawn += 1
        return Choice(likely[drawn][0], evaluations=1)


def policy_likelihoods(name: str, spec: Spec, weights: Any, position: Position) -> list[tuple[Move, float]]:
    """Each legal move with its probability by the policy head of a network, in the order of `game.moves.legal_moves`.

    Args:
        name: of the player.
        spec: its network, which has such a head.
        weights: its genome.
        position: one that has a legal move.

    Raises:
        PlayerFailure: an output is not a finite number.
    """
    from game.networks import evaluator

    steps = evaluator.outputs(spec, weights, [position])[0, -POLICIES["steps"] :].tolist()
    if not all(step - step == 0 for step in steps):
        raise PlayerFailure(f"{name}: its network gives a value that is not a finite number", FailureKind.VALUE)
    legal = moves.legal_moves(position)
    return list(zip(legal, policy.likelihoods(steps, legal, position.side), strict=True))


def policy_player(name: PlayerName, weights: Any, spec: Spec, source: PlayerName | None = None) -> PolicyPlayer:
    """The player of a name whose network has a policy and no value.

    Raises:
        PlayerNameError: an option of searches, which it does not do, or a value that is not possible.
    """
    for key in name.options:
        if key in SEARCH_OPTIONS and key != "seed":
            raise PlayerNameError(
                f"player {name.text!r}: {key}: its network says which moves are good and not what positions are worth, "
                "so it does not search (it has network, sampling, seed)"
            )
    settings = read_settings(name)
    return PolicyPlayer(name.text, weights, spec, settings.seed or 0, settings.sampling, source)
