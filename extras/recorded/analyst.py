"""The analyst that reviews games: a player that searches their positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from evolve.names.registration import register
from evolve.run.runs import CHAMPION_RUN
from extras.recorded.check import Plies
from game import moves
from game.board import Position
from game.endgame.slices import MOST_BUILT
from game.errors import InputError
from game.networks.named import find_network
from game.pdn.game import Game, RawGame
from game.players.names import parse_name
from game.players.player import Player
from game.players.registry import player, searches
from game.review.chances import games_of
from game.review.judged import GamePhase, Review, move_points, phase_of
from game.review.reviewing import DEEPER, DEPTH, Reviewing
from game.scores import SearchInfo, Yardstick, info_of, judge_by_tables
from game.search.interface import Limits, SearchResult
from game.search.layout import MAX_DEPTH

NODES = 2_000
"""Positions of each search for `PhaseLosses`."""


def open_analyst(name: str | None, runs: Path, network: str | None = None) -> Analyst:
    """Return the analyst of a review.

    Args:
        name: a player; None for the shipped champion.

    Raises:
        InputError: there is no such player, or it does not score moves.
    """
    register(runs, None if network is None else find_network(network))
    text = name or CHAMPION_RUN
    parsed = parse_name(text)
    if "keeps_table" in parsed.allowed and searches(parsed):
        # The review of a position must not depend on earlier ones.
        parsed = replace(parsed.with_options(keeps_table="no"), text=text)
    return Analyst(player(parsed).with_name(text))


def review_depth(depth: int | None) -> int:
    """Return the depth of a review, in plies; by default that of the window.

    Raises:
        InputError: the depth is out of range.
    """
    depth = DEPTH if depth is None else depth
    if not 1 <= depth <= MAX_DEPTH - DEEPER:
        raise InputError(f"--depth: expected 1 to {MAX_DEPTH - DEEPER} plies for games, got {depth}")
    return depth


class Analyst:
    """A player that searches the positions of games, one after the other.

    Raises:
        InputError: the player does not search.
    """

    def __init__(self, player: Player) -> None:
        searching = player.searching
        if searching is None:
            raise InputError(f"{player.name}: does not score moves, so it cannot judge positions")
        self.name = player.name
        self._player, self._searcher, self._man = player, searching.searcher(), player.man_score()
        self._tables = None
        if player.tablebase:
            from game.endgame.tables import open_tables

            self._tables = open_tables()

    def look(self, position: Position, history: Sequence[Position], limits: Limits) -> SearchInfo:
        """Search a position that has a legal move for the scores of all moves."""
        stick = Yardstick(self._player, self._man, position)

        def on_depth(interim: SearchResult) -> None:
            stick.measure(interim.root[0].depth, interim.score, interim.pv)

        result = self._searcher.search(position, history, limits=limits, all_scores=True, on_depth=on_depth)
        finding = info_of(result, stick)
        if self._tables is None or (position.black | position.white).bit_count() > MOST_BUILT:
            return finding
        return judge_by_tables(self._tables, position, finding)

    def review(self, game: Game, depth: int, progress: Callable[[int, int], None] = lambda *_: None) -> Review:
        tags = dict(game.tags)
        reviewing = Reviewing(game.start, game.moves, depth, result=game.black_result, games=games_of(tags), tags=tags)
        while (search := reviewing.next_search()) is not None:
            history = reviewing.positions[: search.index]
            reviewing.learn(search, self.look(reviewing.positions[search.index], history, Limits(search.depth)))
            progress(reviewing.done, len(game.moves))
        return reviewing.review(self.name)


class PhaseLosses:
    """The expected score that moves with a choice cost in each phase of games, by searches of `NODES` positions.

    Attributes:
        known: the number of moves and their mean loss, by phase.
    """

    def __init__(self, analyst: Analyst) -> None:
        self._analyst = analyst
        self.known = {phase.value: {"moves": 0, "loss": 0.0} for phase in GamePhase}

    def on_game(self, raw: RawGame, plies: Plies) -> None:
        """Add the moves of a game; it listens to `extras.recorded.check.check`."""
        for position, played, _ in plies:
            if len(moves.legal_moves(position)) > 1:
                points = move_points(position, self._analyst.look(position, (), Limits(nodes=NODES)))
                known = self.known[phase_of(position)]
                known["moves"] += 1
                known["loss"] += (max(points.values()) - points[played] - known["loss"]) / known["moves"]

    def text(self) -> str:
        rows = [f"{'phase':<12} {'moves':>15} {'loss a move':>12}"]
        for name, known in self.known.items():
            loss = f"{known['loss']:.2%}" if known["moves"] else "–"
            rows.append(f"{name:<12} {known['moves']:>15,} {loss:>12}")
        return "\n".join(rows)
