"""The classes of the screens that lead to one another; each is loaded on first use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gui.app import App
    from gui.screens.individuals.chooser import Chooser
    from gui.screens.play.play import Play
    from gui.screens.play.review import ReviewScreen
    from gui.screens.sessions.new import NewSession
    from gui.storage.autosave import Kept


class Screens:
    """The classes of screens that lead to one another, so that their modules need not import each other."""

    @property
    def play(self) -> type[Play]:
        from gui.screens.play.play import Play

        return Play

    @property
    def evolving(self) -> Callable[[App, Kept], Play | None]:
        """The function that returns the screen of a kept game against an opponent that evolves; None for others."""
        from gui.screens.play.evolving import continued

        return continued

    @property
    def review(self) -> type[ReviewScreen]:
        from gui.screens.play.review import ReviewScreen

        return ReviewScreen

    @property
    def new_session(self) -> type[NewSession]:
        from gui.screens.sessions.new import NewSession

        return NewSession

    @property
    def chooser(self) -> type[Chooser]:
        from gui.screens.individuals.chooser import Chooser

        return Chooser
