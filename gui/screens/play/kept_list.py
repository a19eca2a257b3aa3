"""The games that were kept, as a list with parts, an order and a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING

from game.errors import capital
from game.number_text import count_text
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import Theme
from gui.model.game import GameModel
from gui.model.game_search import found_by, leads
from gui.model.kept_game import FILTERS, KeptGame, find_games
from gui.screens.play.game_files import ask_to_delete, save_all, save_game, show_kept
from gui.storage.autosave import Kept
from gui.storage.game_text import review_in
from gui.widgets.base import Command
from gui.widgets.table import NONE, Cell, ListColumn, ListOrder, Table, without_entry

if TYPE_CHECKING:
    from gui.screens.play.games import GamesScreen

STEP_SECONDS = 0.006
LOOK_SECONDS = 2.0
FIND_SECONDS = 0.3
"""Seconds between two updates of the list while games are being read."""

COLUMNS: tuple[ListColumn[KeptGame], ...] = (
    ListColumn("Game", sort="game", cell=lambda game, theme: Cell(game.players),
               order=lambda game: " ".join(game.names).strip().lower()),
    ListColumn("Opening", 132, sort="opening", room=800, order=lambda game: (not game.opening, game.opening),
               cell=lambda game, theme: Cell(game.opening or NONE, theme.muted)),
    ListColumn("Moves", 64, "right", sort="moves", room=480, largest_first=True, order=lambda game: game.plies,
               cell=lambda game, theme: Cell(str((game.plies + 1) // 2), theme.muted)),
    ListColumn("Result", 92, sort="result", room=445, order=lambda game: game.outcome,
               cell=lambda game, theme: Cell(game.outcome)),
    ListColumn("Review", 104, sort="review", room=905, largest_first=True,
               cell=lambda game, theme: Cell(game.review.removeprefix("reviewed: "), theme.muted),
               order=lambda game: -1 if game.errors is None else game.errors, entry=attrgetter("mistakes")),
    ListColumn("When", 104, "right", sort="when", room=640, largest_first=True, order=lambda game: game.when,
               cell=lambda game, theme: Cell(game.date, theme.muted)),
)  # fmt: skip
"""Columns of kept games; those that a narrow list leaves out are in the pane, so that names are whole."""

NONE_YET = "No games yet: those that you play are kept here. Others are read from files (PDN), also dropped ones."
NO_MATCH = "No game matches. Esc clears the search and the filter."
CHOOSE = "Choose a game first."


class KeptList:
    """The games that were kept, one of which is chosen.

    Attributes:
        words, narrowed: what is searched for, and the index of the visible part of `FILTERS`.
    """

    title, file = "All games", ""
    searched, hint = "Search names, results, dates, openings", ""
    filters: Sequence[str] = FILTERS
    least = 0

    def __init__(self, screen: GamesScreen) -> None:
        self._screen, self._app = screen, screen.app
        self.words, self.narrowed = "", 0
        self._games: list[KeptGame] = []
        self._made: tuple[object, ...] = ()
        self._name = ""  # the file of the chosen game
        self._order = ListOrder(COLUMNS, "when", self._update)
        self._empty: list[ListColumn[KeptGame]] = []
        self._shown: KeptGame | None = None
        self._kept: Kept | None = None  # the content of this game
        self._look_at = self._find_at = 0.0
        self._update()

    @property
    def row(self) -> int:
        return next((row for row, game in enumerate(self._games) if game.name == self._name), -1)

    @property
    def count(self) -> int:
        return len(self._games)

    @property
    def _game(self) -> KeptGame | None:
        return next((game for game in self._games if game.name == self._name), None)

    @property
    def model(self) -> GameModel | None:
        """The chosen game and its visible position; None if it cannot be read."""
        return None if self._kept is None else self._kept.model

    @property
    def goes_on(self) -> bool:
        """True if the chosen game is not over."""
        return self._game is not None and not self._game.over

    @property
    def flipped(self) -> bool:
        return self._kept is None or bool(self._kept.extra.get("flipped"))

    @property
    def busy(self) -> bool:
        return not self._app.services.kept.complete

    @property
    def none(self) -> str:
        """Why there is nothing to list at all; empty if there is something, or might be."""
        kept = self._app.services.kept
        return NONE_YET if kept.complete and not (kept.games or kept.damaged) else ""

    @property
    def counted(self) -> tuple[str, float | None, str]:
        """The number of games, the share that is read while they are being read, and what is wrong."""
        kept, listed = self._app.services.kept, len(self._games)
        every = len(kept.games)
        count = count_text(every, "game") if listed == every else f"{listed:,} of {count_text(every, 'game')}"
        more = f" (and {len(kept.damaged) - 1} more)" if len(kept.damaged) > 1 else ""
        trouble = f"{count}. {kept.damaged[0]}{more}" if kept.damaged else ""
        return count, kept.share if not kept.complete and not kept.games else None, trouble

    def step(self, now: float) -> bool:
        """Read games for a moment; return whether something changed."""
        kept = self._app.services.kept
        if now >= self._look_at:
            self._look_at = now + LOOK_SECONDS
            kept.look_again()
        busy = not kept.complete
        kept.step(STEP_SECONDS)
        changed = (kept.complete or now >= self._find_at) and self._update()
        if busy and changed:
            self._find_at = now + FIND_SECONDS
        return changed or busy

    def find(self, words: str, narrowed: int) -> None:
        self.words, self.narrowed = words, narrowed % len(FILTERS)
        self._update()

    def _update(self) -> bool:
        """Update the list if games, search, filter or order have changed; return whether they have."""
        kept = self._app.services.kept
        wishes = kept.version, self.words, self.narrowed, self._order.by, self._order.descending
        if wishes == self._made:
            return False
        self._made = wishes
        self._empty = without_entry(COLUMNS, kept.games)
        games = find_games(kept.games, self.words, FILTERS[self.narrowed])
        self._order.sort(games)
        games.sort(key=lambda game: not leads(game.opening, self.words))
        row, self._games = max(self.row, 0), games
        if self._game is None and games:
            self._name = games[min(row, len(games) - 1)].name  # the game that is now in its place
        self._read()
        return True

    def _read(self) -> None:
        before, game, autosave = self._shown, self._game, self._app.services.autosave
        if game == before:
            return
        same = game is not None and before is not None and game.name == before.name
        cursor = self.model.cursor if same and self.model is not None else 10**9
        self._shown, self._kept = game, None if game is None else autosave.read(self._app.services.kept.path(game))
        if self._kept is not None:
            self._kept.model.go_to(cursor)
        elif game is not None:
            self._app.say(autosave.trouble, "warning")

    def select(self, row: int) -> None:
        self._name = self._games[row].name
        self._read()

    def near(self, step: int) -> int | None:
        """Return the row of the nearest finished game below or above the chosen one; that one itself for 0."""
        first, games = self.row, self._games
        rows = range(first, len(games) if step > 0 else -1, step or -1)[bool(step) : None if step else 1]
        return next((row for row in rows if games[row].over and games[row].plies), None)

    def show(self) -> None:
        """Show the chosen game if it is over, or continue it."""
        game = self._game
        if game is not None:
            self._app.go_home(keep=lambda screen: screen is self._screen)
            show_kept(self._app, game, self._screen)

    def save(self) -> None:
        game, kept = self._shown, self._kept
        if game is not None and kept is not None:
            save_game(self._app, kept.model, game.when, review_in(kept.extra, kept.model))

    def _delete(self) -> None:
        if self._game is not None:
            ask_to_delete(self._app, self._game, self._app.services.kept.look_again)

    def commands(self) -> list[Command]:
        games = count_text(self.count, "game") if self._games else "all games"
        return [
            Command(id="delete", name="Delete", keys=("delete",), run=self._delete, icon="delete",
                    about="Delete the chosen game, after confirmation", enabled=self._game is not None, why=CHOOSE),
            Command(id="filter", name="Filter", keys=(), run=lambda: self.find(self.words, self.narrowed + 1),
                    about="List all games, or unfinished, won, lost, drawn or reviewed ones"),
            Command(id="order", name="Order", keys=(), run=self._order.choose_next, about="Order by the next column"),
            Command(id="save-all", name=f"Save {games}", keys=(), icon="save", enabled=bool(self._games),
                    run=lambda: save_all(self._app, tuple(self._games)), why="There are no games in the list.",
                    about="Write all games of the list to one PDN file"),
        ]  # fmt: skip

    def table(self, rect: Rect, look: Look) -> Table:
        order = self._order
        columns = [each for each in order.fitting(rect.w, look) if each not in self._empty]

        def opening(game: KeptGame, theme: Theme) -> Cell:
            named = found_by(game.opening, game.openings, self.words) or NONE
            return Cell(named if self.words else named.partition(", ballot")[0], theme.muted)

        def players(game: KeptGame, theme: Theme) -> Cell:
            shields = tuple(self._app.services.personas.emblem(*program) for program in game.programs if program[0])
            icon = "men" if shields else "people"
            return Cell(game.players, icon=icon, emblems=shields if all(shields) else ())  # no plain ones

        def result(game: KeptGame, theme: Theme) -> Cell:
            colour = {"you won": theme.good, "you lost": theme.danger}.get(game.outcome, theme.muted)
            return Cell(capital(game.outcome), colour)

        own = {"Game": players, "Opening": opening, "Result": result}
        columns = [replace(each, cell=own.get(each.title, each.cell)) for each in columns]
        return Table(
            key="games", rect=rect, columns=columns, count=self.count,
            cells=lambda row: [column.cell(self._games[row], look.theme) for column in columns],
            of=lambda row: self._games[row].name, arranged=(self.words, self.narrowed),
            selected=self.row, select=self.select, activate=lambda row: self.show(), sort=order.choose,
            sorted_by=order.by, descending=order.descending,
            empty=NO_MATCH if self._app.services.kept.games else "Looking for games…",
        )  # fmt: skip

    def facts(self, listed: set[str]) -> tuple[str, list[str]]:
        """Return the players of the chosen game, and what columns with other titles than these say about it."""
        game = self._game
        if game is None:
            return "", []
        every = {"Moves": game.moves_text, "Result": game.outcome, "When": game.date, "Opening": game.opening,
                 "Review": game.review}  # fmt: skip
        return game.players, [fact for title, fact in every.items() if fact and title not in listed]
