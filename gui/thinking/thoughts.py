"""The work of the thinking process: find players, let them choose or search, and report results."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from game import plain
from game.board import Position
from game.players.names import PlayerName
from gui.thinking.messages import Line, Purpose, SearchInfo, SearchRequest

if TYPE_CHECKING:
    from game.generator import SplitMix64
    from game.players.protocol import Choice, Player, SearchingPlayer
    from game.players.protocol import Scale as Unit
    from game.search.protocol import Searcher, Stop
    from game.search.result import SearchResult


@dataclass(frozen=True)
class ScoreText:
    """How the scores of a player are shown.

    Attributes:
        unit: what they mean.
        zero: that of an even game.
    """

    unit: Unit
    zero: float = 0.0

    def share(self, score: float) -> float:
        """From -1 (lost) to 1 (won)."""
        return self.unit.share(score, self.zero)

    def text(self, score: float) -> str:
        """In words and numbers; what is above +0.00 is better than an even game."""
        from game.search.result import WON, score_text

        return score_text(score if abs(score) > WON else score - self.zero)


class Stopper:
    """What ends the search in hand, from another thread; a new one for each request.

    Attributes:
        word: what the search watches; None before the first.
    """

    word: Stop | None = None

    def renew(self) -> None:
        """Allow the next search. A late timer of the one before stops only that one."""
        from game.search.protocol import Stop

        self.word = Stop()

    def stop(self) -> None:
        """End the search in hand."""
        if self.word is not None:
            self.word.set()


class Players:
    """Players by name, and their searches, kept for a game."""

    def __init__(self, runs: Path) -> None:
        from evolve.names.registration import register

        register(runs)
        self._game = 0
        self._known: dict[PlayerName, Player] = {}
        self._searchers: dict[PlayerName, Searcher] = {}
        self._scales: dict[PlayerName, ScoreText] = {}

    def find(self, request: SearchRequest) -> Player:
        """The player of a request.

        Raises:
            InputError: nobody has this name, or its file cannot be used.
        """
        from game.players.registry import player

        if request.game != self._game:
            self._game, self._known, self._searchers, self._scales = request.game, {}, {}, {}
        name = _with_limits(request)
        if name not in self._known:
            self._known[name] = player(name)
        return self._known[name]

    def searcher(self, request: SearchRequest, player: SearchingPlayer) -> Searcher:
        """The search of its player."""
        name = _with_limits(request)
        if name not in self._searchers:
            self._searchers[name] = player.searcher()
        return self._searchers[name]

    def scale(self, request: SearchRequest) -> ScoreText:
        """How the scores of its player are shown."""
        from game.players.protocol import PlayerFailure

        player = self.find(request)
        if request.player not in self._scales:
            zero = 0.0
            with contextlib.suppress(PlayerFailure):  # the search itself reports it
                zero = player.even_score()
            self._scales[request.player] = ScoreText(player.scale, zero)
        return self._scales[request.player]


def _with_limits(request: SearchRequest) -> PlayerName:
    """The name of the player with the depth of the request, which decides what else the name means.

    Who does not search must be told its time, others are asked with it.
    """
    from game.players.registry import searches

    name = request.player
    if "depth" not in name.allowed:
        return name
    return name.with_options(depth=request.depth, time=name.options.get("time") if searches(name) else request.seconds)


def warm_up() -> Iterator[Callable[[], object]]:
    """What loads, and at the first start compiles, all that moves take; the most needed comes first."""
    import numpy as np

    from game.generator import SplitMix64
    from game.networks.shipped import CNN_247
    from game.players.material import MaterialPlayer
    from game.players.network import NetworkPlayer
    from game.search.limits import Limits

    start = Position.start()
    players = NetworkPlayer("warm-up", np.zeros(CNN_247.weights, np.float32)), MaterialPlayer()
    for player in players:
        yield partial(player.choose, start, (), SplitMix64(0))
    for player in players:
        yield partial(player.searcher().search, start, limits=Limits(depth=2))


def think(players: Players, request: SearchRequest, stopper: Stopper, tell: Callable[[SearchInfo], None]) -> SearchInfo:
    """Answer a request.

    Args:
        players: finds the player.
        request: what to think about.
        stopper: ends a search.
        tell: is told what is known after each depth of a search.

    Raises:
        InputError: there is no such player.
        PlayerFailure: the player cannot go on, or its move is none.
    """
    player, scale = players.find(request), players.scale(request)
    if request.purpose is Purpose.MOVE:
        legal = plain.legal_moves(request.position)
        plain_ply = player.searching is not None and not player.searching.looks_ahead()
        # At one ply as in a match, ties included; and a forced move needs no search.
        if len(legal) == 1 or plain_ply:
            return _chosen(player, request, scale)
    if player.searching is None:
        return _chosen(player, request, scale)
    searcher = players.searcher(request, player.searching)
    return _searched(player.searching, searcher, request, stopper, tell, scale)


def _chosen(player: Player, request: SearchRequest, scale: ScoreText) -> SearchInfo:
    from game.players.protocol import PlayerFailure

    started = time.perf_counter()
    choice = player.choose(request.position, request.history, _generator(player, request), request.rules)
    move = None if choice is None else choice.move
    if move is None:
        raise PlayerFailure("it returned no move")
    if move not in plain.legal_moves(request.position):
        raise PlayerFailure(f"it returned {move}, which is not legal")
    return replace(_told(choice, scale), seconds=time.perf_counter() - started)


def _told(choice: Choice, scale: ScoreText) -> SearchInfo:
    score = choice.score
    return SearchInfo(
        choice.move,
        score,
        None if score is None else scale.share(score),
        choice.depth or None,
        choice.nodes or None,
        None,
        choice.pv,
        "" if score is None else scale.text(score),
    )


def _searched(
    player: SearchingPlayer,
    searcher: Searcher,
    request: SearchRequest,
    stopper: Stopper,
    tell: Callable[[SearchInfo], None],
    scale: ScoreText,
) -> SearchInfo:
    from game.players.base import choose_by_search
    from game.search.limits import Limits

    found: list[SearchResult] = []

    def on_depth(result: SearchResult) -> None:
        found[:] = [result]
        tell(_finding(result, scale))

    limits = Limits(request.depth, player.limits.nodes, request.seconds)
    if request.purpose is Purpose.ANALYSIS:
        result = searcher.search(
            request.position,
            request.history,
            limits=limits,
            rules=request.rules,
            all_scores=True,
            stop=stopper.word,
            on_depth=on_depth,
        )
        return _finding(result, scale)
    choice = choose_by_search(
        searcher,
        player,
        request.position,
        request.history,
        generator=_generator(player, request),
        rules=request.rules,
        limits=limits,
        stop=stopper.word,
        on_depth=on_depth,
    )
    lines = _finding(found[0], scale).lines if found else ()
    return replace(_told(choice, scale), lines=lines)


def _generator(player: Player, request: SearchRequest) -> SplitMix64:
    """A stream of numbers for each ply: a move that is asked for again is the same move."""
    from game.generator import SplitMix64, derive_seed
    from game.match import stream_seed

    seed = stream_seed(request.seed, request.position.side, player.seed)
    return SplitMix64(derive_seed(seed, len(request.history)))


def _finding(found: SearchResult, scale: ScoreText) -> SearchInfo:
    return SearchInfo(
        found.move,
        found.score,
        scale.share(found.score),
        found.depth,
        found.nodes,
        found.seconds,
        found.pv,
        scale.text(found.score),
        tuple(
            Line(each.move, each.score, scale.share(each.score), scale.text(each.score), each.exact)
            for each in found.root
        ),
    )
