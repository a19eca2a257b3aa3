"""The list of all kept games."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

from game.errors import capital
from game.number_text import count_text
from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.look.theme import CONTROL, GAP, ROOM, Theme
from gui.model.ending import find_ending
from gui.model.game import GameModel
from gui.model.game_search import found_by, leads
from gui.model.kept_game import FILTERS, KeptGame, find_games
from gui.screens.play import game_files
from gui.screens.play.game_files import ask_to_delete, save_all, show_kept
from gui.screens.play.game_parts import step_buttons, step_commands
from gui.screens.play.layout import LEAST_LIST
from gui.screens.play.moves_list import moves_list
from gui.screens.play.play import Play
from gui.screens.screen import IDLE, Screen, below_header, count_or_progress, nothing_there, with_pane
from gui.storage.autosave import Kept
from gui.storage.game_text import review_in
from gui.widgets.base import Command, Label, Panel, Widget, by_id
from gui.widgets.board import BoardMarks, BoardWidget
from gui.widgets.button import Segments, button_row
from gui.widgets.table import NONE, Cell, ListColumn, ListOrder, Table, without_entry

if TYPE_CHECKING:
    from gui.app import App

ENDS = ("ctrl+home", "ctrl+end")
"""Keys of the start and the end of the chosen game; without Ctrl, they are those of the list."""
SHORT = {"play-on": "Play on"}
STEP_SECONDS = 0.006
LOOK_SECONDS = 2.0
FIND_SECONDS = 0.3
"""Seconds between two updates of the list while games are being read."""

FILTER = 560
PANE, LOW_PANE = 330, 320
"""Width of the pane with the chosen game, and its height if it is below the list."""

COLUMNS: tuple[ListColumn[KeptGame], ...] = (
    ListColumn("Game", sort="game", cell=lambda game, theme: Cell(game.players),
               order=lambda game: " ".join(game.names).strip().lower()),
    ListColumn("Opening", 132, sort="opening", room=800, order=lambda game: (not game.opening, game.opening),
               cell=lambda game, theme: Cell(game.opening or NONE, theme.muted)),
    ListColumn("Moves", 64, "right", sort="moves", room=480, largest_first=True, order=lambda game: game.plies,
               cell=lambda game, theme: Cell(str((game.plies + 1) // 2), theme.muted)),
    ListColumn("Result", 92, sort="result", room=445, order=lambda game: game.outcome,
               cell=lambda game, theme: Cell(capital(game.outcome), theme.muted)),
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


class KeptGamesScreen(Screen):
    title = "All games"
    browses = True

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self._games: list[KeptGame] = []
        self._made: tuple[object, ...] = ()
        self._name = ""  # the file of the chosen game
        self._words = ""
        self._filter = 0
        self._order = ListOrder(COLUMNS, "when", self._find)
        self._empty: list[ListColumn[KeptGame]] = []
        self._shown: tuple[KeptGame, Kept | None] | None = None
        self._look_at = self._find_at = 0.0
        self.ui.focus = "games"
        self._find()

    @property
    def game(self) -> KeptGame | None:
        return next((game for game in self._games if game.name == self._name), None)

    @property
    def model(self) -> GameModel | None:
        """The chosen game and its visible position; None if it cannot be read."""
        kept = self._shown[1] if self._shown is not None else None
        return kept.model if kept is not None else None

    @property
    def pace(self) -> float:
        return IDLE if self.app.services.kept.complete and not self.app.services.background.wants(self.app) else 1 / 30

    def on_open(self) -> None:
        self._look_at = 0.0

    def tick(self, now: float, dt: float) -> bool:
        kept = self.app.services.kept
        if now >= self._look_at:
            self._look_at = now + LOOK_SECONDS
            kept.look_again()
        busy = not kept.complete
        kept.step(STEP_SECONDS)
        changed = (kept.complete or now >= self._find_at) and self._find()
        if busy and changed:
            self._find_at = now + FIND_SECONDS
        return self.app.services.background.deliver() or changed or busy

    def _find(self) -> bool:
        """Update the list if games, search, filter or order have changed; return whether they have."""
        kept = self.app.services.kept
        wishes = kept.version, self._words, self._filter, self._order.by, self._order.descending
        if wishes == self._made:
            return False
        self._made = wishes
        self._empty = without_entry(COLUMNS, kept.games)
        games = find_games(kept.games, self._words, FILTERS[self._filter])
        self._order.sort(games)
        games.sort(key=lambda game: not leads(game.opening, self._words))
        row, self._games = max(self._row, 0), games
        if self.game is None and games:
            self._name = games[min(row, len(games) - 1)].name  # the game that is now in its place
        self._read()
        return True

    def _read(self) -> None:
        game = self.game
        if game is None:
            self._shown = None
        elif self._shown is None or self._shown[0] != game:
            same = self._shown is not None and self._shown[0].name == game.name
            cursor = self.model.cursor if same and self.model is not None else None
            autosave = self.app.services.autosave
            kept = autosave.read(self.app.services.kept.path(game))
            if kept is None and autosave.trouble:
                self.app.say(autosave.trouble, "warning")
            elif kept is not None:
                kept.model.go_to(len(kept.model.plies) if cursor is None else cursor)
            self._shown = game, kept

    def commands(self) -> Sequence[Command]:
        there, why = self.model is not None, "" if self.model is not None else CHOOSE
        going, count = self._why_not_on(), len(self._games)
        games = count_text(count, "game") if count else "all games"
        return [
            Command(id="open", name="Open" if self.game is None or self.game.over else "Continue", keys=("return",),
                    about="Show a finished game, or continue an unfinished one", enabled=there, why=why, run=self._open,
                    icon="open" if self.game is None or self.game.over else "play"),
            Command(id="open-file", name="Open a file", keys=("o", "ctrl+o"), icon="open",
                    run=partial(game_files.open_file, self.app), about="Open games from a file (PDN)"),
            Command(id="play-on", name="Play on from here", keys=("p",), run=self._play_on, icon="resume",
                    about="Choose an opponent to play on from this position", enabled=not going,
                    why=going),
            Command(id="save", name="Save as PDN", keys=("s", "ctrl+s"), run=self._save, icon="save",
                    about="Write the chosen game to a file", enabled=there, why=why),
            Command(id="review-all", name="Review all", keys=("w",), icon="review",
                    run=lambda: self.turn(int(self._finished(0) is None), review=True),
                    about="Review the finished games of the list, from the chosen one on",
                    enabled=self._finished(0) is not None or self.has(1), why="No finished game is left in the list."),
            Command(id="delete", name="Delete", keys=("delete",), run=self._delete, icon="delete",
                    about="Delete the chosen game, after confirmation", enabled=self.game is not None, why=CHOOSE),
            *step_commands(self.model, self._go_to, ENDS),
            self.search_command(),
            Command(id="filter", name="Filter", keys=(), run=lambda: self._set_filter(self._filter + 1),
                    about="List all games, or unfinished, won, lost, drawn or reviewed ones"),
            Command(id="order", name="Order", keys=(), run=self._order.choose_next, about="Order by the next column"),
            Command(id="save-all", name=f"Save {games}", keys=(), icon="save", enabled=bool(count),
                    run=lambda: save_all(self.app, tuple(self._games)), why="There are no games in the list.",
                    about="Write all games of the list to one PDN file"),
        ]  # fmt: skip

    def _why_not_on(self) -> str:
        model = self.model
        if model is None:
            return CHOOSE
        ended = find_ending(model.start, model.plies[: model.cursor], model.rules)
        return "The game is over in this position: go back first (←)." if ended else ""

    def _go_to(self, cursor: int) -> None:
        if self.model is not None:
            self.model.go_to(cursor)

    def _open(self) -> None:
        if self.game is not None:
            show_kept(self.app, self.game)

    def _finished(self, step: int) -> KeptGame | None:
        """Return the nearest finished game below or above the chosen one; the chosen one itself for 0."""
        row = self._row
        games = self._games[row : row + 1] if not step else self._games[row + step :: step] if row + step >= 0 else []
        return next((game for game in games if game.over and game.plies), None)

    @property
    def _row(self) -> int:
        return next((row for row, game in enumerate(self._games) if game.name == self._name), -1)

    def has(self, step: int) -> bool:
        """Return whether the list has a finished game below (1) or above (-1) the open one."""
        return self._finished(step) is not None

    def turn(self, step: int, *, review: bool = False) -> None:
        """Show the finished game below or above the open one in its place, or its review."""
        game = self._finished(step)
        if game is None:
            return
        self._name = game.name
        self._read()
        self.app.go_home(keep=lambda screen: screen is self)
        show_kept(self.app, game, self)
        if review and isinstance(self.app.screen, Play):
            self.app.screen.open_review()

    @property
    def place(self) -> str:
        return f"game {self._row + 1:,} of {len(self._games):,}"

    def _play_on(self) -> None:
        if self.model is not None:
            branch = self.model.branch()
            self.app.open(self.app.screens.chooser(position=branch.last, game=branch, from_here=True))

    def _save(self) -> None:
        game, kept = self._shown if self._shown is not None else (None, None)
        if game is not None and kept is not None:
            game_files.save_game(self.app, kept.model, game.when, review_in(kept.extra, kept.model))

    def _delete(self) -> None:
        if self.game is not None:
            ask_to_delete(self.app, self.game, self.on_open)

    def _search(self, text: str) -> None:
        self._words = text
        self._find()

    def _set_filter(self, number: int) -> None:
        self._filter = number % len(FILTERS)
        self._find()

    def _select(self, row: int) -> None:
        self._name = self._games[row].name
        self._read()

    def escape(self) -> bool:
        if self._words or self._filter:
            self._words, self._filter = "", 0
            self._find()
        else:
            return False
        return True

    def view(self, size: Size, look: Look) -> list[Widget]:
        commands, kept = by_id(self.commands()), self.app.services.kept
        px, area = look.px, below_header(size, look)
        if kept.complete and not (kept.games or kept.damaged):
            return [*self.header(size, look), *nothing_there(area, look, NONE_YET, commands["open-file"])]
        top, body, foot = area.rows(px(CONTROL), None, px(CONTROL), gap=px(GAP))
        search, narrow = top.columns(None, min(px(FILTER), area.w * 3 // 5), gap=px(GAP))
        left, pane = with_pane(body, look, PANE, LOW_PANE)
        return [
            *self.header(size, look),
            self.search_field(search, self._words, self._search, "Search names, results, dates, openings",
                              enter=self._open, below="games"),
            Segments(
                key="filter", rect=narrow, names=FILTERS, chosen=self._filter, pick=self._set_filter,
                hint="The games to list",
            ),
            self._table(left, look),
            Panel(key="pane", rect=pane),
            *self._pane(pane.inset(px(ROOM)), left.w, look, commands),
            *self._foot(foot, look, commands),
        ]  # fmt: skip

    def _table(self, rect: Rect, look: Look) -> Table:
        order = self._order
        columns = [each for each in order.fitting(rect.w, look) if each not in self._empty]

        def opening(game: KeptGame, theme: Theme) -> Cell:
            named = found_by(game.opening, game.openings, self._words) or NONE
            return Cell(named if self._words else named.partition(", ballot")[0], theme.muted)

        columns = [replace(each, cell=opening) if each.title == "Opening" else each for each in columns]
        kept = self.app.services.kept
        return Table(
            key="games", rect=rect, columns=columns, count=len(self._games),
            cells=lambda row: [column.cell(self._games[row], look.theme) for column in columns],
            of=lambda row: self._games[row].name, arranged=(self._words, self._filter),
            selected=self._row, select=self._select, activate=lambda row: self._open(), sort=order.choose,
            sorted_by=order.by, descending=order.descending,
            empty=NO_MATCH if kept.games else "Looking for games…",
        )  # fmt: skip

    def _pane(self, rect: Rect, beside: int, look: Look, commands: dict[str, Command]) -> list[Widget]:
        """Return the chosen game with what the columns of the list beside it leave out."""
        game, kept = self.game, self._shown[1] if self._shown is not None else None
        every = {} if game is None else {"Moves": game.moves_text, "Result": game.outcome, "When": game.date,
                                         "Opening": game.opening, "Review": game.review}  # fmt: skip
        listed = {each.title for each in self._order.fitting(beside, look)}
        facts = [fact for title, fact in every.items() if title not in listed]
        flipped = kept is None or bool(kept.extra.get("flipped"))
        widgets, rows = game_pane(self.model, game.players if game and facts else "", facts, rect, look,
                                  self._go_to, flipped=flipped, rows=2)  # fmt: skip
        places = [place for row in rows for place in row.columns(None, None, gap=look.px(GAP))]
        return widgets + button_row(commands, ("open", "play-on", "save", "delete"), places, main="open", short=SHORT)

    def _foot(self, rect: Rect, look: Look, commands: dict[str, Command]) -> list[Widget]:
        kept = self.app.services.kept
        note, *places = rect.columns(None, look.px(150), look.px(150), look.px(210), gap=look.px(GAP))
        widgets = button_row(commands, ("open-file", "review-all", "save-all"), places)
        listed, every = len(self._games), len(kept.games)
        count = count_text(every, "game") if listed == every else f"{listed:,} of {count_text(every, 'game')}"
        reading = not kept.complete and not kept.games
        more = f" (and {len(kept.damaged) - 1} more)" if len(kept.damaged) > 1 else ""
        trouble = f"{count}. {kept.damaged[0]}{more}" if kept.damaged else ""
        return [*widgets, count_or_progress(note, look, count, kept.share if reading else None, trouble)]


def game_pane(
    model: GameModel | None,
    players: str,
    facts: Iterable[str],
    rect: Rect,
    look: Look,
    go_to: Callable[[int], object],
    *,
    flipped: bool = False,
    rows: int = 0,
) -> tuple[list[Widget], list[Rect]]:
    """Return a game beside its list: board, place, players and facts, moves if there is room, and steps.

    The second result are the places of `rows` rows of buttons below.
    """
    px, gap, below, high = look.px, look.px(GAP), [look.px(CONTROL)] * (rows + 1), look.px(54) if players else 0
    if rect.h >= rect.w:
        others = px(20) + high + sum(below) + (len(below) + 3) * gap
        board, rest = rect.rows(min(rect.w, rect.h - others), None, gap=gap)
    else:
        board, rest = rect.columns(min(rect.h, rect.w // 2), None, gap=px(ROOM))
    place, text, moves, steps, *places = rest.rows(px(20), high, None, *below, gap=gap)
    words = list(filter(None, facts))
    while len(words) > 1 and look.tall(f"{players}: {', '.join(words)}.", text.w) > text.h:
        del words[-1]
    ply = None if model is None else model.shown_ply
    widgets: list[Widget] = [
        BoardWidget(key="board", rect=board, pieces=(model or GameModel()).pieces(), numbers=False, enabled=False,
                    flipped=flipped, marks=BoardMarks(last=ply.move.path if ply else ())),
        Label(key="place", rect=place, text="" if model is None else model.place, bold=True, may_cut=True),
        Label(key="facts", rect=text, text=f"{players}: {', '.join(words)}." if words else "",
              colour=look.theme.muted, wrap=True, may_cut=True),
        *step_buttons(step_commands(model, go_to, ENDS), steps, look),
    ]  # fmt: skip
    if model is not None and moves.h >= px(LEAST_LIST):
        widgets.append(moves_list(model, go_to, look.theme, moves))
    return widgets, places
