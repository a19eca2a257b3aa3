"""Policies: the probabilities of moves from the outputs of a network, and the player that moves by them alone."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from game import moves
from game.bitboard import SQUARE_BIT
from game.board import Position
from game.generator import SplitMix64
from game.moves import Move
from game.networks.description import basis
from game.networks.spec import POLICIES, Spec
from game.players.names import (
    FIRST_CHOICE,
    SEARCH_OPTIONS,
    PlayerName,
    PlayerNameError,
    Sampling,
    parse_name,
    read_settings,
)
from game.players.player import Choice, Player, check_finite
from game.rules import BLACK, MAX_MOVES, WCDF, DrawRules
from game.search.interface import ONE_PLY, PLAIN

if TYPE_CHECKING:
    from game.networks.evaluator import Evaluator

SHARES = 2.0**40
"""Probabilities are rounded to multiples of 1 / SHARES before a draw, so that last bits of exponentials do not matter.
"""

_LOTS = 1 << 20
"""Lots of which `epsilon` times as many mean a move at random."""

POLICY_STEPS = (-5, -4, 4, 5)
"""Difference between the bits of a square and its neighbour in each direction, as Black sees them: back left, back
right, forward left, forward right; the same order as in `game.moves.decode` and `game.networks.kinds.NEIGHBOURS`."""


def first_step(move: Move, side: int) -> int:
    """Return the index of the output that rates a move of `side`: 4 x square + direction, as the mover sees the board.

    Moves are rated by their first step or first jump, so moves that begin alike have the same rating.
    """
    squares = move.path[0], move.captured[0] if move.captured else move.path[1]
    start, towards = squares if side == BLACK else (33 - square for square in squares)
    return 4 * (start - 1) + POLICY_STEPS.index(SQUARE_BIT[towards] - SQUARE_BIT[start])


def softmax(outputs: Sequence[float]) -> list[float]:
    most = max(outputs)
    sizes = [math.exp(output - most) for output in outputs]
    total = math.fsum(sizes)
    return [size / total for size in sizes]


def turn_likelihoods(outputs: Any, turns: Sequence[Move], side: int) -> list[float]:
    """Return the probability of each legal move: a softmax over first steps, each shared among its moves.

    Args:
        outputs: the 128 outputs of the policy head.
    """
    steps = [first_step(move, side) for move in turns]
    rated = list(dict.fromkeys(steps))
    shares = dict(zip(rated, softmax([float(outputs[step]) for step in rated]), strict=True))
    return [shares[step] / steps.count(step) for step in steps]


def policy_likelihoods(name: str, evaluator: Evaluator, position: Position) -> list[tuple[Move, float]]:
    """Return each legal move with its probability from the policy head, in the order of `game.moves.legal_moves`."""
    steps = evaluator.outputs([position])[0, -POLICIES["steps"] :].tolist()
    check_finite(name, steps)
    legal = moves.legal_moves(position)
    return list(zip(legal, turn_likelihoods(steps, legal, position.side), strict=True))


@dataclass(frozen=True)
class PolicyPlayer(Player):
    """A player that chooses the most probable move of its policy, or draws a move, without a search.

    Attributes:
        weights: float32 of shape (spec.weights,), the genome.
        source: the run, generation or file that it was read from, with the individual; None if `name` says this.
        limits: one ply, since it compares only its own moves.
    """

    name: str
    weights: Any
    spec: Spec
    seed: int = 0
    sampling: Sampling = FIRST_CHOICE
    source: PlayerName | None = None
    limits: ClassVar = ONE_PLY
    style: ClassVar = PLAIN

    @property
    def deterministic(self) -> bool:
        return self.sampling.deterministic

    @property
    def identity(self) -> Hashable:
        from game.networks.evaluator import check_weights

        genome = check_weights(self.spec, self.weights).tobytes()
        return self.spec, genome, type(self).__name__, self.sampling, 0 if self.deterministic else self.seed

    @property
    def canonical_name(self) -> str:
        source = self.source or parse_name(self.name)
        options = {key: value for key, value in source.options.items() if key in ("network", "search")}
        if not self.deterministic:
            options |= {"sampling": self.sampling.text} | ({"seed": str(self.seed)} if self.seed else {})
        return PlayerName.of(source.target, source.member, options).text

    def describe(self) -> str:
        best, epsilon = self.sampling.best, self.sampling.epsilon
        choice = "draws by the probabilities" if best > 1 else "plays the first choice"
        among = f"the {best} best moves" if 1 < best < MAX_MOVES else ""
        chance = f"{epsilon:.3g} of moves at random" if epsilon else ""
        return ", ".join(filter(None, (f"{choice} of a policy of {len(self.weights):,} weights", among, chance)))

    @property
    def basis(self) -> str:
        return basis(self.spec)

    @property
    def network(self) -> tuple[Spec, Any, float | None]:
        return self.spec, self.weights, None

    def likelihoods(self, position: Position) -> list[tuple[Move, float]]:
        return policy_likelihoods(self.name, self._evaluator, position)

    def _onward(
        self, position: Position, history: Sequence[Position], likely: list[tuple[Move, float]]
    ) -> list[tuple[Move, float]]:
        """Return the moves that do not lead back to a position of the game, if the network expects to win; or all.

        A policy sees only the board, so where it wins it would move to and fro until the game is drawn.
        """
        known = set(history)
        onward = [
            each for each, (_, after) in zip(likely, moves.successors(position), strict=True) if after not in known
        ]
        if not 0 < len(onward) < len(likely) or self.spec.heads is None or self.spec.heads.value != "wdl":
            return likely
        win, _, loss = self._evaluator.outputs([position])[0, :3].tolist()
        return onward if win > loss else likely

    @cached_property
    def _evaluator(self) -> Evaluator:
        from game.networks.evaluator import evaluator_of

        return evaluator_of(*self.network)

    def __getstate__(self) -> dict[str, Any]:
        """Return its attributes without its evaluator, whose addresses mean nothing to another process."""
        return {key: value for key, value in vars(self).items() if key != "_evaluator"}

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        """Choose by the policy; a forced move is not evaluated and does not use the generator."""
        legal = moves.legal_moves(position)
        if len(legal) == 1:
            return Choice(legal[0])
        if self.sampling.epsilon and generator.below(_LOTS) < self.sampling.epsilon * _LOTS:
            return Choice(legal[generator.below(len(legal))])
        likely = self._onward(position, history, self.likelihoods(position))
        order = sorted(range(len(likely)), key=lambda index: -likely[index][1])
        among = [likely[index] for index in sorted(order[: self.sampling.best])]
        shares = [math.floor(chance * SHARES + 0.5) for _, chance in among]
        lot, drawn = generator.below(sum(shares)) if len(among) > 1 else 0, 0
        while lot >= shares[drawn]:
            lot -= shares[drawn]
            drawn += 1
        return Choice(among[drawn][0], evaluations=1)


CERTAIN = 0.999
"""The largest chance of a result that a glance believes, so that its log odds are finite."""
GLANCE = 0.3
"""Difference of log odds of positions after moves that makes a move e times as likely at a glance."""


@dataclass(frozen=True)
class GlancePlayer(PolicyPlayer):
    """A player that chooses by its policy and by its values of the positions after its moves; it looks at no reply."""

    def describe(self) -> str:
        return f"{super().describe()}, and values of the positions after its moves"

    def likelihoods(self, position: Position) -> list[tuple[Move, float]]:
        likely = super().likelihoods(position)
        outputs = self._evaluator.outputs([after for _, after in moves.successors(position)])[:, :3].tolist()
        weighed = []
        for (_, chance), heads in zip(likely, outputs, strict=True):
            check_finite(self.name, heads)
            win, _, loss = softmax(heads)
            value = max(-CERTAIN, min(CERTAIN, loss - win))  # the chances are those of the opponent
            weighed.append(math.log(max(chance, 1e-6)) + math.atanh(value) / GLANCE)
        return list(zip((move for move, _ in likely), softmax(weighed), strict=True))


def policy_player(
    name: PlayerName, weights: Any, spec: Spec, source: PlayerName | None, *, glance: bool = False
) -> PolicyPlayer:
    """Make the player of a name that plays by a policy, without a search."""
    check_policy_options(name, spec, "seed")
    settings, kind = read_settings(name), GlancePlayer if glance else PolicyPlayer
    return kind(name.text, weights, spec, settings.seed or 0, settings.sampling, source)


def check_policy_options(name: PlayerName, spec: Spec, *known: str) -> None:
    """Refuse options of searches other than these."""
    reason = "with search=policy" if spec.values else "its network rates moves, not positions, so"
    for key in name.options:
        if key in SEARCH_OPTIONS and key not in known and (key, name.options[key]) != ("tablebase", "no"):
            has = ", ".join(("network", "sampling", *known))
            raise PlayerNameError(f"player {name.text!r}: {key}: {reason} it does not search (it has {has})")
