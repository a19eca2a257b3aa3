"""The family of an individual: whom it comes from, generation by generation, with their games and weights."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from gui.geometry import Size
from gui.individuals.rows import NOT_KEPT
from gui.look.canvas import Look
from gui.screens.family.family_view import FamilyView
from gui.screens.family.panels import panels
from gui.screens.play.beginning import begin
from gui.widgets.base import Widget
from gui.widgets.commands import Command

WAYS = "Along the family"
MOVES = (
    ("down", "Parent", "To a parent of the chosen one"),
    ("up", "Child", "To its child in the tree"),
    ("left", "Left", "To the one on its left"),
    ("right", "Right", "To the one on its right"),
    ("home", "Root", "To the one whose family it is"),
    ("end", "Founder", "Down to a founder"),
)
NOBODY = "There is no family to look at."
READING = "It is still being read."


class FamilyScreen(FamilyView):
    """Whom somebody comes from."""

    def commands(self) -> Sequence[Command]:
        """Playing, looking, going on to another one's family."""
        tree, row, games = self.tree, self.details_row, self.games
        reads = READING if not self.trouble and self.details is None else ""
        nobody = NOBODY if tree is None else ""
        player = row.player if row is not None else ""
        elsewhere = tree is not None and self.place != tree.root and self.member is not None
        elsewhere = elsewhere and self.member is not None and self.member.fact is not None
        return [
            Command(id="play", name="Play it", keys=("p",), run=self.play, about="Begin a game against it", icon="play",
                    enabled=bool(player), why=nobody or reads or NOT_KEPT),
            Command(id="its-family", name="Its family", keys=("f", "return"), run=self.go, icon="family",
                    about="The family of the chosen one", enabled=elsewhere,
                    why=nobody or "This is its family: choose another one first."),
            Command(id="return", name="Family before", keys=("backspace", "b"), run=self.go_back, icon="previous",
                    about="Back to the family that was shown before", enabled=bool(self._before),
                    why="This is the first family that was shown."),
            Command(id="show-game", name="Show the game", keys=("v",), run=self.show_game, icon="board",
                    about="The chosen one of its games, on the large board", enabled=bool(games),
                    why=nobody or reads or "No game of it was kept."),
            Command(id="next-game", name="Next game", keys=("n",), run=self._next_game, icon="next",
                    about="Choose the next one of its games", enabled=len(games) > 1,
                    why=nobody or reads or "There is no other game."),
            Command(id="page", name="Ancestor or founders", keys=("d",), run=lambda: self.show_tab(1 - self.tab),
                    about="The other page: the chosen one, or the founders", enabled=tree is not None, why=NOBODY),
            Command(id="whole", name="All generations", keys=("a",), run=self.toggle_whole, icon="list",
                    about="Show generations in which nothing changes, too", chosen=self.whole,
                    enabled=tree is not None, why=NOBODY),
            Command(id="choose", name="Choose an opponent", keys=("c",), run=self._choose_opponent, icon="person",
                    about="Look for an opponent of a run, whose family is known"),
            *[Command(id=f"to-{key}", name=name, keys=(key,), run=partial(self.move, key), about=about, group=WAYS,
                      enabled=tree is not None, why=NOBODY)
              for key, name, about in MOVES],
        ]  # fmt: skip

    def play(self) -> None:
        """Begin a game against the chosen member."""
        row, services = self.details_row, self.app.services
        if row is not None and row.player:
            services.change_settings(opponent=row.player, opponent_title=row.title)
            self.leave_game()
            begin(self.app, services.seat(row.player, row.title), services.settings.colour)

    def _next_game(self) -> None:
        self.row = (self.row + 1) % len(self.games)

    def _choose_opponent(self) -> None:
        self.app.open(self.app.screens.chooser())

    def view(self, size: Size, look: Look) -> list[Widget]:
        """The tree on the left, the chosen member on the right."""
        return [*self.header(size, look), *panels(self, size, look)]
