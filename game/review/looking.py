"""The analyst at work in this process: what it finds in a position, with what tablebases know."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from game.board import Position
from game.endgame.slices import MOST_BUILT
from game.endgame.tables import open_tables
from game.errors import InputError
from game.finding import SearchInfo, finding_of, judge_by_tables
from game.moves import Move
from game.players.player import Player
from game.review.chances import Games
from game.review.judged import Review
from game.review.reviewing import DEPTH, Reviewing
from game.scores import Yardstick
from game.search.limits import Limits
from game.search.result import SearchResult


class Analyst:
    """A player that looks at positions of games, one after the other.

    Args:
        player: one that searches.

    Attributes:
        name: the player's.

    Raises:
        InputError: it does not search.
    """

    def __init__(self, player: Player) -> None:
        searching = player.searching
        if searching is None:
            raise InputError(f"{player.name}: does not tell what it thinks of moves, so it cannot review games")
        self.name = player.name
        self._player, self._searcher, self._man = player, searching.searcher(), player.man_score()
        self._tables = open_tables() if player.tablebase else None

    def look(self, position: Position, history: Sequence[Position], depth: int) -> SearchInfo:
        """What it finds in a position that has a legal move.

        Args:
            position: where.
            history: the positions of the game before it.
            depth: plies to look ahead.
        """
        stick = Yardstick(self._player, self._man, position)

        def on_depth(found: SearchResult) -> None:
            stick.measure(found.root[0].depth, found.score, found.pv)

        result = self._searcher.search(
            position,
            history,
            limits=Limits(depth),
            all_scores=True,
            on_depth=on_depth,
        )
        finding = finding_of(result, stick)
        if self._tables is None or (position.black | position.white).bit_count() > MOST_BUILT:
            return finding
        return judge_by_tables(self._tables, position, finding)

    def review(
        self,
        start: Position,
        moves: Sequence[Move],
        depth: int = DEPTH,
        progress: Callable[[Reviewing], None] = lambda _: None,
        *,
        result: int | None = None,
        games: Games = Games.PEOPLE,
    ) -> Review:
        """Go through a game.

        Args:
            start, moves: of the game.
            depth: plies to look ahead.
            progress: called after each position.
            result: of the game for Black: 1, 0 or -1; None if it is not known.
            games: whose games the curve is of.
        """
        reviewing = Reviewing(start, moves, depth, result=result, games=games)
        while (look := reviewing.next_look()) is not None:
            history = reviewing.positions[: look.index]
            reviewing.learn(look, self.look(reviewing.positions[look.index], history, look.depth))
            progress(reviewing)
        return reviewing.review(self.name)
