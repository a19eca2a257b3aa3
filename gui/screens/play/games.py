"""The games of a PDN file, however large it is."""

from __future__ import annotations

from collections.abc import Sequence

from game.errors import InputError
from gui.geometry import Size
from gui.look.canvas import Look
from gui.look.measures import CONTROL, GAP
from gui.model.game import GameModel
from gui.model.pdn_index import PdnIndex
from gui.screens.play.beginning import show_loaded
from gui.screens.screen import IDLE, Screen, Window, below_header
from gui.widgets.base import Label, Widget
from gui.widgets.button import button
from gui.widgets.commands import Command, by_id
from gui.widgets.field import Field
from gui.widgets.progress_bar import ProgressBar
from gui.widgets.table import Cell, Column, Table

STEP_SECONDS = 0.008
COLUMNS = (
    Column("No.", 70, "right"),
    Column("Black"),
    Column("White"),
    Column("Result", 84),
    Column("Moves", 74, "right"),
    Column("Event"),
    Column("Date", 110),
)


class GamesScreen(Screen):
    """A searchable list; a file with one game opens it at once."""

    def __init__(self, app: Window, index: PdnIndex) -> None:
        super().__init__(app)
        self.index = index
        self.title = f"Games of {index.path.name}"
        self._row = 0
        self._search = ""
        self.ui.focus = "games"
        self._alone = True

    def commands(self) -> Sequence[Command]:
        """Open and search."""
        return [
            Command(id="open", name="Open", keys=("return",), run=self._open, about="Show the game", icon="play",
                    enabled=bool(self.index.rows), why="There is no game in the list."),
            Command(id="explore", name="Explore", keys=("k",), run=self._explore, icon="tree",
                    about="See what was played in these games, from the first move on", enabled=bool(self.index.rows),
                    why="There is no game in the list."),
            Command(id="search", name="Search", keys=("/", "ctrl+f"), run=self._to_search,
                    about="Lead the keyboard to the search", icon="search"),
        ]  # fmt: skip

    def _explore(self) -> None:
        self.app.services.explored.choose(str(self.index.path))
        self.app.change_settings(explorer=True, explorer_source=str(self.index.path))
        self.app.open(self.app.screens.exploring(GameModel()))

    def _to_search(self) -> None:
        self.ui.focus, self.ui.focus_shown = "search", True

    def _open(self) -> None:
        if 0 <= self._row < len(self.index.rows):
            try:
                loaded = self.index.load(self.index.rows[self._row])
            except InputError as error:
                self.app.say(str(error), "warning")
                return
            alone = self.index.complete and len(self.index.entries) == 1
            show_loaded(self.app, loaded, None if alone else self)

    def _select(self, row: int) -> None:
        self._row = row

    def _activate(self, row: int) -> None:
        self._row = row
        self._open()

    def _find(self, text: str) -> None:
        self._search, self._row = text, 0
        self.index.search = text

    @property
    def pace(self) -> float:
        """Often while the file is read."""
        return IDLE if self.index.complete else 1 / 30

    def tick(self, now: float, dt: float) -> bool:
        """Read a little more of the file."""
        if self.index.complete:
            return False
        self.index.step(STEP_SECONDS)
        if self.index.complete and len(self.index.entries) == 1 and self._alone:
            self._alone = False
            entry = self.index.entries[0]
            if entry.sound or entry.plies or any((entry.black, entry.white, entry.event, entry.date)):
                self._open()
            else:
                self.app.back()
                self.app.say(f"There is no game in {self.index.path.name}.", "warning")
        return True

    def on_close(self) -> None:
        """Read no more."""
        self.index.close()

    def _cells(self, row: int) -> Sequence[str | Cell]:
        entry = self.index.entries[self.index.rows[row]]
        moves = str((entry.plies + 1) // 2)
        number = Cell(
            str(entry.number), None if entry.sound else self.app.look.theme.warning, "" if entry.sound else "warning"
        )
        return number, entry.black, entry.white, entry.result, moves, entry.event, entry.date

    def view(self, size: Size, look: Look) -> list[Widget]:
        """Search, list, how far the reading is."""
        px, index = look.px, self.index
        area = below_header(size, look)
        top, body, low = area.rows(px(CONTROL), None, px(CONTROL), gap=px(GAP))
        found = by_id(self.commands())
        note, explore, accept = low.columns(None, px(150), px(150), gap=px(GAP))
        count = (
            f"{len(index.rows):,} of {len(index.entries):,} games" if self._search else f"{len(index.entries):,} games"
        )
        widgets = self.header(size, look)
        widgets += [
            Field(
                key="search", rect=top, value=self._search, change=self._find, ghost="Search names, events, results  /",
                icon="search", enter=self._open, clipboard=self.app.services.clipboard,
            ),
            Table(
                key="games", rect=body, columns=COLUMNS, count=len(index.rows), cells=self._cells,
                selected=min(self._row, len(index.rows) - 1), select=self._select, activate=self._activate,
                empty="" if not index.complete else index.trouble or "No game matches. Search for fewer words.",
            ),
            button(found["explore"], "explore", explore),
            button(found["open"], "open", accept, kind="main"),
        ]  # fmt: skip
        if index.complete:
            trouble = index.trouble
            colour = look.theme.warning if trouble else look.theme.muted
            widgets.append(Label(key="count", rect=note, text=trouble or count, colour=colour, may_cut=True))
        else:
            bar = note.centre_within(note.w, px(22))
            widgets.append(ProgressBar(key="reading", rect=bar, share=index.share, text=f"Reading: {count}"))
        return widgets
