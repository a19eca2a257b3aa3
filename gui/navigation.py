"""A factory for the screens that lead to one another; each is loaded on first use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from game.board import Position
from gui.model.game import GameModel
from gui.screens.screen import Screen
from gui.storage.autosave import Kept

if TYPE_CHECKING:
    from gui.app import App
    from gui.individuals.individual import ListedPlayer
    from gui.screens.play.games import GamesScreen


class Screens:
    """A factory for the screens that lead to one another, so that they need not import each other."""

    def __init__(self, window: App) -> None:
        self._window = window

    def play(
        self,
        model: GameModel,
        *,
        flipped: bool | None = None,
        recorded: bool = False,
        kept: Kept | None = None,
        source: GamesScreen | None = None,
    ) -> Screen:
        """Return the screen for playing, for watching two programs play, or for a recorded game.

        Args:
            flipped: whether White's side is at the top; None to decide by the settings and the players.
        """
        from gui.screens.play.play import Play

        return Play(self._window, model, flipped=flipped, recorded=recorded, kept=kept, source=source)

    def evolving(self, kept: Kept | None = None) -> Screen | None:
        """Return the screen of a new game against an opponent that evolves, or of a kept one; None if it is no such."""
        from gui.screens.play.evolving import continued, new_game

        return new_game(self._window) if kept is None else continued(self._window, kept)

    def review(
        self,
        model: GameModel,
        *,
        flipped: bool,
        values: object,
        keep: Callable[..., object],
        onward: Callable[[], object] | None = None,
    ) -> Screen:
        """Return the review of a game; `keep` saves a new one."""
        from gui.screens.play.review import ReviewScreen

        return ReviewScreen(self._window, model, flipped=flipped, values=values, keep=keep, onward=onward)

    def new_session(self) -> Screen:
        from gui.screens.sessions.new import NewSession

        return NewSession(self._window)

    def chooser(
        self,
        *,
        position: Position | None = None,
        game: GameModel | None = None,
        watch: bool = False,
        from_here: bool = False,
        shelf: str = "",
        player: ListedPlayer | None = None,
    ) -> Screen:
        """Return the screen for choosing an opponent, or two players to watch.

        Args:
            from_here: whether the game begins in `position`.
            shelf: the shelf to begin with; by default, that of the last opponent.
            player: the player to choose; by default, the last opponent.
        """
        from gui.screens.individuals.chooser import Chooser

        return Chooser(
            self._window, shelf=shelf, player=player, position=position, game=game, from_here=from_here, watch=watch
        )
