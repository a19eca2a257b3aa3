"""The work of the thinking process: make players, let them choose or search, and report results."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.strength.levels import LEVELS
from game import plain
from game.board import Position
from game.compiled import compiling
from game.compiled.compiling import CompileProcess
from game.moves import Move
from game.players.names import PlayerName
from game.scores import MEN, SearchInfo, Yardstick, info_of
from game.search.interface import score_text
from gui.thinking.messages import Purpose, SearchRequest

if TYPE_CHECKING:
    from game.generator import SplitMix64
    from game.players.player import Choice, Player, SearchingPlayer
    from game.search.interface import Searcher, SearchResult, Stop


KEPT_SEARCHERS = 4

VARIED_PLIES = 8
"""Plies at the start of a game with a seed in which a searching player picks at random among nearly best moves."""

KING_LEAD = 0.5
"""By how many men a king is worth more than a man where pieces are counted."""

NEARLY = 0.1
"""Maximum difference, in men, between the scores of such a move and of the best one."""

CASUAL = LEVELS[1]
"""The level of newcomers. Until the program is compiled, at its very first start, plain code answers for it by counting
pieces, which is about as strong."""


class Stopper:
    """Ends the current search from another thread."""

    word: Stop | None = None

    def renew(self) -> None:
        """Allow the next search, which a late stop for an earlier request does not end."""
        from game.search.interface import Stop

        self.word = Stop()

    def stop(self) -> None:
        if self.word is not None:
            self.word.set()


class Players:
    """Players and their searches, kept for a game.

    Attributes:
        with_tables: whether tablebases are open. No move waits for that: until then, a player uses them only if its
            name asks for them.
    """

    with_tables = False

    def __init__(self, runs: Path) -> None:
        from evolve.names.registration import register

        register(runs)
        self._game = 0
        self._known: dict[PlayerName, Player] = {}
        self._searchers: dict[tuple[PlayerName, Purpose], Searcher] = {}
        self._men: dict[PlayerName, float] = {}

    def find(self, request: SearchRequest) -> Player:
        """Return the player of a request.

        Raises:
            InputError: there is no player with this name, or its file cannot be used.
        """
        from game.players.names import PlayerNameError
        from game.players.registry import player

        if request.game != self._game:
            self._game, self._known, self._searchers, self._men = request.game, {}, {}, {}
        name = self._name(request)
        if name not in self._known:
            try:
                self._known[name] = player(name)
            except PlayerNameError:
                unlimited = player(request.player)  # raises again if the limits are not the reason
                self._known[name] = unlimited
                if unlimited.searching is not None:
                    raise
        return self._known[name]

    def searcher(self, request: SearchRequest, player: SearchingPlayer) -> Searcher:
        """Return the search of a request's player; the last few are kept with their memory.

        Analysis has its own search, so that it does not change what a player remembers from move to move.
        """
        key = self._name(request), request.purpose
        searcher = self._searchers.pop(key, None) or player.searcher()
        self._searchers[key] = searcher
        for oldest in list(self._searchers)[:-KEPT_SEARCHERS]:
            del self._searchers[oldest]
        return searcher

    def _name(self, request: SearchRequest) -> PlayerName:
        """Return the player's full name: with the limits of the request, and without tables that are not open."""
        name = _with_limits(request)
        if request.purpose is Purpose.ANALYSIS and "keeps_table" in name.allowed:
            name = name.with_options(keeps_table="no")
        if self.with_tables or "tablebase" not in name.allowed or "tablebase" in name.options:
            return name
        return name.with_options(tablebase="no")

    def yardstick(self, request: SearchRequest) -> Yardstick:
        """Return the yardstick that converts the player's scores for this position to men."""
        return Yardstick(self.find(request), self.man_score(request), request.position)

    def man_score(self, request: SearchRequest) -> float:
        if request.player not in self._men:
            self._men[request.player] = self.find(request).man_score()
        return self._men[request.player]


def _with_limits(request: SearchRequest) -> PlayerName:
    from game.players.registry import searches

    name = request.player
    if "depth" not in name.allowed:
        return name
    return name.with_options(depth=request.depth, time=name.options.get("time") if searches(name) else request.seconds)


class WarmUp:
    """Loads everything needed for moves, the most urgent first, and compiles it at the first start.

    At the first start another process compiles the search, while this one compiles moves and networks.

    Attributes:
        cold: whether code that a search needs is still to be compiled, as known after the first stage.
    """

    def __init__(self, tick: Callable[[], None] = lambda: None) -> None:
        import numpy as np

        from game.generator import SplitMix64
        from game.networks.named import CNN_247
        from game.players.basic import MaterialPlayer
        from game.players.network import NetworkPlayer
        from game.search.interface import SearchOptions

        self._tick = tick
        self.cold = False
        self._beside: CompileProcess | None = None
        style = SearchOptions(quiescence=True, threats=True)
        network = NetworkPlayer("warm-up", np.zeros(CNN_247.weights, np.float32), style=style)
        # Most players search selectively or with tablebases; the search without either is compiled when needed.
        search = partial(_search_two_plies, MaterialPlayer(style=style))
        chosen = partial(network.choose, Position.start(), (), SplitMix64(0))
        self.stages: tuple[Callable[[], object], ...] = (
            partial(self._begin, chosen, search),
            chosen,
            _compile_evaluators,
            partial(self._wait, search),
            partial(_search_two_plies, network),
        )

    @property
    def compiles_beside(self) -> bool:
        """True if another process compiles the search, so that this one should wait."""
        return self._beside is not None and not self._beside.has_done(1)

    def _begin(self, load: Callable[[], object], search: Callable[[], object]) -> None:
        from game import shared_code
        from game.compiled import kernel_cache

        self.cold = not compiling.is_there(load)
        if kernel_cache.CACHE_FOLDER is not None and self.cold:
            # This process has a thread, so it must not be forked, and a daemon may have no child processes.
            import multiprocessing  # not needed for the first picture

            multiprocessing.current_process().daemon = False
            self._beside = CompileProcess([search, shared_code.complete], start_method="spawn")

    def _wait(self, search: Callable[[], object]) -> None:
        if self._beside is not None:
            self._beside.wait(1, self._tick)
        search()  # compiles here whatever is still missing
        self.cold = False


def _compile_evaluators() -> None:
    from game.search.network_kernels import evaluator, layers_evaluator

    evaluator.compile()
    layers_evaluator.compile()


def _search_two_plies(player: SearchingPlayer) -> None:
    from game.search.interface import Limits

    player.searcher().search(Position.start(), limits=Limits(depth=2))


def think(
    players: Players, request: SearchRequest, stopper: Stopper, report: Callable[[SearchInfo], None]
) -> SearchInfo:
    """Answer a request.

    Raises:
        InputError: there is no such player, or its book cannot be used.
        PlayerFailure: the player cannot continue, or returned no legal move.
    """
    from game.players.player import move_by_book

    player, yardstick = players.find(request), players.yardstick(request)
    if request.purpose is Purpose.MOVE:
        legal = plain.legal_moves(request.position)
        if move_by_book(player, request.position, request.rules) is not None:
            return _chosen(player, request, yardstick)
        if request.seed and len(legal) > 1 and len(request.history) < VARIED_PLIES and player.searching is not None:
            return _varied(players, request, stopper, report, yardstick)
        plain_ply = player.searching is not None and not player.searching.looks_ahead()
        # At one ply, choose as in a match, ties included. A forced move needs no search.
        if len(legal) == 1 or plain_ply:
            return _chosen(player, request, yardstick)
    if player.searching is None:
        return _chosen(player, request, yardstick)
    searcher = players.searcher(request, player.searching)
    return _searched(player.searching, searcher, request, stopper, report, yardstick)


def plain_scores(position: Position) -> list[tuple[Move, float]]:
    """Return every legal move with its score in men by a count of pieces, computed without compiled code."""
    return [(move, -_settled(after)) for move, after in plain.successors(position)]


def _settled(position: Position) -> float:
    """Return the lead of the side to move, in men, once all captures have been played."""
    after = plain.successors(position)
    if after and after[0][0].captured:
        return max(-_settled(board) for _, board in after)
    mine, theirs = position.own, position.opponent
    return (mine.bit_count() - theirs.bit_count()) + KING_LEAD * (
        (mine & position.kings).bit_count() - (theirs & position.kings).bit_count()
    )


def plain_answer(request: SearchRequest) -> SearchInfo | None:
    """Choose a move for `CASUAL` without compiled code, by a count of pieces; None for other requests."""
    from game.generator import SplitMix64, derive_seed

    if request.purpose is not Purpose.MOVE or (request.player.text, request.depth) != (CASUAL.player, CASUAL.depth):
        return None
    scores = plain_scores(request.position)
    best = max(score for _, score in scores)
    near = [move for move, score in scores if score == best]
    seed = derive_seed(derive_seed(request.seed, request.position.side, 0), len(request.history))
    move = near[SplitMix64(seed).below(len(near))]
    return SearchInfo(move, best, MEN.share(best), CASUAL.depth, len(scores), None, (move,), score_text(best))


def _varied(
    players: Players,
    request: SearchRequest,
    stopper: Stopper,
    report: Callable[[SearchInfo], None],
    yardstick: Yardstick,
) -> SearchInfo:
    """Pick at random among the moves that are nearly as good as the best, by exact scores of one depth.

    This searches like an analysis, without results of earlier moves, so a game that is continued later has the same
    moves.
    """
    from game.search.interface import DRAWN, Limits

    request = replace(request, purpose=Purpose.ANALYSIS)
    player = players.find(request)
    assert player.searching is not None
    result = players.searcher(request, player.searching).search(
        request.position,
        request.history,
        limits=Limits(request.depth, player.searching.limits.nodes, request.seconds),
        rules=request.rules,
        all_scores=True,
        stop=stopper.word,
        on_depth=lambda interim: report(info_of(interim, yardstick)),
    )
    info, best = info_of(result, yardstick), result.root[0]
    if abs(best.score) >= DRAWN:  # decided: play the shortest win, or the longest loss
        return info
    compared = [scored for scored in result.root if scored.exact and scored.depth == best.depth]
    # If a man is worth very little to a network, every move is near the best: use only the upper half of the scores.
    spread = best.score - min(scored.score for scored in compared)
    margin = min(NEARLY * players.man_score(request), spread / 2)
    near = [scored.move for scored in compared if best.score - scored.score <= margin]
    in_order = [legal for legal in plain.legal_moves(request.position) if legal in near]
    move = in_order[_generator(player, request).below(len(in_order))]
    line = next(known for known in info.lines if known.move == move)
    pv = info.pv if move == info.move else (move,)
    return replace(info, move=move, score=line.score, share=line.share, text=line.text, pv=pv)


def _chosen(player: Player, request: SearchRequest, yardstick: Yardstick) -> SearchInfo:
    from game.players.player import PlayerFailure

    started = time.perf_counter()
    choice = player.choose(request.position, request.history, _generator(player, request), request.rules)
    move = None if choice is None else choice.move
    if move is None:
        raise PlayerFailure("it returned no move")
    if move not in plain.legal_moves(request.position):
        raise PlayerFailure(f"it returned {move}, which is not legal")
    return replace(_info(choice, yardstick), seconds=time.perf_counter() - started)


def _info(choice: Choice, yardstick: Yardstick) -> SearchInfo:
    known = choice.depth or None, choice.nodes or None, None, choice.pv
    if choice.score is None:
        return SearchInfo(choice.move, None, None, *known)
    men = yardstick.measure(choice.depth, choice.score, choice.pv)
    return SearchInfo(choice.move, men, MEN.share(men), *known, score_text(men))


def _searched(
    player: SearchingPlayer,
    searcher: Searcher,
    request: SearchRequest,
    stopper: Stopper,
    report: Callable[[SearchInfo], None],
    yardstick: Yardstick,
) -> SearchInfo:
    from game.players.player import choose_by_search
    from game.search.interface import Limits

    newest: list[SearchResult] = []
    analysing = request.purpose is Purpose.ANALYSIS

    def on_depth(result: SearchResult) -> None:
        newest[:] = [result]
        report(info_of(result, yardstick))

    limits = Limits(request.depth, player.limits.nodes, request.seconds)
    if analysing:
        result = searcher.search(
            request.position, request.history, limits=limits, rules=request.rules, all_scores=True, stop=stopper.word,
            on_depth=on_depth,
        )  # fmt: skip
        return info_of(result, yardstick)
    choice = choose_by_search(
        searcher, player, request.position, request.history, generator=_generator(player, request),
        rules=request.rules, limits=limits, stop=stopper.word, on_depth=on_depth,
    )  # fmt: skip
    lines = info_of(newest[0], yardstick).lines if newest else ()
    return replace(_info(choice, yardstick), lines=lines)


def _generator(player: Player, request: SearchRequest) -> SplitMix64:
    """Return random numbers that depend on the ply, so that repeating a request gives the same move."""
    from game.generator import SplitMix64, derive_seed

    seed = derive_seed(request.seed, request.position.side, player.seed)
    return SplitMix64(derive_seed(seed, len(request.history)))
