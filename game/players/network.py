"""Players whose network evaluates positions, and the choice of a player for a network.

`NetworkPlayer` searches by alpha-beta, and `TreePlayer` uses a policy, too.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from game.board import Position
from game.generator import SplitMix64
from game.moves import Move
from game.networks.description import basis
from game.networks.named import CNN_247
from game.networks.spec import Spec
from game.players.names import (
    ADDED_SEARCHES,
    CHOICES,
    FIRST_CHOICE,
    PlayerName,
    PlayerNameError,
    parse_name,
    read_option,
    read_settings,
    write_search,
)
from game.players.people import people_player
from game.players.player import AlphaBetaPlayer, Choice, Compiled, Player, Scale, Successors, check_finite, plain_style
from game.players.policy import policy_likelihoods, policy_player, softmax
from game.rules import BLACK, WHITE
from game.search.interface import ONE_PLY, PLAIN, TREE_LIMITS, Limits, SearchOptions, describe_search
from game.search.tree.layout import MOST_VISITS

if TYPE_CHECKING:
    from game.networks.evaluator import Evaluator
    from game.search.interface import Searcher

CHANCES = Scale("chance to win less chance to lose", 0.5, bounded=True)
LEAST_MAN = 30
"""Scores are expressed in men only if a man is worth at least 1/30 of a third of a clear lead."""


@dataclass(frozen=True)
class NetworkPlayer(AlphaBetaPlayer):
    """A player whose network evaluates positions, after its own moves or at the leaves of a search.

    Attributes:
        weights: float32 of shape (spec.weights,), the genome.
        king: its king value; None for the network's.
        source: the run, generation or file that it was read from, with the individual; None if `name` says this.
        defaults: default limits and search options, which its name may omit.
    """

    name: str
    weights: Any
    seed: int = 0
    spec: Spec = CNN_247
    king: float | None = None
    limits: Limits = ONE_PLY
    style: SearchOptions = PLAIN
    source: PlayerName | None = None
    defaults: tuple[Limits, SearchOptions] = (ONE_PLY, PLAIN)

    @property
    def identity(self) -> Hashable:
        from game.networks.evaluator import check_weights

        king = self.spec.king if self.king is None else self.king
        return self.spec, check_weights(self.spec, self.weights).tobytes(), king, self.limits, self.plain_style

    @property
    def canonical_name(self) -> str:
        """Its source, with its limits and options if they differ from the defaults."""
        source = self.source or parse_name(self.name)
        network = {key: value for key, value in source.options.items() if key in ("network", "search")}
        written = PlayerName.of(source.target, source.member, network).text
        limits, style = self.defaults
        if (self.limits, self.plain_style) == (limits, plain_style(limits, style)):
            return written
        return f"{written}{write_search(self.limits, self.style, limits, style)}"

    @property
    def scale(self) -> Scale:
        """The output before the last activation; with a ``wdl`` head, P(win) - P(loss), from -1 to 1."""
        if has_results(self.spec):
            return CHANCES
        # A sigmoid, mapped from (0, 1) to (-1, 1), is tanh(x / 2).
        return Scale("output of a network", 2.0 if self.spec.activation == "sigmoid" else 1.0)

    def even_score(self, position: Position) -> float:
        """Return the mean of the network's scores for both sides, without a search.

        Most networks favour the side for which they evaluate: without this, each side would seem ahead on its own turn.
        """
        both = [self.evaluate([position], side)[0] for side in (BLACK, WHITE)]
        even = float(sum(both)) / 2
        return even if math.isfinite(even) else 0.0

    def man_score(self) -> float:
        """Return the value of a man (`game.networks.evaluator.man_value`) in the units of its scores.

        If men are worth almost nothing to the network, return a third of a clear lead instead.
        """
        return self._man if self.counts_men else super().man_score()

    @property
    def counts_men(self) -> bool:
        """True if a man has a noticeable value to its network."""
        return self._man > super().man_score() / LEAST_MAN

    @cached_property
    def _man(self) -> float:
        return self.evaluator.man

    @property
    def basis(self) -> str:
        return basis(self.spec)

    @property
    def network(self) -> tuple[Spec, Any, float | None]:
        return self.spec, self.weights, self.king

    @property
    def evaluator(self) -> Evaluator:
        from game.networks.evaluator import evaluator_of

        return evaluator_of(*self.network)

    def evaluate(self, positions: Sequence[Position], side: int) -> list[float]:
        return self.evaluator.scores(positions, side)

    def likelihoods(self, position: Position) -> list[tuple[Move, float]] | None:
        rates = self.spec.rates_moves
        return policy_likelihoods(self.name, self.evaluator, position) if rates else None

    def result_chances(self, position: Position, side: int) -> tuple[float, float, float] | None:
        """Return the outputs of the ``wdl`` head as probabilities; None without this head."""
        if not has_results(self.spec):
            return None
        # A network whose input lacks the side to move evaluates as if `side` were to move.
        seen = position if self.spec.by_mover else replace(position, side=side)
        outputs = self.evaluator.outputs([seen])[0, :3].tolist()
        check_finite(self.name, outputs)
        win, draw, loss = softmax(outputs)
        return (win, draw, loss) if seen.side == side else (loss, draw, win)

    @property
    def compiled(self) -> Compiled | None:
        return Compiled("network", network=self.network, search=self.compiled_search) if self.compilable else None

    def describe(self) -> str:
        return f"a network of {len(self.weights)} weights judges the board {self.describe_search()}"

    def searcher(self) -> Searcher:
        from game.search.search import AlphaBeta

        return AlphaBeta(self.evaluator, self.style)

    def choose_at_once(self, after: Successors, side: int, generator: SplitMix64) -> Choice:
        """Choose the move with the best score, the first among equals.

        Scores are compared before the last activation, which would saturate.
        """
        scores = self.evaluator.scores([board for _, board in after], side)
        check_finite(self.name, scores)
        best = max(range(len(after)), key=lambda index: scores[index])
        move = after[best][0]
        return Choice(move, scores[best], len(after), depth=1, nodes=len(after), pv=(move,))


@dataclass(frozen=True)
class TreePlayer(NetworkPlayer):
    """A player with a tree search that is guided by the value and the policy of its network.

    Of the search options only `tablebase` means anything to it.
    """

    limits: Limits = TREE_LIMITS
    defaults: tuple[Limits, SearchOptions] = (TREE_LIMITS, PLAIN)

    @property
    def identity(self) -> Hashable:
        return "tree", super().identity

    @property
    def scale(self) -> Scale:
        return CHANCES

    def evaluate(self, positions: Sequence[Position], side: int) -> list[float]:
        """Return the expected results of positions for `side`, from -1 to 1."""
        values = super().evaluate(positions, side)
        is_score = self.spec.heads is not None and self.spec.heads.value == "score"
        return list(map(math.tanh, values)) if is_score else values

    @property
    def alphabeta(self) -> None:
        return None

    @property
    def compiled(self) -> Compiled | None:
        return None

    @property
    def plain_style(self) -> SearchOptions:
        return SearchOptions(tablebase=self.style.tablebase)

    def looks_ahead(self) -> bool:
        return True

    def describe(self) -> str:
        return f"a network of {len(self.weights):,} weights guides a tree search {self.describe_search()}"

    def describe_search(self) -> str:
        visits = min(2 ** (self.limits.depth or 0), MOST_VISITS)
        return describe_search(self.limits, self.plain_style, f"of {visits:,} visits")

    def searcher(self) -> Searcher:
        from game.search.tree.search import TreeOptions, TreeSearch

        return TreeSearch(self.evaluator, TreeOptions(tablebase=self.style.tablebase))


def has_results(spec: Spec) -> bool:
    return spec.heads is not None and spec.heads.value == "wdl"


HEADS_OF = {"alphabeta": ("value",), "tree": ("value", "policy"), "policy": ("policy",), "glance": ("value", "policy")}
"""The heads that each value of ``search`` needs."""


def player_of(
    name: PlayerName,
    spec: Spec,
    weights: Any,
    king: float | None = None,
    source: PlayerName | None = None,
    defaults: tuple[Limits, SearchOptions] = (ONE_PLY, PLAIN),
    default_search: str = "",
    memory: Any = None,
) -> Player:
    """Make the player of a network, with the search that its name chooses.

    Args:
        king: its king value; None for the network's.
        source: its name without limits and search options; None to take it from `name`.
        defaults: default limits and options of alpha-beta.
        default_search: the search without the option ``search``; empty for alpha-beta, or the policy if that is the
            only head.
        memory: boards of training games that a policy taught by people remembers (`game.players.people`).

    Raises:
        PlayerNameError: the network lacks a head for this search, or an option is not valid for it.
    """
    default = default_search or ("alphabeta" if spec.values else "policy")
    sampled = spec.rates_moves and not read_option(name, "sampling", FIRST_CHOICE).deterministic
    people = spec.heads is not None and spec.heads.policy == "people"
    search = read_option(name, "search", "policy" if sampled or (people and "strength" in name.options) else default)
    for head in HEADS_OF.get(search, ()):
        if not {"value": spec.values, "policy": spec.rates_moves}[head]:
            raise PlayerNameError(
                f"player {name.text!r}: search={search}: expected a network with a {head}; {spec.name} has none"
            )
    if search != default:
        source = (source or name).with_options(search=search)
    kind = ADDED_SEARCHES.get(search)
    known = {"network", "search", *kind.OPTIONS} if kind else name.options.keys() - CHOICES.keys()
    if others := name.options.keys() - known:
        raise PlayerNameError(f"player {name.text!r}: {min(others)}: search={search} has no such option")
    if "strength" in name.options and not (people and search == "policy"):
        raise PlayerNameError(
            f"player {name.text!r}: strength: only a policy taught by people has one (train --preset people)"
        )
    if search == "glance":
        if not has_results(spec):
            raise PlayerNameError(f"player {name.text!r}: search=glance: expected a network with chances of results")
        return policy_player(name, weights, spec, source, glance=True)
    if search == "policy":
        if people:
            return people_player(name, weights, spec, source, memory)
        return policy_player(name, weights, spec, source)
    if "sampling" in name.options:
        raise PlayerNameError(
            f"player {name.text!r}: sampling: only a policy draws its moves; this network values positions, and its "
            "player searches"
        )
    if kind is not None:
        added: Player = kind.of_network(name, spec, weights, king, source or name)
        return added
    if search == "tree":
        defaults = TREE_LIMITS, SearchOptions(tablebase=defaults[1].tablebase)
    settings = read_settings(name, *defaults)
    seed, limits, style = settings.seed or 0, settings.limits, settings.style
    if search == "alphabeta":
        return NetworkPlayer(name.text, weights, seed, spec, king, limits, style, source, defaults)
    for key in name.options:
        if key in ("selective", *SearchOptions.__slots__) and key != "tablebase" and read_option(name, key):
            raise PlayerNameError(
                f"player {name.text!r}: {key}: a tree search has no such option (it has depth, nodes, time, tablebase)"
            )
    if limits.nodes is not None and limits.nodes > MOST_VISITS:
        raise PlayerNameError(
            f"player {name.text!r}: nodes: expected 1 to {MOST_VISITS:,} for a tree search, got {limits.nodes:,}"
        )
    return TreePlayer(name.text, weights, seed, spec, king, limits, style, source, defaults)
