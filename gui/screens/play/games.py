"""The screen of games, those that were kept or those of a file: a list, a search, and the chosen game beside it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.look.theme import CONTROL, GAP, ROOM
from gui.model.ending import find_ending
from gui.model.game import GameModel
from gui.screens.entries import Entry, entries, with_added
from gui.screens.play import game_files
from gui.screens.play.game_parts import step_buttons, step_commands
from gui.screens.play.games_of_file import FileList
from gui.screens.play.kept_list import KeptList
from gui.screens.play.layout import LEAST_LIST
from gui.screens.play.moves_list import moves_list
from gui.screens.play.play import Play
from gui.screens.screen import IDLE, Screen, below_header, count_or_progress, nothing_there, with_pane
from gui.widgets.base import Command, Label, Panel, Widget, by_id
from gui.widgets.board import BoardMarks, BoardWidget
from gui.widgets.button import Segments, button_row

if TYPE_CHECKING:
    from gui.app import App
    from gui.model.pdn import PdnIndex

ENDS = ("ctrl+home", "ctrl+end")
"""Keys of the start and the end of the chosen game; without Ctrl, they are those of the list."""
SHORT = {"play-on": "From here"}
PANE, LOW_PANE = 330, 320
"""Width of the pane with the chosen game, and its height if it is below the list."""
FILTER, BUTTON, WIDE = 560, 150, 210
"""Widths of the parts of the list, of a button and of a long one."""
WORDS, ICONS = ("open", "play-on"), ("save", "delete")
BELOW = "open-file", "explore", "review-all", "save-all", "open"
"""The buttons below the chosen game, and those below the list, the last of which is there without room for the game."""

CHOOSE = "Choose a game first."
NO_MORE = "There is no game left in the list to review."


class GamesScreen(Screen):
    """A list of games, one of which is chosen.

    Args:
        index: the games of a file, a single one of which opens at once; None for the games that were kept.
    """

    title = "Games"

    def __init__(self, app: App, index: PdnIndex | None = None) -> None:
        super().__init__(app)
        self.games = KeptList(self) if index is None else FileList(self, index)
        self.title, self.browses = self.games.title, index is None
        self.ui.focus = "games"
        self._entries: list[Entry] = entries("games", self) if self.games.file else []

    @property
    def pace(self) -> float:
        return 1 / 30 if self.games.busy or self.app.services.background.wants(self.app) else IDLE

    def on_open(self) -> None:
        self.app.services.kept.look_again()

    def tick(self, now: float, dt: float) -> bool:
        return self.games.step(now) or self.app.services.background.deliver()

    def commands(self) -> Sequence[Command]:
        games, model = self.games, self.games.model
        there, going, why = model is not None, self._why_not_on(), CHOOSE
        goes_on, finished = games.goes_on, games.near(0) is not None
        own = [
            Command(id="open", name="Continue" if goes_on else "Open", keys=("return",), run=games.show, why=why,
                    about="Show a finished game, or continue an unfinished one", icon="play" if goes_on else "open",
                    enabled=games.row >= 0),
            Command(id="open-file", name="Open a file", keys=("o", "ctrl+o"), icon="open",
                    run=partial(game_files.open_file, self.app), about="Open games from a file (PDN)"),
            Command(id="play-on", name="Play from here", keys=("p",), run=self._play_on, icon="resume",
                    about="Choose an opponent for a game from this position", enabled=not going, why=going),
            Command(id="save", name="Save as PDN", keys=("s", "ctrl+s"), run=games.save, icon="save",
                    about="Write the chosen game to a file", enabled=there, why=why),
            Command(id="review-all", name="Review all", keys=("w",), icon="review", why=NO_MORE,
                    run=lambda: self.turn(int(not finished), review=True), enabled=finished or self.has(1),
                    about="Review the finished games of the list, from the chosen one on"),
            *games.commands(),
            *step_commands(model, self._go_to, ENDS),
            self.search_command(),
        ]  # fmt: skip
        return with_added(own, self._entries)

    def _why_not_on(self) -> str:
        model = self.games.model
        if model is None:
            return CHOOSE
        ended = find_ending(model.start, model.plies[: model.cursor], model.rules)
        return "The game is over in this position: go back first (←)." if ended else ""

    def _go_to(self, cursor: int) -> None:
        if self.games.model is not None:
            self.games.model.go_to(cursor)

    def _play_on(self) -> None:
        if self.games.model is not None:
            branch = self.games.model.branch()
            self.app.open(self.app.screens.chooser(self.app, position=branch.last, game=branch, from_here=True))

    def has(self, step: int) -> bool:
        """Return whether the list has a finished game below (1) or above (-1) the open one."""
        return self.games.near(step) is not None

    def turn(self, step: int, *, review: bool = False) -> None:
        """Show the finished game below or above the open one in its place, or its review."""
        row = self.games.near(step)
        if row is not None:
            self.games.select(row)
            self.games.show()
            if review and isinstance(self.app.screen, Play) and self.app.screen.model.plies:
                self.app.screen.open_review()

    @property
    def place(self) -> str:
        reads = self.games.busy and self.games.file  # which goes on when no game is open
        of_all = "" if reads else f" of {self.games.count:,}"
        return f"game {self.games.row + 1:,}{of_all}"

    def escape(self) -> bool:
        searched = bool(self.games.words or self.games.narrowed)
        if searched:
            self.games.find("", 0)
            self.ui.focus = "games"
        return searched

    def view(self, size: Size, look: Look) -> list[Widget]:
        games, commands, px, area = self.games, by_id(self.commands()), look.px, below_header(size, look)
        if games.none:
            return [*self.header(size, look), *nothing_there(area, look, games.none, commands["open-file"])]
        top, body, foot = area.rows(px(CONTROL), None, px(CONTROL), gap=px(GAP))
        left, pane = with_pane(body, look, PANE, LOW_PANE)
        beside = left.w >= px(games.least) or area.w < area.h
        table = games.table(left if beside else body, look)
        names = [name for name in (BELOW[:-1] if beside else BELOW) if name in commands]
        widths = [px(WIDE if name == "save-all" else BUTTON) for name in names]
        note, *places = foot.columns(None, *widths, gap=px(GAP))
        counted, share, trouble = games.counted
        parts = list[Widget]()
        if games.filters:
            top, narrow = top.columns(None, min(px(FILTER), area.w * 3 // 5), gap=px(GAP))
            parts = [
                Segments(
                    key="filter",
                    rect=narrow,
                    names=games.filters,
                    chosen=games.narrowed,
                    pick=lambda number: games.find(games.words, number),
                    hint="The games to list",
                )
            ]
        if beside:
            shown = {column.title for column in table.columns}
            parts += [Panel(key="pane", rect=pane), *self._pane(pane.inset(px(ROOM)), look, commands, shown)]
        return [
            *self.header(size, look),
            self.search_field(top, games.words, lambda words: games.find(words, games.narrowed), games.searched,
                              enter=lambda: self.key("return"), below="games", hint=games.hint),
            table,
            *parts,
            *button_row(commands, names, places, main="" if beside else "open"),
            count_or_progress(note, look, counted, share, trouble),
        ]  # fmt: skip

    def _pane(self, rect: Rect, look: Look, commands: dict[str, Command], listed: set[str]) -> list[Widget]:
        """Return the chosen game: board, place, what the columns leave out, moves if there is room, and buttons.

        Args:
            listed: the titles of the columns.
        """
        px, gap, model = look.px, look.px(GAP), self.games.model
        players, words = self.games.facts(listed)
        high = px(54) if words else 0
        if rect.h >= rect.w:
            others = px(20) + high + 2 * px(CONTROL) + 5 * gap
            board, rest = rect.rows(min(rect.w, rect.h - others), None, gap=gap)
        else:
            board, rest = rect.columns(min(rect.h, rect.w // 2), None, gap=px(ROOM))
        place, text, moves, steps, row = rest.rows(px(20), high, None, px(CONTROL), px(CONTROL), gap=gap)
        while len(words) > 1 and look.tall(f"{players}: {', '.join(words)}.", text.w) > text.h:
            del words[-1]
        icons, ply = [name for name in ICONS if name in commands], None if model is None else model.shown_ply
        shown = WORDS[: 1 if self.games.goes_on and model is not None and model.at_end else 2]
        places = row.columns(*[None] * len(shown), *[row.h] * len(icons), gap=gap)
        widgets: list[Widget] = [
            BoardWidget(key="board", rect=board, pieces=(model or GameModel()).pieces(), numbers=False, enabled=False,
                        flipped=self.games.flipped, marks=BoardMarks(last=ply.move.path if ply else ())),
            Label(key="place", rect=place, text="" if model is None else model.place, bold=True, may_cut=True),
            Label(key="facts", rect=text, text=f"{players}: {', '.join(words)}." if words else "",
                  colour=look.theme.muted, wrap=True, may_cut=True),
            *step_buttons(step_commands(model, self._go_to, ENDS), steps, look),
            *button_row(commands, shown, places[: len(shown)], main="open", short=SHORT),
            *button_row(commands, icons, places[len(shown) :], icon_only=True),
        ]  # fmt: skip
        if model is not None and moves.h >= px(LEAST_LIST):
            widgets.append(moves_list(model, self._go_to, look.theme, moves))
        return widgets
