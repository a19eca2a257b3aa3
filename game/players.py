"""Players: the protocol, those that there are, and the one behind a name.

Targets of names (`game.player_names`) that are no built-in player are asked of the registered resolvers: runs and CSV
files belong to `evolve.run.folder`, which registers by an explicit call.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from game import moves
from game.board import Position
from game.errors import Failure, FailureKind, InputError
from game.external.program import DEFAULT_LIMITS, MOVE_SECONDS, START_SECONDS, Contract, ProgramFailure, program
from game.external.protocol import line
from game.generator import SplitMix64
from game.moves import Move
from game.networks.shipped import CNN_247
from game.networks.spec import Spec
from game.player_names import (
    EXTERNAL_OPTIONS,
    FORMS,
    RESERVED,
    SEARCH_OPTIONS,
    PlayerName,
    PlayerNameError,
    check_options,
    checked_seconds,
    checked_seed,
    parse_name,
    search_options,
)
from game.rules import WCDF, DrawRules
from game.search.layout import KING_VALUE, MAN_VALUE
from game.search.limits import Limits, SearchOptions

if TYPE_CHECKING:
    from game.search.result import SearchResult
    from game.search.search import Searcher, Stop


class PlayerFailure(Failure):
    """Raised by a player that cannot go on, such as a network whose value is not a number. It loses that game."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a player decided.

    Attributes:
        move: a legal move.
        score: its value in the player's own units, larger is better; None if it has none (forced moves, random).
        evaluations: network results that the decision took.
        depth: complete plies that were looked at, 0 where nothing was judged (forced moves, random).
        nodes: positions visited for that.
        pv: the principal variation.
    """

    move: Move
    score: float | None = None
    evaluations: int = 0
    depth: int = 0
    nodes: int = 0
    pv: tuple[Move, ...] = ()


class Player(Protocol):
    """Anything that chooses moves.

    Attributes:
        name: as people write it.
        deterministic: the same position and history always give the same move.
        seed: mixed into the generator of each of its games, so that two players of one kind can differ.
    """

    @property
    def name(self) -> str:
        """As people write it."""
        ...

    @property
    def deterministic(self) -> bool:
        """Whether the same position and history always give the same move."""
        ...

    @property
    def seed(self) -> int:
        """Mixed into the generator of each game."""
        ...

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        """Choose a move in a position that has one.

        Args:
            position: the board and who moves.
            history: the positions of the game before this one, first to last.
            generator: the player's own stream for this game.
            rules: when the game is a draw.

        Raises:
            PlayerFailure: the player cannot go on.
        """
        ...


class SearchingPlayer(Player, Protocol):
    """A player that searches with an evaluation, or could: at depth 1 it scores the positions after its own moves.

    Attributes:
        limits: what ends its searches.
        style: how it looks.
    """

    @property
    def limits(self) -> Limits:
        """What ends its searches."""
        ...

    @property
    def style(self) -> SearchOptions:
        """How it looks."""
        ...

    def searcher(self) -> Searcher:
        """A search with its evaluation and style, for `Searcher.search`."""
        ...


ONE_PLY = Limits(depth=1)
PLAIN = SearchOptions()


def repeatable(player: Player) -> bool:
    """Whether the same seed gives the same games: not with a limit of time, and not for other programs."""
    if isinstance(player, ExternalPlayer):
        return False
    limits: Limits | None = getattr(player, "limits", None)
    return limits is None or limits.deterministic


def looks_ahead(player: SearchingPlayer) -> bool:
    """Whether a player needs a search: more than a score of the positions after its own moves."""
    return player.limits != ONE_PLY or player.style.quiescence or player.style.blondie


@dataclass(frozen=True)
class RandomPlayer:
    """Any legal move, all equally likely."""

    name: str = "random"
    seed: int = 0
    deterministic: bool = field(default=False, init=False)

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        """A drawn move; a forced move draws nothing."""
        legal = moves.legal_moves(position)
        return Choice(legal[0] if len(legal) == 1 else legal[generator.below(len(legal))])


@dataclass(frozen=True)
class MaterialPlayer:
    """Most material: men 100, kings 150.

    Attributes:
        draws_ties: draw among the best moves; otherwise the first of them, as the mover sees the board.
        limits: what ends its searches.
        style: how it looks.
    """

    name: str = "material"
    seed: int = 0
    draws_ties: bool = False
    limits: Limits = ONE_PLY
    style: SearchOptions = PLAIN

    @property
    def deterministic(self) -> bool:
        """Whether ties are broken by the order of moves, and no clock decides."""
        return not self.draws_ties and self.limits.deterministic

    def searcher(self) -> Searcher:
        """A search with the piece count."""
        from game.search.search import Searcher

        return Searcher(None, self.style)

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        """The best move by piece count; a forced move draws nothing."""
        after = moves.successors(position)
        if len(after) == 1:
            return Choice(after[0][0])
        if looks_ahead(self):
            searcher = _material_searcher(self.style)
            return searched(searcher, self, position, history, generator=generator, rules=rules)
        scores = [material(board, position.side) for _, board in after]
        best = [index for index, score in enumerate(scores) if score == max(scores)]
        index = best[generator.below(len(best))] if self.draws_ties and len(best) > 1 else best[0]
        move = after[index][0]
        return Choice(move, float(scores[index]), depth=1, nodes=len(after), pv=(move,))


def material(position: Position, side: int) -> int:
    """Men 100, kings 150: the pieces of `side` minus the other's."""
    own, opponent = (position.black, position.white) if side == 0 else (position.white, position.black)

    def value(pieces: int) -> int:
        royal = (pieces & position.kings).bit_count()
        return MAN_VALUE * (pieces.bit_count() - royal) + KING_VALUE * royal

    return value(own) - value(opponent)


@dataclass(frozen=True)
class NetworkPlayer:
    """The move after which its network likes the board best, now or where a search ends.

    Attributes:
        weights: float32 of shape (spec.weights,), the genome.
        spec: its network.
        king: its own value of a king; the network's if None.
        limits: what ends its searches.
        style: how it looks.
    """

    name: str
    weights: Any
    seed: int = 0
    spec: Spec = CNN_247
    king: float | None = None
    limits: Limits = ONE_PLY
    style: SearchOptions = PLAIN

    @property
    def deterministic(self) -> bool:
        """Whether no clock decides."""
        return self.limits.deterministic

    def searcher(self) -> Searcher:
        """A search with its network."""
        from game.networks.evaluator import Evaluator
        from game.search.search import Searcher

        return Searcher(Evaluator(self.spec, self.weights, self.king), self.style)

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        """The best-scored move, the first of them on ties; scores are compared before the last activation.

        Raises:
            PlayerFailure: a score is not a finite number.
        """
        from game.networks import evaluator

        after = moves.successors(position)
        if len(after) == 1:
            return Choice(after[0][0])
        if looks_ahead(self):
            weights = evaluator.shaped_weights(self.spec, self.weights).tobytes()
            searcher = _network_searcher(self.spec, weights, self.king, self.style)
            return searched(searcher, self, position, history, generator=generator, rules=rules)
        scores = evaluator.scores(self.spec, self.weights, [board for _, board in after], position.side, self.king)
        if not all(score - score == 0 for score in scores):
            raise PlayerFailure(
                f"{self.name}: its network gives a value that is not a finite number", FailureKind.VALUE
            )
        best = max(range(len(after)), key=lambda index: scores[index])
        move = after[best][0]
        return Choice(move, scores[best], len(after), depth=1, nodes=len(after), pv=(move,))


@dataclass(frozen=True)
class ExternalPlayer:
    """A foreign program that speaks the protocol of `docs/engine.md`.

    Attributes:
        contract: what is run, and what is asked of it.
    """

    name: str
    contract: Contract
    seed: int = field(default=0, init=False)
    deterministic: bool = field(default=False, init=False)

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        """The program's move; it is not asked for a forced one. Only the program knows by which draw rules it plays.

        Raises:
            PlayerFailure: it crashed, took too long, flooded us or gave no legal move.
        """
        legal = moves.legal_moves(position)
        if len(legal) == 1:
            return Choice(legal[0])
        try:
            answer = program(self.contract).choose(position, history)
        except ProgramFailure as error:
            raise PlayerFailure(f"{self.name}: {error}", error.kind) from error
        info = answer.info
        return Choice(answer.move, info.score, 0, info.depth or 0, info.nodes or 0, line(position, info.pv))


class _Searchers(threading.local):
    """Searches that were used lately, of this thread: a searcher does one search at a time."""

    def __init__(self) -> None:
        self.known: OrderedDict[Any, Searcher] = OrderedDict()

    def get(self, key: Any, make: Callable[[], Searcher]) -> Searcher:
        found = self.known.pop(key, None) or make()
        self.known[key] = found
        if len(self.known) > KEPT_SEARCHERS:
            self.known.popitem(last=False)
        return found


KEPT_SEARCHERS = 4
_searchers = _Searchers()


def _material_searcher(style: SearchOptions) -> Searcher:
    from game.search.search import Searcher

    return _searchers.get(style, lambda: Searcher(None, style))


def _network_searcher(spec: Spec, weights: bytes, king: float | None, style: SearchOptions) -> Searcher:
    import numpy as np

    from game.networks.evaluator import Evaluator
    from game.search.search import Searcher

    def make() -> Searcher:
        return Searcher(Evaluator(spec, np.frombuffer(weights, np.float32), king), style)

    return _searchers.get((spec, weights, king, style), make)


def searched(
    searcher: Searcher,
    player: SearchingPlayer,
    position: Position,
    history: Sequence[Position],
    *,
    generator: SplitMix64,
    rules: DrawRules = WCDF,
    limits: Limits | None = None,
    stop: Stop | None = None,
    on_depth: Callable[[SearchResult], None] | None = None,
) -> Choice:
    """The choice of a player that searches.

    Args:
        searcher: made by the player.
        player: who chooses.
        position: one that has a legal move.
        history: the positions of the game before it.
        generator: for a player that draws among the best moves.
        rules: when the game is a draw.
        limits: instead of the player's own.
        stop: ends the search when it is set.
        on_depth: told what each complete depth found.

    Raises:
        PlayerFailure: a value was not a finite number.
    """
    from game.search.search import EvaluationError

    draws_ties = isinstance(player, MaterialPlayer) and player.draws_ties
    how: dict[str, Any] = {"limits": limits or player.limits, "rules": rules, "stop": stop, "on_depth": on_depth}
    try:
        found = searcher.search(position, history, all_scores=draws_ties, **how)
    except EvaluationError as error:
        raise PlayerFailure(f"{player.name}: {error}", FailureKind.VALUE) from error
    move = found.move
    if draws_ties:
        first = found.root[0]
        best = [
            each.move for each in found.root if each.exact and (each.score, each.depth) == (first.score, first.depth)
        ]
        in_order = [each for each in moves.legal_moves(position) if each in best]
        move = in_order[generator.below(len(in_order))] if len(in_order) > 1 else move
    line = found.pv if move == found.move else (move,)  # of another one of the best nothing more is known
    return Choice(move, found.score, found.evaluations, found.depth, found.nodes, line)


Resolver = Callable[[PlayerName], "Player | None"]
_resolvers: dict[str, Resolver] = {}


def register_resolver(source: str, resolver: Resolver) -> None:
    """Ask `resolver` too when a name is no built-in player; it returns None for names that are not its own.

    A second one for the same `source` takes the place of the first.
    """
    _resolvers[source] = resolver


def player(text: str) -> Player:
    """The player behind a name.

    Raises:
        PlayerNameError: nobody has this name, or an option is not possible.
        InputError: a resolver found the file or run, but it cannot be used.
    """
    name = parse_name(text)
    if name.target == "external":
        return _external(name)
    check_options(name, ("seed",) if name.target == "random" else SEARCH_OPTIONS)
    seed = checked_seed(name)
    limits, style = search_options(name)
    if name.target in RESERVED:
        if name.member is not None:
            raise PlayerNameError(f"player {text!r}: {name.target} has no individuals")
        if name.target == "random":
            return RandomPlayer(text, seed or 0)
        return MaterialPlayer(text, seed or 0, seed is not None, limits, style)
    for resolver in _resolvers.values():
        found = resolver(name)
        if found is not None:
            return found
    raise PlayerNameError(f"player {text!r}: nobody has this name; expected {FORMS}")


def _external(name: PlayerName) -> ExternalPlayer:
    from game.external.process import split_command

    check_options(name, EXTERNAL_OPTIONS)
    try:
        split_command(name.member or "")
    except InputError as error:
        raise PlayerNameError(f"player {name.text!r}: {error}") from None
    limits = search_options(name)[0] if {"depth", "nodes", "time"} & set(name.options) else DEFAULT_LIMITS
    times = checked_seconds(name, "start", START_SECONDS), checked_seconds(name, "timeout", MOVE_SECONDS)
    return ExternalPlayer(name.text, Contract(name.member or "", limits, *times))
